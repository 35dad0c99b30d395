package ledger

import (
	"cmp"
	"encoding/json"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Source is a source file.
type Source struct {
	Collection string `json:"collection"`
	Path       string `json:"path"`
}

// ID is the file's id.
func (at Source) ID() string { return ID(at.Collection, at.Path) }

// Compare orders files by collection and path.
func (at Source) Compare(o Source) int {
	return cmp.Or(strings.Compare(at.Collection, o.Collection), strings.Compare(at.Path, o.Path))
}

// TargetID is the id of a target file.
func TargetID(path, language string) string { return ID(path, language) }

// SeenID is the id in SeenAt of a branch, or for "" of the working tree, whose HEAD it is.
func SeenID(branch string) string {
	if branch == "" {
		return "head"
	}
	return "head " + branch
}

// Text is a text, by its name and its digest.
type Text struct {
	catalog.Name
	Mark catalog.Mark `json:"mark"`
}

// Job is an import or export that was begun.
type Job struct {
	ID      string    `json:"id"`
	Kind    string    `json:"kind"` // import or export
	At      time.Time `json:"at"`
	Service string    `json:"service,omitempty"` // the service's identifier; "" while it may not have the job

	// of an import
	Conflicts  string    `json:"conflicts,omitempty"` // the switch that was sent
	Collection string    `json:"collection,omitempty"`
	Language   string    `json:"language,omitempty"`
	Files      []JobFile `json:"files,omitempty"`

	// of an export
	Request string `json:"request,omitempty"` // a digest of what was asked for: only the same question may use the answer
	Slow    bool   `json:"slow,omitempty"`    // it was waited for as long as the configuration allows
}

// JobFile is one file of an import and what is to be remembered when it is accepted.
type JobFile struct {
	Name   string      `json:"name"`
	Memory Destination `json:"memory"`
	Units  Units       `json:"units"`
	Others []string    `json:"others,omitempty"` // keys that are sent as well, and of which nothing is remembered
	Over   []SentText  `json:"over,omitempty"`   // those texts that the service has otherwise now, or the branch
}

// Keys are those that were sent, each once.
func (f JobFile) Keys() []string {
	keys := slices.Clone(f.Others)
	told := make(map[string]bool)
	for _, u := range f.Units {
		if !told[u.Key] {
			told[u.Key] = true
			keys = append(keys, u.Key)
		}
	}
	return keys
}

// Outbound are the texts of a file that the service accepted, the oldest first.
type Outbound struct {
	Texts []SentText `json:"texts"`
}

// SentText is a text that was sent.
type SentText struct {
	catalog.Name
	Mark   catalog.Mark `json:"mark"`
	Before catalog.Mark `json:"before"`          // what the service had; the mark of no text where it had none
	Text   string       `json:"text,omitempty"`  // where the branch has another one, or none: the next pull brings it
	At     time.Time    `json:"at,omitzero"`     // when the service accepted it
	Shown  bool         `json:"shown,omitempty"` // by an export since

	// Decided: a person has chosen it, which the service had, over Before.
	Decided bool `json:"decided,omitempty"`
}

// Destination is where the texts of an accepted upload are written down: of a source file in Pushed, of a target file
// in the marks of some kinds.
type Destination struct {
	Path       string        `json:"path"`
	Collection string        `json:"collection,omitempty"` // of a source file
	Language   string        `json:"language,omitempty"`   // of a target file
	Kinds      []TargetMarks `json:"kinds,omitempty"`      // of a target file
	Tree       string        `json:"tree,omitempty"`       // that the texts of a target file are from
	Commit     string        `json:"commit,omitempty"`     // of it
}

// OfSource reports whether it is a source file's.
func (d Destination) OfSource() bool { return len(d.Kinds) == 0 }

// Further reports whether the texts are of keys that the source does not have.
func (d Destination) Further() bool { return slices.Contains(d.Kinds, Further) }

// Delivery is a commit of a pull, and the files with staged marks.
type Delivery struct {
	Commit string          `json:"commit"`
	Files  []DeliveredFile `json:"files"`
	Keys   int             `json:"keys,omitempty"` // added, changed and removed
	Staged bool            `json:"staged"`         // the marks of all files
}

// DeliveredFile is a file with staged marks.
type DeliveredFile struct {
	Path       string `json:"path"`
	Language   string `json:"language"`
	Collection string `json:"collection,omitempty"` // of a source file
}

// Source is the file, of a source file.
func (f DeliveredFile) Source() Source { return Source{f.Collection, f.Path} }

// Conflict is a key that both sides changed.
type Conflict struct {
	Path     string          `json:"path"`
	Language string          `json:"language"`
	Key      string          `json:"key"`
	Ours     catalog.Catalog `json:"ours"` // all texts of the key as the repository had them
	Theirs   catalog.Catalog `json:"theirs"`
	Base     []Text          `json:"base"`   // what both had agreed on
	At       time.Time       `json:"at"`     // when it was found
	Looked   time.Time       `json:"looked"` // when a push last asked for the service's text

	// Open: the two sides never agreed on a text of the key. Neither has been changed, and neither is before it is
	// decided.
	Open bool `json:"open,omitempty"`

	// Chosen: it is decided for the repository, and waits for the service to accept that.
	Chosen bool `json:"chosen,omitempty"`

	// Beside is another file of the collection that translates the key otherwise. Such a conflict is open.
	Beside string `json:"beside,omitempty"`
}

// ConflictID is the id of a key's conflict.
func ConflictID(path, language, key string) string { return ID(path, language, key) }

// ID is the conflict's id.
func (c Conflict) ID() string { return ConflictID(c.Path, c.Language, c.Key) }

// Rename is a key whose translations have still to move to their new key.
type Rename struct {
	Path       string       `json:"path"`
	Collection string       `json:"collection"`
	From       catalog.Name `json:"from"`
	To         catalog.Name `json:"to"`
	Text       catalog.Mark `json:"text"` // that moved: with another text the new key means something else

	Left *Source `json:"left,omitempty"` // the file that the key was in, where that is another one, which stays

	// Reused: the new key had another source text before; what is translated under it then, is of that.
	Reused bool `json:"reused,omitempty"`
	// Language is the one whose translation the history of the branch has moved, maybe long ago, where that is how it was
	// found: what it says of the key's translations into others is not known.
	Language string `json:"language,omitempty"`
}

// ID is the rename's id.
func (m Rename) ID() string {
	if m.Language != "" {
		return ID(m.Collection, m.Path, m.To.Key, m.To.Form, m.Language)
	}
	return ID(m.Collection, m.Path, m.To.Key, m.To.Form)
}

// In reports whether it is about the translations into a language.
func (m Rename) In(language string) bool { return m.Language == "" || m.Language == language }

// Equal reports whether two renames are the same.
func (m Rename) Equal(o Rename) bool {
	return m.ID() == o.ID() && m.From == o.From && m.Text == o.Text && m.Before() == o.Before()
}

// Before is the file that the key was in.
func (m Rename) Before() Source {
	if m.Left != nil {
		return *m.Left
	}
	return Source{m.Collection, m.Path}
}

// Move is a source file that has another path or collection now.
type Move struct {
	From Source `json:"from"`
	To   Source `json:"to"`
	Sent bool   `json:"sent"` // the translations are at the service under the new collection, or never had to move there

	Renamed []catalog.Rename `json:"renamed,omitempty"` // keys that were renamed on the way
}

// ID is the move's id.
func (m Move) ID() string { return ID(m.From.ID(), m.To.ID()) }

// Absence is when a file was first seen to lack so much that it may be a mistake.
type Absence struct {
	At  time.Time `json:"at"`
	Run string    `json:"run"` // of the process that saw it first
}

// WaitingBranch is a branch that cannot be translated, or not yet, and why.
type WaitingBranch struct {
	report.Problem
	Head string `json:"head"` // where it can end here: what was checked out
	Ends string `json:"ends"` // what ends it: EndsPublished, EndsAttached, or "" for what only a pass can tell
}

// What ends the waiting of a branch.
const (
	EndsPublished = "published" // the branch is at the remote
	EndsAttached  = "attached"  // a branch is checked out
)

// Line is one of several branches that are translated beside each other.
type Line struct {
	Base      string     `json:"base"`
	Branch    string     `json:"branch"`    // of its translations
	Published bool       `json:"published"` // the remote has had it
	Finished  *time.Time `json:"finished,omitempty"`

	Forgotten *Forgotten `json:"forgotten,omitempty"`
}

// Forgotten says that what was remembered of a branch is gone, but for its Former texts.
type Forgotten struct{}

// Request is the pull or merge request of a branch, as it was made or found last.
type Request struct {
	RequestContent
	URL string `json:"url"` // of the request, or where the remote offers to make one; "" when it is not open
	Did string `json:"did"`

	Said   string `json:"said"`             // a digest of everything that was asked for
	Failed string `json:"failed,omitempty"` // why it was not done

	Counted string          `json:"counted"` // the commit that Data and Has are about
	Has     string          `json:"has"`     // a digest of what the branch has that base lacks
	Data    json.RawMessage `json:"data"`    // what its words are made of
}

// RequestContent is what a request says, as it was put last.
type RequestContent struct {
	Number  int    `json:"number"`
	Commit  string `json:"commit"`
	Content string `json:"content"`
	Title   string `json:"title"`
}

// ForgeWait is until when a git host wants no call, and what it said.
type ForgeWait struct {
	Until time.Time `json:"until"`
	Why   string    `json:"why"`
}

// Balance is what an account had left for machine translation, in words, when the service was asked last.
type Balance struct {
	At    time.Time `json:"at"`
	Words float64   `json:"words"`
}

// StaleCount is how many translations were stale when that was counted last, for the configuration and the base branch
// of that time.
type StaleCount struct {
	Config string             `json:"config"` // a digest
	Base   string             `json:"base,omitempty"`
	Texts  report.StaleStatus `json:"texts"`
}

// Fingerprint is what a push had before it that found nothing to do.
type Fingerprint struct {
	Config string `json:"config"` // a digest
	Source string `json:"source"` // a commit
	Branch string `json:"branch"` // a commit; "" where it was not there, or is not read
}

// Reconciliation is what a pull had before it that compared everything with the service.
type Reconciliation struct {
	Config string `json:"config"` // a digest
	Tips   string `json:"look"`   // commits of branch and base

	// Full is by export question when, on the service's clock, it was asked for everything.
	Full map[string]time.Time `json:"full"`

	Aside string `json:"aside,omitempty"` // how many keys our own service had archived then
}

// Publication is the status of a project as a process of a cluster saw it.
type Publication struct {
	At     time.Time            `json:"at"`
	Status report.ProjectStatus `json:"status"`
}

// Ongoing is something that began and has not ended: passes that fail, files that are held back, conflicts.
type Ongoing struct {
	Since time.Time `json:"since"`
	Times int       `json:"times,omitempty"` // that a pass failed; or 1: it was told
	Of    []string  `json:"of,omitempty"`    // what it is about, in order
}

// Fact is something that people are told about a project, or a language of it, as it was when they were told last.
type Fact struct {
	Project  string `json:"project,omitempty"` // "" where it is about all
	Kind     string `json:"kind"`
	Language string `json:"language,omitempty"`

	Conflicts []string  `json:"conflicts,omitempty"` // digests of the keys, or of questions, sorted
	Since     time.Time `json:"since,omitzero"`      // when it was first seen to fail; zero: it works
	Told      bool      `json:"told,omitempty"`      // that it fails
	Missing   int       `json:"missing,omitempty"`   // keys of the language
	Week      string    `json:"week,omitempty"`      // the Monday of the last digest
}

// ID is the fact's id.
func (f Fact) ID() string { return ID(f.Project, f.Kind, f.Language) }
