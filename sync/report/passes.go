package report

import (
	"fmt"
	"strings"
)

// PushReport is what a push did, or with DryRun would do.
type PushReport struct {
	DryRun   bool          `json:"dry_run,omitempty"`
	Projects []ProjectPush `json:"projects"`
}

// Scope is what a pass was for.
type Scope struct {
	Name string `json:"name"`           // of the project
	Base string `json:"base,omitempty"` // the branch, where several are translated beside each other

	Part []string `json:"part,omitempty"` // languages of a pull, files of a push; none: all
}

// Outcome is how a pass ended.
type Outcome struct {
	Finished []FinishedLine `json:"finished,omitempty"` // branches that are gone since the last pass

	Problems []Problem `json:"problems"`
	Failure            // why it ended early; the next pass takes it up again
}

// ProjectPush is one project's part of a push.
type ProjectPush struct {
	Scope
	Requests int          `json:"requests"`          // imports started
	Exports  int          `json:"exports"`           // exports started, to compare with the service's texts before sending
	Calls    int          `json:"calls,omitempty"`   // all requests to the service: also polls, downloads, repeats
	Keys     int          `json:"keys"`              // values sent, translations included
	Skipped  string       `json:"skipped,omitempty"` // why nothing was pushed: the branch that is checked out
	Files    []PushedFile `json:"files"`
	Renamed  []Renamed    `json:"renamed,omitempty"`
	Moved    []Moved      `json:"moved,omitempty"`
	Settled  []Settled    `json:"settled,omitempty"`  // conflicts that were decided
	Orphaned []Problem    `json:"orphaned,omitempty"` // keys that the source lost or never had; the service keeps them
	Replaced []Problem    `json:"replaced,omitempty"` // texts of the service, replaced by unmerged ones of the repository
	Outcome
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
	Form string  `json:"form,omitempty"` // of a plural: its category; of a list: the position in it
	Old  *string `json:"old"`            // null where there is none, or it is not known
	New  *string `json:"new"`            // null where it goes

	Changed bool `json:"changed,omitempty"` // an earlier text is there, of which only a digest is known
}

// Settled is a conflict that was decided on; for the repository ("ours") or for the service ("theirs").
type Settled struct {
	Conflict
	Stands string `json:"stands"`
}

// Moved is a source file that has another path or collection now, with the languages whose translations moved along at
// the service. Where the collection stayed the same, they did not have to.
type Moved struct {
	From      string   `json:"from"`
	To        string   `json:"to"`
	Left      string   `json:"from_collection"`
	In        string   `json:"to_collection"`
	Keys      int      `json:"keys"`
	Languages []string `json:"languages"`
	Archived  bool     `json:"archived,omitempty"` // what is left in the old collection
}

// String says what moved where, and what is left behind.
func (m Moved) String() string {
	said := m.From + " is now " + m.To
	switch {
	case m.Left == m.In:
		return said
	case m.From == m.To:
		said = m.To + " is now"
	default:
		said += ","
	}
	said += " in collection " + m.In
	if len(m.Languages) > 0 {
		said += ", with its translations (" + strings.Join(m.Languages, ", ") + ") in the states that they had"
	}
	if m.Archived {
		return said + fmt.Sprintf("; its %s in collection %s are archived there", Counted(m.Keys, "key", "keys"), m.Left)
	}
	return said + fmt.Sprintf("; collection %s still has its %s, which nothing uses any more: delete what is left there "+
		"at the service", m.Left, Counted(m.Keys, "key", "keys"))
}

// Renamed is a key whose text moved to another key, with the languages whose translations moved along.
type Renamed struct {
	File      string   `json:"file"`
	FromFile  string   `json:"from_file,omitempty"` // where the key was in another file before
	From      string   `json:"from"`
	To        string   `json:"to"`
	Languages []string `json:"languages"`
}

// PullReport is what a pull did, or with DryRun would do.
type PullReport struct {
	DryRun   bool          `json:"dry_run,omitempty"`
	Projects []ProjectPull `json:"projects"`
}

// ProjectPull is one project's part of a pull.
type ProjectPull struct {
	Scope
	Commit   string       `json:"commit"` // "" when nothing changed
	Branch   string       `json:"branch"`
	Pushed   bool         `json:"pushed"`          // the remote has the commit
	Requests int          `json:"requests"`        // exports started
	Calls    int          `json:"calls,omitempty"` // all requests to the service: also polls, downloads, repeats
	Keys     int          `json:"keys"`            // added, changed and removed
	Files    []PulledFile `json:"files"`

	// The pull or merge request for the branch, or the address where the remote offers to make one.
	// Request is made, updated, kept, offered, or declined: people closed it as it is, and there is no address.
	RequestURL string `json:"request_url,omitempty"`
	Request    string `json:"request,omitempty"`

	// Translations whose source text changed since they were made, and those that were removed for it: keys of all files.
	SourceChanged int `json:"source_changed,omitempty"`
	Blanked       int `json:"blanked,omitempty"`

	Outcome
	Diff string `json:"diff,omitempty"` // of a dry run, where it was asked for: what the commit changes
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

// Summary says what happened to the keys of the file, and nothing of what did not.
func (f PulledFile) Summary() string {
	var parts []string
	for _, part := range []struct {
		n    int
		what string
	}{{f.Added, "added"}, {f.Changed, "changed"}, {f.Removed, "removed"}} {
		if part.n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", part.n, part.what))
		}
	}
	if f.Deleted {
		return "deleted; its texts are in the file that replaces it"
	}
	if len(parts) == 0 {
		return "brought up to date"
	}
	return strings.Join(parts, ", ")
}

// SyncReport is a push and the pull after it.
type SyncReport struct {
	Push PushReport `json:"push"`
	Pull PullReport `json:"pull"`
}
