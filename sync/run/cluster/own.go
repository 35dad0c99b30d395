package cluster

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"os"
	"time"

	"github.com/riverqueue/river"

	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
)

// A project prefers the machine that has its clone: when a pass has been made, its jobs go to a queue that only the
// process with that clone works on. Those that it has not taken soon after they are due, because it is busy or gone, go
// back to the queue of all.

// ownPatience is how long a job that is due waits for the process that has the clone.
const ownPatience = 2 * time.Second

// ownQueueOf is the queue of a process, which it has again after a restart: its folder is its own on its machine.
func ownQueueOf(folder string) string {
	host, _ := os.Hostname()
	sum := sha256.Sum256([]byte(host + "\x00" + folder))
	return "at-" + hex.EncodeToString(sum[:10])
}

// giveBack gives jobs back to all processes that were not taken where their project's clone is.
func giveBack(ctx context.Context, db *pgledger.Database) error {
	_, err := db.Pool().Exec(ctx, `UPDATE locsync.river_job SET queue = $1
		WHERE kind = 'pass' AND state = 'available' AND queue <> $1 AND scheduled_at < now() - $2::interval`,
		river.QueueDefault, ownPatience)
	if err != nil {
		return fmt.Errorf("give passes to other processes: %w", err)
	}
	return nil
}
