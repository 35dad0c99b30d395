package pass

import (
	"fmt"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// ExportAsk is the question for a group's translations that have at least a completion state.
type ExportAsk struct {
	Group      *bundle.Group
	Languages  []config.Language
	Completion string
	first      bool                  // the collection need not be there, nor be one that can be written
	Sources    bool                  // the source language is asked for as well
	Resumed    bool                  // where it is not finished in time, one that an earlier pass waited for may answer
	Spooled    bool                  // the texts of a large answer need not be in memory: it is closed by who asks
	Wanted     func(key string) bool // what is kept where not everything can be; nil: everything or nothing
}

// Question is a digest of what an export was asked for.
func Question(req service.ExportRequest) string {
	with := req.IncludeDefaultLanguage != nil
	req.IncludeDefaultLanguage = nil // an address
	return ledger.Digest(fmt.Appendf(nil, "%+v %v", req, with))
}
