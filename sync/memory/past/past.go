// Package past tells which texts a file had in commits. What is in the history of the tree that a text comes from was
// seen by its writer, whatever is remembered. Of a source text that the service has otherwise it tells what becomes of
// it: it is replaced where the tree's history has it, and stays where base has it later than the tree; else
// push.conflicts decides.
//
// It decides nothing about translations, and remembers nothing.
package past

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// How much of a history is read for that. What is not found in it counts as unseen.
const (
	pastMost = 2000
	pastTime = time.Second
)

// texts is what git knows of the texts of one source file. Names are those that are asked for.
type texts struct {
	here, ahead map[catalog.Name]map[string]bool // the tree's history, and what base has beyond it
	fork, base  map[catalog.Name]map[string]bool // the commit where both parted, and base as it is now
}

// of is the decision about one text. The tree's history is what its writer has had; what base has beyond it was agreed
// on last in the commit where both parted.
func (p *texts) of(n catalog.Name, ours, theirs string) catalog.Outcome {
	claim := catalog.Claim{New: ours, Present: theirs}
	later := p.base[n][theirs] && !p.fork[n][theirs]
	if !later && p.here[n][theirs] {
		claim.Past = []catalog.Mark{catalog.MarkOf(theirs)}
	}
	if later || p.ahead[n][theirs] {
		claim.Met = true
		for text := range p.fork[n] { // of one commit: one text
			claim.Agreed = catalog.MarkOf(text)
		}
	}
	return catalog.Decide(claim)
}

// Differing is a text of a tree that the service has otherwise.
type Differing struct {
	catalog.Unit
	Theirs string
}

// Differ are the texts of asked keys that the service has otherwise; of shared ones, otherwise than was agreed on.
func Differ(texts, theirs catalog.Catalog, asked, shared map[string]bool, agreed catalog.Marks) (all []Differing) {
	has := theirs.Texts()
	for _, u := range texts {
		text := has[u.Name]
		if asked[u.Key] && text != "" && text != u.Text && !(shared[u.Key] && agreed.Has(u.Name, text)) {
			all = append(all, Differing{Unit: u, Theirs: text})
		}
	}
	return all
}

// Reader reads a repository's past when it is first asked.
type Reader struct {
	Repo               *gitops.Repo
	Tree, Branch, Base string // the commit of the tree; the branches of translations and of their base
	Log                *zap.Logger

	read        bool
	here, ahead []string    // the commits of the tree's history, and those that base has beyond it; the youngest first
	fork        string      // where both parted
	tip         *gitops.Tip // of base; nil where it has nothing beyond the tree
}

// Keys tells of each key of a source file what is known of the texts that differ: what keeps it from being replaced,
// of several.
func (m *Reader) Keys(ctx context.Context, b *bundle.Bundle, differ []Differing) (map[string]catalog.Outcome, error) {
	if len(differ) == 0 {
		return nil, nil
	}
	if err := m.readPast(ctx); err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", b.Path, err)
	}
	names, keys := make(map[catalog.Name]int), make(map[string]catalog.Outcome)
	for i, u := range differ {
		names[u.Name] = i
	}
	p := &texts{here: m.texts(b, names, m.here...), ahead: m.texts(b, names, m.ahead...)}
	if m.tip != nil {
		p.fork, p.base = m.texts(b, names, m.fork), m.texts(b, names, m.tip.Hash())
	}
	for _, u := range differ {
		keys[u.Key] = max(keys[u.Key], p.of(u.Name, u.Text, u.Theirs))
	}
	return keys, nil
}

// Later are those of some texts of a source file that base has otherwise since it and the tree parted.
func (m *Reader) Later(ctx context.Context, b *bundle.Bundle, ours catalog.Catalog) (map[string]bool, error) {
	if len(ours) == 0 {
		return nil, nil
	}
	if err := m.readPast(ctx); err != nil {
		return nil, fmt.Errorf("read the history of %s: %w", b.Path, err)
	}
	if m.tip == nil {
		return nil, nil
	}
	names, keys := ours.Index(), make(map[string]bool)
	fork, base := m.texts(b, names, m.fork), m.texts(b, names, m.tip.Hash())
	for _, u := range ours {
		for text := range base[u.Name] { // of one commit: one text
			if text != u.Text && !fork[u.Name][text] {
				keys[u.Key] = true
			}
		}
	}
	return keys, nil
}

