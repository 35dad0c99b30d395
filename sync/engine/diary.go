package engine

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/state"
)

// The diary of a project is what people are told of its past: events, in sentences, and how much went each way on each day. It is written with the end of
// a pass, in the same transaction, and only by passes that have something to tell: a look that finds nothing is no event. All lines of a project share it.
//
// It is history and decides nothing. Where it is lost or damaged it begins anew, and nobody's pass fails for it.
const (
	kindDiary = "diary" // records of the project, by the ids below

	diaryEvents   = "events"   // []Event, oldest first
	diaryDays     = "days"     // []Day, oldest first, those on which something happened
	diaryStanding = "standing" // map[string]standing: what began and has not ended
)

const (
	mostEvents = 50
	mostDays   = 30
	mostWords  = 300 // of what somebody else said, in a sentence
)

// standing is something that began and has not ended: a pass that fails, a file that is held back.
type standing struct {
	Since time.Time `json:"since"`
	Kind  string    `json:"kind,omitempty"` // of a failure: what makes it equal to another
	Times int       `json:"times,omitempty"`
	Of    []string  `json:"of,omitempty"` // files
}

// diary is the project's diary during one transaction. Its parts are read when they are needed, and written when they changed.
type diary struct {
	*project
	tx       *state.Tx
	at       time.Time
	events   []Event // new ones
	again    *Event  // a failure that is told already: it takes the place of what was told
	day      Day     // what is added to today
	standing map[string]standing
	changed  bool // of standing
}

// openDiary opens the diary in a transaction.
func (p *project) openDiary(tx *state.Tx, at time.Time) *diary {
	d := &diary{project: p, tx: tx, at: at.UTC()}
	stood, _, err := state.GetTx[map[string]standing](tx, p.projectName(), kindDiary, diaryStanding)
	if err != nil {
		p.log.Warn("the diary is damaged; what stands in it begins anew", zap.Error(err))
	}
	if d.standing = stood; stood == nil {
		d.standing = make(map[string]standing)
	}
	return d
}

// close writes what was told. What keeps it from being written is logged, and is no error of the pass.
func (d *diary) close() {
	if err := d.keep(); err != nil {
		d.log.Error("write the diary", zap.Error(err))
	}
}

// tellNow writes something that happens outside of the end of a pass.
func (p *project) tellNow(e Event) {
	err := p.State.Update(func(tx *state.Tx) error {
		d := p.openDiary(tx, p.Now())
		d.tell(e)
		d.close()
		return nil
	})
	if err != nil {
		p.log.Error("write the diary", zap.Error(err))
	}
}

func (d *diary) tell(e Event) {
	e.At = d.at
	d.events = append(d.events, e)
}

// keep writes what is new.
func (d *diary) keep() error {
	if len(d.events) > 0 || d.again != nil {
		events := eventsOf(d.tx, d.project)
		if d.again != nil {
			events = slices.DeleteFunc(events, func(e Event) bool {
				return e.Since.Equal(d.again.Since) && e.What == d.again.What && e.Base == d.again.Base
			})
			events = append(events, *d.again)
		}
		events = append(events, d.events...)
		if err := state.PutTx(d.tx, d.projectName(), kindDiary, diaryEvents, events[max(0, len(events)-mostEvents):]); err != nil {
			return err
		}
	}
	if d.day.Pushed+d.day.Pulled > 0 {
		if err := state.PutTx(d.tx, d.projectName(), kindDiary, diaryDays, added(daysOf(d.tx, d.project), d.at, d.day)); err != nil {
			return err
		}
	}
	if !d.changed {
		return nil
	}
	return state.PutTx(d.tx, d.projectName(), kindDiary, diaryStanding, d.standing)
}

// eventsOf are the events that were told; none where they are damaged.
func eventsOf(tx *state.Tx, p *project) []Event {
	events, _, err := state.GetTx[[]Event](tx, p.projectName(), kindDiary, diaryEvents)
	if err != nil {
		p.log.Warn("the diary is damaged; its events begin anew", zap.Error(err))
		return nil
	}
	return events
}

// daysOf are the days on which something happened; none where they are damaged.
func daysOf(tx *state.Tx, p *project) []Day {
	days, _, err := state.GetTx[[]Day](tx, p.projectName(), kindDiary, diaryDays)
	if err != nil {
		p.log.Warn("the diary is damaged; its days begin anew", zap.Error(err))
		return nil
	}
	return days
}

func dateOf(at time.Time) string { return at.UTC().Format(time.DateOnly) }

// added adds to a day, and drops those that nobody looks at any more.
func added(days []Day, at time.Time, more Day) []Day {
	oldest := dateOf(at.UTC().AddDate(0, 0, 1-mostDays))
	days = slices.DeleteFunc(days, func(d Day) bool { return d.Date < oldest })
	i, there := slices.BinarySearchFunc(days, dateOf(at), func(d Day, date string) int { return strings.Compare(d.Date, date) })
	if !there {
		days = slices.Insert(days, i, Day{Date: dateOf(at)})
	}
	days[i].Pushed += more.Pushed
	days[i].Pulled += more.Pulled
	return days
}

