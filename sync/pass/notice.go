package pass

import (
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/service"
)

// A service that was reset, restored or written by somebody else does not have the source texts that it accepted. The
// export of a pull shows it: such texts wait for the next push, which compares them before it sends them. What was
// found is remembered, so that one that the service keeps is found once.

func (p *Branch) FoundSlot(collection string) ledger.Slot {
	return ledger.SourceFound.Of(p.StateName(), ledger.Source{Collection: collection})
}

// sourceAsk is the question for the source texts of a group, whatever their state.
func SourceAsk(g *bundle.Group) ExportAsk {
	source := []config.Language{g.Bundles[0].Source}
	return ExportAsk{Group: g, Languages: source, Completion: string(service.Draft), first: true}
}