// Decided is what becomes of a key: whether it is not sent, whether the tree's text counts as accepted then, and what
// is told; Foretold where the service itself will say so.
type Decided struct {
	Stays, Accepted, Foretold bool
	Told                      report.Problem
}

// Kept is told of a text that the service did not take, because it holds another one, with push.conflicts = "report".
// Which one that is, its answer does not say; ours may be left out.
func Kept(ours ...string) string {
	than := ""
	if len(ours) > 0 {
		than = fmt.Sprintf(" than %q", ours[0])
	}
	return "the service holds another text" + than + " and keeps it; the key stays pending. Make them equal, " +
		"or set push.conflicts to overwrite or skip"
}

// Ahead is the branch that has texts later than the tree; "" for none.
func (m *Reader) Ahead() string {
	if m.tip == nil {
		return ""
	}
	return m.tip.Branch()
}

// Conclude is what an outcome means for a key, of which one text is told. ahead is the branch that has a text later
// than the tree.
func Conclude(b *bundle.Bundle, u Differing, at catalog.Outcome, ahead, conflicts string) Decided {
	told := report.Problem{Code: report.CodeConflict, File: b.Path, Key: u.Key, Language: b.Source.Code}
	d := Decided{Stays: true, Told: told}
	switch {
	case at == catalog.Replaces:
		return Decided{}
	case at == catalog.Older: // as in a clone that has pushed it before
		return Decided{Stays: true, Accepted: true}
	case at == catalog.Both:
		d.Told.Problem = fmt.Sprintf("the service has %q, which branch %s has later than this tree, and the tree has %q; "+
			"it is not sent. Merge the branch, then push again", u.Theirs, ahead, u.Text)
	case conflicts == "overwrite":
		d.Stays, d.Told.Code = false, report.CodeReplaced
		d.Told.Problem = fmt.Sprintf("the service's text %q, which is not in the history of this tree, is replaced by %q. "+
			"To keep the service's, write it into the source file", u.Theirs, u.Text)
	case conflicts == "skip": // the service is told to keep it
		d.Stays, d.Told.Code = false, report.CodeReplaced
		d.Told.Problem = fmt.Sprintf("the service keeps its text %q, which is not in the history of this tree; "+
			"the repository has %q. Make them equal, or set push.conflicts to overwrite", u.Theirs, u.Text)
	default: // the service reports it when the key is sent
		d.Stays, d.Foretold, d.Told.Problem = false, true, Kept(u.Text)
	}
	return d
}

// texts are those that a file had in commits.
func (m *Reader) texts(
	b *bundle.Bundle, asked map[catalog.Name]int, commits ...string,
) map[catalog.Name]map[string]bool {
	all := make(map[catalog.Name]map[string]bool)
	of := bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}}
	eachVersion(m.Repo, of, commits, func(texts catalog.Catalog) bool {
		for _, u := range texts {
			if _, is := asked[u.Name]; is && all[u.Name] == nil {
				all[u.Name] = make(map[string]bool)
			}
			if all[u.Name] != nil {
				all[u.Name][u.Text] = true
			}
		}
		return true
	})
	return all
}

// eachVersion calls f with the texts that a file had in commits, for each version once where the commits are in order,
// until it returns false.
func eachVersion(repo *gitops.Repo, of bundle.Target, commits []string, f func(catalog.Catalog) bool) {
	var last []byte
	for end, i := time.Now().Add(pastTime), 0; i < len(commits) && time.Now().Before(end); i++ {
		tip, err := repo.AtCommit(commits[i])
		if err != nil {
			break
		}
		body, err := fs.ReadFile(tip, of.Path)
		if err != nil || bytes.Equal(body, last) {
			continue
		}
		last = body
		file, err := of.Sources[0].Parse(body, of.Language)
		if err != nil {
			continue // nothing was pushed of it then
		}
		if !f(bundle.Texts(file)) {
			break
		}
	}
}

