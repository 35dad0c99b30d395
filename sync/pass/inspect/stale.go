package inspect

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/check/examine"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// A translation is stale where the commit that brought its text does not have the one in its history that changed the
// source text last, nor the present source text itself, as after a revert or in a branch that was squashed. A source
// text that never changed makes nothing stale, nor does one whose change is accepted.

// sourceText is a source text of a project, by its digest.
type sourceText struct {
	Project string `json:"project"`
	File    string `json:"file"`
	Key     string `json:"key"`
	Text    string `json:"text"` // the digest, in hexadecimal
}

// Accepted source texts are those whose translations count as translations of them, whatever git's history says.
type acceptedTexts struct {
	Schema int          `json:"schema"`
	Texts  []sourceText `json:"texts"`
}

const acceptedSchema = 1

// StaleFile is the file of accepted changes, beside a configuration file. It is to be committed.
func StaleFile(config string) string {
	return filepath.Join(filepath.Dir(config), "locsync-stale.json")
}

func readAccepted(file string) (all acceptedTexts, err error) {
	text, err := bound.ReadFile(file, mostBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return acceptedTexts{Schema: acceptedSchema}, nil
	}
	if err == nil {
		err = json.Unmarshal(text, &all)
	}
	if err == nil && all.Schema != acceptedSchema {
		err = fmt.Errorf("its schema is %d, and this locsync reads %d", all.Schema, acceptedSchema)
	}
	if err != nil {
		return all, failure.Usage(fmt.Errorf("%s cannot be read: %w; restore it, or delete it and accept what is meant again",
			file, err))
	}
	return all, nil
}

// accepted are the accepted source texts of the project. One whose file or key is gone has none: it counts for any key.
func (x *inspection) accepted(t *tree.Tree) (map[sourceText]bool, error) {
	all, err := readAccepted(x.o.StaleFile)
	if err != nil {
		return nil, err
	}
	sources := make(map[string]*tree.Source, len(t.Sources))
	for _, s := range t.Sources {
		sources[s.Path] = s
	}
	accepted := make(map[sourceText]bool, len(all.Texts))
	for _, text := range all.Texts {
		s := sources[text.File]
		switch {
		case text.Project != x.cfg.Name:
		case s == nil || !s.Broken() && !s.TextKeys()[text.Key] && s.Clash[text.Key] == "":
			accepted[sourceText{Text: text.Text}] = true
		default:
			accepted[text] = true
		}
	}
	return accepted, nil
}

// AcceptStale takes the stale translations of some keys out of a report, and writes down that the source texts of now
// mean what those before meant. A key that has no stale translation is an error.
func AcceptStale(file string, result *report.CheckReport, keys []string) error {
	all, err := readAccepted(file)
	if err != nil {
		return err
	}
	found := make(map[string]bool)
	for i := range result.Projects {
		p := &result.Projects[i]
		accepts := make(map[string]bool)
		for _, s := range p.Stale {
			if slices.Contains(keys, s.Key) {
				found[s.Key], accepts[s.Key] = true, true
				all.Texts = append(all.Texts, sourceText{p.Name, s.File, s.Key, s.Text})
			}
		}
		p.Problems = slices.DeleteFunc(p.Problems, func(problem report.Problem) bool {
			return problem.Code == report.CodeStale && accepts[problem.Key]
		})
		p.Stale = slices.DeleteFunc(p.Stale, func(s report.Stale) bool { return accepts[s.Key] })
		p.Count()
	}
	for _, key := range keys {
		if !found[key] {
			return failure.Usage(fmt.Errorf("--accept-stale %q: no translation of this key is stale; locsync check --stale "+
				"lists those that are", key))
		}
	}
	slices.SortFunc(all.Texts, func(a, b sourceText) int {
		return strings.Compare(fmt.Sprintf("%q", a), fmt.Sprintf("%q", b))
	})
	all.Texts = slices.Compact(all.Texts)
	text, err := json.MarshalIndent(all, "", " ")
	if err != nil {
		return err
	}
	return files.Write(file, func(f *os.File) error {
		_, err := f.Write(append(text, '\n'))
		return err
	})
}

// Stale are the stale translations of a tree, each as a problem of its file. accepted is the file of accepted changes.
// known is false where the history of the clone ends too early to find all.
func Stale(
	ctx context.Context, cfg *config.Project, repo *gitops.Repo, t *tree.Tree, accepted string,
	announce func(report.Doing),
) (all []report.Problem, known bool, err error) {
	targets, err := bundle.Existing(t.FS, t.Bundles(), cfg.Targets())
	if err != nil {
		return nil, false, err
	}
	x := inspection{cfg: cfg, announce: announce, fsys: t.FS, o: Options{Stale: true, StaleFile: accepted}}
	if err := x.stale(ctx, repo, t, targets); err != nil {
		return nil, false, err
	}
	ofHistory := func(p report.Problem) bool { return p.File == "" }
	known = !slices.ContainsFunc(x.report.Problems, ofHistory)
	return slices.DeleteFunc(x.report.Problems, ofHistory), known, nil
}

