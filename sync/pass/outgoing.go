package pass

import (
	"errors"
	"slices"
	"time"

	"github.com/locsync/locsync/gitops"
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

// Unanswered are texts of target files that were sent, and of which no answer told whether the service took them: by
// ledger.TargetID, those of each import, the oldest first.
type Unanswered map[string][]UnansweredTexts

// UnansweredTexts are those of one file of an import.
type UnansweredTexts struct {
	Marks        catalog.Marks
	Tree, Commit string // that they are from; "" where that is not known
}

// Seen are those of a file that a tree had in a commit of its history: an older text there was brought back since.
func (u Unanswered) Seen(repo *gitops.Repo, id, tree, commit string) (seen []catalog.Marks, err error) {
	for _, sent := range u[id] {
		if sent.Tree != tree || sent.Commit == "" {
			continue
		}
		past, perr := repo.History.Contains(commit, sent.Commit)
		if err = errors.Join(err, perr); past {
			seen = append(seen, sent.Marks)
		}
	}
	return seen, err
}

// holds reports whether a text is one of some that were sent without an answer.
func holds(all []UnansweredTexts, n catalog.Name, mark catalog.Mark) bool {
	return slices.ContainsFunc(all, func(u UnansweredTexts) bool { return u.Marks[n] == mark })
}

// Unanswered are those that may still arrive.
func (p Memory) Unanswered(now time.Time) (Unanswered, error) {
	jobs, err := ledger.Jobs.List(p.Ledger, p.Scope)
	if err != nil {
		return nil, err
	}
	lost, err := ledger.Lost.List(p.Ledger, p.Scope)
	if err != nil {
		return nil, err
	}
	jobs = append(jobs, lost...)
	slices.SortFunc(jobs, func(a, b ledger.Job) int { return a.At.Compare(b.At) })
	all := make(Unanswered)
	for _, j := range jobs {
		if now.Sub(j.At) >= ForgetAfter {
			continue
		}
		for _, f := range j.Files {
			if f.Memory.OfSource() {
				continue
			}
			texts := make(catalog.Marks, len(f.Units))
			for _, u := range f.Units {
				texts[u.Name] = u.Mark
			}
			id := ledger.TargetID(f.Memory.Path, f.Memory.Language)
			all[id] = append(all[id], UnansweredTexts{Marks: texts, Tree: f.Memory.Tree, Commit: f.Memory.Commit})
		}
	}
	return all, nil
}

// Lose remembers an import whose outcome nothing tells, in place of the job.
func (p Memory) Lose(tx ledger.Writer, j ledger.Job) error {
	return errors.Join(ledger.Jobs.Delete(tx, p.Scope, j.ID), ledger.Lost.Put(tx, p.Scope, j.ID, j))
}

// ForgetLate forgets lost imports that cannot arrive any more.
func (p Memory) ForgetLate(now time.Time) error {
	lost, err := ledger.Lost.List(p.Ledger, p.Scope)
	for _, j := range lost {
		if now.Sub(j.At) > ForgetAfter {
			err = errors.Join(err, ledger.Lost.Delete(p.Ledger, p.Scope, j.ID))
		}
	}
	return err
}

// ForgetLost forgets of lost imports what files tell of that the service accepted or has.
func (p Memory) ForgetLost(tx ledger.Writer, files ...ledger.JobFile) error {
	lost, err := ledger.Lost.List(tx, p.Scope)
	if err != nil || len(lost) == 0 {
		return err
	}
	answered := make(map[string]map[ledger.Text]bool)
	for _, f := range files {
		id := ledger.TargetID(f.Memory.Path, f.Memory.Language)
		if answered[id] == nil {
			answered[id] = make(map[ledger.Text]bool)
		}
		for _, u := range f.Units {
			answered[id][u] = true
		}
		for _, s := range f.Over { // what was replaced has arrived
			answered[id][ledger.Text{Name: s.Name, Mark: s.Before}] = true
		}
	}
	return ledger.Each(lost, func(j ledger.Job) error {
		left := j
		left.Files = nil
		for _, f := range j.Files {
			texts := answered[ledger.TargetID(f.Memory.Path, f.Memory.Language)]
			f.Units = slices.DeleteFunc(f.Units, func(u ledger.Text) bool { return texts[u] })
			if len(f.Units) > 0 {
				left.Files = append(left.Files, f)
			}
		}
		if len(left.Files) == 0 {
			return ledger.Lost.Delete(tx, p.Scope, j.ID)
		}
		return ledger.Lost.Put(tx, p.Scope, j.ID, left)
	})
}

// SentByName are the texts of a file that the service accepted, in the order of names, and of one the oldest first.
type SentByName []ledger.SentText

// Of are those of one name.
func (s SentByName) Of(n catalog.Name) []ledger.SentText {
	from, _ := slices.BinarySearchFunc(s, n, func(t ledger.SentText, n catalog.Name) int { return t.Name.Compare(n) })
	to := from
	for to < len(s) && s[to].Name == n {
		to++
	}
	return s[from:to]
}

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

// Follow adds those of the file's former ID, which are older.
func (a *Accepted) Follow(p Memory, former string) error {
	before, err := p.Accepted(former)
	a.stored.Texts = slices.Concat(before.stored.Texts, a.stored.Texts)
	return err
}

// Waiting are those that the service is yet to show.
func (a Accepted) Waiting() SentByName {
	all := slices.DeleteFunc(slices.Clone(a.stored.Texts), func(s ledger.SentText) bool { return s.Shown })
	slices.SortStableFunc(all, func(a, b ledger.SentText) int { return a.Name.Compare(b.Name) })
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
	Unanswered   []UnansweredTexts
	Past         past.History // of the names that Replaced gives
	At           time.Time
}

// shown is the service's text of each name that was sent lately; of those that pulls do not ask for, the one below.
func (a Accepted) shown(of Answered) catalog.Marks {
	shown, below := of.Theirs.Marks(), of.Below.Marks()
	add := func(n catalog.Name) {
		mark, is := below[n]
		if _, answered := shown[n]; is && !answered {
			shown[n] = mark
		}
	}
	for _, s := range a.stored.Texts {
		add(s.Name)
	}
	for _, texts := range of.Unanswered {
		for n := range texts.Marks {
			add(n)
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
	if len(a.stored.Texts)+len(of.Remembered[ledger.Sent])+len(of.Unanswered)+len(of.Past) == 0 {
		return of.Theirs, sent
	}
	ours, shown, answered := of.Ours.Texts(), make(map[catalog.Name]bool), of.Theirs.Index()
	rejected := make(map[catalog.Name][]catalog.Mark)
	for _, s := range a.stored.Texts {
		if s.Decided && of.At.Sub(s.At) < LateFor {
			rejected[s.Name] = append(rejected[s.Name], s.Before)
		}
	}
	shows := func(n catalog.Name, mark catalog.Mark) Showing {
		our, has := ours[n]
		if mark == catalog.MarkOf(our) {
			if Shows(mark, outgoing.Of(n), nil, of.At) == Late { // a decision replaced it at the service alone
				return Late
			}
			return Present
		}
		older := of.Past.Since(n, catalog.MarkOf(our), catalog.Mark{})
		unheard := Unheard(of.Remembered[ledger.Sent], known, n, older...)
		unheard = append(unheard, rejected[n]...)
		if has && holds(of.Unanswered, n, mark) { // also one that lost a conflict since; of a new name it is the first
			unheard = append(unheard, mark)
		}
		showing := Shows(mark, outgoing.Of(n), unheard, of.At)
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
		sent := outgoing.Of(n)
		below[n] = len(sent) > 0 && sent[len(sent)-1].Mark == mark
	}
	var left, brought catalog.Catalog
	for _, u := range of.Theirs {
		switch shows(u.Name, catalog.MarkOf(u.Text)) {
		case Present:
			shown[u.Name] = true
			if len(outgoing.Of(u.Name)) > 0 {
				sent.Done[u.Name] = true
			}
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
	for from := 0; from < len(outgoing); {
		n := outgoing[from].Name
		all := outgoing.Of(n)
		from += len(all)
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

// ForgetSent forgets what was sent of names: the service shows it, or something newer, or others are decided.
func (p Memory) ForgetSent(tx ledger.Writer, id string, names map[catalog.Name]bool, decided ...ledger.SentText) error {
	stored, is, err := ledger.Outgoing.Get(tx, p.Scope, id)
	if err != nil || !is && len(decided) == 0 {
		return err
	}
	stored.Texts = slices.DeleteFunc(stored.Texts, func(s ledger.SentText) bool {
		return names[s.Name]
	})
	stored.Texts = append(stored.Texts, decided...)
	if len(stored.Texts) == 0 {
		return ledger.Outgoing.Delete(tx, p.Scope, id)
	}
	return errors.Join(err, ledger.Outgoing.Put(tx, p.Scope, id, stored))
}
