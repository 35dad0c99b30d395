// Package inspect checks the files of a project: `locsync check`. It reads source files and translations as passes
// would, and names what is wrong with them, each problem at its line and with what to do.
//
// Its law: what a check does not name, no pass leaves out for what is in the files; and a check changes nothing.
// Only Online calls the service; all else needs no more than the repository.
package inspect

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/diff"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Options say what a check looks for beside what is wrong.
type Options struct {
	Missing bool       // also keys without a translation
	Explain string     // a key: how its texts are read is told, too
	Stale   bool       // also translations that are older than their source texts
	Since   string     // a commit, as git names it: only problems of keys that changed since are told
	Diff    *diff.Diff // in place of Since: only problems of keys that it changes are told

	StaleFile string // which changes of source texts are accepted; see StaleFile
}

// inspection is one project's check, under way.
type inspection struct {
	cfg      *config.Project
	announce func(report.Doing)
	report   report.ProjectCheck
	fsys     fs.FS

	outputs []string // files of translations, whether they are there or not

	o      Options
	before *before                          // nil where all problems are reported
	unread map[string]bool                  // files that cannot be read, where before is set
	have   map[translatedIn]map[string]bool // keys that have a translation; nil where a file of theirs cannot be read
	shared *tree.Shared                     // translations of keys that several files have
	looked looked
}

// looked is what the files of translations are compared with, of those of one source file that were looked at.
type looked struct {
	links     map[string]bool         // folders and files: whether they are links
	sentences map[catalog.Name][]said // under each key
}

func newLooked() looked {
	return looked{links: make(map[string]bool), sentences: make(map[catalog.Name][]said)}
}

// said is a sentence of a language.
type said struct{ text, language string }

// Project checks the files of a project in one tree of its repository. An error means that it could not be found out.
func Project(
	ctx context.Context, cfg *config.Project, repo *gitops.Repo, fsys fs.FS, o Options, announce func(report.Doing),
) (report.ProjectCheck, error) {
	x := inspection{cfg: cfg, announce: announce, o: o, fsys: fsys, have: make(map[translatedIn]map[string]bool),
		looked: newLooked(),
		report: report.ProjectCheck{Name: cfg.Name, Root: repo.Facts().WorkTree, Files: []report.CheckedFile{},
			Losses: []report.Loss{}, Problems: []report.Problem{}}}
	if err := x.compare(ctx, repo); err != nil {
		return x.report, err
	}
	if err := errors.Join(x.files(ctx, repo), x.ignored(ctx, repo)); err != nil {
		return x.report, err
	}
	x.languages()
	x.finish()
	return x.report, nil
}

// add enters a problem. It keeps no file in memory.
func (x *inspection) add(severity, code string, p report.Problem, remedy string) {
	p.Code, p.Severity, p.Remedy, p.Key = code, severity, remedy, strings.Clone(p.Key)
	x.report.Problems = append(x.report.Problems, p)
}

// told is a problem in the words of a pass, which say what to do behind the last semicolon.
func (x *inspection) told(severity string, p report.Problem) {
	remedy := ""
	if at := strings.LastIndex(p.Problem, "; "); at > 0 && !strings.Contains(p.Problem[at:], `"`) {
		p.Problem, remedy = p.Problem[:at], p.Problem[at+2:]
	}
	x.add(severity, p.Code, p, remedy)
}

// faulty enters a fault of the program itself in one file.
func (x *inspection) faulty(p report.Problem) { x.add(report.Error, p.Code, p, p.Remedy) }

