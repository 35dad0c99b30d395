package push

import (
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What becomes of changed translations at the service: sent, the same already, or lost to what it has.

// standing is what is known of conflicts: those that wait for a decision, and whether the repository's texts are to
// win where nothing was agreed on.
type standing struct {
	lost     map[string]pass.Conflict
	lastPull time.Time
	insists  bool
}

// meeting is what a candidate meets at the service.
type meeting struct {
	standing
	theirs catalog.Catalog
	memory memories        // with the history
	sent   catalog.Marks   // texts that the service may have from here
	over   pass.SentByName // texts that it accepted from here, over others
	past   past.History    // texts of the git history of the candidate's tree, where that may matter
	at     time.Time
}

// waits reports whether keys lost conflicts and have nothing new to say: all their texts are as they lost, and no
// decision was made since. A pull has merged the service's text then, or the service was asked since the last pull;
// open ones wait for a decision only.
func (c *candidate) waits(texts catalog.Catalog, of standing) bool {
	for _, u := range texts {
		lost, is := of.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		if !is || c.decided[u.Key] || !c.unmoved(u, lost) || lost.Open && of.insists || !c.about(lost) {
			return false
		}
		if !lost.Open && !lost.Looked.After(of.lastPull) && !c.overruled(lost) {
			return false
		}
	}
	return true
}

// onlyWaits reports whether all that changed in a file lost conflicts earlier that are not decided since: the service
// need not be asked then. Those of them that no pull has decided are to be told.
func (c *candidate) onlyWaits(of standing) (only bool, tell []pass.Conflict) {
	keys := make(map[string]bool)
	for n := range c.changed {
		keys[n.Key] = true
	}
	texts := c.texts.Restrict(keys)
	if !c.waits(texts, of) {
		return false, nil
	}
	for _, u := range texts {
		lost := of.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		if keys[u.Key] && !lost.Open && !c.overruled(lost) {
			keys[u.Key] = false
			tell = append(tell, lost)
		}
	}
	return true, tell
}

// comparedCandidate is a candidate after the comparison with the service's present texts.
type comparedCandidate struct {
	of *candidate
	comparison
	theirs     catalog.Catalog
	same, sent catalog.Catalog
}

// mergeForms replaces the service's texts by those that another snapshot sends of the same file: where both send forms
// of one key, the upload that is taken last would take the other's back.
func (w *comparedCandidate) mergeForms(others catalog.Catalog) {
	own := w.sent.Index()
	for _, u := range others {
		if _, sends := own[u.Name]; !sends {
			w.instead[u.Name] = u.Text
		}
	}
}

// mergeConflicts makes one conflict of a key of which forms were written in two snapshots and have lost.
func (w *comparedCandidate) mergeConflicts(other *comparedCandidate) {
	for i, x := range w.conflicts {
		w.conflicts[i] = x.With(other.of.texts, func(there, _ catalog.Unit) bool {
			return other.of.changed[there.Name] && other.lost[there.Key]
		})
	}
}

// weigh sorts what is to be sent of a candidate.
func (c *candidate) weigh(of meeting) *comparedCandidate {
	w := &comparedCandidate{of: c, comparison: c.compare(of), theirs: of.theirs}
	for _, u := range c.texts {
		_, stays := w.instead[u.Name]
		switch {
		case !c.changed[u.Name], w.lost[u.Key], stays:
		case w.comparison.same[u.Name]:
			w.same = append(w.same, u)
			if c.beside(u.Key) != "" {
				w.forRepository = append(w.forRepository, u.Key)
			}
		default:
			w.sent = append(w.sent, u)
		}
	}
	return w
}

// batch are texts that travel in one import. Further are forms of plurals that the service may not have: these have an
// import of their own, because its result counts what had no source text, and names none.
type batch struct {
	texts   catalog.Catalog
	further bool
}

// batches divides what is sent, given the texts of the source files where they could be read.
func (w *comparedCandidate) batches(source catalog.Catalog, read bool, declined catalog.Marks, all bool) []batch {
	if !read {
		return []batch{{w.sent, false}}
	}
	keys := source.Keys()
	maps.Copy(keys, w.theirs.Keys()) // what it has translated it has a source text for
	further := w.sent.Which(func(u catalog.Unit) bool {
		return !keys[u.Key] && (all || !declined.Has(u.Name, u.Text))
	})
	return []batch{{w.sent.Restrict(keys), false}, {further, true}}
}

// ship composes the upload of a batch. told are texts of the service that it replaces.
func (w *comparedCandidate) ship(
	to *imports.Batch, project *config.Project, format string, of batch, m ledger.Destination, over imports.Over,
) (told []report.Problem, err error) {
	index := of.texts.Index()
	wanted := func(n catalog.Name) bool { _, ok := index[n]; return ok }
	up, err := bundle.ComposeTranslations(w.of.Sources[0], w.of.file, w.of.Path, wanted, w.instead, w.of.unfit)
	if err != nil || len(up.Units) == 0 {
		return nil, err
	}
	if of.further {
		m.Kinds = append(slices.Clone(m.Kinds), ledger.Further)
	}
	b, language := w.of.Sources[0], w.of.Language.Code
	to.Add(imports.Request(project, b, language, format, project.Push.CompletionState), up, m, of.texts, over)
	if project.Push.Conflicts != "overwrite" {
		return nil, nil
	}
	return w.replaces(index), nil
}

// replaces names the service's texts that the snapshot has not merged and that are about to be replaced.
func (w *comparedCandidate) replaces(sent map[catalog.Name]int) (told []report.Problem) {
	for _, u := range w.replaced {
		if _, is := sent[u.Name]; is {
			told = append(told, report.Problem{
				Code: report.CodeReplaced, File: w.of.Path, Key: u.Key, Language: w.of.Language.Code,
				Problem: fmt.Sprintf("the service's %q is replaced by a text from %s, which had not merged it. "+
					"If it is meant, write it again", u.Text, w.of.snapshot.name.Where())})
		}
	}
	return told
}

// comparison is how a candidate's texts compare with the service's.
type comparison struct {
	lost      map[string]bool // keys that the service changed too
	conflicts []pass.Conflict // about them, in the file's order
	same      map[catalog.Name]bool
	instead   map[catalog.Name]string // the service's present texts where the repository's were not changed
	replaced  catalog.Catalog         // the service's present texts that are not merged here, where others are sent

	forRepository []string // keys that are decided for the repository though nothing was agreed on
}

// compare reports the keys that both sides changed, and those that differ at first contact, at which neither side
// changes. A text that the service has from here, or had at the last merge, is not its own change.
func (c *candidate) compare(of meeting) comparison {
	v := comparison{lost: make(map[string]bool), same: make(map[catalog.Name]bool), instead: make(map[catalog.Name]string)}
	theirs := of.theirs
	index := theirs.Index()
	// Keys that are not, or not any more, as a conflict has them: should they lose, that is to be told.
	added := make(map[string]bool)
	for _, u := range c.texts {
		lost, conflicts := of.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		conflicts = conflicts && c.unmoved(u, lost) && !c.decided[u.Key] && c.about(lost)
		added[u.Key] = added[u.Key] || !conflicts
		at, there := index[u.Name]
		if c.changed[u.Name] && c.beside(u.Key) != "" {
			v.lost[u.Key] = v.lost[u.Key] || !there || theirs[at].Text != u.Text
		}
		if !there {
			continue
		}
		outcome := of.decide(u, theirs[at], lost, conflicts, c.moved[u.Key] != "")
		if c.follows[u.Name] && !c.decided[u.Key] && !of.memory.edited(u) { // what is younger in the file's history stays
			outcome = catalog.Decide(catalog.Claim{New: u.Text, Present: theirs[at].Text, Met: true,
				Agreed: catalog.MarkOf(u.Text), Past: ledger.Texts(of.memory.known, u.Name)})
		}
		switch {
		case !c.changed[u.Name], c.follows[u.Name] && outcome == catalog.Older && theirs[at].Text != "":
			v.instead[u.Name] = theirs[at].Text
		case outcome == catalog.Alike:
			v.same[u.Name] = true
		case v.lost[u.Key] && c.beside(u.Key) != "":
		case theirs[at].Text == "":
		case outcome == catalog.Replaces:
			if !conflicts && !of.insists && !of.saw(theirs[at]) {
				v.replaced = append(v.replaced, theirs[at])
			}
		case of.insists && outcome == catalog.Unmet:
			v.forRepository = append(v.forRepository, u.Key)
		case conflicts && (lost.Open && pass.HasText(lost.Theirs, theirs[at]) || !lost.Open && c.overruled(lost)):
			v.lost[u.Key] = true
		default:
			v.lost[u.Key], added[u.Key] = true, true
		}
	}
	v.replaced = slices.DeleteFunc(v.replaced, func(u catalog.Unit) bool { return v.lost[u.Key] })
	for _, u := range c.texts {
		if v.lost[u.Key] && added[u.Key] {
			added[u.Key] = false
			x := pass.NewConflict(of.at, c.Path, c.Language.Code, u.Key, c.texts, theirs, of.memory.merged)
			v.conflicts = append(v.conflicts, x.InFile(c.beside(u.Key)))
		}
	}
	return v
}

// saw reports whether the tree of the candidate had a text before.
func (of meeting) saw(u catalog.Unit) bool {
	mark := catalog.MarkOf(u.Text)
	replaced := func(s ledger.SentText) bool { return s.Before == mark }
	return of.memory.saw(u) || slices.Contains(of.past[u.Name], mark) || slices.ContainsFunc(of.over.Of(u.Name), replaced)
}

// unseen are the names of which the git history is to tell whether the service's text was seen. At first contact it is
// not asked: neither side changes then.
func (c *candidate) unseen(of meeting) (names []catalog.Name) {
	if of.memory.known == nil && of.memory.merged == nil {
		return nil
	}
	theirs := of.theirs.Texts()
	for _, u := range c.texts {
		text := theirs[u.Name]
		if !c.changed[u.Name] || text == "" || text == u.Text {
			continue
		}
		if lost, waits := of.lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]; waits && c.unmoved(u, lost) {
			continue
		}
		if !of.memory.saw(catalog.Unit{Name: u.Name, Text: text}) {
			names = append(names, u.Name)
		}
	}
	return names
}

// decide decides whether a text that was changed here replaces the service's. It is the youngest of its file: its
// writer has had what was merged, what was sent before and what its git history has had since, or, where it has lost a
// conflict, what both had before that.
func (of meeting) decide(u, theirs catalog.Unit, lost pass.Conflict, conflicts, moved bool) catalog.Outcome {
	agreed, merged := of.memory.merged[u.Name]
	if past := ledger.Texts(of.memory.known, u.Name); moved && !merged && len(past) > 0 { // a pull took the key out
		agreed, merged = past[len(past)-1], true
	}
	claim := catalog.Claim{New: u.Text, Present: theirs.Text, Met: merged || ledger.Has(of.sent, u.Name)}
	if conflicts {
		claim.Past = lost.Had(u.Name)
	} else {
		claim.Agreed = agreed
		claim.Past = append(of.past.Since(u.Name, catalog.MarkOf(u.Text), agreed), ledger.Texts(of.sent, u.Name)...)
		for _, s := range of.over.Of(u.Name) { // a late service shows it still
			claim.Past = append(claim.Past, s.Before)
		}
	}
	return catalog.Decide(claim.Youngest())
}
