package doctor

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
	"github.com/locsync/locsync/sync/pass/watch"
	"github.com/locsync/locsync/sync/report"
)

const (
	littleSpace = 100 << 20 // a fault away from a full disk
	noSpace     = 10 << 20
)

func (d *doctor) probeState(ctx context.Context, n *notes) {
	dir, err := d.stateDir.get(ctx)
	switch {
	case err != nil && d.cfg == nil:
		n.skip("folder", "where it is, the configuration says")
		return
	case err != nil && d.noRepository(ctx):
		n.skip("folder", "it is in the repository, which cannot be opened")
		return
	case err != nil:
		n.failed("folder", err, "set state_dir")
		return
	}
	info, err := os.Stat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		above := nearest(dir)
		if err := mayWrite(above); err != nil {
			n.failed("folder", wrongUse(fmt.Errorf("%s is not there and cannot be made in %s: %w", dir, above, err)),
				"make it for this user, or name another folder in state_dir")
			return
		}
		n.ok("folder", "%s is not there yet; the first push, pull or daemon makes it", dir)
	case err != nil:
		n.failed("folder", wrongUse(fmt.Errorf("look at the state folder: %w", err)),
			"let this user into it, or name another folder in state_dir")
		return
	case !info.IsDir():
		n.fault("folder", report.ExitWrong, "move it away, or name a folder in state_dir", "%s is not a folder", dir)
		return
	default:
		if err := tryToWrite(dir); err != nil {
			n.failed("folder", wrongUse(fmt.Errorf("%s cannot be written to: %w", dir, err)),
				"let this user write there, or name another folder in state_dir")
		} else {
			n.ok("folder", "%s can be written to", dir)
		}
		if owner, ok := ownerOf(info); ok && owner != os.Getuid() {
			n.warn("folder", fmt.Sprintf("run locsync doctor as that user, too: what works for one need not work for the "+
				"other (sudo -u '#%d' locsync doctor)", owner), "%s belongs to user %d, and this is user %d", dir,
				owner, os.Getuid())
		}
	}
	probeDisk(d, n, dir)
	if d.cfg == nil || !d.cfg.Clustered() {
		probeStore(d, n, dir)
	}
}

// probeDatabase looks at the database that the processes of a cluster share.
func (d *doctor) probeDatabase(ctx context.Context, n *notes) {
	if d.o.Offline {
		n.skip("database", errOffline.Error())
		return
	}
	address, err := d.cfg.DatabaseURL(d.getenv, secret.ReadFile)
	if err != nil {
		n.failed("database", wrongUse(err), "correct [cluster]")
		return
	}
	ctx, cancel := context.WithTimeout(ctx, d.limit())
	defer cancel()
	found, err := pgledger.Examine(ctx, address.Reveal())
	switch {
	case errors.As(err, new(*ledger.NewerError)):
		n.failed("database", wrongUse(err), "use that locsync")
	case err != nil:
		n.failed("database", fmt.Errorf("the cluster's database cannot be used: %w", err),
			"see whether it runs, can be reached from this machine, and takes this user and password")
	case found.Version == 0 && !found.MayMake:
		n.fault("database", report.ExitWrong, "GRANT CREATE ON DATABASE to that role",
			"the cluster's database has no schema yet, and the role of its address may not make one")
	case found.Version == 0:
		n.ok("database", "it answers, and has no schema yet; the first process makes it")
	default:
		n.ok("database", "it answers; %s in the last minute", report.Counted(found.Processes, "process was heard of",
			"processes were heard of"))
	}
}

// noRepository says whether a repository on this machine cannot be opened.
func (d *doctor) noRepository(ctx context.Context) bool {
	return slices.ContainsFunc(d.checkouts, func(c *checkout) bool {
		_, err := c.repo.get(ctx)
		return err != nil && c.cloned() == nil
	})
}

// tryToWrite makes a file in a folder, fills it, and takes it away again.
func tryToWrite(dir string) error {
	file, err := os.CreateTemp(dir, ".locsync-doctor-*")
	if err != nil {
		return err
	}
	_, err = file.WriteString("whether this can be written\n")
	return errors.Join(err, file.Sync(), file.Close(), os.Remove(file.Name()))
}

// probeDisk tells which kind of disk has the state.
func probeDisk(d *doctor, n *notes, dir string) {
	kind, deaf := watch.FileSystem(dir)
	switch {
	case deaf != "" && kind != "overlay":
		n.warn("file system", "set state_dir to a folder on a disk of this machine",
			"the state is on %s (%s), where locks and writes that are safe on a disk are not", deaf, kind)
	case kind == "overlay":
		n.warn("file system", "mount a volume for the state, if this container is made anew now and then",
			"the state is in a container's own layer (overlay) and ends with the container: what was pushed and pulled is "+
				"worked out anew then")
	case kind != "":
		n.ok("file system", "%s", kind)
	}
	free, ok := d.freeSpace(dir)
	switch {
	case !ok:
	case free < noSpace:
		n.fault("disk", report.ExitLater, "make room there, or name a folder on another disk in state_dir",
			"%s is free for the state", size(free))
	case free < littleSpace:
		n.warn("disk", "make room there, or name a folder on another disk in state_dir",
			"only %s is free for the state", size(free))
	default:
		n.ok("disk", "%s is free", size(free))
	}
}

// nearest is a folder, or the nearest one above it that there is.
func nearest(dir string) string {
	for {
		above := filepath.Dir(dir)
		if _, err := os.Stat(dir); err == nil || above == dir {
			return dir
		}
		dir = above
	}
}

// size is a number of bytes for people.
func size(bytes int64) string {
	switch {
	case bytes < 1<<20:
		return fmt.Sprintf("%d KiB", bytes>>10)
	case bytes < 1<<30:
		return fmt.Sprintf("%d MiB", bytes>>20)
	}
	return fmt.Sprintf("%.1f GiB", float64(bytes)/(1<<30))
}

func probeStore(d *doctor, n *notes, dir string) {
	scratch, err := d.scratchFolder("state")
	if err != nil {
		n.failed("store", err, noScratch)
		return
	}
	found, err := boltledger.Examine(dir, scratch)
	switch {
	case err != nil:
		n.failed("store", wrongUse(err), "let this user read it, or use the locsync that wrote it")
	case found.Damage != nil:
		n.warn("store", "nothing has to be done: the next start puts it aside and works it out anew; check "+
			"the disk", "%v", found.Damage)
	case found.There:
		n.ok("store", "sound, %s", size(found.Size))
	default:
		n.ok("store", "empty: nothing was pushed or pulled yet")
	}
	if len(found.Aside) > 0 {
		n.warn("store", "remove it once it is not needed for a report", "%s, put aside because of damage, %s in %s",
			strings.Join(found.Aside, ", "), isOrAre(len(found.Aside)), dir)
	}
}

func isOrAre(n int) string {
	if n == 1 {
		return "is"
	}
	return "are"
}
