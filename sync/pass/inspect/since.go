package inspect

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"maps"
	"slices"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/diff"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// With --since a check reads all files, as without it, and reports the problems of keys whose entries changed, in the
// source or in the translation, since the tree and a commit parted; with --diff, of those that a diff of this tree
// changes. An entry that only moved within its file is unchanged. A file that git calls renamed is compared with what
// it was, and translations with those that their source file had.

// fileIn is a file with the texts of a language.
type fileIn struct{ path, language string }

// changes are what became of a file since a commit.
type changes struct {
	any   bool            // its bytes changed
	all   bool            // it could not be read, now or then: all of its keys changed
	keys  map[string]bool // those of which any entry changed: what decides about their problems
	texts map[string]bool // those whose text changed
}

func (c changes) has(key string) bool {
	if key == "" {
		return c.any
	}
	return c.all || c.keys[key]
}

// with are these changes and others, of files whose keys count together.
func (c changes) with(o changes) changes {
	c.all = c.all || o.all
	if len(o.keys) > 0 {
		keys := make(map[string]bool, len(c.keys)+len(o.keys))
		maps.Copy(keys, c.keys)
		maps.Copy(keys, o.keys)
		c.keys = keys
	}
	return c
}

// sinceDiff is the name of what a diff is made of.
const sinceDiff = "-"

// compare finds what the check compares with; nothing where it reports all problems.
func (x *inspection) compare(ctx context.Context, repo *gitops.Repo) error {
	switch {
	case x.o.Since != "":
		commit, tip, err := parted(ctx, repo, x.fsys, x.o.Since)
		if err != nil {
			return err
		}
		x.before = beforeOf(ctx, repo, x.fsys, tip)
		x.report.Since = &report.Since{Name: x.o.Since, Commit: commit}
	case x.o.Diff != nil:
		if err := x.o.Diff.Fits(x.fsys); err != nil {
			return unfit(err)
		}
		x.before = beforeDiff(x.o.Diff, x.read)
		x.report.Since = &report.Since{Name: sinceDiff}
	}
	return nil
}

// parted is the commit in which a tree and what a name in git means parted, with its files. A misuse error tells of a
// name that git does not know, and of history that this clone lacks.
func parted(ctx context.Context, repo *gitops.Repo, fsys fs.FS, name string) (
	commit string, files *gitops.Tip, err error,
) {
	there, err := repo.Resolve(ctx, name)
	if err != nil {
		return "", nil, failure.Usage(fmt.Errorf("--since %q names no commit that this clone has; fetch it first, "+
			"in CI with the whole history (fetch-depth: 0)", name))
	}
	here, err := committed(repo, fsys)
	if err != nil {
		return "", nil, err
	}
	commit, err = repo.History.Fork(here, there)
	if err != nil {
		return "", nil, err
	}
	if commit == "" {
		return "", nil, failure.Usage(fmt.Errorf("--since %q and what is checked out have no commit in common in this "+
			"clone; fetch the history between the two, in CI with fetch-depth: 0", name))
	}
	files, err = repo.AtCommit(commit)
	return commit, files, err
}

// committed is the commit that a tree is of, or was made from; "" before the first.
func committed(repo *gitops.Repo, fsys fs.FS) (commit string, err error) {
	if tip, is := fsys.(*gitops.Tip); is {
		return tip.Hash(), nil
	}
	_, commit, err = repo.Head()
	return commit, err
}

