package engine

import (
	"slices"
	"time"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
)

// Problem is something that was left out, and why. A pass with problems is done all the same.
type Problem = bundle.Problem

// advise gives problems their remedies.
func advise(problems []Problem) {
	for i := range problems {
		problems[i] = problems[i].Advised()
	}
}

// PushReport is what a push did, or with DryRun would do (the contract's `push --json`).
type PushReport struct {
	DryRun   bool          `json:"dry_run,omitempty"`
	Projects []ProjectPush `json:"projects"`
}

// ProjectPush is one project's part of a push.
type ProjectPush struct {
	Name     string       `json:"name"`
	Base     string       `json:"base,omitempty"`    // the branch that was pushed, where several are translated beside each other
	Requests int          `json:"requests"`          // imports started
	Exports  int          `json:"exports"`           // exports started, to compare with what the service has before anything is sent
	Calls    int          `json:"calls,omitempty"`   // all requests to the service: with looks at jobs, downloads, repeats
	Keys     int          `json:"keys"`              // values sent, translations included
	Skipped  string       `json:"skipped,omitempty"` // why nothing was pushed: the branch that is checked out
	Files    []PushedFile `json:"files"`
	Renamed  []Renamed    `json:"renamed,omitempty"`
	Moved    []Moved      `json:"moved,omitempty"`
	Settled  []Settled    `json:"settled,omitempty"`  // conflicts that were decided on
	Orphaned []Problem    `json:"orphaned,omitempty"` // keys that the source lost since the last push; the service keeps them
	Replaced []Problem    `json:"replaced,omitempty"` // texts of the service that gave way to somebody's who had not merged them

	Finished []FinishedLine `json:"finished,omitempty"` // branches that are gone since the last look

	Problems []Problem `json:"problems"`
	Error    string    `json:"error,omitempty"` // why the push ended early; it is taken up again by the next one
}

// PushedFile is the keys of one file that were sent.
type PushedFile struct {
	Path     string   `json:"path"`
	Language string   `json:"language"`
	Keys     []string `json:"keys"`
	Changes  []Value  `json:"changes,omitempty"` // of a dry run: what would be sent
}

// Value is one text that a dry run would change.
type Value struct {
	Key  string  `json:"key"`
	Form string  `json:"form,omitempty"` // of a plural: its category; of a list: the place in it
	Old  *string `json:"old"`            // null where there is none, or where only its digest is known
	New  *string `json:"new"`            // null where it goes
}

// valueOf is a change of a catalog as a dry run shows it; at is the catalog's index.
func valueOf(before catalog.Catalog, at map[catalog.Name]int, c catalog.Change) Value {
	v := Value{Key: c.Key, Form: c.Form}
	if c.Op != catalog.Removed {
		v.New = &c.Text
	}
	if i, there := at[c.Name]; there {
		v.Old = &before[i].Text
	}
	return v
}

// Conflict is a key whose translation was changed on both sides: pulls take the service's, and the repository's is kept here until it is decided. One that is
// Open was met with different texts at first contact, and stands as it is on both sides. The texts are by form, "" for a plain one.
type Conflict struct {
	Project  string            `json:"project,omitempty"` // where several are configured
	File     string            `json:"file"`
	Language string            `json:"language"`
	Key      string            `json:"key"`
	Ours     map[string]string `json:"ours"`
	Theirs   map[string]string `json:"theirs"`
	Since    time.Time         `json:"since"`
	Open     bool              `json:"open,omitempty"` // the two never agreed on a text: neither side has been changed

	// Beside is another file of the collection that translates the key otherwise: each file keeps its own.
	Beside string `json:"beside,omitempty"`
}

// Settled is a conflict that was decided on: Stands is "ours" or "theirs".
type Settled struct {
	Conflict
	Stands string `json:"stands"`
}

// Moved is a source file that stands at another path now, with the languages whose translations moved along at the service. Where the
// collection stayed the same, they did not have to.
type Moved struct {
	From      string   `json:"from"`
	To        string   `json:"to"`
	Keys      int      `json:"keys"`
	Languages []string `json:"languages"`
}

// Renamed is a key whose text moved to another key, with the languages whose translations moved along.
type Renamed struct {
	File      string   `json:"file"`
	FromFile  string   `json:"from_file,omitempty"` // where the key was in another file before
	From      string   `json:"from"`
	To        string   `json:"to"`
	Languages []string `json:"languages"`
}

// PullReport is what a pull did, or with DryRun would do (the contract's `pull --json`).
type PullReport struct {
	DryRun   bool          `json:"dry_run,omitempty"`
	Projects []ProjectPull `json:"projects"`
}

