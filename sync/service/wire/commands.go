package wire

// Paths that the embedded service answers commands of this machine at, beside those of the interface: what its owner
// does. They are served where only such commands reach them.
const (
	CommandInvite = "/locsync/invite" // POST: has a person invited
	CommandBackup = "/locsync/backup" // POST: makes a copy of everything
)

// Invited is the answer of CommandInvite: where the invitation is accepted.
type Invited struct {
	URL string `json:"url"`
}
