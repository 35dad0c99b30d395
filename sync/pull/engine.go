package pull

import (
	"github.com/locsync/locsync/sync/pass"
)

// PullOptions narrow or widen a pull.
type Options struct {
	Project string // "" for all
	Full    bool   // ignore what was pulled before
	Force   bool   // past the guard
	DryRun  bool   // only report
	Prune   bool   // take out the entries of target files whose keys the source does not have, also those that it was never seen to have

	// AcceptService lets the service's translations stand wherever the two sides never agreed on a text.
	AcceptService bool

	Told map[string]map[string]pass.Conflict // of a dry run: by project and branch, what the push before told of first contact

	Diff bool // put the commit's difference into the report
}
