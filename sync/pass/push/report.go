package push

import (
	"fmt"
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
)

// Options narrow or widen a push.
type Options struct {
	Project string // "" for all
	All     bool   // also keys that did not change

	// Translations keeps the repository's translations wherever the two sides never agreed on a text; they are sent
	// whatever push.translations says.
	Translations bool

	JoinPlurals bool // plurals whose keys were sent one by one become one key each

	Force   bool // past the brake that holds back source files which lost many keys
	DryRun  bool // only report
	Patient bool // where the answer to an import is lost, the push is made again; loops have retries of their own

	Ours   bool // send the repository's texts of conflicts, over the service's
	Theirs bool // let the service's texts of conflicts stand
	Alone  bool // with Ours or Theirs: decide, and send nothing else

	// With Ours or Theirs only conflicts about these keys, in these languages and target files (as reports name them,
	// relative to the repository); empty: in all. Without, Files are the files that are pushed, as globs: others are as
	// those that the service did not take.
	Keys, Languages, Files []string
	Globs                  []string `json:"-"` // of Files, those that are not the path of a file

	Near   bool // a file here may have changed: where none did, the branch's remote is not asked
	Yields bool // the pull after it takes the service's texts at first contact

	Followed bool // by a pull at once, which saves what both have learned
}

// Report is the report of a push, and what the pull after it needs to know.
type Report struct {
	report.ProjectPush
	Open      map[string]pass.Conflict // of a dry run: first contact that the pull need not tell
	Decidable map[Decidable]bool       // the conflicts, and whether they were to be decided; nil when that is not known
}

func (first Report) Line() string { return first.Base }

// Then is a push that was made again. Both runs' problems count: what was sent by the first is not looked at again.
func (first Report) Then(second Report) Report {
	both := second
	both.Requests += first.Requests
	both.Exports += first.Exports
	both.Calls += first.Calls
	both.Keys += first.Keys
	both.Files = slices.Concat(first.Files, second.Files)
	both.Renamed = slices.Concat(first.Renamed, second.Renamed)
	both.Moved = slices.Concat(first.Moved, second.Moved)
	both.Settled = slices.Concat(first.Settled, second.Settled)
	both.Orphaned = pass.Union(first.Orphaned, second.Orphaned)
	both.Replaced = pass.Union(first.Replaced, second.Replaced)
	both.Finished = slices.Concat(first.Finished, second.Finished)
	both.Problems = pass.Union(first.Problems, second.Problems)
	if first.Decidable != nil {
		both.Decidable = maps.Clone(first.Decidable)
		maps.Copy(both.Decidable, second.Decidable)
	}
	return both
}

// Decidable is a conflict as people name it.
type Decidable struct{ Path, Language, Key string }

func (d Decidable) String() string { return fmt.Sprintf("%q (%s) in %s", d.Key, d.Language, d.Path) }

// Names are the conflict's key, language and file.
func (d Decidable) Names() [3]string { return [3]string{d.Key, d.Language, d.Path} }

// Choices are the keys, languages and files of the conflicts that are meant; all where there are none.
func (o Options) Choices() [3][]string { return [3][]string{o.Keys, o.Languages, o.Files} }

// Part are the files that a push is for; none: all.
func (o Options) Part() []string {
	if o.Ours || o.Theirs {
		return nil
	}
	return o.Files
}

// Partial reports whether a push is not for all files.
func (o Options) Partial() bool { return o.Alone || len(o.Part()) > 0 }

// Pushes reports whether a push is for a file.
func (o Options) Pushes(path string) bool {
	part := o.Part()
	return !o.Partial() || slices.Contains(part, path) || config.Patterns(o.Globs).Match(path)
}

// decides reports whether a conflict is among those that are meant.
func (o Options) decides(d Decidable) bool {
	for i, chosen := range o.Choices() {
		if len(chosen) > 0 && !slices.Contains(chosen, d.Names()[i]) {
			return false
		}
	}
	return true
}