// files goes through all files of the tree.
func (x *inspection) files(ctx context.Context, repo *gitops.Repo) error {
	x.fsys = tree.Once(x.fsys)
	t, err := tree.Find(x.fsys, x.cfg, func(done, total int) {
		x.announce(report.Doing{What: "reading the source files", Done: int64(done), Total: int64(total)})
	})
	if err != nil {
		x.add(report.Error, report.CodeRead, report.Problem{Problem: err.Error()},
			"nothing of this project can be told before that is repaired")
		return nil
	}
	parsed := make(map[string]*tree.Source, len(t.Sources))
	for _, s := range t.Sources {
		parsed[s.Path] = s
		x.source(s)
	}
	for _, p := range t.Problems {
		if p.Code == report.CodeFault {
			x.faulty(p)
			continue
		}
		x.ofTree(parsed[p.File], p)
	}
	x.patterns(t)
	x.keptAsKeys(t)
	targets, err := bundle.Existing(x.fsys, t.Bundles(), x.cfg.Targets())
	if err != nil {
		return err
	}
	if x.shared, err = t.SharedIn(x.fsys, x.cfg.Targets()); err != nil {
		return err
	}
	x.linkedFolders(t, targets)
	x.targets(t, targets)
	x.gaps(t)
	for _, target := range bundle.Known(t.Bundles(), x.cfg.Targets()) {
		x.outputs = append(x.outputs, target.Path)
	}
	err = x.strays(t, targets)
	if err == nil {
		err = x.stale(ctx, repo, t, targets)
	}
	if err == nil && x.before != nil {
		err = x.keepSince(t, targets)
	}
	return err
}

// holds reports whether a request is held for a language: what it changes has to be translated into it.
func (x *inspection) holds(l config.Language) bool {
	return x.before != nil && slices.Contains(x.cfg.Hold.Languages, l.Code)
}

// keptAsKeys says once of a project that plurals of some files travel as keys, one by one, and how to join them.
func (x *inspection) keptAsKeys(t *tree.Tree) {
	var files []*tree.Source
	for _, s := range t.Sources {
		if !s.Broken() && bundle.KeptAsKeys(s.Bundle) && spelling.Join(s.All, s.Separator, s.Source.Code).Any() {
			files = append(files, s)
		}
	}
	if len(files) == 0 {
		return
	}
	what := "the forms of its plurals were sent as keys, one by one, so translators see no forms but the source's"
	if n := len(files) - 1; n > 0 {
		what += fmt.Sprintf("; so were those of %s", report.Counted(n, "other file", "other files"))
	}
	x.add(report.Warning, report.CodeShape, report.Problem{File: files[0].Path, Problem: what},
		`locsync push --join-plurals sends each plural as one key, with --dry-run it says what it would do; plurals = "keys"`+
			" in their [[project.files]] entries keeps them as they are")
}

// languages warns of languages that a translation service is known not to have. The embedded service takes them, and
// so may one that has learned them.
func (x *inspection) languages() {
	for _, u := range x.cfg.UnknownLanguages() {
		p := report.Problem{File: u.At.File, Line: u.At.Line, Column: max(u.At.Column, 1), Key: u.At.Key, Language: u.Code,
			Problem: u.At.Message}
		x.add(report.Warning, report.CodeLanguage, p, u.Remedy)
	}
}

// ignored warns of files of translations that git passes over in the working tree: a pull commits them all the same,
// and people who make or change them there do not.
func (x *inspection) ignored(ctx context.Context, repo *gitops.Repo) error {
	found, err := repo.Ignored(ctx, x.outputs)
	if err != nil {
		return err
	}
	for path, rule := range found {
		x.add(report.Warning, report.CodeIgnored, report.Problem{File: path, Problem: "git ignores it: " + rule},
			"take it out of that pattern, so that git add sees it")
	}
	return nil
}

// source enters a source file.
func (x *inspection) source(s *tree.Source) {
	defer tree.CatchIn(s.Path, s.Source.Code, x.faulty)
	file := report.CheckedFile{Path: s.Path, Language: s.Source.Code, Format: s.Format.Name, Collection: s.Collection}
	if !s.Broken() {
		file.Keys = len(s.Texts.Keys())
		x.report.Keys += file.Keys
		x.losses(s.Format.Name, s.Format.Losses(s.File))
		x.oddities(s.Bundle, s.File, s.Path, s.Source, s.Clash)
		x.refused(s.Bundle, s.File, s.Path, s.Source)
		x.faults(s)
		x.explain(s)
	}
	x.report.Files = append(x.report.Files, file)
}