// ChecksStale are the codes of the languages in which stale translations of some file are looked for.
func ChecksStale(cfg *config.Project, t *tree.Tree) (codes []string) {
	for _, l := range cfg.Targets() {
		if slices.ContainsFunc(t.Sources, func(s *tree.Source) bool {
			return examine.Level(s.Bundle, l, check.Stale) != check.Off
		}) {
			codes = append(codes, l.Code)
		}
	}
	return codes
}

// stale finds the translations that are older than their source texts.
func (x *inspection) stale(ctx context.Context, repo *gitops.Repo, t *tree.Tree, targets []bundle.Target) error {
	targets = slices.DeleteFunc(slices.Clone(targets), func(t bundle.Target) bool {
		return !x.o.Stale && !(x.cfg.Hold.Stale && x.holds(t.Language)) ||
			examine.Level(t.Sources[0], t.Language, check.Stale) == check.Off
	})
	if len(targets) == 0 {
		return nil
	}
	commit, err := committed(repo, x.fsys)
	if err != nil || commit == "" {
		return err
	}
	accepted, err := x.accepted(t)
	if err != nil {
		return err
	}
	var sources []*tree.Source
	all := targets
	for _, s := range t.Sources {
		if !s.Broken() {
			sources, all = append(sources, s), append(all, sourceTarget(s))
		}
	}
	x.announce(report.Doing{What: "reading the history of the texts"})
	brought, err := past.NewBlame(ctx, repo, commit, all)
	if err != nil {
		return err
	}
	changed, cut, err := changedSources(ctx, brought, sources)
	if err != nil {
		return err
	}
	pairs, cutToo, err := x.translated(ctx, brought, targets, changed)
	if err != nil {
		return err
	}
	stale, digests := make(map[string]*report.Stale), make(map[*bundle.Bundle]catalog.Marks)
	for _, s := range sources {
		if len(changed[s.Bundle]) > 0 {
			digests[s.Bundle] = catalog.Digests(s.Texts.Marks())
		}
	}
	older, err := otherSource(ctx, brought, sources, olderThanSource(brought, pairs))
	if err != nil {
		return err
	}
	for _, p := range older {
		digest := digests[p.b][catalog.Name{Key: p.key}]
		text := sourceText{x.cfg.Name, p.b.Path, p.key, hex.EncodeToString(digest[:])}
		if !accepted[text] && !accepted[sourceText{Text: text.Text}] {
			x.addStale(stale, brought, p, text)
		}
	}
	for _, s := range stale {
		x.report.Stale = append(x.report.Stale, *s)
	}
	slices.SortFunc(x.report.Stale, func(a, b report.Stale) int {
		return strings.Compare(a.File+"\x00"+a.Key, b.File+"\x00"+b.Key)
	})
	if cut || cutToo {
		x.add(report.Warning, report.CodeStale, report.Problem{Problem: "the history that this clone has ends before some " +
			"translations were written, so not every stale one can be told"},
			"check out with the whole history, in CI with fetch-depth: 0")
	}
	return nil
}

// changedSources are the source texts that had another text before. cut reports whether the history ends before some
// were written.
func changedSources(ctx context.Context, brought *past.Blame, sources []*tree.Source) (
	changed map[*bundle.Bundle]map[string]past.Origin, cut bool, err error,
) {
	origins, err := brought.Origins(ctx, len(sources), func(i int) (past.Blamed, error) {
		s := sources[i]
		return past.Blamed{File: sourceTarget(s), Texts: s.Texts, Bytes: s.File.Source()}, nil
	})
	changed = make(map[*bundle.Bundle]map[string]past.Origin)
	for i, keys := range origins {
		maps.DeleteFunc(keys, func(key string, o past.Origin) bool {
			cut = cut || o.Cut
			return !o.Changed || sources[i].Files.Skips(check.Stale, key)
		})
		changed[sources[i].Bundle] = keys
	}
	return changed, cut, err
}

// translatedText is a translation of a source text that changed, with what brought both.
type translatedText struct {
	entryAt
	file                *bundle.Target
	b                   *bundle.Bundle
	source, translation past.Origin
}

// entryAt is where the text of a key is in a file.
type entryAt struct {
	key          string
	line, column int
}