// keepSince leaves the problems of keys that changed. A misuse error tells of a diff that is not of this tree.
func (x *inspection) keepSince(t *tree.Tree, targets []bundle.Target) error {
	x.unread = make(map[string]bool)
	for _, p := range x.report.Problems {
		x.unread[p.File] = x.unread[p.File] || p.Code == report.CodeRead
	}
	cfg := x.before.formerConfig(x.cfg, x.report.Root, x.read)
	found := make(map[fileIn]changes)
	sources, changed := make(map[*bundle.Bundle]changes), make(map[*bundle.Bundle]changedTexts)
	former := make(map[*bundle.Bundle]*bundle.Bundle)
	for _, s := range t.Sources {
		was, err := x.before.name(s.Path)
		if err != nil {
			return err
		}
		c, err := x.since(s.Bundle, s.Source, s.Path, was)
		if err != nil {
			return err
		}
		former[s.Bundle] = formerBundle(s.Bundle, was, x.cfg, cfg)
		if former[s.Bundle] == nil && cfg != nil { // another file became a source
			c.any, c.all = true, true
		}
		found[fileIn{s.Path, s.Source.Code}], sources[s.Bundle] = c, c
		changed[s.Bundle] = textsOf(s, c)
	}
	labeled := make(map[fileIn]changes) // of files whose names the service decides, by those of their sources
	for _, target := range targets {
		b, l := target.Sources[0], target.Language
		at := fileIn{target.Path, l.Code}
		c, is := found[at]
		if !is {
			var err error
			if c, err = x.sinceTarget(target, former[b], cfg); err != nil {
				return err
			}
		}
		if b.Target(l) != "" {
			behind(changed[b], l.Code, c)
			found[at] = c.with(sources[b])
			continue
		}
		found[at] = c
		for _, b := range target.Sources {
			found[at] = found[at].with(sources[b])
			labeled[fileIn{b.Path, l.Code}] = labeled[fileIn{b.Path, l.Code}].with(c)
		}
	}
	for _, g := range bundle.Groups(t.Bundles()) {
		if !g.Template().HasLabel() {
			continue
		}
		for _, l := range x.cfg.Targets() {
			removed, err := x.sinceRemoved(g, l)
			if err != nil {
				return err
			}
			for _, b := range g.Bundles { // missing translations are reported at the source file
				at := fileIn{b.Path, l.Code}
				found[at] = labeled[at].with(removed).with(sources[b])
			}
		}
	}
	for _, s := range t.Sources {
		if c := changed[s.Bundle]; len(c.keys) > 0 {
			x.report.Since.Changed = append(x.report.Since.Changed, c.told)
		}
	}
	kept := x.report.Problems[:0]
	for _, p := range x.report.Problems {
		c, known := found[fileIn{p.File, p.Language}]
		if !known || c.has(p.Key) {
			kept = append(kept, p)
		} else {
			x.report.Since.Others++
		}
	}
	x.report.Problems = kept
	return nil
}

// sinceTarget is what changed in the translations of a source file whose bundle was former. They may
// have been in another file: that of its former name, or of the former configuration.
func (x *inspection) sinceTarget(target bundle.Target, former *bundle.Bundle, cfg *config.Project) (changes, error) {
	b, l, was := target.Sources[0], target.Language, ""
	if former != nil {
		was = former.Target(cfg.Language(l.Code))
	}
	switch {
	case was == "" && b.Target(l) != "": // they had none, or it is not known which
		if _, err := fs.Stat(x.fsys, target.Path); errors.Is(err, fs.ErrNotExist) {
			return changes{any: true, all: true}, nil
		}
	case was == target.Path:
		was = ""
	case was != "":
		if _, err := x.before.read(was); errors.Is(err, fs.ErrNotExist) {
			was = ""
		}
	}
	return x.since(b, l, target.Path, was)
}

// sinceRemoved are the keys of files that were removed, of those whose names the service decides.
func (x *inspection) sinceRemoved(g *bundle.Group, l config.Language) (changes, error) {
	var all changes
	names, err := x.before.files(g.Template().Glob(l))
	if err != nil {
		return all, err
	}
	for _, name := range names {
		if _, err := fs.Stat(x.fsys, name); !errors.Is(err, fs.ErrNotExist) {
			continue
		}
		c, err := x.since(g.Bundles[0], l, name, name)
		if err != nil {
			return all, err
		}
		all = all.with(c)
	}
	return all, nil
}

// read reads a file of the tree.
func (x *inspection) read(name string) ([]byte, error) {
	return bound.ReadFS(x.fsys, name, resource.MaxBytes)
}

// changedTexts are the keys of a source file that are new or have another text, and what is told of them.
type changedTexts struct {
	keys []string
	told report.ChangedTexts
}

func textsOf(s *tree.Source, c changes) (of changedTexts) {
	for key := range c.texts {
		if s.TextKeys()[key] {
			of.keys = append(of.keys, key)
		}
	}
	if c.all {
		of.keys = slices.Collect(maps.Keys(s.TextKeys()))
	}
	of.told = report.ChangedTexts{File: s.Path, Keys: len(of.keys), Behind: make(map[string]int)}
	return of
}