// losses enters what is lost of a file, each once for all files of a format.
func (x *inspection) losses(format string, ofFile []string) {
	for _, lost := range ofFile {
		i := slices.IndexFunc(x.report.Losses, func(l report.Loss) bool { return l.Format == format })
		if i < 0 {
			i, x.report.Losses = len(x.report.Losses), append(x.report.Losses, report.Loss{Format: format})
		}
		if l := &x.report.Losses[i]; !slices.Contains(l.Lost, lost) {
			l.Lost = append(l.Lost, lost)
		}
	}
}

// oddities are the warnings of a grammar, and the entries that stand twice, as far as nothing worse is said of them.
func (x *inspection) oddities(b *bundle.Bundle, f *resource.File, path string, l config.Language,
	worse map[string]string) {
	for _, w := range bundle.Warnings(b, f, path, l) {
		if w.Code != report.CodeDuplicate || worse[w.Key] == "" {
			x.told(w.Severity, w)
		}
	}
}

// ofTree enters a problem that passes find in a source file, and finds its line.
func (x *inspection) ofTree(s *tree.Source, p report.Problem) {
	if s != nil && !s.Broken() && p.Line == 0 && p.Key != "" {
		newPositions(s.File).put(&p, "")
	}
	x.told(report.Error, p)
}

// patterns finds entries of the configuration that no file is there for.
func (x *inspection) patterns(t *tree.Tree) {
	for i := range x.cfg.Files {
		files := &x.cfg.Files[i]
		some := slices.ContainsFunc(t.Sources, func(s *tree.Source) bool { _, ok := files.SourceFile(s.Path); return ok }) ||
			slices.ContainsFunc(t.Problems, func(p report.Problem) bool {
				_, ok := files.SourceFile(p.File)
				return ok || strings.HasPrefix(files.Source, p.File+"/") // its folder is closed
			})
		if some {
			continue
		}
		severity := report.Warning
		if len(t.Sources) == 0 {
			severity = report.Error
		}
		at := files.Problem("source", "no file matches %q", files.Source)
		remedy := "patterns are relative to the repository; correct it, or take the entry out"
		if info, err := fs.Lstat(x.fsys, files.Source); err == nil && info.Mode()&fs.ModeSymlink != 0 {
			at = files.Problem("source", "%q is a symbolic link to something that is not a file of this repository",
				files.Source)
			remedy = "put the file itself there, or name it where it is"
		}
		x.add(severity, report.CodePattern, report.Problem{File: at.File, Line: at.Line, Column: max(at.Column, 1),
			Key: at.Key, Problem: at.Message}, remedy)
	}
}

// targets checks the files of translations: those of one source file one after the other, as they are compared with
// each other, beside those of others.
func (x *inspection) targets(t *tree.Tree, targets []bundle.Target) {
	var bySource [][]bundle.Target
	at := make(map[string]int)
	for _, target := range targets {
		source := target.Sources[0].Path
		if _, is := at[source]; !is {
			at[source], bySource = len(bySource), append(bySource, nil)
		}
		bySource[at[source]] = append(bySource[at[source]], target)
	}
	shares := make([]inspection, len(bySource))
	var mu sync.Mutex // around done and what is announced
	done := 0
	fault.Each(len(bySource), func(i int) {
		share := inspection{cfg: x.cfg, o: x.o, fsys: x.fsys, shared: x.shared, before: x.before, looked: newLooked(),
			have: make(map[translatedIn]map[string]bool)}
		for _, target := range bySource[i] {
			mu.Lock()
			x.announce(report.Doing{What: "looking at the translations", Done: int64(done), Total: int64(len(targets))})
			done++
			mu.Unlock()
			share.target(t, target)
		}
		share.looked = looked{} // which keeps the files in memory
		shares[i] = share
	})
	for _, share := range shares {
		x.report.Files = append(x.report.Files, share.report.Files...)
		x.report.Problems = append(x.report.Problems, share.report.Problems...)
		for _, l := range share.report.Losses {
			x.losses(l.Format, l.Lost)
		}
		maps.Copy(x.have, share.have)
	}
}

