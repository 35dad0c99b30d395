package wire

import "time"

// Paths that the embedded service answers commands of this machine at, beside those of the interface: what its owner
// does. They are served where only such commands reach them.
const (
	CommandInvite      = "/locsync/invite"      // POST: has a person invited
	CommandInvitations = "/locsync/invitations" // GET: are those that were not used
	CommandRevoke      = "/locsync/revoke"      // POST: ends one of them
	CommandAudit       = "/locsync/audit"       // GET: PathAudit, without an API key
	CommandBackup      = "/locsync/backup"      // POST: makes a copy of everything
	CommandMove        = "/locsync/move"        // POST: puts everything into another folder
)

// Moved is the answer of CommandMove: what is in the other folder.
type Moved struct {
	Accounts []string  `json:"accounts"`
	Created  time.Time `json:"created"`
	Files    int       `json:"files"`
	Bytes    int64     `json:"bytes"`
}

// Invited is the answer of CommandInvite: where the invitation is accepted.
type Invited struct {
	URL string `json:"url"`
}

// Invitation is a link to the page of the embedded service that a person has not used yet. The interface has no call
// for it.
type Invitation struct {
	ID      string `json:"id"`
	Name    string `json:"name,omitempty"` // of the person; empty: chosen with the password
	By      string `json:"by,omitempty"`   // who invites; empty: a command
	Expires string `json:"expires"`
	Manager bool   `json:"manager,omitempty"` // of everything
	Roles   []Role `json:"roles,omitempty"`
}

// Role is what a person may do in projects, by name, and languages; none of either: in all.
type Role struct {
	Role      string   `json:"role"`
	Projects  []string `json:"projects,omitempty"`
	Languages []string `json:"languages,omitempty"`
}
