package pass

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Conflict is a stored conflict, and what passes ask of it.
type Conflict struct{ ledger.Conflict }

// Shown is a conflict as reports and the status show it.
func (p *Branch) Shown(c Conflict) report.Conflict {
	shown := report.Conflict{File: c.Path, Language: c.Language, Key: c.Key,
		Ours: TextsByForm(c.Ours), Theirs: TextsByForm(c.Theirs), Since: c.At, Open: c.Open, Beside: c.Beside}
	if len(p.Config.Projects) > 1 {
		shown.Project = p.Project.Name
	}
	return shown
}

// TextsByForm are the texts of one key.
func TextsByForm(texts catalog.Catalog) map[string]string {
	all := make(map[string]string, len(texts))
	for _, u := range texts {
		all[u.Form] = u.Text
	}
	return all
}

// IsOurs reports whether a text is one of the repository's.
func (c Conflict) IsOurs(u catalog.Unit) bool { return HasText(c.Ours, u) }

// HasText reports whether one of the texts is this one.
func HasText(texts catalog.Catalog, u catalog.Unit) bool {
	return slices.ContainsFunc(texts, func(of catalog.Unit) bool { return of.Name == u.Name && of.Text == u.Text })
}

// SameTexts reports whether two catalogs have the same texts.
func SameTexts(a, b catalog.Catalog) bool { return maps.Equal(a.Marks(), b.Marks()) }

// Agreed reports whether a text is the one that both sides had before.
func (c Conflict) Agreed(u catalog.Unit) bool {
	return slices.Contains(c.Base, ledger.Text{Name: u.Name, Mark: catalog.MarkOf(u.Text)})
}

// Had are the texts that both sides had under a name before.
func (c Conflict) Had(n catalog.Name) (texts []catalog.Mark) {
	for _, base := range c.Base {
		if base.Name == n {
			texts = append(texts, base.Mark)
		}
	}
	return texts
}

// HadShown are those that a person who decides a conflict has had: what both sides had before, and the service's.
func (c Conflict) HadShown(n catalog.Name) []catalog.Mark {
	texts := c.Had(n)
	if text, is := c.Theirs.Texts()[n]; is {
		texts = append(texts, catalog.MarkOf(text))
	}
	return texts
}

// About reports whether a conflict is about this form of its key: the repository had changed it.
func (c Conflict) About(n catalog.Name) bool {
	at, is := c.Ours.Index()[n]
	return is && !c.Agreed(c.Ours[at])
}

// With is a conflict with texts of another working tree or branch for those forms of its key that were not written
// here: they lost, too.
func (c Conflict) With(there catalog.Catalog, wrote func(there, here catalog.Unit) bool) Conflict {
	index := there.Index()
	c.Ours = slices.Clone(c.Ours)
	for i, u := range c.Ours {
		if at, is := index[u.Name]; is && wrote(there[at], u) {
			c.Ours[i].Text = there[at].Text
		}
	}
	return c
}

// ProblemOf is a conflict among the problems of a pass. A division of a file that was met before is only a warning.
func (p *Branch) ProblemOf(c Conflict, met bool) report.Problem {
	told := p.Shown(c).Problem()
	if met && c.Beside != "" {
		told.Severity = report.Warning
	}
	return told
}

// NewConflict describes a key as both sides have it.
func NewConflict(at time.Time, path, language, key string, ours, theirs catalog.Catalog, base catalog.Marks) Conflict {
	only := map[string]bool{key: true}
	c := Conflict{ledger.Conflict{Path: path, Language: language, Key: key,
		Ours: ours.Restrict(only), Theirs: theirs.Restrict(only), At: at.UTC(), Looked: at.UTC()}}
	for _, u := range c.Ours {
		if m, ok := base[u.Name]; ok {
			c.Base = append(c.Base, ledger.Text{Name: u.Name, Mark: m})
		}
	}
	c.Open = len(c.Base) == 0
	return c
}

// Known reports whether a conflict is a stored one as it is: nothing is to be told of it.
func (c Conflict) Known(stored map[string]Conflict) bool {
	before, is := stored[c.ID()]
	return is && before.Open == c.Open && SameTexts(before.Ours, c.Ours) && SameTexts(before.Theirs, c.Theirs)
}

// Keep stores a conflict. A text that lost before keeps its base, what both agreed on before it was written, and a
// conflict of nothing but such texts its time.
func (c Conflict) Keep(p *Branch, tx ledger.Writer) error {
	before, ok, err := ledger.Conflicts.Get(tx, p.StateName(), c.ID())
	if err != nil {
		return err
	}
	if ok {
		c = c.after(Conflict{before})
	}
	return ledger.Conflicts.Put(tx, p.StateName(), c.ID(), c.Conflict)
}

// KeepFirst stores a conflict with a text of another working tree or branch, unless one is stored already.
func (c Conflict) KeepFirst(p *Branch, tx ledger.Writer) error {
	_, is, err := ledger.Conflicts.Get(tx, p.StateName(), c.ID())
	if err != nil || is {
		return err
	}
	return c.Keep(p, tx)
}

// after is a conflict that replaces an earlier one about its key.
func (c Conflict) after(before Conflict) Conflict {
	stands := make(map[catalog.Name]bool)
	for _, u := range c.Ours {
		stands[u.Name] = before.IsOurs(u)
	}
	base := slices.DeleteFunc(slices.Clone(before.Base), func(a ledger.Text) bool { return !stands[a.Name] })
	for _, a := range c.Base {
		if !stands[a.Name] {
			base = append(base, a)
		}
	}
	c.Base = base
	if SameTexts(before.Ours, c.Ours) {
		c.At, c.Chosen = before.At, c.Chosen || before.Chosen
	}
	return c
}

