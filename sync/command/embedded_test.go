package command

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/wire"
	"github.com/locsync/locsync/sync/web"
)

// reached serves a folder's commands by a handler until the test ends.
func reached(t *testing.T, dir string, handler http.Handler) Embedded {
	t.Helper()
	ctx, cancel := context.WithCancel(t.Context())
	ended := make(chan error, 1)
	go func() { ended <- web.ServeService(ctx, dir, handler) }()
	t.Cleanup(func() {
		cancel()
		if err := <-ended; err != nil {
			t.Error(err)
		}
	})
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(time.Millisecond) {
		if _, err := web.ServiceTransport(ctx, dir); err == nil {
			return EmbeddedAt(dir)
		} else if time.Now().After(end) {
			t.Fatal(err)
		}
	}
}

// A backup that its service cuts off, or that there is no room for, is no file; the one that was there stays.
func TestBackupIsWholeOrNot(t *testing.T) {
	dir, to := t.TempDir(), t.TempDir()
	svc, err := local.Open(dir, local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	var whole bytes.Buffer
	if err := svc.Backup(&whole); err != nil {
		t.Fatal(err)
	}
	var cut atomic.Int64 // where the service ends the answer
	e := reached(t, dir, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.URL.Path != wire.CommandBackup {
			t.Errorf("asked for %s", r.URL.Path)
		}
		_, _ = w.Write(whole.Bytes()[:cut.Load()]) // what it has written is what the test is about
		if cut.Load() < int64(whole.Len()) {
			panic(http.ErrAbortHandler)
		}
	}))
	file := filepath.Join(to, "copy")
	for _, at := range []int{0, 1, whole.Len() / 2, whole.Len() - 1} {
		cut.Store(int64(at))
		_, err := e.BackupTo(t.Context(), file, false)
		if err == nil || !strings.Contains(err.Error(), "the service ended before the backup was whole") &&
			!strings.Contains(err.Error(), "ask the embedded service: ") {
			t.Errorf("cut at %d: %v", at, err)
		}
		if left, _ := os.ReadDir(to); len(left) > 0 {
			t.Errorf("cut at %d: it left %v", at, left)
		}
	}
	cut.Store(int64(whole.Len()))
	full := errors.New("no space left")
	if _, err := e.Backup(t.Context(), failing{full}); !errors.Is(err, full) || strings.Contains(err.Error(), "damaged") {
		t.Errorf("no space: %v", err)
	}
	if _, err := e.BackupTo(t.Context(), file, false); err != nil {
		t.Fatal(err)
	}
	for _, at := range []int{1, whole.Len() - 1} {
		cut.Store(int64(at))
		if _, err := e.BackupTo(t.Context(), file, true); err == nil {
			t.Errorf("cut at %d: no error", at)
		}
		if text, err := os.ReadFile(file); err != nil || !bytes.Equal(text, whole.Bytes()) {
			t.Errorf("cut at %d: the file that was there has %d bytes, %v", at, len(text), err)
		}
	}
	info, err := os.Stat(file)
	if err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("others may read it: %v, %v", info.Mode(), err)
	}
}

// What a service of an earlier version does not know ends with what to do; what is refused, with why.
func TestRefusalsOfTheService(t *testing.T) {
	svc, err := local.Open(t.TempDir(), local.Options{})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := svc.Close(); err != nil {
			t.Error(err)
		}
	})
	refused := func(e Embedded) error {
		_, err := e.Invite(t.Context(), Invitation{Role: "king"})
		if !errors.As(err, new(*failure.UsageError)) {
			t.Errorf("%v is not final", err)
		}
		return err
	}
	if err := refused(reached(t, t.TempDir(), svc)); !strings.Contains(err.Error(), "of an earlier version") {
		t.Error(err)
	}
	svc.Page().SetAddress("http://127.0.0.1:1")
	if err := refused(reached(t, t.TempDir(), svc.Commands())); !strings.Contains(err.Error(), `role "king"`) {
		t.Error(err)
	}
	if err := refused(EmbeddedAt(t.TempDir())); !strings.Contains(err.Error(), "has no data of a service") {
		t.Error(err)
	}
}

// failing is a disk without room.
type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }
