package push

import (
	"errors"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/imports"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/tree"
)

// Which translations follow a key to its new name, file or collection at the service: the service's under the old one,
// and where it has none in the state that pulls ask for, the repository's.

// translations are those of a file in one language, by key and without blanks.
type translations struct {
	path   string // "" where labels at the service name the file
	theirs map[string]catalog.Catalog
	ours   map[string]catalog.Catalog
	edited map[string]catalog.Catalog // keys of which a text was changed in the repository that no push has sent
	past   catalog.Marks              // the file's history
	agreed catalog.Marks
}

// findEdited finds them in the texts of a snapshot; those of an earlier one stay.
func (t *translations) findEdited(texts catalog.Catalog) {
	for key, texts := range written(texts).ByKey() {
		unknown := func(u catalog.Unit) bool { return !ledger.Holds(t.past, u) && !t.agreed.Has(u.Name, u.Text) }
		if t.edited[key] == nil && slices.ContainsFunc(texts, unknown) {
			t.edited[key] = texts
		}
	}
}

// followingFile is a file with renamed keys in one language.
type followingFile struct {
	bundle   *bundle.Bundle
	language config.Language
	path     string // by which it is remembered
	format   string
	now      *translations
	keys     []*followingKey
}

// followingKey is a renamed key. Ids are those of its renames, and was is the file that it was in.
type followingKey struct {
	rename ledger.Rename
	ids    []string
	was    *translations
}

// followingPlan is what is sent, told, and remembered of renamed keys.
type followingPlan struct {
	imports.Batch
	told     []report.Problem
	moved    map[string][]string // languages, by rename
	inherits []*inheritance
}

// inheritance is whose history the keys of a target file inherit: that of the keys that they were.
type inheritance struct {
	file *followingFile
	keys map[*translations]map[string]string
}

