package engine

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

const (
	mostEvents = 50
	mostDays   = 30
	mostWords  = 300 // of what somebody else said, in a sentence
)

// diary is the project's diary during one transaction. Its parts are read when they are needed, and written when they changed.
type diary struct {
	*project
	tx       ledger.Writer
	at       time.Time
	told     []report.Event // new ones
	again    *report.Event  // one that takes the place of its equal, see among
	day      report.Day     // what is added to today
	standing map[string]ledger.Ongoing
	changed  bool // of standing
}

// openDiary opens the diary in a transaction.
func (p *project) openDiary(tx ledger.Writer, at time.Time) *diary {
	d := &diary{project: p, tx: tx, at: at.UTC()}
	stood, err := diaryOf(tx, p, ledger.Standing, ledger.StandingID)
	if d.standing, d.changed = stood, err != nil; stood == nil {
		d.standing = make(map[string]ledger.Ongoing)
	}
	d.anew(err)
	return d
}

// close writes what was told. What keeps it from being written is logged, and is no error of the pass.
func (d *diary) close() {
	if err := d.keep(); err != nil {
		d.log.Error("write the diary", zap.Error(err))
	}
}

// tellNow writes something that happens outside of the end of a pass.
func (p *project) tellNow(e report.Event) {
	if p.State == nil {
		return // a check, which remembers nothing
	}
	err := p.State.Update(func(tx ledger.Writer) error {
		d := p.openDiary(tx, p.Now())
		d.tell(e)
		d.close()
		return nil
	})
	if err != nil {
		p.log.Error("write the diary", zap.Error(err))
	}
	p.changes.Send()
}

func (d *diary) tell(e report.Event) {
	e.At = d.at
	e.Base = d.line
	d.told = append(d.told, e)
}

// stand remembers that something goes on, or with the zero value that it does not.
func (d *diary) stand(id string, now ledger.Ongoing) {
	before, is := d.standing[id]
	switch {
	case now.Since.IsZero() && !is, is && now.Since.Equal(before.Since) && now.Times == before.Times && slices.Equal(now.Of, before.Of):
		return
	case now.Since.IsZero():
		delete(d.standing, id)
	default:
		d.standing[id] = now
	}
	d.changed = true
}

// about is the id of something that goes on with the line of the pass.
func (d *diary) about(what string) string { return what + "\x00" + d.line }

// became compares what something is about with what it was about before, and remembers it.
func (d *diary) became(what string, now []string) (began, ended []string) {
	id := d.about(what)
	before := d.standing[id]
	began = slices.DeleteFunc(slices.Clone(now), func(of string) bool { _, there := slices.BinarySearch(before.Of, of); return there })
	ended = slices.DeleteFunc(slices.Clone(before.Of), func(of string) bool { _, there := slices.BinarySearch(now, of); return there })
	switch {
	case len(now) == 0:
		d.stand(id, ledger.Ongoing{})
	case len(before.Of) == 0:
		d.stand(id, ledger.Ongoing{Since: d.at, Of: now})
	default:
		d.stand(id, ledger.Ongoing{Since: before.Since, Of: now})
	}
	return began, ended
}

// anew logs that a part of the diary is damaged. It is written over.
func (d *diary) anew(err error) {
	if err != nil {
		d.log.Warn("a part of the diary is damaged; it begins anew", zap.Error(err))
	}
}

// keep writes what is new.
func (d *diary) keep() error {
	if len(d.told) > 0 || d.again != nil {
		events, err := diaryOf(d.tx, d.project, ledger.Events, ledger.EventsID)
		d.anew(err)
		if d.again != nil {
			events = among(*d.again, events)
		}
		events = append(events, d.told...)
		if err := ledger.Events.Put(d.tx, d.projectName(), ledger.EventsID, events[max(0, len(events)-mostEvents):]); err != nil {
			return err
		}
	}
	if d.day.Pushed+d.day.Pulled > 0 {
		days, err := diaryOf(d.tx, d.project, ledger.Days, ledger.DaysID)
		d.anew(err)
		if err := ledger.Days.Put(d.tx, d.projectName(), ledger.DaysID, added(days, d.at, d.day)); err != nil {
			return err
		}
	}
	if !d.changed {
		return nil
	}
	return ledger.Standing.Put(d.tx, d.projectName(), ledger.StandingID, d.standing)
}

// diaryOf is a part of the diary; nothing where it is damaged.
func diaryOf[T any](tx ledger.Reader, p *project, of ledger.Table[T], part string) (T, error) {
	value, _, err := of.Get(tx, p.projectName(), part)
	if err != nil {
		var nothing T
		return nothing, err
	}
	return value, nil
}

func dateOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// added adds to a day, and drops those that nobody looks at any more, or that a clock told too early.
func added(days []report.Day, at time.Time, more report.Day) []report.Day {
	oldest := dateOf(at.UTC().AddDate(0, 0, 1-mostDays))
	days = slices.DeleteFunc(days, func(d report.Day) bool { return d.Date < oldest || d.Date > dateOf(at) })
	i, there := slices.BinarySearchFunc(days, dateOf(at), func(d report.Day, date string) int { return strings.Compare(d.Date, date) })
	if !there {
		days = slices.Insert(days, i, report.Day{Date: dateOf(at)})
	}
	days[i].Pushed += more.Pushed
	days[i].Pulled += more.Pulled
	return days
}

// lookAtDiary gives the status its activity and events: those that can be read.
func (p *project) lookAtDiary(s *report.ProjectStatus) {
	err := p.State.View(func(tx ledger.Reader) error {
		s.Events, _ = diaryOf(tx, p, ledger.Events, ledger.EventsID)
		slices.Reverse(s.Events)
		days, _ := diaryOf(tx, p, ledger.Days, ledger.DaysID)
		there := make(map[string]report.Day)
		for _, d := range days {
			there[d.Date] = d
		}
		now := p.Now().UTC()
		s.Activity = make([]report.Day, 0, mostDays)
		for i := range mostDays {
			date := dateOf(now.AddDate(0, 0, 1+i-mostDays))
			s.Activity = append(s.Activity, report.Day{Date: date, Pushed: there[date].Pushed, Pulled: there[date].Pulled})
		}
		return nil
	})
	if err != nil {
		p.log.Warn("read the diary", zap.Error(err))
	}
}

// among adds an event that may come again to others: in the place of its equal, unless that was before Since or before it worked again.
func among(e report.Event, events []report.Event) []report.Event {
	kind, since := equal(e.Text), e.Since
	e.Since, e.Count = e.At, 1
	for i, old := range slices.Backward(events) {
		same := old.What == e.What && (old.Base == e.Base || e.Base == "")
		if same && old.Result == report.ResultRecovered || old.At.Before(since) {
			break
		}
		if same && old.Base == e.Base && old.Result == e.Result && equal(old.Text) == kind {
			e.Since, e.Count = old.Since, old.Count+1
			events = slices.Delete(events, i, i+1)
			break
		}
	}
	return append(events, e)
}

// variable is what differs between two errors of the same cause: ports, durations, identifiers.
var variable = regexp.MustCompile(`[0-9A-Fa-f-]*[0-9][0-9A-Fa-f-]*`)

// equal is the same for texts that people would call the same.
func equal(text string) string { return variable.ReplaceAllString(text, "#") }
