// Package schedule reads the cron expressions of the configuration, and tells when one is due next.
//
// Its law: a time of the wall clock is due once, in the zone that the schedule names, also where clocks change. It has
// no clock of its own and starts nothing.
package schedule

import (
	"fmt"
	"strings"
	"time"
	_ "time/tzdata" // a schedule may name its zone on machines and in containers that have no zone files

	"github.com/robfig/cron/v3" // its parser of fields alone, which is complete: no release since 2020
)

// Schedule says when something is due. It reads what cron users write: five fields, or six with seconds
// in front, or @hourly, @daily, @weekly, @monthly, @yearly, or `@every 90s`; a prefix `TZ=Europe/Berlin `
// gives the zone that its hours are meant in, UTC without one, so that a configuration means the same on
// every machine.
//
// Where clocks change, a time of day that does not exist that day is due at the first instant after the
// gap, and one that comes twice is due the first time only. Schedules for every hour (`*/15 * * * *`)
// simply go on through both.
type Schedule struct {
	text  string
	every time.Duration      // @every: so long after the last time; 0 for fields
	cron  *cron.SpecSchedule // the fields, read as plain wall-clock numbers
	zone  *time.Location
}

// maxSchedule bounds what is read: no sound expression is longer, and lists cost time to match.
const maxSchedule = 512

// maxRepeat is how many times of day can come twice in one night: no clock goes back by more than three
// hours, in seconds.
const maxRepeat = 3 * 60 * 60

var cronParser = cron.NewParser(cron.SecondOptional | cron.Minute | cron.Hour | cron.Dom | cron.Month | cron.Dow |
	cron.Descriptor)

// Parse reads a schedule. Its errors say what is wrong and what is allowed.
func Parse(text string) (Schedule, error) {
	s := Schedule{text: strings.TrimSpace(text), zone: time.UTC}
	if len(s.text) > maxSchedule {
		return Schedule{}, fmt.Errorf("a schedule longer than %d characters", maxSchedule)
	}
	refuse := func(why string) (Schedule, error) {
		return Schedule{}, fmt.Errorf("%q is not a schedule: %s; write five cron fields (minute hour day month "+
			"weekday), six with seconds in front, @hourly, @daily or @every 90s, if needed after TZ=Europe/Berlin and a "+
			"space", text, why)
	}
	fields := s.text
	for _, prefix := range []string{"TZ=", "CRON_TZ="} {
		rest, ok := strings.CutPrefix(fields, prefix)
		if !ok {
			continue
		}
		// The library slices at a space that it does not look for and panics without one; the zone is ours to read.
		name, after, ok := strings.Cut(rest, " ")
		if !ok || name == "" {
			return refuse("after " + prefix + " a zone name, a space and the fields must follow")
		}
		zone, err := time.LoadLocation(name)
		if err != nil {
			return refuse(fmt.Sprintf("no time zone is called %q", name))
		}
		s.zone, fields = zone, strings.TrimSpace(after)
		break
	}
	if fields == "" {
		return refuse("there is nothing in it")
	}
	if strings.Contains(fields, "TZ=") {
		return refuse("one zone is enough, and it comes first")
	}
	if rest, ok := strings.CutPrefix(fields, "@every"); ok {
		// The library takes zero and less for one second.
		every, err := time.ParseDuration(strings.TrimSpace(rest))
		if err != nil || rest == "" || rest[0] != ' ' {
			return refuse(`@every wants a duration, such as "@every 90s"`)
		}
		if every < time.Second {
			return refuse("the least interval is one second")
		}
		s.every = every
		return s, nil
	}
	parsed, err := parseCron(fields)
	if err != nil {
		return refuse(err.Error())
	}
	s.cron = parsed
	// A leap year and the year after: whatever is ever due is due within five years of this.
	if s.Next(time.Date(2024, 1, 1, 0, 0, 0, 0, time.UTC)).IsZero() {
		return refuse("there is no such day, it would never be due")
	}
	return s, nil
}

// parseCron calls the library, whose parser has panicked on odd input before and is no longer maintained.
func parseCron(fields string) (s *cron.SpecSchedule, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("it cannot be read (%v)", r)
		}
	}()
	parsed, err := cronParser.Parse(fields)
	if err != nil {
		return nil, err
	}
	s, ok := parsed.(*cron.SpecSchedule)
	if !ok {
		return nil, fmt.Errorf("%q is not known", fields)
	}
	s.Location = time.UTC
	return s, nil
}

// String is the schedule as it was written.
func (s Schedule) String() string { return s.text }

// IsZero reports whether there is no schedule.
func (s Schedule) IsZero() bool { return s.every == 0 && s.cron == nil }

// Next is the first time after the given one that the schedule is due, in the same zone as the given
// one, and always a time of the wall clock: a machine that slept has missed it and can tell. It is zero
// where there is no schedule.
func (s Schedule) Next(after time.Time) time.Time {
	switch {
	case s.every > 0:
		return after.Round(0).Add(s.every)
	case s.cron == nil:
		return time.Time{}
	}
	if everyHour(s.cron) {
		// Elapsed time counts, not the clock on the wall: the library walks instants, in the zone.
		inZone := *s.cron
		inZone.Location = s.zone
		return inZone.Next(after.In(s.zone)).In(after.Location())
	}
	// The library is asked for numbers on a wall clock that never changes, and the wall clock is turned into
	// an instant afterwards: its own walk through a zone skips and doubles days where clocks change.
	wall := wallClock(after.In(s.zone))
	for range maxRepeat {
		wall = s.cron.Next(wall)
		if wall.IsZero() {
			return time.Time{}
		}
		if next := instant(wall, s.zone); next.After(after) {
			return next.In(after.Location())
		}
		// A time that comes twice, asked for between its first and its second coming: only the first counts.
	}
	return time.Time{}
}

// everyHour reports whether the hour field lets every hour through.
func everyHour(s *cron.SpecSchedule) bool {
	const all = 1<<24 - 1
	return s.Hour&all == all
}

// wallClock is what a clock in t's zone shows, as a time in UTC.
func wallClock(t time.Time) time.Time {
	return time.Date(t.Year(), t.Month(), t.Day(), t.Hour(), t.Minute(), t.Second(), t.Nanosecond(), time.UTC)
}

// instant is the first time that a clock in the zone shows what wall shows, or where it never does the
// first instant after the gap.
func instant(wall time.Time, zone *time.Location) time.Time {
	// Every instant with this wall clock is within a day of it in UTC, and zones change at most once in
	// that time: the offsets before and after the change are the only candidates.
	_, before := wall.Add(-26 * time.Hour).In(zone).Zone()
	_, later := wall.Add(26 * time.Hour).In(zone).Zone()
	first := wall.Add(-time.Duration(before) * time.Second)
	second := wall.Add(-time.Duration(later) * time.Second)
	if second.Before(first) {
		first, second = second, first
	}
	for _, t := range []time.Time{first, second} {
		if wallClock(t.In(zone)).Equal(wall) {
			return t
		}
	}
	// A gap: it begins between the two candidates, at the instant where the offset changes.
	low, high := first.Unix(), second.Unix()
	_, start := first.In(zone).Zone()
	for low+1 < high {
		middle := low + (high-low)/2
		if _, offset := time.Unix(middle, 0).In(zone).Zone(); offset == start {
			low = middle
		} else {
			high = middle
		}
	}
	return time.Unix(high, 0)
}
