package push

import (
	"cmp"
	"fmt"
	"maps"
	"slices"
	"time"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Which translations people changed is worked out here, file by file and then of all files of a path; what becomes of
// them at the service, in plan_translations.go.

// A translation that a person changed in the repository is sent, from the tree that pushes read and from the branch
// that pulls write. In both a text is a person's change when it is not blank, was not filled in, and
//
//   - is not in the file's history: no pull wrote it, and it was not delivered before; or
//   - is in it and was brought back: the tree has a commit in its history in which a younger text was seen, or one of
//     ours that brought such a text.
//
// An old commit that is checked out, or a squashed merge, has texts of the history and no such commit.
type snapshot struct {
	name    pass.LookAt
	commit  string        // the working tree's HEAD, or the branch's tip; "" before the first commit
	shared  *tree.Shared  // of all snapshots, once their files are read
	earlier []pass.LookAt // those read last time at a commit of its history

	merged map[string]catalog.Marks // what commits of ours brought since it was read last, by ledger.TargetID

	treeAt string // of earlier, the commit at which a working tree, perhaps another clone's, was read
	here   bool   // what this clone's working tree had before is of its past
}

// candidate is a target file of one snapshot with what people changed in it.
type candidate struct {
	bundle.Target
	snapshot *snapshot
	bytes    []byte         // of the file: parsed, all of them would be much to keep
	file     *resource.File // while it is compared and sent
	texts    catalog.Catalog
	changed  map[catalog.Name]bool   // what is to be sent
	follows  map[catalog.Name]bool   // of it, what only followed its key, or was not edited: it fills gaps of the service
	back     map[catalog.Name]bool   // what was brought back by hand, and false for what else is not to be sent
	decided  map[string]bool         // keys of conflicts that were decided for this text
	memory   memories                // what was agreed on, taken over, or gone; without the history
	yielded  []pass.Conflict         // with what another snapshot sends
	unfit    map[catalog.Name]string // what is never sent, and why
	moved    map[string]string       // keys that another source file of the collection has now, with the target file there

	// behind are texts from where the two snapshots parted, which the other one has changed since.
	behind catalog.Catalog
	met    bool // anything was agreed on of the file
}

// offers tells which texts of a target file may be sent: those whose keys the source files have, and further forms of
// plurals. What the service left out before is offered again where the source has it now, and with --all, as then is
// what was agreed on, which a service that lost it lacks.
type offers struct {
	keys, wide []map[string]bool // of each source file
	declined   catalog.Marks     // what the service left out before
	all        bool

	moved map[string]*bundle.Bundle // keys that the file had, and that another one of its collection has now
}

func (o offers) asked(u catalog.Unit) bool { return hasKey(o.wide, u) || o.moved[u.Key] != nil }

func (o offers) again(u catalog.Unit) bool {
	return o.declined.Has(u.Name, u.Text) && (hasKey(o.keys, u) || o.all)
}

func hasKey(all []map[string]bool, u catalog.Unit) bool {
	return slices.ContainsFunc(all, func(has map[string]bool) bool { return has[u.Key] })
}

// find finds what people changed in a file. At first contact it is all of the file: what the service has otherwise
// then, neither side changed (see compare). settled and lost are conflicts that were decided, and that wait.
func (c *candidate) find(m memories, of offers, settled map[string]bool, lost map[string]pass.Conflict) {
	// The history, and what was agreed on of other keys, is read again where it is needed: it would be much to keep.
	c.memory = memories{inherited: m.inherited, back: m.back, other: m.other}
	keeps := make(map[string]bool)
	c.met = len(m.merged) > 0
	for _, u := range c.texts {
		id := ledger.ConflictID(c.Path, c.Language.Code, u.Key)
		_, waits := lost[id]
		keeps[u.Key] = keeps[u.Key] || waits
		edited, agreed := m.edited(u) || of.again(u), m.merged.Has(u.Name, u.Text)
		if u.Text == "" || ledger.Holds(m.filler, u) || settled[id] || !edited && !(of.all && agreed) {
			continue
		}
		known, sent := ledger.Holds(m.known, u), c.unfit[u.Name] == "" && of.asked(u)
		if edited && (known || !sent) {
			c.back[u.Name] = known
		}
		if sent {
			c.changed[u.Name] = true
			keeps[u.Key] = true
		}
		if sent && agreed && (!edited || !known) {
			c.follows[u.Name] = true
		}
	}
	c.memory.merged = m.merged.Restrict(keeps)
	c.decide(m, lost)
}

// memories are what is remembered of a target file. merged is what was agreed on: by a merge, else by a push that the
// service took.
type memories struct {
	known, filler, merged catalog.Marks

	seen []catalog.Marks // in the earlier snapshots that count for this one

	undecided catalog.Marks // that came with a merge of the branch, where the service has accepted later ones from here

	inherited pass.Marks // of a file that is gone, for one that has none

	back  bool // the file was gone from all snapshots, and is there again
	other bool // as another file, of which nothing is remembered
}

// edited reports whether a text of a snapshot is a change made there.
func (m memories) edited(u catalog.Unit) bool {
	mark := catalog.MarkOf(u.Text)
	now := ledger.Age(m.known, u.Name, mark)
	if now < 0 {
		return true
	}
	if m.undecided[u.Name] == mark {
		return false
	}
	for _, seen := range m.seen {
		if last, ok := seen[u.Name]; ok && last != mark {
			if before := ledger.Age(m.known, u.Name, last); before < 0 || before > now {
				return true
			}
		}
	}
	return false
}

// saw reports whether a snapshot had a text in its past: another text there has replaced it knowingly.
func (m memories) saw(u catalog.Unit) bool {
	return slices.ContainsFunc(m.seen, func(seen catalog.Marks) bool { return seen.Has(u.Name, u.Text) })
}

// claim is the candidate that sends a text.
type claim struct {
	by   *candidate
	text string
}

// parting is two snapshots that have a file, of which at least one has changed a text that both have otherwise.
type parting struct {
	one, other *candidate
	differ     catalog.Catalog // texts of one
}

// id is the target file's in the ledger.
func (c *candidate) id() string { return ledger.TargetID(c.Path, c.Language.Code) }

// partings are those of a push.
func partings(found []*candidate) (all []parting) {
	first := make(map[string]*candidate)
	for _, c := range found {
		other := first[c.id()]
		if other == nil {
			first[c.id()] = c
			continue
		}
		there := other.texts.Index()
		differ := slices.DeleteFunc(slices.Clone(c.texts), func(u catalog.Unit) bool {
			at, both := there[u.Name]
			return !both || other.texts[at].Text == u.Text || !c.changed[u.Name] && !other.changed[u.Name]
		})
		if len(differ) > 0 {
			all = append(all, parting{c, other, differ})
		}
	}
	return all
}

// leaveBehind takes out texts from where two snapshots parted that the other one has changed since: the one that has
// them is only behind. What was brought back there was written after they parted.
func (p parting) leaveBehind(before catalog.Marks) {
	there := p.other.texts.Index()
	for _, u := range p.differ {
		their := p.other.texts[there[u.Name]]
		both := p.one.changed[u.Name] && p.other.changed[u.Name]
		agreed, met := before[u.Name]
		switch catalog.Decide(catalog.Claim{New: u.Text, Present: their.Text, Met: met, Agreed: agreed}) {
		case catalog.Older:
			if both || !p.one.back[u.Name] {
				p.one.leaveBehind(u)
			}
		case catalog.Replaces:
			if both {
				p.other.leaveBehind(their)
			}
		}
	}
}

// drop takes out a text of which it is decided that it is not sent.
func (c *candidate) drop(n catalog.Name) {
	delete(c.changed, n)
	delete(c.back, n)
}

// leaveBehind takes out a text that is only behind.
func (c *candidate) leaveBehind(u catalog.Unit) {
	if c.changed[u.Name] {
		c.drop(u.Name)
		c.behind = append(c.behind, u)
	}
}

// yield lets one of two snapshots send a text that both have: the branch. Another text that was written is in conflict
// with it, and told; with --all, an unchanged one yields to the tree that pushes read. Texts in their key's own file
// come before those whose key moved.
func (c *candidate) yield(
	at time.Time, claims map[string]map[catalog.Name]claim, moved bool,
) (twice []report.Problem) {
	sent := make(map[string]catalog.Catalog) // by key, where another text was written here
	for _, u := range c.texts {
		if !c.changed[u.Name] || moved != (c.moved[u.Key] != "") {
			continue
		}
		id := ledger.TargetID(cmp.Or(c.moved[u.Key], c.Path), c.Language.Code)
		if claims[id] == nil {
			claims[id] = make(map[catalog.Name]claim)
		}
		other, claimed := claims[id][u.Name]
		if claimed && !other.by.follows[u.Name] {
			c.drop(u.Name)
			if other.text != u.Text && !c.follows[u.Name] {
				p := report.Problem{Code: report.CodeConflict, File: c.Path, Key: u.Key, Language: c.Language.Code,
					Problem: fmt.Sprintf("was changed twice: %q in %s and %q in %s; the first is sent. "+
						"If the other is meant, write it there",
						other.text, other.by.where(), u.Text, c.where())}
				twice = append(twice, p)
				sent[u.Key] = append(sent[u.Key], catalog.Unit{Name: u.Name, Text: other.text})
			}
			continue
		}
		if claimed {
			other.by.drop(u.Name)
		}
		claims[id][u.Name] = claim{c, u.Text}
	}
	for _, key := range slices.Sorted(maps.Keys(sent)) {
		x := pass.NewConflict(at, c.Path, c.Language.Code, key, c.texts, sent[key], c.memory.merged)
		c.yielded = append(c.yielded, x)
	}
	return twice
}

// where is where its texts are.
func (c *candidate) where() string { return c.Path + " of " + c.snapshot.name.Where() }

// unmoved reports whether a text is as it lost: here or, where it is still the one that both sides had before, in
// another snapshot.
func (c *candidate) unmoved(u catalog.Unit, lost pass.Conflict) bool {
	return lost.IsOurs(u) || !c.changed[u.Name] && lost.Agreed(u) && lost.About(u.Name)
}

// overruled reports whether a pull has merged the service's texts of a conflict: the status names it then, not every
// push.
func (c *candidate) overruled(lost pass.Conflict) bool {
	return !slices.ContainsFunc(lost.Theirs, func(u catalog.Unit) bool { return !c.memory.merged.Has(u.Name, u.Text) })
}

// decide finds the keys of conflicts whose repository text was written again by one who had seen the service's: that is
// a decision. To have seen a form that the service did not change says nothing.
func (c *candidate) decide(m memories, lost map[string]pass.Conflict) {
	c.decided = make(map[string]bool)
	for _, u := range c.texts {
		if !c.changed[u.Name] {
			continue
		}
		l := lost[ledger.ConflictID(c.Path, c.Language.Code, u.Key)]
		for _, seen := range m.seen {
			for _, their := range l.Theirs {
				if their.Name == u.Name && their.Text != u.Text && !l.Agreed(their) && seen.Has(u.Name, their.Text) {
					c.decided[u.Key] = true
				}
			}
		}
	}
}

// The service has one text for a key of a collection; two files may have the key, each with a translation of its own.
// Where these differ in a language, each file keeps its own: neither is sent, and neither is written over the other.
// That is an open conflict of each file whose text the service does not have, which is told once and waits: push --ours
// chooses one file's text for the service, push --theirs leaves what the service has. Where only one file has a
// translation, the gap does not ask for it: at first contact it stays, too.

// beside is another file of the collection that has another translation of a key of a candidate; "" for none.
func (c *candidate) beside(key string) string {
	return c.snapshot.shared.Beside(c.Path, c.Language.Code, key)
}

// about reports whether a stored conflict is still what it was: of a divided key, or of none.
func (c *candidate) about(lost pass.Conflict) bool {
	return (lost.Beside == "") == (c.beside(lost.Key) == "")
}

// gather reads those of all snapshots together, as they will be merged: the texts that are about to be sent, and else
// those of the first snapshot that has the key.
func gather(s *tree.Shared, found []*candidate) {
	for _, c := range found {
		had := c.texts.Keys()
		for key := range had {
			had[key] = s.Translates(c.Sources[0], c.Language.Code, c.Path, key)
		}
		for _, u := range c.texts {
			if c.changed[u.Name] || !had[u.Key] {
				s.Add(c.Sources[0], c.Language.Code, c.Path, u)
			}
		}
	}
	s.Divide()
}