// ProjectPull is one project's part of a pull.
type ProjectPull struct {
	Name     string       `json:"name"`
	Base     string       `json:"base,omitempty"` // the branch that was pulled for, where several are translated beside each other
	Commit   string       `json:"commit"`         // "" when nothing changed
	Branch   string       `json:"branch"`
	Pushed   bool         `json:"pushed"`          // the remote has the commit
	Requests int          `json:"requests"`        // exports started
	Calls    int          `json:"calls,omitempty"` // all requests to the service: with looks at jobs, downloads, repeats
	Keys     int          `json:"keys"`            // added, changed and removed
	Files    []PulledFile `json:"files"`

	// The pull or merge request for the branch, or where the remote offers to make one. Request is made, updated, kept, declined (people closed
	// it as it is, and there is no address), or offered.
	RequestURL string `json:"request_url,omitempty"`
	Request    string `json:"request,omitempty"`

	// Translations whose source text changed since they were made, and those of them that were taken out for it: keys of all files.
	SourceChanged int `json:"source_changed,omitempty"`
	Blanked       int `json:"blanked,omitempty"`

	Finished []FinishedLine `json:"finished,omitempty"` // branches that are gone since the last look

	Problems []Problem `json:"problems"`
	Error    string    `json:"error,omitempty"` // why the pull ended early; it is taken up again by the next one
	Diff     string    `json:"diff,omitempty"`  // of a dry run, and where it was asked for: what the commit changes
}

// PulledFile is how many texts of one file changed.
type PulledFile struct {
	Path     string `json:"path"`
	Language string `json:"language"`
	Added    int    `json:"added"`
	Changed  int    `json:"changed"`
	Removed  int    `json:"removed"`
	Deleted  bool   `json:"deleted,omitempty"` // the file goes: its source file moved, and its texts with it

	Changes []Value `json:"changes,omitempty"` // of a dry run
}

// SyncReport is a push and the pull after it.
type SyncReport struct {
	Push PushReport `json:"push"`
	Pull PullReport `json:"pull"`
}

// Status is what is in step and what is not (the contract's `status --json`).
type Status struct {
	Projects []ProjectStatus `json:"projects"`
}

// ProjectStatus is one project's state. Times are empty before the first time.
type ProjectStatus struct {
	Name      string           `json:"name"`
	ID        string           `json:"id"`
	State     string           `json:"state"`   // in a few words: what is going on
	Pending   int              `json:"pending"` // values that the next push would send
	Removed   int              `json:"removed"` // keys that were pushed once and that the source no longer has
	LastPush  *Past            `json:"last_push"`
	LastPull  *Past            `json:"last_pull"`
	NextPull  *time.Time       `json:"next_pull"`
	Files     []FileStatus     `json:"files"`
	Languages []LanguageStatus `json:"languages"`
	Conflicts []Conflict       `json:"conflicts,omitempty"` // that nobody has decided on yet
	Orphaned  []Problem        `json:"orphaned,omitempty"`  // the removed keys
	Problems  []Problem        `json:"problems"`
	Watch     *Watching        `json:"watch,omitempty"` // of a daemon: how it notices changes of files
	Held      int              `json:"held,omitempty"`  // files that the brake of pushes or the guard of pulls holds back

	RequestURL string `json:"request_url,omitempty"` // of the pull or merge request for the branch, or where the remote offers to make one

	Branch    string `json:"branch,omitempty"`     // of the translations
	BranchURL string `json:"branch_url,omitempty"` // where the remote's web page shows it; "" where that is not known

	Activity []Day   `json:"activity,omitempty"` // the last 30 days, oldest first, today included; days without anything are zeros
	Events   []Event `json:"events,omitempty"`   // newest first, at most 50

	Overdue time.Time     `json:"-"` // when two scheduled pulls will have been due since the last that worked; zero where none is scheduled
	GitBusy time.Duration `json:"-"` // for how long pushes have been waiting for git; 0 where they do not

	Took time.Duration `json:"-"` // the look itself
	Seen time.Time     `json:"-"` // when the last look ended that could tell everything; zero where none could

	Unseen bool `json:"-"` // this look could not: of files, keys and languages it tells what that one told

	Jobs []Job `json:"-"` // imports and exports that were begun and are not finished

	// Where several branches are translated beside each other: the one that the rest of this is about, and all of them.
	Base  string       `json:"base,omitempty"`
	Lines []LineStatus `json:"lines,omitempty"`
}

// Day is how much went each way on one day of UTC: values sent by pushes, and texts added, changed or removed by pulls.
type Day struct {
	Date   string `json:"date"` // 2026-11-21
	Pushed int    `json:"pushed"`
	Pulled int    `json:"pulled"`
}