// target checks one file of translations: that it can be read and written, and that what it says would not break the
// program.
func (x *inspection) target(t *tree.Tree, target bundle.Target) {
	b, l := target.Sources[0], target.Language
	defer tree.CatchIn(target.Path, l.Code, x.faulty)
	if link := x.linkIn(target.Path); link != "" {
		x.linked(target.Path, link, l)
		return
	}
	f, problem, err := b.Read(x.fsys, target.Path, l)
	texts := bundle.Texts(f)
	x.keep(t, target, f, texts, err != nil || problem != nil)
	switch {
	case err != nil:
		x.add(report.Error, report.CodeRead, report.Problem{File: target.Path, Language: l.Code,
			Problem: "cannot be read: " + errors.Unwrap(err).Error()}, "replace it by a file that can be read")
		return
	case problem != nil:
		x.told(report.Error, *problem)
	}
	if f == nil {
		if problem != nil {
			x.report.Files = append(x.report.Files, report.CheckedFile{Path: target.Path, Language: l.Code,
				Format: b.Format.Name, Collection: b.Collection})
		}
		return
	}
	x.losses(b.Format.Name, b.Format.Losses(f))
	x.report.Files = append(x.report.Files, report.CheckedFile{Path: target.Path, Language: l.Code,
		Format: b.Format.Name, Collection: b.Collection, Keys: len(texts.Keys())})
	x.texts(t, target, f, texts)
}

// linked enters that a file, or a folder, of translations is a link or behind one.
func (x *inspection) linked(name, link string, l config.Language) {
	what := "is a symbolic link"
	if link != name {
		what = "is behind " + link + ", which is a symbolic link"
	}
	x.add(report.Error, report.CodeRead, report.Problem{File: name, Language: l.Code, Problem: what +
		"; translations are written through none"}, "replace it by a real file or folder, or change output")
}

// linkedFolders names the links where files would be whose names the service decides: none is found behind a link that
// cannot be followed.
func (x *inspection) linkedFolders(t *tree.Tree, targets []bundle.Target) {
	for _, g := range bundle.Groups(t.Bundles()) {
		for _, l := range x.cfg.Targets() {
			if !g.Template().HasLabel() {
				continue
			}
			folder, _ := doublestar.SplitPattern(g.Template().Glob(l))
			link := x.linkIn(folder)
			if link != "" && !slices.ContainsFunc(targets, func(t bundle.Target) bool {
				return strings.HasPrefix(t.Path, folder+"/")
			}) {
				x.linked(folder, link, l)
			}
		}
	}
}

// texts checks what a file of translations has.
func (x *inspection) texts(t *tree.Tree, target bundle.Target, f *resource.File, texts catalog.Catalog) {
	b, l := target.Sources[0], target.Language
	source, ok := t.SourceTexts(target)
	x.refused(b, f, target.Path, l)
	x.oddities(b, f, target.Path, l, bundle.Unsent(b, f))
	at := newPositions(f)
	unfit := examine.Unfit(b, source, f, texts)
	for _, p := range examine.UnfitProblems(target, texts, unfit) {
		at.put(&p, "")
		x.told(report.Error, p)
	}
	for _, p := range bundle.Findings(f, target.Path, l) {
		if p.Line == 0 {
			at.put(&p, "")
		}
		x.told(report.Warning, p)
	}
	if ok {
		fit := slices.DeleteFunc(slices.Clone(texts), func(u catalog.Unit) bool { return unfit[u.Name] != "" })
		x.translations(target, at, source, fit, t.Present(target), f.Forms())
		x.pluralKeys(target, at, source, texts)
	}
}