// Had are those of some names that a file had in the pasts of commits.
func Had(
	repo *gitops.Repo, of bundle.Target, names map[catalog.Name]bool, tips ...string,
) (map[catalog.Name]bool, error) {
	had := make(map[catalog.Name]bool, len(names))
	for _, tip := range tips {
		commits, err := repo.History.Past(tip, "", pastMost)
		if err != nil {
			return nil, fmt.Errorf("read the history of %s: %w", of.Path, err)
		}
		eachVersion(repo, of, commits, func(texts catalog.Catalog) bool {
			for _, u := range texts {
				if names[u.Name] {
					had[u.Name] = true
				}
			}
			return len(had) < len(names)
		})
	}
	return had, nil
}

// History are the texts that names had in a file, the youngest first.
type History map[catalog.Name][]catalog.Mark

// Of is the history of some names of a file in commits, the youngest first.
func Of(repo *gitops.Repo, of bundle.Target, names []catalog.Name, commits []string) History {
	all := make(History, len(names))
	eachVersion(repo, of, commits, func(texts catalog.Catalog) bool {
		index := texts.Index()
		for _, n := range names {
			if at, is := index[n]; is {
				all[n] = append(all[n], catalog.MarkOf(texts[at].Text))
			}
		}
		return true
	})
	return all
}

// Read reads the history of some names of a file in the pasts of commits, the youngest first.
func Read(repo *gitops.Repo, of bundle.Target, names []catalog.Name, tips ...string) (History, error) {
	all, newer := make(History, len(names)), ""
	for _, tip := range tips {
		commits, err := repo.History.Past(tip, newer, pastMost)
		if err != nil {
			return nil, fmt.Errorf("read the history of %s: %w", of.Path, err)
		}
		newer = tip
		for n, texts := range Of(repo, of, names, commits) {
			all[n] = append(all[n], texts...)
		}
	}
	return all, nil
}

// Since are the texts that a name had before a new one, the oldest first, as far as they are younger than a text; all
// where the history lacks that.
func (h History) Since(n catalog.Name, fresh, agreed catalog.Mark) []catalog.Mark {
	texts := h[n]
	for len(texts) > 0 && texts[0] == fresh {
		texts = texts[1:]
	}
	if at := slices.Index(texts, agreed); at >= 0 {
		texts = texts[:at]
	}
	texts = slices.Clone(texts)
	slices.Reverse(texts)
	return texts
}

// readPast reads which commits there are. Where the remote cannot be asked, base is as it was seen last.
func (m *Reader) readPast(ctx context.Context) error {
	if m.read {
		return nil
	}
	m.read = true
	tip, err := m.Repo.At(ctx, m.Branch, m.Base)
	if err != nil && ctx.Err() == nil {
		m.Log.Info("base is not read from the remote", zap.Error(err))
		tip, err = m.Repo.Seen(m.Branch, m.Base)
	}
	if err == nil && tip.Base() != nil {
		if err := m.readBase(ctx, tip.Base()); err != nil {
			return err
		}
	}
	if ctx.Err() != nil {
		return ctx.Err()
	}
	m.here, err = m.Repo.History.Past(m.Tree, "", pastMost)
	return err
}

// readBase is readPast's part about base. Of a shallow clone it brings the rest first.
func (m *Reader) readBase(ctx context.Context, base *gitops.Tip) error {
	if err := gitops.Deepen(ctx, m.Repo, base); err != nil {
		m.Log.Info("the history that this clone lacks is not read", zap.Error(err))
	}
	beyond, err := m.Repo.History.Past(base.Hash(), m.Tree, pastMost)
	fork, ferr := m.Repo.History.Fork(m.Tree, base.Hash())
	if fork != "" && len(beyond) > 0 {
		m.ahead, m.fork, m.tip = beyond, fork, base
	}
	return errors.Join(err, ferr)
}
