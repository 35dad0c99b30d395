//go:build unix

package backup

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/local/store"
)

// A move that is killed at any step has changed nothing, or is done: one of both folders is served, and has everything.
func TestKilledMove(t *testing.T) {
	seen := make(map[bool]int)
	for at := 0; ; at++ {
		dir, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
		fill(t, dir, "one")
		killed := runs(t, at, dir, "", to)
		served := dir
		st, err := store.Open(dir, "me", time.Now)
		switch {
		case errors.Is(err, ErrMoved):
			served = to
		case err != nil:
			t.Fatalf("killed at step %d: %v", at, err)
		default:
			err = st.Close()
		}
		if err == nil || served == to {
			err = Finish(served)
		}
		if mark := markOf(t, served); err != nil || mark != "one" {
			t.Errorf("killed at step %d: %s has %q: %v", at, served, mark, err)
		}
		seen[served == to]++
		if !killed {
			break
		}
	}
	if seen[true] != 1 || seen[false] < 4 {
		t.Errorf("it was done after %d kills, and not after %d", seen[true]-1, seen[false])
	}
}

// Whatever was stored before, during or after a move is where the service is, and nothing is stored where it was.
func TestNothingIsLostByAMove(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	fill(t, dir, "one")
	st, err := store.Open(dir, "me", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer st.Close()
	st.SetDurable(false)
	var writers, begun sync.WaitGroup
	stored := make([]int, 4)
	for w := range stored {
		begun.Add(1)
		writers.Go(func() {
			for {
				err := st.Update(func(tx *store.Tx) error {
					return store.PutFile(tx, fmt.Sprint(w, "/", stored[w]), &store.StoredFile{Blob: "blob-one"})
				})
				if err != nil {
					return
				}
				stored[w]++
				if stored[w] == 1 {
					begun.Done()
				}
			}
		})
	}
	begun.Wait()
	if _, err := Move(st, to, time.Now); err != nil {
		t.Fatal(err)
	}
	writers.Wait()
	if _, err := Move(st, t.TempDir(), time.Now); !errors.Is(err, ErrMoved) {
		t.Errorf("it moves twice: %v", err)
	}
	moved, err := store.Open(to, "me", time.Now)
	if err != nil {
		t.Fatal(err)
	}
	defer moved.Close()
	err = moved.View(func(tx *store.Tx) error {
		for w, n := range stored {
			for i := range n {
				if f, err := store.FileOf(tx, fmt.Sprint(w, "/", i)); err != nil || f == nil {
					return fmt.Errorf("%d/%d of %v is lost: %w", w, i, stored, err)
				}
			}
		}
		return nil
	})
	if err != nil {
		t.Error(err)
	}
}

// A service that is not running moves, too; a folder that has something is left as it is, and so is the service.
func TestMoveStopped(t *testing.T) {
	dir, full := t.TempDir(), t.TempDir()
	fill(t, dir, "one")
	put(t, filepath.Join(full, "x"), "x")
	if _, err := MoveStopped(dir, full, time.Now); !errors.Is(err, ErrNotEmpty) || len(namesIn(t, full)) != 1 {
		t.Errorf("%v, and the folder has %q", err, namesIn(t, full))
	}
	to := t.TempDir()
	if _, err := MoveStopped(dir, to, time.Now); err != nil || markOf(t, to) != "one" {
		t.Fatal(err)
	}
	if _, err := MoveStopped(dir, t.TempDir(), time.Now); !errors.Is(err, ErrMoved) {
		t.Errorf("it moves twice: %v", err)
	}
	if err := os.Remove(filepath.Join(dir, folder.MovedFile)); err != nil {
		t.Fatal(err)
	}
	if _, err := MoveStopped(to, filepath.Join(t.TempDir(), "a", "b"), time.Now); err != nil || markOf(t, dir) != "one" {
		t.Error(err)
	}
}

// A move needs no room where the service is.
func TestMoveNeedsRoomOnlyThere(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	fill(t, dir, "one")
	blob := filepath.Join(dir, store.FilesFolder, "blob-one")
	if err := errors.Join(os.Remove(blob), syscall.Mkfifo(blob, 0o600)); err != nil {
		t.Fatal(err)
	}
	moved := make(chan error)
	go func() {
		_, err := MoveStopped(dir, to, time.Now)
		moved <- err
	}()
	f, err := os.OpenFile(blob, os.O_WRONLY, 0) // when it is copied, as the database was
	if err != nil {
		t.Fatal(err)
	}
	left, err := filepath.Glob(filepath.Join(dir, folder.TemporaryName+"*"))
	if err != nil || len(left) != 1 {
		t.Fatalf("%q, %v", left, err)
	}
	if info, err := os.Stat(left[0]); err != nil || info.Size() > 1000 {
		t.Errorf("%v, %v", info, err)
	}
	if err := errors.Join(f.Close(), <-moved); err != nil {
		t.Fatal(err)
	}
}

// A move that cannot be made says why, and has changed nothing.
func TestMoveFails(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	fill(t, dir, "one")
	blob := filepath.Join(dir, store.FilesFolder, "blob-one")
	if err := os.Rename(blob, blob+"x"); err != nil {
		t.Fatal(err)
	}
	before := namesIn(t, dir)
	_, err := MoveStopped(dir, to, time.Now)
	if !errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrUnusable) || len(namesIn(t, to)) > 0 {
		t.Errorf("%v, and the folder has %q", err, namesIn(t, to))
	}
	if after := namesIn(t, dir); !slices.Equal(before, after) {
		t.Errorf("%q, then %q", before, after)
	}
}

// One process moves a service at a time, and none that reads it has it move away.
func TestMoveIsAlone(t *testing.T) {
	dir := t.TempDir()
	fill(t, dir, "one")
	reader, err := store.OpenToRead(dir, false)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := MoveStopped(dir, t.TempDir(), time.Now); !errors.Is(err, store.ErrInUse) {
		t.Error(err)
	}
	if err := reader.Close(); err != nil {
		t.Fatal(err)
	}
}

// What root moves belongs to whom the service does.
func TestMoveKeepsTheOwner(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("only root gives files away")
	}
	dir, to := t.TempDir(), filepath.Join(t.TempDir(), "to")
	fill(t, dir, "one")
	if err := os.Chown(dir, 65532, 65532); err != nil {
		t.Fatal(err)
	}
	if _, err := MoveStopped(dir, to, time.Now); err != nil {
		t.Fatal(err)
	}
	belongsTo(t, 65532, to, filepath.Join(to, store.DatabaseFile), filepath.Join(dir, folder.MovedFile))
}