// translated are the committed translations of source texts that changed. Others are not followed. Of the files nothing
// is kept in memory.
func (x *inspection) translated(ctx context.Context, brought *past.Blame, targets []bundle.Target,
	changed map[*bundle.Bundle]map[string]past.Origin) (all []translatedText, cut bool, err error) {
	asked := make([][]entryAt, len(targets))
	origins, err := brought.Origins(ctx, len(targets), func(i int) (past.Blamed, error) {
		target := targets[i]
		blamed := past.Blamed{File: target, Keys: make(map[string]bool)}
		for _, b := range target.Sources {
			for key := range changed[b] {
				blamed.Keys[key] = true
			}
		}
		if len(blamed.Keys) == 0 {
			return blamed, nil
		}
		f, _, err := target.Sources[0].Read(x.fsys, target.Path, target.Language)
		if err != nil || f == nil {
			return past.Blamed{File: target}, nil // which is told already
		}
		blamed.Texts, blamed.Bytes = bundle.Texts(f), f.Source()
		at := newPositions(f)
		whole := spelling.Translated(blamed.Texts)
		maps.DeleteFunc(blamed.Keys, func(key string, _ bool) bool { return !whole[key] })
		for _, key := range blamed.Texts.Restrict(blamed.Keys).KeysInOrder() {
			line, column := at.of(key, "")
			asked[i] = append(asked[i], entryAt{key: strings.Clone(key), line: line, column: column})
		}
		return blamed, nil
	})
	for i, keys := range origins {
		for _, at := range asked[i] {
			translation := keys[at.key]
			cut = cut || translation.Cut
			for _, b := range targets[i].Sources {
				if source, is := changed[b][at.key]; is && translation.Commit != "" {
					all = append(all, translatedText{at, &targets[i], b, source, translation})
				}
			}
		}
	}
	return all, cut, err
}

// olderThanSource are those that were there before the source text: its commit is not in the history of theirs.
func olderThanSource(brought *past.Blame, all []translatedText) (older []translatedText) {
	after := make(map[string][]int)
	for i, p := range all {
		after[p.source.Commit] = append(after[p.source.Commit], i)
	}
	fresh := make([]bool, len(all))
	for commit, list := range after {
		if commit == "" { // the source text is not committed
			continue
		}
		has := brought.After(commit)
		for _, i := range list {
			fresh[i] = has(all[i].translation.Commit)
		}
	}
	for i, p := range all {
		if !fresh[i] {
			older = append(older, p)
		}
	}
	return older
}

// otherSource are those whose commit did not have the present source text: who translated this text translated it.
func otherSource(ctx context.Context, brought *past.Blame, sources []*tree.Source, all []translatedText) (
	other []translatedText, err error,
) {
	asked := make(map[*bundle.Bundle]map[past.KeyAt]bool)
	for _, p := range all {
		if asked[p.b] == nil {
			asked[p.b] = make(map[past.KeyAt]bool)
		}
		asked[p.b][past.KeyAt{Key: p.key, Commit: p.translation.Commit}] = true
	}
	answers, err := brought.Had(ctx, len(sources), func(i int) (past.Blamed, []past.KeyAt) {
		s := sources[i]
		return past.Blamed{File: sourceTarget(s), Texts: s.Texts}, slices.Collect(maps.Keys(asked[s.Bundle]))
	})
	had := make(map[*bundle.Bundle]map[past.KeyAt]bool)
	for i, s := range sources {
		had[s.Bundle] = answers[i]
	}
	for _, p := range all {
		if !had[p.b][past.KeyAt{Key: p.key, Commit: p.translation.Commit}] {
			other = append(other, p)
		}
	}
	return other, err
}

// sourceTarget is a source file as one of its own language.
func sourceTarget(s *tree.Source) bundle.Target {
	return bundle.Target{Path: s.Path, Language: s.Source, Sources: []*bundle.Bundle{s.Bundle}}
}

// addStale enters a stale translation.
func (x *inspection) addStale(stale map[string]*report.Stale, brought *past.Blame, t translatedText, text sourceText) {
	id := text.File + "\x00" + text.Key
	if stale[id] == nil {
		stale[id] = &report.Stale{File: text.File, Key: text.Key, Text: text.Text, Commit: t.source.Commit}
	}
	stale[id].Languages = append(stale[id].Languages, t.file.Language.Code)
	what := "is older than its source text, which "
	if t.source.Commit == "" {
		what += "is changed and not committed"
	} else {
		what += fmt.Sprintf("%.10s changed on %s", t.source.Commit, brought.When(t.source.Commit).Format(time.DateOnly))
	}
	what += fmt.Sprintf("; it is of %.10s of %s", t.translation.Commit,
		brought.When(t.translation.Commit).Format(time.DateOnly))
	severity := report.Warning
	if x.cfg.Hold.Stale && x.holds(t.file.Language) ||
		examine.Level(t.file.Sources[0], t.file.Language, check.Stale) == check.Fail {
		severity = report.Error
	}
	p := report.Problem{File: t.file.Path, Line: t.line, Column: t.column, Key: t.key, Language: t.file.Language.Code,
		Problem: what}
	x.add(severity, report.CodeStale, p, "translate it anew; "+acceptance(text.Key))
}

// acceptance says how to accept the change of a key's source text, as far as one line can name the key.
func acceptance(key string) string {
	word, ok := report.ShellWord(key)
	if !ok {
		return fmt.Sprintf("no command on one line can name the key %s, to accept the change",
			bound.Code(fmt.Sprintf("%q", key)))
	}
	remedy := "if the change kept its meaning, run locsync check --accept-stale " + word
	if key != "" && strings.TrimSpace(key) == key { // as a line of a message is read
		remedy += fmt.Sprintf(", or write %s: %s into the message of the commit", gitops.SameMeaning, key)
	}
	return remedy
}
