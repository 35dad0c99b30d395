package pass

import "github.com/locsync/locsync/sync/pass/accepted"

// Archives reports whether the service puts aside what its only client has lost: where it is the embedded one, and no
// branch has collections of its own.
func (p *Branch) Archives() bool { return p.Config.Service.Embedded() && p.Base == "" }

// Archive has it put aside the keys that no source file has any more.
func (p *Branch) Archive(a *accepted.Sources) error {
	own := p.Service.Own()
	if own == nil || !p.Archives() {
		return nil
	}
	return p.Keeper().Archive(a, func(collection string, keys []string) error {
		return own.Archive(p.Project.ID, collection, keys)
	})
}
