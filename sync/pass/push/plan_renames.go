package push

import (
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Which translations follow a key to its new name, file or collection at the service: the service's under the old one,
// in the state that they have there, and where it has none, the repository's.

// translations are those of a file in one language, by key and without blanks.
type translations struct {
	path   string                     // "" where labels at the service name the file
	theirs map[string]catalog.Catalog // in the state that pulls ask for
	all    map[string]pass.Stated     // the service's, in any state
	ours   map[string]catalog.Catalog
	edited map[string]catalog.Catalog // keys of which a text was changed in the repository that no push has sent
	past   catalog.Marks              // the file's history
	agreed catalog.Marks
	made   catalog.Made // what it knows of the source texts that they were made for
}

// findEdited finds them in the texts of a snapshot; those of an earlier one stay.
func (t *translations) findEdited(texts catalog.Catalog) {
	for key, texts := range texts.Written().ByKey() {
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
	branch   catalog.Marks // what the translation branch has of it
	now      *translations
	living   map[string]bool // keys of the source file
	archived map[string]bool // keys that the service has put aside, with older translations
	source   catalog.Marks   // the digests of its texts
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

// inheritance is whose history the keys of a target file inherit: that of the keys that they were. What the service has
// under those that have another text now, is left.
type inheritance struct {
	file *followingFile
	keys map[*translations]map[string]string
	left map[string]catalog.Catalog
}

// planRenames decides about all files.
func planRenames(t *tree.Tree, project *config.Project, files []*followingFile) (*followingPlan, error) {
	plan := &followingPlan{moved: make(map[string][]string)}
	for _, f := range files {
		// Where pulls find none, a translator may have begun with the new key, in a state that they do not ask for.
		const fresh = service.Skip
		again, imported := service.Conflicts(project.Push.Conflicts), make(map[importKind]*following)
		inherits := &inheritance{f, make(map[*translations]map[string]string), make(map[string]catalog.Catalog)}
		for _, k := range f.keys {
			of, ours, told := k.follows(f)
			texts, state := of.Texts, of.State
			if ours {
				state = service.CompletionState(project.Push.CompletionState)
			}
			to := bundle.Target{Language: f.language, Sources: []*bundle.Bundle{f.bundle}}
			fitted := func(texts catalog.Catalog) catalog.Catalog {
				texts, _ = t.Fitted(to, nil, texts.As(k.rename.To.Key))
				return texts
			}
			texts = fitted(texts)
			if k.was.made.IsOfAnother(k.rename.From.Key, f.source[catalog.Name{Key: k.rename.To.Key}], texts) {
				continue
			}
			if plan.told = append(plan.told, told...); len(texts) == 0 {
				continue
			}
			if k.was == f.now && f.living[k.rename.From.Key] && k.rename.Language == "" {
				inherits.left[k.rename.From.Key] = fitted(k.was.all[k.rename.From.Key].Texts)
			}
			if inherits.keys[k.was] == nil {
				inherits.keys[k.was] = make(map[string]string)
			}
			inherits.keys[k.was][k.rename.From.Key] = k.rename.To.Key
			there := fitted(f.present(k)) // or a plural in one text seems to be another one
			outcome := k.meets(texts, there, f.now.past)
			if k.leaves(f) {
				outcome = catalog.Replaces // it goes along with the text that it is of
			}
			conflicts := again // also over what comes back with a key that was put aside
			if len(there) == 0 && !f.archived[k.rename.To.Key] {
				conflicts = fresh
			}
			switch {
			case len(there) == 0 || outcome == catalog.Replaces:
				add(imported, importKind{conflicts, state}, k, texts, ours)
			case outcome == catalog.Both || outcome == catalog.Unmet:
				plan.told = append(plan.told, k.stays(f, there, texts))
				continue
			default: // it has followed before, or been translated anew
				continue
			}
			for _, id := range k.ids {
				plan.moved[id] = append(plan.moved[id], f.language.Code)
			}
		}
		plan.inherits = append(plan.inherits, inherits)
		for _, state := range service.CompletionStates {
			for _, conflicts := range slices.Compact([]service.Conflicts{fresh, again}) {
				kind := importKind{conflicts, state}
				if err := imported[kind].ship(&plan.Batch, project, f, kind); err != nil {
					return nil, err
				}
			}
		}
	}
	return plan, nil
}

// follows are the texts that follow, under the old name, and whether they are the repository's. What was changed there
// and is not sent goes along, unless the service's was changed, too.
func (k *followingKey) follows(f *followingFile) (of pass.Stated, ours bool, told []report.Problem) {
	from, to := k.rename.From.Key, k.rename.To.Key
	edited, found := k.was.edited[from], k.was.all[from].Texts
	switch {
	case k.was == f.now && f.living[from]: // what is written there now is of another source text
		edited = f.now.edited[to]
	case len(edited) == 0 && k.was != f.now: // a pull may have renamed it there already
		edited = k.was.edited[to]
		if len(edited) == 0 && k.rename.Left == nil { // or a person moved it with its file
			edited = f.now.edited[from]
		}
	}
	if len(edited) > 0 && !pass.SameTexts(edited.As(to), found.As(to)) { // else it is not edited, and keeps its state
		newer := slices.ContainsFunc(found, func(u catalog.Unit) bool {
			return !ledger.Holds(k.was.past, u) && !slices.Contains(edited, u)
		})
		if !newer {
			return pass.Stated{Texts: slices.Clone(edited)}, true, nil
		}
		told = []report.Problem{{Code: report.CodeConflict, File: k.was.path, Key: from, Language: f.language.Code,
			Problem: fmt.Sprintf("was changed in the repository to %s and at the service to %s while the key became %q; "+
				"the service's goes along. If the repository's is meant, write it under the new key",
				report.InQuotes(pass.TextsByForm(edited)), report.InQuotes(pass.TextsByForm(found)), to)}}
	}
	if len(found) > 0 {
		return pass.Stated{Texts: slices.Clone(found), State: k.was.all[from].State}, false, told
	}
	texts := k.was.ours[from]
	if f.living[from] && len(k.was.edited[from]) > 0 {
		texts = nil
	}
	if len(texts) == 0 && !k.rename.Reused { // a pull may have renamed it there already
		texts = f.now.ours[to]
	}
	return pass.Stated{Texts: slices.Clone(texts)}, true, told
}

// present are the texts that the service has under a key's new name. Of a name that another source text had, that is
// what it has in any state: else a draft of that would seem to be the first translation.
func (f *followingFile) present(k *followingKey) catalog.Catalog {
	if k.rename.Reused {
		return f.now.all[k.rename.To.Key].Texts
	}
	return f.now.theirs[k.rename.To.Key]
}

// leaves reports whether what is under a key's new name follows another source text itself.
func (k *followingKey) leaves(f *followingFile) bool {
	return slices.ContainsFunc(f.keys, func(other *followingKey) bool {
		return other.was == f.now && other.rename.From.Key == k.rename.To.Key && other.rename.To.Key != k.rename.To.Key
	})
}

// meets decides whether texts that follow replace those that the service has under the new name. What their writer has
// had is in the histories of both names: a text that only the old one had was written under the new one since. A name
// that another source text had before has old translations of that, which its own history knows.
func (k *followingKey) meets(texts, there catalog.Catalog, past catalog.Marks) (outcome catalog.Outcome) {
	comes := texts.Texts()
	for _, u := range there {
		claim := catalog.Claim{New: comes[u.Name], Present: u.Text}
		own, present := ledger.Texts(past, u.Name), catalog.MarkOf(u.Text)
		was := ledger.Texts(k.was.past, catalog.Name{Key: k.rename.From.Key, Form: u.Form})
		was = slices.DeleteFunc(was, func(m catalog.Mark) bool { return m == present && !slices.Contains(own, m) })
		if claim.Met = len(was) > 0; claim.Met {
			claim.Agreed = was[len(was)-1]
		}
		if k.rename.Reused {
			claim.Past = append(own, was...)
			claim = claim.Youngest() // the key may have had this text before the other one
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
func (k *followingKey) stays(f *followingFile, there, texts catalog.Catalog) report.Problem {
	return report.Problem{Code: report.CodeConflict, File: f.path, Key: k.rename.To.Key, Language: f.language.Code,
		Problem: fmt.Sprintf("the service has %s, and %s under %q, which the key was before; the former stays. "+
			"If the other is meant, write it under the new key", report.InQuotes(pass.TextsByForm(there)),
			report.InQuotes(pass.TextsByForm(texts)), k.rename.From.Key)}
}

// importKind is how texts that follow are imported: where the service has none or over those that it has, and in which
// state.
type importKind struct {
	conflicts service.Conflicts
	state     service.CompletionState
}

// following are the texts of a file that go in one import.
type following struct{ texts, accepts catalog.Catalog }

// add gathers those of one key. Only texts that the repository has, or has had, are remembered as sent: others are the
// service's own, which no text of the repository replaces unseen.
func add(imported map[importKind]*following, kind importKind, k *followingKey, texts catalog.Catalog, ours bool) {
	of := imported[kind]
	if of == nil {
		of = &following{}
		imported[kind] = of
	}
	of.texts = append(of.texts, texts...)
	for _, u := range texts {
		n := catalog.Name{Key: k.rename.From.Key, Form: u.Form}
		if ours || ledger.Knows(k.was.past, n, catalog.MarkOf(u.Text)) {
			of.accepts = append(of.accepts, u)
		}
	}
}

func (of *following) ship(to *imports.Batch, project *config.Project, f *followingFile, kind importKind) error {
	if of == nil {
		return nil
	}
	up, err := bundle.ComposeUnits(f.bundle, f.path, of.texts)
	if err != nil {
		return err
	}
	req := imports.Request(project, f.bundle, f.language.Code, f.format, string(kind.state))
	req.Conflicts = kind.conflicts
	kinds := []ledger.TargetMarks{ledger.Known}
	over := imports.Over{Branch: f.branch}
	if kind.conflicts == service.Report {
		over = imports.Over{}
	}
	to.Add(req, up, ledger.Destination{Path: f.path, Language: f.language.Code, Kinds: kinds}, of.accepts, over)
	return nil
}