// planRenames decides about all files.
func planRenames(t *tree.Tree, project *config.Project, files []*followingFile) (*followingPlan, error) {
	plan := &followingPlan{moved: make(map[string][]string)}
	for _, f := range files {
		// Where the service has none, a translator may have begun with the new key, in a state that is not exported.
		fresh, again := following{conflicts: service.Skip}, following{conflicts: service.Conflicts(project.Push.Conflicts)}
		inherits := &inheritance{f, make(map[*translations]map[string]string)}
		for _, k := range f.keys {
			texts, ours, told := k.follows(f)
			if plan.told = append(plan.told, told...); len(texts) == 0 {
				continue
			}
			if inherits.keys[k.was] == nil {
				inherits.keys[k.was] = make(map[string]string)
			}
			inherits.keys[k.was][k.rename.From.Key] = k.rename.To.Key
			if k.rename.From.Key != k.rename.To.Key { // else it has the shape of its source already
				for i := range texts {
					texts[i].Key = k.rename.To.Key
				}
				texts, _ = t.Fitted(bundle.Target{Language: f.language, Sources: []*bundle.Bundle{f.bundle}}, texts)
			}
			outcome := k.meets(texts, f.now)
			switch {
			case len(f.now.theirs[k.rename.To.Key]) == 0:
				fresh.add(k, texts, ours)
			case outcome == catalog.Replaces:
				again.add(k, texts, ours)
			case outcome == catalog.Both || outcome == catalog.Unmet:
				plan.told = append(plan.told, k.stays(f, texts))
				continue
			default: // it has followed before, or been translated anew
				continue
			}
			for _, id := range k.ids {
				plan.moved[id] = append(plan.moved[id], f.language.Code)
			}
		}
		plan.inherits = append(plan.inherits, inherits)
		if err := errors.Join(fresh.ship(&plan.Batch, project, f), again.ship(&plan.Batch, project, f)); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// follows are the texts that follow, under the old name, and whether they are the repository's. What was changed there
// and is not sent goes along, unless the service's was changed, too.
func (k *followingKey) follows(f *followingFile) (texts catalog.Catalog, ours bool, told []report.Problem) {
	from, to := k.rename.From.Key, k.rename.To.Key
	edited, found := k.was.edited[from], k.was.theirs[from]
	if len(edited) == 0 && k.was != f.now { // a pull may have renamed it there already
		edited = k.was.edited[to]
		if len(edited) == 0 && k.rename.Left == nil { // or a person moved it with its file
			edited = f.now.edited[from]
		}
	}
	if len(edited) > 0 {
		newer := slices.ContainsFunc(found, func(u catalog.Unit) bool {
			return !ledger.Holds(k.was.past, u) && !slices.Contains(edited, u)
		})
		if !newer {
			return slices.Clone(edited), true, nil
		}
		told = []report.Problem{{Code: report.CodeConflict, File: k.was.path, Key: from, Language: f.language.Code,
			Problem: fmt.Sprintf("was changed in the repository to %s and at the service to %s while the key became %q; "+
				"the service's goes along. If the repository's is meant, write it under the new key",
				report.InQuotes(pass.TextsByForm(edited)), report.InQuotes(pass.TextsByForm(found)), to)}}
	}
	if len(found) > 0 {
		return slices.Clone(found), false, told
	}
	if texts = k.was.ours[from]; len(texts) == 0 { // a pull may have renamed it there already
		texts = f.now.ours[to]
	}
	return slices.Clone(texts), true, told
}

// meets decides whether texts that follow replace those that the service has under the new name. What their writer has
// had is in the histories of both names: a text that only the old one had was written under the new one since. A name
// that another source text had before has old translations of that, which its own history knows.
func (k *followingKey) meets(texts catalog.Catalog, now *translations) (outcome catalog.Outcome) {
	there, comes := now.theirs[k.rename.To.Key], texts.Texts()
	for _, u := range there {
		claim := catalog.Claim{New: comes[u.Name], Present: u.Text}
		own, present := ledger.Texts(now.past, u.Name), catalog.MarkOf(u.Text)
		was := ledger.Texts(k.was.past, catalog.Name{Key: k.rename.From.Key, Form: u.Form})
		was = slices.DeleteFunc(was, func(m catalog.Mark) bool { return m == present && !slices.Contains(own, m) })
		if claim.Met = len(was) > 0; claim.Met {
			claim.Agreed = was[len(was)-1]
		}
		if k.rename.Reused {
			claim.Past = append(own, was...)
		} else {
			claim.Past = slices.DeleteFunc(own, func(m catalog.Mark) bool { return !slices.Contains(was, m) })
		}
		outcome = max(outcome, catalog.Decide(claim))
	}
	if outcome == catalog.Alike && len(texts) > len(there) {
		return catalog.Replaces // by further forms
	}
	return outcome
}

// stays tells of texts that do not follow, since the service has others under the new name.
func (k *followingKey) stays(f *followingFile, texts catalog.Catalog) report.Problem {
	there := f.now.theirs[k.rename.To.Key]
	return report.Problem{Code: report.CodeConflict, File: f.path, Key: k.rename.To.Key, Language: f.language.Code,
		Problem: fmt.Sprintf("the service has %s, and %s under %q, which the key was before; the former stays. "+
			"If the other is meant, write it under the new key", report.InQuotes(pass.TextsByForm(there)),
			report.InQuotes(pass.TextsByForm(texts)), k.rename.From.Key)}
}

// following are the texts of a file that go in one import: where the service has none, or over those that it has.
type following struct {
	conflicts      service.Conflicts
	texts, accepts catalog.Catalog
}

// add gathers those of one key. Only texts that the repository has, or has had, are remembered as sent: others are the
// service's own, which no text of the repository replaces unseen.
func (of *following) add(k *followingKey, texts catalog.Catalog, ours bool) {
	of.texts = append(of.texts, texts...)
	for _, u := range texts {
		n := catalog.Name{Key: k.rename.From.Key, Form: u.Form}
		if ours || ledger.Knows(k.was.past, n, catalog.MarkOf(u.Text)) {
			of.accepts = append(of.accepts, u)
		}
	}
}

func (of *following) ship(to *imports.Batch, project *config.Project, f *followingFile) error {
	if len(of.texts) == 0 {
		return nil
	}
	up, err := bundle.ComposeUnits(f.bundle, f.path, of.texts)
	if err != nil {
		return err
	}
	req := imports.Request(project, f.bundle, f.language.Code, f.format, project.Pull.CompletionState)
	req.Conflicts = of.conflicts
	kinds := []ledger.TargetMarks{ledger.Known}
	to.Add(req, up, ledger.Destination{Path: f.path, Language: f.language.Code, Kinds: kinds}, of.accepts)
	return nil
}

// written are texts without blanks.
func written(texts catalog.Catalog) catalog.Catalog {
	return slices.DeleteFunc(slices.Clone(texts), func(u catalog.Unit) bool { return u.Text == "" })
}

// without are texts without those that were only filled in.
func without(filler catalog.Marks, texts catalog.Catalog) catalog.Catalog {
	return slices.DeleteFunc(texts, func(u catalog.Unit) bool { return ledger.Holds(filler, u) })
}
