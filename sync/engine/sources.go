package engine

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"
	"time"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
)

// source is one source file as a pass found it.
type source struct {
	*bundle.Bundle
	file  *resource.File    // nil when it could not be read
	texts catalog.Catalog   // without the names that clash
	clash map[string]string // keys that are not sent, and why
}

// broken reports whether the file could not be read, so that nothing may be concluded from what it lacks.
func (s *source) broken() bool { return s.file == nil }

// tree is the source files of a project in one tree of files.
type tree struct {
	fsys     fs.FS
	sources  []*source
	problems []Problem
}

// readTree finds and reads the source files in a tree.
func (p *project) readTree(fsys fs.FS) (*tree, error) {
	bundles, problems, err := bundle.Find(fsys, p.cfg)
	if err != nil {
		return nil, err
	}
	t := &tree{fsys: fsys, problems: problems}
	for _, b := range bundles {
		s := &source{Bundle: b, clash: make(map[string]string)}
		f, problem, err := b.Read(fsys, b.Path, b.Source)
		switch {
		case err != nil:
			return nil, err
		case problem != nil:
			t.problems = append(t.problems, *problem)
		case f != nil:
			s.file, s.texts = f, bundle.Texts(f)
			t.problems = append(t.problems, bundle.Findings(f, b.Path, b.Source)...)
		}
		t.sources = append(t.sources, s)
	}
	t.findClashes()
	return t, nil
}

func (t *tree) bundles() []*bundle.Bundle {
	bundles := make([]*bundle.Bundle, len(t.sources))
	for i, s := range t.sources {
		bundles[i] = s.Bundle
	}
	return bundles
}

func (t *tree) of(b *bundle.Bundle) *source {
	for _, s := range t.sources {
		if s.Bundle == b {
			return s
		}
	}
	return nil
}

// findClashes takes out the keys that a collection has twice with different texts, in one file or in two, and those of which one is
// the beginning of the other in a structured format: the service has one place for both, so sending either
// would overwrite the other at every push.
func (t *tree) findClashes() {
	type place struct {
		s    *source
		text string
	}
	collections := make(map[string]map[catalog.Name]place)
	for _, s := range t.sources {
		if s.broken() {
			continue
		}
		for _, d := range s.file.Duplicates() {
			if key := s.file.KeyOf(d[1]); s.file.Node(d[0]).Kind == resource.Text && s.file.Node(d[1]).Kind == resource.Text && s.file.Text(d[0]) != s.file.Text(d[1]) {
				s.clash[key] = fmt.Sprintf("stands twice with different texts, %q and %q; neither is sent until one is left", s.file.Text(d[0]), s.file.Text(d[1]))
			}
		}
		names := collections[s.Collection]
		if names == nil {
			names = make(map[catalog.Name]place)
			collections[s.Collection] = names
		}
		for _, u := range s.texts {
			other, twice := names[u.Name]
			if twice && other.text != u.Text {
				why := "stands in %s with another text, in the same collection %q; neither is sent until they agree or the files have collections of their own"
				s.clash[u.Key] = fmt.Sprintf(why, other.s.Path, s.Collection)
				other.s.clash[u.Key] = fmt.Sprintf(why, s.Path, s.Collection)
			}
			names[u.Name] = place{s, u.Text}
		}
		s.clashOfNesting()
	}
	for _, s := range t.sources {
		if len(s.clash) == 0 {
			continue
		}
		var kept catalog.Catalog
		told := make(map[string]bool)
		for _, u := range s.texts {
			why, bad := s.clash[u.Key]
			if !bad {
				kept = append(kept, u)
			} else if !told[u.Key] {
				told[u.Key] = true
				t.problems = append(t.problems, Problem{File: s.Path, Key: u.Key, Language: s.Source.Code, Problem: why})
			}
		}
		s.texts = kept
	}
}

// clashOfNesting finds keys that are both a text and the beginning of others, which no nested file can hold.
func (s *source) clashOfNesting() {
	if s.Separator == "" {
		return
	}
	keys := s.texts.Keys()
	for key := range keys {
		for at := strings.Index(key, s.Separator); at >= 0; {
			if above := key[:at]; keys[above] && at > 0 {
				s.clash[above] = fmt.Sprintf("is a text and also the beginning of %q; neither is sent until one is renamed", key)
				s.clash[key] = fmt.Sprintf("stands below %q, which is a text itself; neither is sent until one is renamed", above)
			}
			next := strings.Index(key[at+len(s.Separator):], s.Separator)
			if next < 0 {
				break
			}
			at += len(s.Separator) + next
		}
	}
}

// pushTree is the tree that pushes read: the working tree, or a branch as it is committed. held is why nothing may be pushed
// from it now; empty when it may.
func (p *project) pushTree(ctx context.Context) (t *tree, held string, err error) {
	var fsys fs.FS
	if p.cfg.Push.Source != config.Worktree {
		tip, err := p.repo.At(ctx, p.cfg.Push.Source, p.cfg.Push.Source)
		if err != nil {
			return nil, "", usage(err)
		}
		fsys = tip
	} else {
		branch, _, err := p.repo.Head()
		if err != nil {
			return nil, "", err
		}
		if !p.cfg.Push.Covers(branch) {
			return nil, fmt.Sprintf("branch %q is checked out, and push.branches covers only %s", branch, strings.Join(p.cfg.Push.Branches, ", ")), nil
		}
		if err := p.settled(ctx); err != nil {
			return nil, "", err
		}
		if fsys, err = p.repo.Worktree(); err != nil {
			return nil, "", &UsageError{fmt.Errorf("%w; set push.source to the name of a branch", err)}
		}
	}
	t, err = p.readTree(fsys)
	return t, "", err
}

// patience is how long a pass waits for git to finish what it is in the middle of.
const patience = 10 * time.Second

// settled waits until git is not in the middle of something in the working tree: what lies there during a rebase or checkout is
// nobody's intention.
func (p *project) settled(ctx context.Context) error {
	deadline := p.Now().Add(patience)
	for {
		busy := p.repo.Busy()
		if busy == "" {
			return nil
		}
		p.say("waiting for git: %s in progress", busy)
		if !p.Now().Before(deadline) {
			return fmt.Errorf("%w: %s in progress; it is tried again when that is over", gitops.ErrBusy, busy)
		}
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-time.After(100 * time.Millisecond):
		}
	}
}

// usage marks errors of the repository that stay until somebody changes something.
func usage(err error) error {
	if errors.Is(err, gitops.ErrNoBranch) || errors.Is(err, gitops.ErrNoRemote) || errors.Is(err, gitops.ErrUnsupported) {
		return &UsageError{err}
	}
	return err
}
