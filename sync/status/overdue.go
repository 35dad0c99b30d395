package status

import (
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
)

// Overdue is when the second of the scheduled pulls is due that come after the last one which worked: past that time
// something keeps translations from arriving that is not just passing. It is zero where nothing is scheduled.
func Overdue(cfg *config.Project, s, before *report.ProjectStatus, born time.Time) time.Time {
	schedule := cfg.Pull.Schedule
	if !cfg.Pull.Enabled || schedule.IsZero() {
		return time.Time{}
	}
	good := lastGood(s, before)
	if good.IsZero() {
		good = born // the first pull has as much time
	}
	if next := schedule.Next(good); !next.IsZero() {
		return schedule.Next(next)
	}
	return time.Time{}
}

// lastGood is when the last pull worked, of the line where that is longest ago; zero where one never did. What a look
// could not tell is what the one before told.
func lastGood(s, before *report.ProjectStatus) time.Time {
	var good time.Time
	told := false
	take := func(past *report.Past) {
		at := time.Time{}
		if past != nil {
			at = past.GoodAt
		}
		if !told || at.Before(good) {
			good, told = at, true
		}
	}
	for _, l := range s.Lines {
		if l.Finished == nil {
			take(l.LastPull)
		}
	}
	if !told && s.LastPull != nil {
		take(s.LastPull)
	}
	if !told && before != nil {
		take(before.LastPull)
	}
	return good
}