// Conflicts are the stored ones, by id.
func (p Memory) Conflicts() (map[string]Conflict, error) {
	stored, err := ledger.Conflicts.List(p.Ledger, p.Scope)
	if err != nil {
		return nil, err
	}
	all := make(map[string]Conflict, len(stored))
	for _, c := range stored {
		all[c.ID()] = Conflict{c}
	}
	return all, nil
}

// IsChosen reports whether a conflict was decided for the repository, waits for the service to accept that, and is
// about the text that a tree has.
func (c Conflict) IsChosen(t *tree.Tree, languages []config.Language) (bool, error) {
	if !c.Chosen {
		return false, nil
	}
	targets, err := bundle.Existing(t.FS, t.Bundles(), languages)
	for _, x := range targets {
		if x.Path == c.Path && x.Language.Code == c.Language {
			f, _, err := x.Sources[0].Read(t.FS, x.Path, x.Language)
			return SameTexts(bundle.Texts(f).Restrict(map[string]bool{c.Key: true}), c.Ours), err
		}
	}
	return false, err
}

// resolved forgets the conflicts about texts that the service accepted from here.
func resolved(p Memory, tx ledger.Writer, m ledger.Destination, units []ledger.Text) error {
	return ledger.Each(units, func(u ledger.Text) error {
		c, is, err := ledger.Conflicts.Get(tx, p.Scope, ledger.ConflictID(m.Path, m.Language, u.Key))
		if err == nil && is && (Conflict{c}).About(u.Name) {
			err = ledger.Conflicts.Delete(tx, p.Scope, c.ID())
		}
		return err
	})
}

// Yields remembers that the service's text of a conflict stays, also where a request that was made for the repository's
// arrives later.
func (p Memory) Yields(tx ledger.Writer, c Conflict, now time.Time) error {
	var decided []ledger.SentText
	var gives catalog.Catalog // what no pull has replaced by the service's text
	theirs, names := c.Theirs.Marks(), make(map[catalog.Name]bool)
	for _, u := range c.Ours {
		names[u.Name] = true
	}
	err := ledger.Amend(tx, p.Slot(ledger.Known, c.Path, c.Language), func(history catalog.Marks) {
		for _, u := range c.Ours {
			their, has := theirs[u.Name]
			if has {
				decided = append(decided, ledger.SentText{Name: u.Name, Mark: their, Before: catalog.MarkOf(u.Text),
					At: now.UTC(), Shown: true, Decided: true})
			}
			if has && ledger.Holds(history, u) &&
				ledger.Age(history, u.Name, their) > ledger.Age(history, u.Name, catalog.MarkOf(u.Text)) {
				continue
			}
			gives = append(gives, u)
			ledger.Learn(history, u.Name, catalog.MarkOf(u.Text))
			if has {
				ledger.Learn(history, u.Name, their)
			}
		}
	})
	to := ledger.Destination{Path: c.Path, Language: c.Language, Kinds: []ledger.TargetMarks{ledger.Delivered}}
	return errors.Join(err, p.Mark(tx, to, Accepts(gives)), ledger.Conflicts.Delete(tx, p.Scope, c.ID()),
		p.ForgetSent(tx, ledger.TargetID(c.Path, c.Language), names, decided...),
		ledger.Reconciled.Delete(tx, p.Scope, p.Branch)) // what the service has is to be merged, though it is not new
}

// InFile makes a conflict one of a divided key where another file is given.
func (c Conflict) InFile(path string) Conflict {
	if path != "" {
		c.Beside, c.Open, c.Base = path, true, nil
	}
	return c
}

// Group is the same for the conflicts that files of one collection have about a key.
func (c Conflict) Group() string { return ledger.ConflictID(min(c.Path, c.Beside), c.Language, c.Key) }

// Choice are the conflicts that are decided for the repository, by their ids, and those that are decided for the
// service by that.
type Choice struct {
	Ours     map[string]Conflict
	Yields   []Conflict
	Problems []report.Problem
}

// Choose prepares the decision. Of divided keys the service has one text for all files, so one file is to be named.
// The others keep what they have, and nothing waits for them any more.
func Choose(lost, wanted map[string]Conflict) Choice {
	of := Choice{Ours: maps.Clone(wanted)}
	groups := make(map[string][]Conflict)
	for _, c := range InOrder(wanted) {
		if c.Beside != "" {
			groups[c.Group()] = append(groups[c.Group()], c)
		}
	}
	for _, c := range InOrder(lost) {
		chosen := groups[c.Group()]
		switch _, is := wanted[c.ID()]; {
		case c.Beside == "" || len(chosen) == 0:
		case len(chosen) > 1:
			if c.ID() == chosen[0].ID() {
				of.Problems = append(of.Problems, report.Problem{
					Code: report.CodeDivided, File: c.Path, Key: c.Key, Language: c.Language,
					Problem: fmt.Sprintf("is translated otherwise in %s, and the service has one text for both: "+
						"neither is sent. Name one of the files with --file", c.Beside)})
			}
			delete(of.Ours, c.ID())
		case !is:
			of.Yields = append(of.Yields, c)
		}
	}
	return of
}

// InOrder are conflicts in the order of their ids.
func InOrder(all map[string]Conflict) (list []Conflict) {
	for _, id := range slices.Sorted(maps.Keys(all)) {
		list = append(list, all[id])
	}
	return list
}
