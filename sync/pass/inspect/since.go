package inspect

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"hash/maphash"
	"io/fs"
	"sync"

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

// With --since a check reads all files, as without it, and tells the problems of keys whose entries changed, in the
// source or in the translation, since the tree and a commit parted; with --diff, of those that a diff of this tree
// changes. An entry that only moved within its file is unchanged. A file that git calls renamed is compared with what it
// was before.

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

// parted is the commit in which a tree and what a name in git means parted, with its files. A misuse error tells of a
// name that git does not know, and of history that this clone lacks.
func parted(ctx context.Context, repo *gitops.Repo, fsys fs.FS, name string) (
	commit string, files *gitops.Tip, err error,
) {
	there, err := repo.Resolve(ctx, name)
	if err != nil {
		return "", nil, failure.Usage(fmt.Errorf("--since %q names no commit that this clone has: %w; fetch it first, "+
			"in CI with the whole history (fetch-depth: 0)", name, err))
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

// formerNames gives the names that files of a tree had in a commit. git is asked for those that it does not have.
func formerNames(ctx context.Context, repo *gitops.Repo, fsys fs.FS, since *gitops.Tip) func(string) (string, error) {
	now := ""
	if tip, is := fsys.(*gitops.Tip); is {
		now = tip.Hash()
	}
	renamed := sync.OnceValues(func() (map[string]string, error) { return repo.Renamed(ctx, since.Hash(), now) })
	return func(name string) (string, error) {
		if _, err := since.Stat(name); err == nil {
			return name, nil
		}
		names, err := renamed()
		return cmp.Or(names[name], name), err
	}
}

// committed is the commit that a tree is of, or was made from; "" before the first.
func committed(repo *gitops.Repo, fsys fs.FS) (commit string, err error) {
	if tip, is := fsys.(*gitops.Tip); is {
		return tip.Hash(), nil
	}
	_, commit, err = repo.Head()
	return commit, err
}

// sinceDiff is the name of what a diff is made of.
const sinceDiff = "-"

// keepSince leaves the problems of keys that changed. A misuse error tells of a diff that is not of this tree.
func (x *inspection) keepSince(t *tree.Tree) error {
	found := make(map[fileIn]changes)
	sources, changed := make(map[*bundle.Bundle]changes), make(map[*bundle.Bundle]changedTexts)
	for _, s := range t.Sources {
		c, err := x.since(s.Bundle, s.Path, s.Source)
		if err != nil {
			return err
		}
		found[fileIn{s.Path, s.Source.Code}], sources[s.Bundle] = c, c
		changed[s.Bundle] = textsOf(s, c)
	}
	for _, target := range bundle.Known(t.Bundles(), x.cfg.Targets()) {
		b, at := target.Sources[0], fileIn{target.Path, target.Language.Code}
		c, is := found[at]
		if !is {
			var err error
			c, err = x.since(b, target.Path, target.Language)
			if err != nil {
				return err
			}
		}
		behind(changed[b], target.Language.Code, c)
		c.all = c.all || sources[b].all
		for key := range sources[b].keys {
			if c.keys == nil {
				c.keys = make(map[string]bool)
			}
			c.keys[key] = true
		}
		found[at] = c
	}
	for _, s := range t.Sources { // of files that the service names
		for _, l := range x.cfg.Targets() {
			if at := (fileIn{s.Path, l.Code}); s.Target(l) == "" {
				found[at] = sources[s.Bundle]
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

// unfit refuses a diff of other files than those of the tree.
func unfit(err error) error {
	return failure.Usage(fmt.Errorf("--diff: %w; make it of the files that are checked out, with paths from the root of "+
		"the repository, as git diff --no-relative --merge-base main | locsync check --diff does", err))
}

// since tells what changed in a file; one that is not there has no texts. Only a file whose bytes differ is parsed.
func (x *inspection) since(b *bundle.Bundle, name string, l config.Language) (changes, error) {
	if x.o.Diff != nil && !x.o.Diff.Touches(name) {
		return changes{}, nil
	}
	now, errNow := x.read(name)
	was := name
	if errNow == nil {
		var err error
		was, err = x.former(name)
		if err != nil {
			return changes{}, err
		}
	}
	old, errOld := x.before(was, name)
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
