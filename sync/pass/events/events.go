// Package events tells of the passes to readers who know the product and its languages, but neither git nor the
// interface: what was sent and brought, and what lasts, when it begins and when it ends.
//
// Its law: one cause is told once, however often it comes again, and an event that could not be written is not an
// error of the pass. At most 50 events are kept, and 30 days are counted.
//
// It decides nothing: it is told what a pass did, and looks only at what is remembered of conflicts and requests.
package events

import (
	"errors"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
)

// Log is where the events of a project are remembered, those of its lines among them.
type Log struct {
	Ledger  ledger.Store
	Project string // in the ledger
	Scope   string // of the project, or of one of its lines, in the ledger
	Line    string // "" for none
	Branch  string // of the translations
	Now     func() time.Time
	Log     *zap.Logger
	Shown   func(ledger.Conflict) report.Conflict
}

// Entry is what one pass, or another event, adds to the events in one transaction. Its parts are read when they are
// needed, and written when they changed.
type Entry struct {
	Part bool // of a project's files and languages: what lasts is told by whole passes

	of       *Log
	tx       ledger.Writer
	at       time.Time
	told     []report.Event // new ones
	again    *report.Event  // one that replaces its equal, see among
	day      report.Day     // what is added to today
	standing map[string]ledger.Ongoing
	changed  bool  // of standing
	failed   error // what keeps standing from being read
}

// Open begins what is told in a transaction.
func (p *Log) Open(tx ledger.Writer, at time.Time) *Entry {
	d := &Entry{of: p, tx: tx, at: at.UTC()}
	stood, err := partOf(tx, p.Project, ledger.Standing, ledger.StandingID)
	if d.standing, d.changed = stood, err != nil; stood == nil {
		d.standing = make(map[string]ledger.Ongoing)
	}
	d.failed = d.startOver(err)
	return d
}

// Close writes what was told. What keeps it from being written is logged, and is not an error of the pass.
func (d *Entry) Close() {
	if err := d.keep(); err != nil {
		d.of.Log.Error("cannot write the event history", zap.Error(err))
	}
}

// Tell writes something that happens outside of the end of a pass.
func (p *Log) Tell(e report.Event) {
	err := p.Ledger.Update(func(tx ledger.Writer) error {
		d := p.Open(tx, p.Now())
		d.Tell(e)
		d.Close()
		return nil
	})
	if err != nil {
		p.Log.Error("cannot write the event history", zap.Error(err))
	}
}

// Tell adds an event.
func (d *Entry) Tell(e report.Event) {
	e.At = d.at
	e.Base = d.of.Line
	d.told = append(d.told, e)
}

// startOver logs that a part of the events is damaged, which is written over. Another error of reading it is returned.
func (d *Entry) startOver(err error) error {
	if err == nil || !errors.As(err, new(*ledger.DamagedError)) {
		return err
	}
	d.of.Log.Warn("a part of the events is damaged; it begins anew", zap.Error(err))
	return nil
}

// keep writes what is new.
func (d *Entry) keep() error {
	if d.failed != nil {
		return d.failed
	}
	if len(d.told) > 0 || d.again != nil {
		events, err := partOf(d.tx, d.of.Project, ledger.Events, ledger.EventsID)
		if err := d.startOver(err); err != nil {
			return err
		}
		if d.again != nil {
			events = among(*d.again, events)
		}
		events = append(events, d.told...)
		if err := ledger.Events.Put(d.tx, d.of.Project, ledger.EventsID,
			events[max(0, len(events)-mostEvents):]); err != nil {
			return err
		}
	}
	if d.day.Pushed+d.day.Pulled > 0 {
		days, err := partOf(d.tx, d.of.Project, ledger.Days, ledger.DaysID)
		if err := d.startOver(err); err != nil {
			return err
		}
		if err := ledger.Days.Put(d.tx, d.of.Project, ledger.DaysID, added(days, d.at, d.day)); err != nil {
			return err
		}
	}
	if !d.changed {
		return nil
	}
	return ledger.Standing.Put(d.tx, d.of.Project, ledger.StandingID, d.standing)
}

// partOf is a part of the events; nothing where it is damaged.
func partOf[T any](tx ledger.Reader, project string, of ledger.Table[T], part string) (T, error) {
	value, _, err := of.Get(tx, project, part)
	if err != nil {
		var nothing T
		return nothing, err
	}
	return value, nil
}

func dateOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// added adds to a day, and drops those that are too old to be shown, or that a clock told too early.
func added(days []report.Day, at time.Time, more report.Day) []report.Day {
	oldest := dateOf(at.UTC().AddDate(0, 0, 1-mostDays))
	days = slices.DeleteFunc(days, func(d report.Day) bool { return d.Date < oldest || d.Date > dateOf(at) })
	i, there := slices.BinarySearchFunc(days, dateOf(at),
		func(d report.Day, date string) int { return strings.Compare(d.Date, date) })
	if !there {
		days = slices.Insert(days, i, report.Day{Date: dateOf(at)})
	}
	days[i].Pushed += more.Pushed
	days[i].Pulled += more.Pulled
	for language, n := range more.Languages {
		days[i].Languages = plus(days[i].Languages, language, n)
	}
	return days
}

// plus adds to a count of a map, which may be nil.
func plus(counts map[string]int, of string, n int) map[string]int {
	if counts == nil {
		counts = make(map[string]int)
	}
	counts[of] += n
	return counts
}

// Read gives the status its activity and events: those that can be read.
func (p *Log) Read(s *report.ProjectStatus) {
	err := p.Ledger.View(func(tx ledger.Reader) error {
		s.Events, _ = partOf(tx, p.Project, ledger.Events, ledger.EventsID)
		slices.Reverse(s.Events)
		days, _ := partOf(tx, p.Project, ledger.Days, ledger.DaysID)
		there := make(map[string]report.Day)
		for _, d := range days {
			there[d.Date] = d
		}
		now := p.Now().UTC()
		s.Activity = make([]report.Day, 0, mostDays)
		for i := range mostDays {
			date := dateOf(now.AddDate(0, 0, 1+i-mostDays))
			day := there[date]
			day.Date = date
			s.Activity = append(s.Activity, day)
		}
		return nil
	})
	if err != nil {
		p.Log.Warn("cannot read the event history", zap.Error(err))
	}
}

// among adds an event that may come again to others: instead of its equal, unless that was before Since or
// before it worked again.
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