// translations checks the texts of a file against its sources'.
func (x *inspection) translations(target bundle.Target, at *positions, source, texts catalog.Catalog,
	present func(key string) bool, indexed []string) {
	b, l := target.Sources[0], target.Language
	source = spelling.Widened(source, b.Separator, b.Source.Code, texts)
	of, lacks, keys := examine.New(b, l, source), examine.LackingForms(b, l, source, texts, indexed), source.Keys()
	level := examine.Level(b, l, check.Language)
	problem := func(n catalog.Name, what string) report.Problem {
		p := report.Problem{File: target.Path, Key: n.Key, Language: l.Code, Problem: what}
		at.put(&p, n.Form)
		return p
	}
	told := make(map[string]bool)
	for _, u := range texts {
		if !keys[u.Key] {
			if !told[u.Key] && !present(u.Key) {
				told[u.Key] = true
				x.add(report.Warning, report.CodeOrphan, problem(u.Name, "translates a key that the source does not have"),
					"it stays; locsync pull --prune takes it out")
			}
			continue
		}
		if beside := x.shared.Beside(target.Path, l.Code, u.Key); beside != "" && beside < target.Path && !told[u.Key] {
			told[u.Key] = true
			x.add(report.Warning, report.CodeDivided,
				problem(u.Name, "is translated otherwise in "+beside+", in the same collection; "+
					"the service has one text for both, and each file keeps its own"), "make them agree, or give the files "+
					"collections of their own or a key_prefix")
		}
		findings := of.Unit(u)
		findings = append(findings, x.otherLanguage(b, l, level, u, of)...)
		if lack, is := lacks[u.Key]; is {
			delete(lacks, u.Key)
			findings = append(findings, lack)
		}
		for _, f := range findings {
			severity := report.Error
			if f.Warning {
				severity = report.Warning
			}
			x.add(severity, f.Check, problem(u.Name, f.Reason), repair(f.Check, u.Key))
		}
	}
}

// linkIn returns the first part of a path that is a symbolic link; "" for none, or where the tree knows of no links.
func (x *inspection) linkIn(name string) string {
	fsys, ok := x.fsys.(fs.ReadLinkFS)
	if !ok {
		return ""
	}
	for at := 0; at < len(name); {
		next := strings.IndexByte(name[at:], '/')
		if next < 0 {
			next = len(name) - at
		}
		part := name[:at+next]
		link, seen := x.looked.links[part]
		if !seen {
			info, err := fsys.Lstat(part)
			link = err == nil && info.Mode()&fs.ModeSymlink != 0
			x.looked.links[part] = link
		}
		if link {
			return part
		}
		at += next + 1
	}
	return ""
}

// finish puts the problems in order and counts them.
func (x *inspection) finish() {
	problems := x.report.Problems
	slices.SortStableFunc(problems, func(a, b report.Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), a.Line-b.Line, a.Column-b.Column, cmp.Compare(a.Key, b.Key))
	})
	problems = slices.Compact(problems)
	x.report.Problems = problems
	slices.SortStableFunc(x.report.Files, func(a, b report.CheckedFile) int { return cmp.Compare(a.Path, b.Path) })
	slices.SortFunc(x.report.Losses, func(a, b report.Loss) int { return cmp.Compare(a.Format, b.Format) })
	x.report.Count()
}

// positions finds line and column of a file's entries. What it needs for that it gathers at the first question.
type positions struct {
	f     *resource.File
	nodes map[string]int // the first node under a key, and the outermost containers, by name
}

func newPositions(f *resource.File) *positions { return &positions{f: f} }

// put gives a problem the line and column of its key's value.
func (at *positions) put(p *report.Problem, form string) {
	if line, column := at.of(p.Key, form); line > 0 {
		p.Line, p.Column = line, column
	}
}

// of is the line and column of a key's value, from 1; 0 where the file does not have it.
func (at *positions) of(key, form string) (line, column int) {
	e, ok := at.f.Lookup(key, form)
	i := e.Node
	if !ok {
		i, ok = at.named(key)
	}
	if !ok {
		return 0, 0
	}
	return at.f.Position(at.f.Start(i))
}

func (at *positions) named(key string) (int, bool) {
	if at.nodes == nil {
		at.nodes = make(map[string]int)
		first := func(key string, i int) {
			if _, ok := at.nodes[key]; !ok {
				at.nodes[key] = i
			}
		}
		for e := range at.f.Entries() {
			first(e.Key, e.Node)
		}
		top := 0
		if _, rooted := at.f.Root(); rooted {
			top = 1
		}
		for i := range at.f.Children(top) {
			first(at.f.Name(i), i)
		}
	}
	i, ok := at.nodes[key]
	return i, ok
}
