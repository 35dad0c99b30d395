package report

import (
	"fmt"
	"slices"
	"strings"
	"time"
)

// Status is what is in sync and what is not.
type Status struct {
	Daemon   Daemon          `json:"daemon"`
	Projects []ProjectStatus `json:"projects"`

	Balance *Balance `json:"balance,omitempty"` // of the account at the service; absent where it tells none

	Total      *int        `json:"total,omitempty"`      // of all projects, where limit or offset asked for a part
	Incomplete []Shortfall `json:"incomplete,omitempty"` // with --fail-if-incomplete: languages below it
}

// Balance is how many words an account had left for machine translation, and when the daemon asked for that.
type Balance struct {
	Words float64   `json:"words"`
	At    time.Time `json:"at"`
}

// String is the balance in words.
func (b Balance) String() string {
	return fmt.Sprintf("the account has %.0f words left for machine translation, as of %s", b.Words, InUTC(b.At))
}

// StaleStatus is how many translations of a commit are older than their source texts. Languages are all that are
// checked for it. Where the history of the clone ends too early, the counts are unknown, and Languages is empty.
type StaleStatus struct {
	Commit    string       `json:"commit"`
	At        time.Time    `json:"at"` // when it was found, or found to be unchanged
	Unknown   bool         `json:"unknown,omitempty"`
	Languages []StaleCount `json:"languages"`
	Command   string       `json:"command"` // that lists them
}

// StaleCount is how many translations of a language are stale.
type StaleCount struct {
	Language string `json:"language"`
	Keys     int    `json:"keys"`
}

// ListStale is the command that lists stale translations.
const ListStale = "locsync check --stale"

// String is what there is to say of stale translations; "" where none is.
func (s *StaleStatus) String() string {
	if s == nil {
		return ""
	}
	if s.Unknown {
		return "unknown, as the history of this clone ends too early; fetch all of it: git fetch --unshallow"
	}
	var counts []string
	for _, c := range s.Languages {
		if c.Keys > 0 {
			counts = append(counts, fmt.Sprintf("%d in %s", c.Keys, c.Language))
		}
	}
	if len(counts) == 0 {
		return ""
	}
	return fmt.Sprintf("translations older than their source texts at %.10s: %s; %s lists them", s.Commit,
		strings.Join(counts, ", "), s.Command)
}

// NoProject is said where the configuration has none yet.
const NoProject = "no project is configured yet; locsync project add --create writes the first one, and a daemon " +
	"that runs takes it over"

// Shortfall is a language that has too few of the keys. Percent is rounded down, so that 100 is all of them.
type Shortfall struct {
	Project  string  `json:"project"`
	Language string  `json:"language"`
	Percent  float64 `json:"percent"`
	Missing  int     `json:"missing"` // keys
	Least    float64 `json:"least"`   // the percentage that was asked for
}

// Only is the status of one project; "" is all of them.
func (s Status) Only(project string) Status {
	if project != "" {
		s.Projects = slices.DeleteFunc(slices.Clone(s.Projects), func(p ProjectStatus) bool { return p.Name != project })
	}
	return s
}

// Below are the languages that have less than a share of the source's keys, in percent; without languages, of all. A
// project whose keys cannot be counted has none of them.
func (s Status) Below(least float64, languages []string) []Shortfall {
	var below []Shortfall
	for _, p := range s.Projects {
		for _, l := range p.Languages {
			if len(languages) > 0 && !slices.Contains(languages, l.Language) {
				continue
			}
			if all := l.Keys + l.Missing; float64(100*l.Keys) < least*float64(all) {
				percent := float64(1000*l.Keys/all) / 10
				below = append(below, Shortfall{p.Name, l.Language, percent, l.Missing, least})
			}
		}
		if len(p.Languages) == 0 && least > 0 {
			below = append(below, Shortfall{Project: p.Name, Least: least})
		}
	}
	return below
}

// String is the shortfall in words.
func (s Shortfall) String() string {
	if s.Language == "" {
		return fmt.Sprintf("%s: its keys cannot be counted now, so it is not known to have %g %%", s.Project, s.Least)
	}
	return fmt.Sprintf("%s: %s has %g %% of the keys, less than %g %%; %d are missing",
		s.Project, s.Language, s.Percent, s.Least, s.Missing)
}

// Daemon is whether a daemon keeps the projects in sync; without one nothing happens until a command is run.
type Daemon struct {
	Running bool      `json:"running"`
	PID     int       `json:"pid,omitempty"`
	Since   time.Time `json:"since,omitzero"` // when it started
}

// String is whether it runs, in words.
func (d Daemon) String() string { return d.Sentence(InUTC) }