// Event is something that happened, for people. Passes that found nothing to do are none.
type Event struct {
	At     time.Time `json:"at"`
	What   string    `json:"what"`             // what it was about, as the table below has it
	Base   string    `json:"base,omitempty"`   // the branch that it was about, where several are translated beside each other
	Result string    `json:"result"`           // what became of it
	Text   string    `json:"text"`             // a sentence or two
	Commit string    `json:"commit,omitempty"` // that a pull made or delivered
	URL    string    `json:"url,omitempty"`    // of the commit or the request, as far as it is known

	// Equal failures in a row are one event, as is what is skipped for the same reason within a day: At is the last time, Since the first. Of what
	// recovered or ended, Since is when it began, and Count how often it failed.
	Since time.Time `json:"since,omitzero"`
	Count int       `json:"count,omitempty"`
}

// The events, by What, with their results:
//
//	push, pull  ok, partial    something was sent or brought; partial: something else was left out
//	            failed         it did not work
//	            recovered      it works again
//	skip        skipped        nothing is pushed, for a reason: the branch that is checked out
//	git         began, ended   git was in the middle of something for long, so that nothing could be done
//	hold        began, ended   a file is held back by the brake of pushes or the guard of pulls
//	conflict    began, ended   keys that both sides changed
//	request     made, offered, kept, declined, ended, failed   the pull or merge request for the branch
//	branch      ended          a branch that was translated is gone
//	clone       ok             a damaged clone was made again
//	reload      ok, failed     the configuration was read again, or refused
const (
	// ResultRecovered is of a pass that failed before and works again.
	ResultRecovered = "recovered"
	// ResultBegan and ResultEnded are of what lasts.
	ResultBegan = "began"
	ResultEnded = "ended"
)

// OtherProblems are the problems that are no conflicts.
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

// FinishedLine is a branch that is gone. Nobody needs the branch of its translations any more, nor those of its collections that no other branch has;
// what becomes of them at the service is for people to decide.
type FinishedLine struct {
	Base        string   `json:"base"`
	Branch      string   `json:"branch"`
	Collections []string `json:"collections"`
}

// Watching is how changes of files are noticed: Mode is "event", or "poll" where file events do not come, or not for everything, for the reason Why.
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

	CommitURL string `json:"commit_url,omitempty"` // where the remote's web page shows the commit; "" where that is not known

	// SentAt is of a push: At, Result and Error are of the last one, Keys of the last one that sent something, which was then. The many looks that find
	// nothing to do do not hide it.
	SentAt *time.Time `json:"sent_at,omitempty"`

	GoodAt time.Time `json:"good_at,omitzero"` // when the last one ended that did not fail

	Held int `json:"held,omitempty"` // of a pull: files that the guard held back

	Problems []Problem `json:"problems,omitempty"` // kept for the status; not part of last_push
	Unread   []Problem `json:"unread,omitempty"`   // so are these, of a pull: of files of the branch or its base that could not be read
	Look     string    `json:"look,omitempty"`     // and what that pull was about, see subject
}

// shown is the past as the status shows it.
func (past Past) shown() *Past {
	past.Problems, past.Unread, past.Look = nil, nil, ""
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
}

// LanguageStatus is how much of the source a language has.
type LanguageStatus struct {
	Language string `json:"language"`
	Keys     int    `json:"keys"`
	Missing  int    `json:"missing"` // with Keys, all keys of the source

	// Held counts keys of the source, whether they are among Keys or Missing: those whose newest translation is held back, since the last pull left it out
	// (a check, the guard, a file that it cannot be written into) or both sides changed it and nobody has decided. Of them HeldMissing have no older one either.
	Held        int `json:"held,omitempty"`
	HeldMissing int `json:"held_missing,omitempty"`

	// Pending counts texts that people changed here and that the service does not have yet: the next push sends them, unless the service's changed too.
	Pending int `json:"pending,omitempty"`
}

// Parts divides the keys of the source into those that have their newest translation, those of which it is held back, and those that have none anywhere.
func (l LanguageStatus) Parts() (good, held, missing int) {
	return l.Keys - (l.Held - l.HeldMissing), l.Held, l.Missing - l.HeldMissing
}

// Results of a Past.
const (
	ResultOK      = "ok"
	ResultPartial = "partial"
	ResultFailed  = "failed"

	// ResultSkipped is of a pass that did not begin: git is at work, or a branch is checked out that is not pushed from. A Past has it never.
	ResultSkipped = "skipped"
)
