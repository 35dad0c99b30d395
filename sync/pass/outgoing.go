package pass

import (
	"errors"
	"slices"
	"time"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A service may show late what it has accepted, and a request may arrive late. What was just sent is not taken back by
// an answer that is older, and a text of ours does not count as the service's own.

// LateFor is how long a service may take to show what it has accepted.
const LateFor = 10 * time.Minute

// Showing is what a text of the service is, beside those that were sent.
type Showing int

const (
	Present    Showing = iota // it is what the service has now
	Late                      // it is what the service had before texts that it accepted lately
	Overdue                   // so, and they were accepted long ago
	Superseded                // it was sent from here, and arrived after a later text, or without an answer
)

// Shows judges a text that the service shows; the mark of no text where it shows none. sent are texts that it accepted
// under the name, the oldest first, and unheard those that were sent without an answer.
func Shows(text catalog.Mark, sent []ledger.SentText, unheard []catalog.Mark, now time.Time) Showing {
	if slices.Contains(unheard, text) {
		return Superseded
	}
	if len(sent) == 0 || sent[len(sent)-1].Mark == text {
		return Present
	}
	last := sent[len(sent)-1]
	older := slices.ContainsFunc(sent, func(s ledger.SentText) bool { return s.Before == text || s.Mark == text })
	switch {
	case older && now.Sub(last.At) < LateFor:
		return Late
	case last.Before == text:
		return Overdue
	}
	return Present
}

// Unheard are the texts of a name that were sent, and of which no answer told whether the service took them: by this
// clone, or by one that was stopped before it could tell. Those may be any that git has from before a text that was
// accepted lately (older).
func Unheard(sent, known catalog.Marks, n catalog.Name, older ...catalog.Mark) []catalog.Mark {
	all := slices.Concat(ledger.Texts(sent, n), older)
	return slices.DeleteFunc(all, func(m catalog.Mark) bool { return ledger.Knows(known, n, m) })
}

// SentByName are the texts of a file that the service accepted, by name.
type SentByName map[catalog.Name][]ledger.SentText

// Sent are those of the file with an ID of Outgoing that the service is yet to show.
func (p Memory) Sent(id string) (SentByName, error) {
	accepted, err := p.Accepted(id)
	return accepted.Waiting(), err
}

// Accepted are the texts of a file that the service accepted lately, those that it has shown since, too.
type Accepted struct{ stored ledger.Outbound }

// Accepted reads those of the file with an ID of Outgoing.
func (p Memory) Accepted(id string) (Accepted, error) {
	stored, _, err := ledger.Outgoing.Get(p.Ledger, p.Scope, id)
	return Accepted{stored}, err
}

// Waiting are those that the service is yet to show.
func (a Accepted) Waiting() SentByName {
	stored := a.stored
	if len(stored.Texts) == 0 {
		return nil
	}
	all := make(SentByName, len(stored.Texts))
	for _, s := range stored.Texts {
		if !s.Shown {
			all[s.Name] = append(all[s.Name], s)
		}
	}
	return all
}

// AcceptSent remembers that the service accepted texts over others. A text of ours that was there without an answer is
// older than they are from now on.
func (p Memory) AcceptSent(tx ledger.Writer, to ledger.Destination, over []ledger.SentText, taken []ledger.Text,
	now time.Time) error {
	isTaken := make(map[ledger.Text]bool, len(taken))
	for _, u := range taken {
		isTaken[u] = true
	}
	over = slices.DeleteFunc(slices.Clone(over), func(s ledger.SentText) bool {
		return !isTaken[ledger.Text{Name: s.Name, Mark: s.Mark}]
	})
	if len(over) == 0 {
		return nil
	}
	id := ledger.TargetID(to.Path, to.Language)
	if to.OfSource() {
		id = ledger.Source{Collection: to.Collection, Path: to.Path}.ID()
	} else if err := p.learnArrived(tx, to, over); err != nil {
		return err
	}
	stored, _, err := ledger.Outgoing.Get(tx, p.Scope, id)
	if err != nil {
		return err
	}
	for _, s := range over {
		s.At = now.UTC()
		stored.Texts = append(stored.Texts, s)
	}
	return ledger.Outgoing.Put(tx, p.Scope, id, stored)
}

// learnArrived makes texts that had arrived unheard, and were replaced, older than those that replaced them.
func (p Memory) learnArrived(tx ledger.Writer, to ledger.Destination, over []ledger.SentText) error {
	sent, err := tx.Marks(p.Slot(ledger.Sent, to.Path, to.Language))
	if err != nil {
		return err
	}
	return ledger.Amend(tx, p.Slot(ledger.Known, to.Path, to.Language), func(known catalog.Marks) {
		for _, s := range over {
			if slices.Contains(Unheard(sent, known, s.Name), s.Before) {
				ledger.Learn(known, s.Name, s.Before)
			}
		}
	})
}

// isRecent reports whether a request of ours that is older than an accepted text may have arrived unseen: until a pull
// has looked LateFor after it, at most as long as jobs are waited for.
func isRecent(s ledger.SentText, now time.Time) bool { return now.Sub(s.At) < ForgetAfter }

// recent are the texts that the service accepted lately.
func (a Accepted) recent(now time.Time) catalog.Marks {
	marks := make(catalog.Marks)
	for _, s := range a.stored.Texts {
		if isRecent(s, now) {
			marks[s.Name] = s.Mark
		}
	}
	return marks
}

// Answered is a target file as a pull finds it.
type Answered struct {
	Ours, Theirs catalog.Catalog
	Below        catalog.Catalog // what the service has, in the state in which texts are sent
	Remembered   Marks
	Past         past.History // of the names that Replaced gives
	At           time.Time
}

// shown is the service's text of each name that it accepted lately; of those that pulls do not ask for, the one below.
func (a Accepted) shown(of Answered) catalog.Marks {
	shown, below := of.Theirs.Marks(), of.Below.Marks()
	for _, s := range a.stored.Texts {
		mark, is := below[s.Name]
		if _, answered := shown[s.Name]; is && !answered {
			shown[s.Name] = mark
		}
	}
	return shown
}

// Replaced are the names of which the service has another text than ours, which it accepted lately.
func (a Accepted) Replaced(of Answered) (names []catalog.Name) {
	if len(a.stored.Texts) == 0 {
		return nil
	}
	ours, theirs := of.Ours.Marks(), a.shown(of)
	for _, s := range a.stored.Texts {
		shown, answered := theirs[s.Name]
		if answered && ours[s.Name] == s.Mark && shown != s.Mark && isRecent(s, of.At) {
			names = append(names, s.Name)
		}
	}
	return names
}

// Sent is what is known of the texts that the service accepted from here, beside those that it shows.
type Sent struct {
	Over  bool                  // the service shows an older answer than it gave: the next pull asks again
	Again []Kept                // texts of the repository that older ones of ours have replaced at the service
	Done  map[catalog.Name]bool // what need not be remembered any more
	lost  []catalog.Name        // what the service shows of these is too old: a person decides
	base  catalog.Marks         // the branch's texts that what the service accepted replaces
}

// Kept is a text of the repository that is kept, and the one that is agreed on, or that the service has.
type Kept struct {
	catalog.Unit
	Agreed catalog.Mark
}

// Judge gives the service's texts as it has them by its own word. One that is older than what it accepted is none.
// What it accepted and does not show, as a draft maybe, is brought to the branch, unless that has something newer.
func (a Accepted) Judge(of Answered) (texts catalog.Catalog, sent Sent) {
	outgoing := a.Waiting()
	merged, known := of.Remembered[ledger.Merged], of.Remembered[ledger.Known]
	sent = Sent{Done: a.Expired(of.At), base: make(catalog.Marks)}
	if len(outgoing)+len(of.Remembered[ledger.Sent])+len(of.Past) == 0 {
		return of.Theirs, sent
	}
	ours, shown, answered := of.Ours.Texts(), make(map[catalog.Name]bool), of.Theirs.Index()
	shows := func(n catalog.Name, mark catalog.Mark) Showing {
		our, has := ours[n]
		if mark == catalog.MarkOf(our) {
			return Present
		}
		older := of.Past.Since(n, catalog.MarkOf(our), catalog.Mark{})
		showing := Shows(mark, outgoing[n], Unheard(of.Remembered[ledger.Sent], known, n, older...), of.At)
		if showing == Superseded && has {
			sent.Again = append(sent.Again, Kept{catalog.Unit{Name: n, Text: our}, mark})
		}
		return showing
	}
	below := make(map[catalog.Name]bool) // what was accepted is there
	for n, mark := range a.shown(of) {
		if _, is := answered[n]; is {
			continue
		}
		shows(n, mark)
		sent := outgoing[n]
		below[n] = len(sent) > 0 && sent[len(sent)-1].Mark == mark
	}
	var left, brought catalog.Catalog
	for _, u := range of.Theirs {
		switch shows(u.Name, catalog.MarkOf(u.Text)) {
		case Present:
			shown[u.Name], sent.Done[u.Name] = true, len(outgoing[u.Name]) > 0
		case Late:
			sent.Over = true
			continue
		case Superseded:
			continue
		case Overdue:
			sent.lost = append(sent.lost, u.Name)
		}
		left = append(left, u)
	}
	for n, all := range outgoing {
		last := all[len(all)-1]
		our, has := ours[n]
		base, met := merged[n]
		claim := catalog.Claim{New: last.Text, Present: our, Met: met, Agreed: base, Past: ledger.Texts(known, n)}
		brings := !shown[n] && last.Text != "" && (!has || catalog.Decide(claim) == catalog.Replaces)
		if brings {
			brought = append(brought, catalog.Unit{Name: n, Text: last.Text})
			sent.base[n] = catalog.MarkOf(our)
		}
		_, is := answered[n]
		sent.Done[n] = sent.Done[n] || !brings && (below[n] || !is && of.At.Sub(last.At) >= LateFor)
	}
	left = slices.DeleteFunc(left, func(u catalog.Unit) bool { _, is := sent.base[u.Name]; return is })
	return append(left, brought...), sent
}

// Rebase makes what was sent part of what both sides agree on.
func (s Sent) Rebase(base catalog.Marks) {
	for n, mark := range s.base {
		base[n] = mark
	}
	for _, n := range s.lost {
		if _, brought := s.base[n]; !brought {
			delete(base, n)
		}
	}
}

// Expired are the names whose text was shown, and was accepted so long ago that no request can be late any more.
func (a Accepted) Expired(now time.Time) map[catalog.Name]bool {
	names := make(map[catalog.Name]bool)
	for _, s := range a.stored.Texts {
		if s.Shown && now.Sub(s.At) >= LateFor {
			names[s.Name] = true
		}
	}
	return names
}

// SettleSent notes that the service showed what was sent of names. It is forgotten when no earlier request of ours can
// arrive after it any more.
func (p Memory) SettleSent(tx ledger.Writer, id string, names map[catalog.Name]bool, now time.Time) error {
	if len(names) == 0 {
		return nil
	}
	stored, is, err := ledger.Outgoing.Get(tx, p.Scope, id)
	if err != nil || !is {
		return err
	}
	old, changed := make(map[catalog.Name]bool), false
	for i, s := range stored.Texts {
		switch {
		case !names[s.Name]:
		case now.Sub(s.At) >= LateFor:
			old[s.Name] = true
		case !s.Shown:
			stored.Texts[i].Shown, changed = true, true
		}
	}
	if changed {
		err = ledger.Outgoing.Put(tx, p.Scope, id, stored)
	}
	if err == nil && len(old) > 0 {
		err = p.ForgetSent(tx, id, old)
	}
	return err
}

// ForgetSent forgets what was sent of names: the service shows it, or something newer, or it is decided.
func (p Memory) ForgetSent(tx ledger.Writer, id string, names map[catalog.Name]bool) error {
	stored, is, err := ledger.Outgoing.Get(tx, p.Scope, id)
	if err != nil || !is {
		return err
	}
	stored.Texts = slices.DeleteFunc(stored.Texts, func(s ledger.SentText) bool {
		return names[s.Name]
	})
	if len(stored.Texts) == 0 {
		return ledger.Outgoing.Delete(tx, p.Scope, id)
	}
	return errors.Join(err, ledger.Outgoing.Put(tx, p.Scope, id, stored))
}