// Sentence is String with times as when writes them.
func (d Daemon) Sentence(when func(time.Time) string) string {
	switch {
	case !d.Running:
		return "no daemon runs: nothing is pushed or pulled by itself"
	case d.Since.IsZero():
		return "a daemon runs, and does not tell how things are"
	}
	return fmt.Sprintf("the daemon runs, process %d, since %s", d.PID, when(d.Since))
}

// ProjectStatus is one project's state. Times are empty before the first time.
type ProjectStatus struct {
	Name      string `json:"name"`
	ID        string `json:"id"`
	State     string `json:"state"`                // in a few words: what is going on
	Pending   int    `json:"pending"`              // values that the next push would send
	NotPushed string `json:"not_pushed,omitempty"` // why what waits is not sent by any push now
	// PendingUnknown says that no pass was made in this clone yet: what others have sent is not known, and at most
	// Pending values wait.
	PendingUnknown bool `json:"pending_unknown,omitempty"`

	Removed   int              `json:"removed"` // keys that were pushed once and are in the source no more
	LastPush  *Past            `json:"last_push"`
	LastPull  *Past            `json:"last_pull"`
	NextPull  *time.Time       `json:"next_pull"` // null without a daemon, or a schedule
	Files     []FileStatus     `json:"files"`
	Languages []LanguageStatus `json:"languages"`

	Stale *StaleStatus `json:"stale,omitempty"` // absent where it was not counted yet, or no language is checked for it
	Findings
	Delivery
	History
	Process
}

// Findings are what is wrong with a project or waits for a decision.
type Findings struct {
	Conflicts []Conflict `json:"conflicts,omitempty"` // undecided
	Orphaned  []Problem  `json:"orphaned,omitempty"`  // the removed keys
	Problems  []Problem  `json:"problems"`
	Held      int        `json:"held,omitempty"` // files that the brake of pushes or the guard of pulls holds back

	// Gaps are the first keys of each language that have no translation at all; check --missing names all.
	Gaps map[string][]Gap `json:"-"`
}

// Delivery is where a project's translations go.
type Delivery struct {
	// RequestURL is of the pull or merge request for the branch, or where the remote offers to make one.
	RequestURL string `json:"request_url,omitempty"`

	Branch    string `json:"branch,omitempty"`     // of the translations
	BranchURL string `json:"branch_url,omitempty"` // of the remote's web page of the branch; "" where it is not known

	// Where several branches are translated beside each other: the one that the rest of this is about, and all of them.
	Base  string       `json:"base,omitempty"`
	Lines []LineStatus `json:"lines,omitempty"`
}

// History is what happened in a project.
type History struct {
	Activity []Day   `json:"activity,omitempty"` // the last 30 days, oldest first, also those without anything
	Events   []Event `json:"events,omitempty"`   // newest first, at most 50

}

// Process is what only the process knows that made the status.
type Process struct {
	// NextAttempt is when a daemon repeats the pass that failed; nil where none did, or there is no daemon.
	NextAttempt *time.Time `json:"next_attempt,omitempty"`

	Watch *Watching `json:"watch,omitempty"` // of a daemon: how it notices changes of files

	Overdue time.Time     `json:"-"` // when the second scheduled pull after the last good one was due; zero: none is
	GitBusy time.Duration `json:"-"` // for how long pushes have been waiting for git; 0 where they do not

	Took   time.Duration `json:"-"` // of the status itself
	Seen   time.Time     `json:"-"` // end of the last status that was complete; zero where none was
	Unseen bool          `json:"-"` // this one is not: its files, keys and languages are those of the last complete one

	Jobs []Job `json:"-"` // imports and exports that were begun and are not finished
}

// OtherProblems are the problems that are not conflicts.
func (s ProjectStatus) OtherProblems() []Problem {
	told := make(map[Problem]bool, len(s.Conflicts))
	for _, c := range s.Conflicts {
		told[c.Problem().Advised()] = true
	}
	return slices.DeleteFunc(slices.Clone(s.Problems), func(p Problem) bool { return told[p] })
}

// Job is an import or export that was begun and is not finished.
type Job struct {
	Kind  string // import or export
	Known bool   // the service has named it
	Since time.Time
}

// LineStatus is one of several branches that are translated beside each other.
type LineStatus struct {
	Base        string     `json:"base"`
	Branch      string     `json:"branch"` // of its translations
	Collections []string   `json:"collections"`
	LastPush    *Past      `json:"last_push"`
	LastPull    *Past      `json:"last_pull"`
	Finished    *time.Time `json:"finished,omitempty"` // since when the branch is known to be gone
}

// FinishedLine is a branch that is gone. The branch of its translations is of no use any more, and neither are those
// of its collections that no other branch has; what becomes of them at the service is for people to decide.
type FinishedLine struct {
	Base        string   `json:"base"`
	Branch      string   `json:"branch"`
	Collections []string `json:"collections"`
}

