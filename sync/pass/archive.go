package pass

import (
	"context"

	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/service/own"
	"github.com/locsync/locsync/sync/service/wire"
)

// Archives reports whether the service puts aside what its only client has lost: where it is the embedded one, and no
// branch has collections of its own.
func (p *Branch) Archives() bool { return p.Config.Service.Embedded() && p.Base == "" }

// Archive has it put aside the keys that no source file has any more.
func (p *Branch) Archive(ctx context.Context, a *accepted.Sources) error {
	if !p.Archives() {
		return nil
	}
	return p.Keeper().Archive(a, func(collection string, keys []string) error {
		_, err := own.Archive(ctx, p.Service, p.Project.ID, wire.KeysOf{Collection: collection, Keys: keys})
		return err
	})
}