// behind counts the translations into a language that did not change with their source texts.
func behind(of changedTexts, language string, c changes) {
	for _, key := range of.keys {
		if !c.all && !c.texts[key] {
			of.told.Behind[language]++
		}
	}
}

// since tells what changed in a file, which was another one before; "" where it is as git says. One that is not there
// has no texts. Only a file whose bytes differ is parsed.
func (x *inspection) since(b *bundle.Bundle, l config.Language, name, was string) (changes, error) {
	if x.o.Diff != nil && (was == "" || was == name) && !x.o.Diff.Touches(name) && !x.unread[name] {
		return changes{}, nil
	}
	if x.unread[name] {
		if link := x.linkIn(name); link != "" {
			is := !x.before.isLink(link)
			return changes{any: is, all: is}, nil
		}
	}
	now, errNow := x.read(name)
	if was == "" {
		was = name
		if errNow == nil {
			var err error
			if was, err = x.before.name(name); err != nil {
				return changes{}, err
			}
			if was != name && x.isOfAnother(b, l, was) { // whose texts happen to be much the same
				was = name
			}
		}
	}
	old, errOld := x.before.read(was)
	if errors.As(errOld, new(*diff.Unfit)) {
		return changes{}, unfit(errOld)
	}
	if errNow == nil && errOld == nil && was == name && bytes.Equal(now, old) {
		return changes{}, nil
	}
	is, errNow := parsed(b, l, now, errNow)
	before, errOld := parsed(b, l, old, errOld)
	if errNow != nil || errOld != nil {
		return changes{any: true, all: true}, nil
	}
	return changesBetween(before, is), nil
}

// isOfAnother reports whether a path is that of another language than one, as the configuration says.
func (x *inspection) isOfAnother(b *bundle.Bundle, l config.Language, path string) bool {
	is := func(l config.Language) bool {
		return bundle.Target{Path: path, Language: l, Sources: []*bundle.Bundle{b}}.Fits(path)
	}
	return !is(l) && (is(b.Source) || slices.ContainsFunc(x.cfg.Targets(), is))
}

// parsed is a file of a bundle; nil for one that does not exist.
func parsed(b *bundle.Bundle, l config.Language, content []byte, err error) (*resource.File, error) {
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	return b.Parse(content, l)
}

// changesBetween compares two versions of a file, of which either may be nil.
func changesBetween(before, now *resource.File) changes {
	c := changes{any: true, keys: make(map[string]bool), texts: make(map[string]bool)}
	for _, change := range catalog.Diff(bundle.Texts(before).Marks(), bundle.Texts(now)) {
		c.keys[change.Key], c.texts[change.Key] = true, true
	}
	if before == nil || now == nil {
		return c
	}
	was, is := entries(before), entries(now)
	for name, digest := range is {
		if was[name] != digest {
			c.keys[name.Key] = true
		}
	}
	for name := range was {
		if _, has := is[name]; !has {
			c.keys[name.Key] = true
		}
	}
	return c
}

// entries are digests of all that decides how a check reads each text of a file: each of its entries, in order, their
// flags, the length that they allow, and what the grammar warns of.
func entries(f *resource.File) map[catalog.Name]uint64 {
	type entry struct {
		before      uint64 // of those with the same name
		kind        resource.Kind
		text, flags string
		length      int
	}
	type warning struct {
		before uint64
		text   string
	}
	all := make(map[catalog.Name]uint64, f.Len())
	for e := range f.Entries() {
		name := catalog.Name{Key: e.Key, Form: e.Form}
		all[name] = maphash.Comparable(digestSeed,
			entry{all[name], e.Kind, e.Text, e.Flags, check.MaxLength(e.Flags, e.Note)})
	}
	for _, w := range f.Warnings() {
		name := catalog.Name{Key: f.KeyOf(w.Node)}
		all[name] = maphash.Comparable(digestSeed, warning{all[name], w.Msg})
	}
	for _, key := range f.Nested() {
		name := catalog.Name{Key: key}
		all[name] = maphash.Comparable(digestSeed, warning{all[name], "nested"})
	}
	return all
}

var digestSeed = maphash.MakeSeed()
