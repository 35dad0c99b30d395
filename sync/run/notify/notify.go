// Package notify tells people what they would otherwise have to look for: conflicts that wait for a decision, questions
// of translators, a project that has been failing for an hour, a language that became complete, and each Monday what
// happened in the week.
//
// Its law: each fact is told once, also across restarts, and what was so before the first status is not told. A message
// that the receiver does not take is given up after three tries. One whose posting the end of the daemon interrupts is
// posted after the next start.
//
// It looks at nothing itself and decides nothing about passes: it is given statuses, remembers in the ledger what it
// told, and never holds up who calls the engine.
package notify

import (
	"fmt"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
)

// The kinds of messages, and of facts but for recovered.
const (
	Conflict  = "conflict"
	Question  = "question"
	Failing   = "failing"
	Recovered = "recovered"
	Complete  = "complete"
	Digest    = "digest"
)

// failsFor is how long a project fails before people are told: most failures mend themselves.
const failsFor = time.Hour

// mostText is how long a message may be, in characters.
const mostText = 3000

// Message is something that people are told.
type Message struct {
	Schema   int       `json:"schema"`
	Kind     string    `json:"kind"`
	Project  string    `json:"project"`  // "" for a digest, which is about all
	Language string    `json:"language"` // of complete
	Text     string    `json:"text"`
	At       time.Time `json:"at"`
}

// State is what people know, by the ID of the fact.
type State map[string]ledger.Fact

// Change is a fact that is another one now, with the message about that; nil where there is nothing to tell yet.
type Change struct {
	Fact    ledger.Fact
	Message *Message
}

// comparison is of what people know with a status.
type comparison struct {
	before  State
	at      time.Time
	changes []Change
}

// New is what changed since people were told last. The hours of at are the local ones.
func New(before State, now report.Status, at time.Time) []Change {
	l := &comparison{before: before, at: at}
	for _, p := range now.Projects {
		l.project(p)
	}
	if len(now.Projects) > 0 {
		l.digest(now)
	}
	return l.changes
}

// project keeps what changed in one. A fault keeps no other project's messages back.
func (l *comparison) project(p report.ProjectStatus) {
	var err error // which is logged
	defer fault.Catch("the messages about project "+p.Name, &err)
	l.failing(p)
	if p.Unseen {
		return // its conflicts and languages are not known now
	}
	l.conflicts(p)
	l.questions(p)
	for _, language := range p.Languages {
		l.complete(p.Name, language)
	}
}

// note keeps a fact where it changed, with what to tell about it; "" for nothing. The first fact of its kind tells
// nothing.
func (l *comparison) note(now ledger.Fact, kind, text string) {
	before, known := l.before[now.ID()]
	if known && reflect.DeepEqual(before, now) {
		return
	}
	change := Change{Fact: now}
	if known && text != "" {
		text = report.Printable(text)
		if runes := []rune(text); len(runes) > mostText {
			text = string(runes[:mostText]) + "…"
		}
		change.Message = &Message{1, kind, now.Project, now.Language, text, l.at.UTC()}
	}
	l.changes = append(l.changes, change)
}

func (l *comparison) conflicts(p report.ProjectStatus) {
	fact := ledger.Fact{Project: p.Name, Kind: Conflict}
	known := l.before[fact.ID()].Conflicts
	var keys []string
	for _, c := range p.Conflicts {
		id := ledger.Digest([]byte(ledger.ID(c.File, c.Language, c.Key)))
		fact.Conflicts = append(fact.Conflicts, id)
		if _, is := slices.BinarySearch(known, id); !is {
			keys = append(keys, c.Key+" ("+c.Language+")")
		}
	}
	slices.Sort(fact.Conflicts)
	fact.Conflicts = slices.Compact(fact.Conflicts)
	text := ""
	if len(keys) > 0 {
		text = fmt.Sprintf("%s: %s for a decision: %s. `locsync status` shows both texts, and the command that decides.",
			p.Name, report.Counted(len(keys), "new conflict waits", "new conflicts wait"), report.Some(keys, 3))
	}
	l.note(fact, Conflict, text)
}