// Watching is how changes of files are noticed. Mode is "event", or "poll" where file events are missing, for the
// reason Why.
type Watching struct {
	Mode        string `json:"mode"`
	Why         string `json:"why,omitempty"`
	Watches     int    `json:"watches"`     // folders
	Events      int    `json:"events"`      // file events that came
	Overflows   int    `json:"overflows"`   // times that the kernel lost events and everything was looked at instead
	Unannounced int    `json:"unannounced"` // full looks that found a change no event had announced
}

// Past is how a push or pull ended.
type Past struct {
	At     time.Time `json:"at"`
	Result string    `json:"result"` // ok, partial (something was left out), failed
	Keys   int       `json:"keys"`
	Commit string    `json:"commit"` // of a pull; "" when nothing changed
	Error  string    `json:"error"`

	ErrorCode string `json:"error_code"` // one of the Failed constants; "" where Error is

	CommitURL string `json:"commit_url,omitempty"` // of the remote's web page of the commit; "" where it is not known

	// SentAt is when the last push was that sent something, and Keys are of that one; At, Result and Error are of the
	// last push. So the many pushes that find nothing to do do not hide it.
	SentAt *time.Time `json:"sent_at,omitempty"`

	GoodAt       time.Time `json:"good_at,omitzero"`       // when the last one ended that did not fail
	FailingSince time.Time `json:"failing_since,omitzero"` // when the first one failed of those since then

	Held int `json:"held,omitempty"` // of a pull: files that the guard held back

	Problems []Problem `json:"problems,omitempty"` // kept for the status; not part of last_push
	Unread   []Problem `json:"unread,omitempty"`   // so are these, of a pull: unreadable files of the branch or its base
	Subject  string    `json:"subject,omitempty"`  // and what that pull was about
}

// Shown is the past as the status shows it.
func (past Past) Shown() *Past {
	past.Problems, past.Unread, past.Subject = nil, nil, ""
	if past.Error != "" && past.ErrorCode == "" { // an older version wrote it
		past.ErrorCode = FailedInternal
	}
	return &past
}

// FileStatus is one source file.
type FileStatus struct {
	Path       string `json:"path"`
	Format     string `json:"format"`
	Collection string `json:"collection"`
	Keys       int    `json:"keys"`
	Pending    int    `json:"pending"`
	Error      string `json:"error"`
	ErrorCode  string `json:"error_code"` // FailedConfig: the file has to be changed
}

// LanguageStatus is how much of the source a language has.
type LanguageStatus struct {
	Language string `json:"language"`
	Keys     int    `json:"keys"`
	Missing  int    `json:"missing"` // with Keys, all keys of the source

	// Held counts the keys of the source, of Keys or of Missing, whose newest translation is held back: the last pull
	// left it out (a check, the guard, a file that cannot be written), or it is an undecided conflict. HeldMissing have
	// no older one.
	Held        int `json:"held,omitempty"`
	HeldMissing int `json:"held_missing,omitempty"`

	// Pending counts texts that people changed here and that the service does not have yet: the next push sends them,
	// unless the service's changed too.
	Pending int `json:"pending,omitempty"`
}

// Gap is a key without a translation, and what there is to translate.
type Gap struct{ File, Key, Text string }

// Parts divides the keys of the source into those that have their newest translation, those of which it is held back,
// and those without any.
func (l LanguageStatus) Parts() (good, held, missing int) {
	return l.Keys - (l.Held - l.HeldMissing), l.Held, l.Missing - l.HeldMissing
}

// Percent is how much of the source the language has: 100 only where that is all, and 0 only where it is nothing.
func (l LanguageStatus) Percent() int {
	switch whole := l.Keys + l.Missing; {
	case whole == 0:
		return 100
	case l.Keys > 0:
		return max(1, 100*l.Keys/whole)
	}
	return 0
}

// Results of a Past.
const (
	ResultOK      = "ok"
	ResultPartial = "partial"
	ResultFailed  = "failed"

	// ResultSkipped is of a pass that did not begin: git is at work, or a branch is checked out that is not pushed from.
	// A Past never has it.
	ResultSkipped = "skipped"
)

// Doing is what a pass is about.
type Doing struct {
	Project string `json:"project"`
	What    string `json:"what"`            // in a few words
	Done    int64  `json:"done,omitempty"`  // of something that is done one by one: how much is,
	Total   int64  `json:"total,omitempty"` // of how much; 0 where that is not known
	Bytes   bool   `json:"bytes,omitempty"` // what is counted are bytes
}

// String is what a pass is about, and how far it is.
func (d Doing) String() string {
	if d.Total == 0 || d.Bytes {
		return d.What
	}
	return fmt.Sprintf("%s (%d of %d)", d.What, d.Done, d.Total)
}