// lookAtDiary gives the status its activity and events.
func (p *project) lookAtDiary(s *ProjectStatus) error {
	return p.State.View(func(tx *state.Tx) error {
		s.Events = eventsOf(tx, p)
		slices.Reverse(s.Events)
		there := make(map[string]Day)
		for _, d := range daysOf(tx, p) {
			there[d.Date] = d
		}
		now := p.Now().UTC()
		s.Activity = make([]Day, 0, mostDays)
		for i := range mostDays {
			date := dateOf(now.AddDate(0, 0, 1+i-mostDays))
			s.Activity = append(s.Activity, Day{date, there[date].Pushed, there[date].Pulled})
		}
		return nil
	})
}

// ended tells how a pass ended: once of equal failures, however often it is tried again, and once that it works again.
func (d *diary) ended(what string, err error) {
	id := what + "\x00" + d.line
	before, failed := d.standing[id]
	switch {
	case errors.Is(err, context.Canceled), errors.Is(err, gitops.ErrBusy):
	case err == nil && failed:
		delete(d.standing, id)
		d.changed = true
		d.tell(Event{What: what, Base: d.line, Result: ResultRecovered, Since: before.Since, Count: before.Times,
			Text: fmt.Sprintf("%s works again, after %s.", titled(what), counted(before.Times, "failure", "failures"))})
	case err != nil:
		kind := equal(err.Error())
		now := standing{Since: d.at, Kind: kind, Times: 1}
		e := Event{At: d.at, What: what, Base: d.line, Result: ResultFailed, Since: d.at, Count: 1}
		if failed && before.Kind == kind {
			now.Since, now.Times = before.Since, before.Times+1
			e.Since, e.Count = now.Since, now.Times
		}
		e.Text = fmt.Sprintf("%s did not work: %s", titled(what), brief(err.Error()))
		d.standing[id], d.changed, d.again = now, true, &e
	}
}

// variable is what differs between two errors of the same cause: ports, durations, identifiers.
var variable = regexp.MustCompile(`[0-9A-Fa-f-]*[0-9][0-9A-Fa-f-]*`)

// equal is the same for errors that people would call the same.
func equal(failure string) string { return brief(variable.ReplaceAllString(failure, "#")) }

// brief is a bounded line of what was said.
func brief(said string) string {
	line := strings.Join(strings.Fields(said), " ")
	if runes := []rune(line); len(runes) > mostWords {
		return string(runes[:mostWords-1]) + "…"
	}
	return line
}

func titled(what string) string { return strings.ToUpper(what[:1]) + what[1:] }

func counted(n int, one, many string) string {
	if n == 1 {
		return "1 " + one
	}
	return fmt.Sprintf("%d %s", n, many)
}

// pushed tells what a push sent.
func (r *pushing) tell(d *diary, err error) {
	d.day.Pushed += r.report.Keys
	if r.report.Keys > 0 {
		result := ResultOK
		if len(r.report.Problems) > 0 {
			result = ResultPartial
		}
		d.tell(Event{What: "push", Base: r.line, Result: result, Text: "Sent " + r.sentInWords() + "."})
	}
	d.ended("push", err)
}

// sentInWords is what was sent: keys of source files, and translations.
func (r *pushing) sentInWords() string {
	var paths []string
	languages := make(map[string]bool)
	keys, translations := 0, 0
	for _, f := range r.report.Files {
		if f.Language == r.cfg.SourceLanguage {
			keys += len(f.Keys)
			if !slices.Contains(paths, f.Path) {
				paths = append(paths, f.Path)
			}
			continue
		}
		translations += len(f.Keys)
		languages[f.Language] = true
	}
	var parts []string
	switch {
	case len(paths) == 1:
		parts = append(parts, counted(keys, "key", "keys")+" of "+paths[0])
	case len(paths) > 1:
		parts = append(parts, fmt.Sprintf("%s of %d files", counted(keys, "key", "keys"), len(paths)))
	}
	if translations > 0 {
		parts = append(parts, counted(translations, "translation", "translations")+" in "+counted(len(languages), "language", "languages"))
	}
	return strings.Join(parts, " and ")
}

// tell tells what a pull brought.
func (r *pulling) tell(d *diary, err error) {
	if r.report.Commit != "" && err == nil {
		d.day.Pulled += r.report.Keys
		result := ResultOK
		if len(r.report.Problems) > 0 {
			result = ResultPartial
		}
		d.tell(Event{What: "pull", Base: r.line, Result: result, Commit: r.report.Commit,
			Text: fmt.Sprintf("Brought %s; commit %.10s on %s.", r.broughtInWords(), r.report.Commit, r.report.Branch)})
	}
	d.ended("pull", err)
}

// broughtInWords is what a pull changed: translations, and texts of the source.
func (r *pulling) broughtInWords() string {
	languages := make(map[string]bool)
	texts, translations := 0, 0
	for _, f := range r.report.Files {
		switch n := f.Added + f.Changed + f.Removed; {
		case n == 0:
		case f.Language == r.cfg.SourceLanguage:
			texts += n
		default:
			translations += n
			languages[f.Language] = true
		}
	}
	var parts []string
	if translations > 0 {
		parts = append(parts, counted(translations, "translation", "translations")+" in "+counted(len(languages), "language", "languages"))
	}
	if texts > 0 {
		parts = append(parts, counted(texts, "source text", "source texts"))
	}
	if len(parts) == 0 {
		return "the branch in step with its base"
	}
	return strings.Join(parts, " and ")
}