// questions are those of translators.
func (l *comparison) questions(p report.ProjectStatus) {
	fact := ledger.Fact{Project: p.Name, Kind: Question}
	known := l.before[fact.ID()].Conflicts
	var texts []string
	for _, problem := range p.Problems {
		if problem.Code != report.CodeQuestion {
			continue
		}
		id := ledger.Digest([]byte(ledger.ID(problem.Problem, problem.Language, problem.Key)))
		fact.Conflicts = append(fact.Conflicts, id)
		if _, is := slices.BinarySearch(known, id); !is {
			texts = append(texts, fmt.Sprintf("%s (%s, %s)", problem.Problem, problem.Key, problem.Language))
		}
	}
	slices.Sort(fact.Conflicts)
	fact.Conflicts = slices.Compact(fact.Conflicts)
	text := ""
	if len(texts) > 0 {
		text = fmt.Sprintf("%s: %s: %s. Answer on the page for translators.", p.Name,
			report.Counted(len(texts), "new question of a translator", "new questions of translators"), report.Some(texts, 3))
	}
	l.note(fact, Question, text)
}

// failing also notes when a failure was first seen: nothing is told of the first hour.
func (l *comparison) failing(p report.ProjectStatus) {
	fact := ledger.Fact{Project: p.Name, Kind: Failing}
	before := l.before[fact.ID()]
	what, why := "", ""
	for _, pass := range []struct {
		name string
		past *report.Past
	}{{"pushes", p.LastPush}, {"pulls", p.LastPull}} {
		if pass.past != nil && pass.past.Result == report.ResultFailed && what == "" {
			what, why = pass.name, pass.past.Error
		}
	}
	switch {
	case what == "" && p.Unseen: // it may not know how the last passes ended
		return
	case what == "" && before.Told:
		l.note(fact, Recovered, fmt.Sprintf("%s works again; it failed since %s UTC.", p.Name, clock(before.Since)))
		return
	case what == "":
		l.note(fact, "", "")
		return
	}
	fact.Since, fact.Told = before.Since, before.Told
	if fact.Since.IsZero() {
		fact.Since = l.at.UTC()
	}
	text := ""
	if !fact.Told && l.at.Sub(fact.Since) >= failsFor {
		fact.Told = true
		text = fmt.Sprintf("%s: %s fail since %s UTC: %s", p.Name, what, clock(fact.Since), why)
	}
	l.note(fact, Failing, text)
}

func clock(at time.Time) string { return at.UTC().Format("2006-01-02 15:04") }

func (l *comparison) complete(project string, s report.LanguageStatus) {
	if s.Keys+s.Missing == 0 {
		return // there is nothing to translate, which completes nothing
	}
	fact := ledger.Fact{Project: project, Kind: Complete, Language: s.Language, Missing: s.Missing}
	text := ""
	if s.Missing == 0 {
		text = fmt.Sprintf("%s: %s is complete, with %s translated.", project, s.Language,
			report.Counted(s.Keys, "key", "keys"))
	}
	l.note(fact, Complete, text)
}

// digest tells of the seven days before the last Monday, where something was pushed or pulled in them. A daemon that
// does not run on Monday morning tells when it starts.
func (l *comparison) digest(now report.Status) {
	monday := weekOf(l.at)
	fact := ledger.Fact{Kind: Digest, Week: monday.Format(time.DateOnly)}
	if l.before[fact.ID()].Week >= fact.Week {
		return
	}
	from := monday.AddDate(0, 0, -7).Format(time.DateOnly)
	var lines []string
	for _, p := range now.Projects {
		pushed, pulled := 0, 0
		for _, day := range p.Activity {
			if day.Date >= from && day.Date < fact.Week {
				pushed, pulled = pushed+day.Pushed, pulled+day.Pulled
			}
		}
		if pushed+pulled > 0 {
			lines = append(lines, fmt.Sprintf("%s: %d pushed, %d pulled, %s", p.Name, pushed, pulled,
				report.Counted(len(p.Conflicts), "open conflict", "open conflicts")))
		}
	}
	text := ""
	if len(lines) > 0 {
		text = "The week from " + from + ", in keys:\n" + strings.Join(lines, "\n")
	}
	l.note(fact, Digest, text)
}

// weekOf is the last Monday at nine.
func weekOf(at time.Time) time.Time {
	since := (int(at.Weekday()) + 6) % 7 // days
	monday := time.Date(at.Year(), at.Month(), at.Day()-since, 9, 0, 0, 0, at.Location())
	if at.Before(monday) {
		return monday.AddDate(0, 0, -7)
	}
	return monday
}
