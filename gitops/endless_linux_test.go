package gitops

import (
	"bufio"
	"bytes"
	"compress/zlib"
	"encoding/binary"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/bound"
)

// A remote that lists references for ever ends as an error of its project, before git's helper takes all memory.
func TestReferencesWithoutEnd(t *testing.T) {
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
		out := bufio.NewWriterSize(w, 1<<20)
		fmt.Fprint(out, "001e# service=git-upload-pack\n0000")
		for i := 0; ; i++ {
			line := fmt.Sprintf("%040x refs/heads/branch-%012d", i+1, i)
			if i == 0 {
				line += "\x00symref=HEAD:refs/heads/branch-000000000000 agent=git/2.50"
			}
			if _, err := fmt.Fprintf(out, "%04x%s\n", len(line)+5, line); err != nil {
				return
			}
		}
	}))
	t.Cleanup(server.Close)
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "remote", "add", "origin", server.URL+"/x.git")
	r := open(t, dir, Options{Remote: "origin"})
	bounded(t, func() error {
		_, _, err := r.Branches.List(t.Context())
		return err
	})
}

// bounded fails where a call is not ended for what a remote sends, or the helpers of git take too much memory together.
func bounded(t *testing.T, call func() error) {
	t.Helper()
	began, peak := time.Now(), childrenPeak(t)
	err := call()
	took, most := time.Since(began), peak()
	if !bound.Is(err) {
		t.Errorf("after %s: %v", took, err)
	}
	if most == 0 || most > mostOfGroup {
		t.Errorf("git's helpers take %d MB together", most>>20)
	}
	t.Log(took, most>>20, "MB", err)
}

// mostOfGroup is what the git program and all that it starts may take together.
const mostOfGroup = 512 << 20

// childrenPeak watches the resident memory of all that this process has started, and returns the most of it.
func childrenPeak(t *testing.T) (peak func() int64) {
	t.Helper()
	stop, most := make(chan struct{}), make(chan int64)
	go func() {
		var seen int64
		for {
			seen = max(seen, resident(os.Getpid()))
			select {
			case <-stop:
				most <- seen
				return
			case <-time.After(5 * time.Millisecond):
			}
		}
	}()
	return func() int64 { close(stop); return <-most }
}

// resident is the memory of all descendants of a process. One that has not begun its program yet shares this test's.
func resident(pid int) (sum int64) {
	own, _ := os.Readlink("/proc/self/exe")
	tasks, _ := filepath.Glob(fmt.Sprintf("/proc/%d/task/*/children", pid))
	for _, task := range tasks {
		children, _ := os.ReadFile(task) // it may have ended
		for child := range strings.FieldsSeq(string(children)) {
			id, _ := strconv.Atoi(child)
			if program, _ := os.Readlink("/proc/" + child + "/exe"); program == own {
				continue
			}
			var size, pages int64
			statm, _ := os.ReadFile("/proc/" + child + "/statm")
			_, _ = fmt.Sscan(string(statm), &size, &pages)
			sum += pages*int64(os.Getpagesize()) + resident(id)
		}
	}
	return sum
}

// A remote that lists references, or says something, for ever when it is pushed to ends as an error as well.
func TestPushWithoutEnd(t *testing.T) {
	gittest.Long(t)
	reference := func(w io.Writer, n int) error {
		line := fmt.Sprintf("%040x refs/heads/branch-%012d", n+1, n)
		if n == 0 {
			line += "\x00report-status side-band-64k agent=git/2.50"
		}
		_, err := fmt.Fprintf(w, "%04x%s\n", len(line)+5, line)
		return err
	}
	for name, endless := range map[string]func(w http.ResponseWriter, r *http.Request){
		"references": func(w http.ResponseWriter, _ *http.Request) {
			out := bufio.NewWriterSize(w, 1<<20)
			for i := 0; reference(out, i) == nil; i++ {
			}
		},
		"words": func(w http.ResponseWriter, r *http.Request) {
			if r.Method == http.MethodGet {
				if err := reference(w, 0); err == nil {
					_, _ = io.WriteString(w, "0000")
				}
				return
			}
			_, _ = io.Copy(io.Discard, r.Body)
			line := "\x02" + strings.Repeat("words of a hook ", 60) + "\n"
			out := bufio.NewWriterSize(w, 1<<20)
			for err := error(nil); err == nil; {
				_, err = fmt.Fprintf(out, "%04x%s", len(line)+4, line)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			handler, err := gittest.Handler(bare, gittest.Options{})
			if err != nil {
				t.Skip(err)
			}
			server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
				if !gittest.IsPush(r) && !gittest.IsPushList(r) {
					handler.ServeHTTP(w, r)
					return
				}
				if r.Method == http.MethodGet {
					w.Header().Set("Content-Type", "application/x-git-receive-pack-advertisement")
					fmt.Fprint(w, "001f# service=git-receive-pack\n0000")
				} else {
					w.Header().Set("Content-Type", "application/x-git-receive-pack-result")
				}
				endless(w, r)
			}))
			t.Cleanup(server.Close)
			gittest.Git(t, dir, "remote", "set-url", "origin", server.URL+"/"+filepath.Base(bare))
			r := open(t, dir, Options{Remote: "origin"})
			tip := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("a", "1"))
			bounded(t, func() error {
				_, err := r.Push(t.Context(), tip)
				return err
			})
			gittest.Sound(t, dir)
		})
	}
}

// A remote that sends objects for ever ends as an error of its project as well, of which it announces 16 million.
func TestObjectsWithoutEnd(t *testing.T) {
	const tip = "1111111111111111111111111111111111111111"
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodGet {
			line := tip + " refs/heads/main\x00agent=git/2.50\n"
			w.Header().Set("Content-Type", "application/x-git-upload-pack-advertisement")
			fmt.Fprintf(w, "001e# service=git-upload-pack\n0000%04x%s0000", len(line)+4, line)
			return
		}
		w.Header().Set("Content-Type", "application/x-git-upload-pack-result")
		fmt.Fprint(w, "0008NAK\nPACK")
		head := binary.BigEndian.AppendUint32(binary.BigEndian.AppendUint32(nil, 2), 1<<24)
		_, err := w.Write(head)
		for i := uint64(0); err == nil; i++ {
			var object bytes.Buffer
			object.WriteByte(0x38) // a blob of eight bytes
			packed := zlib.NewWriter(&object)
			_, _ = packed.Write(binary.BigEndian.AppendUint64(nil, i)) // into memory
			_ = packed.Close()
			_, err = w.Write(object.Bytes())
		}
	}))
	t.Cleanup(server.Close)
	dir := gittest.Init(t, sample)
	gittest.Git(t, dir, "remote", "add", "origin", server.URL+"/x.git")
	r := open(t, dir, Options{Remote: "origin"})
	bounded(t, func() error {
		_, _, err := r.Branches.Fetch(t.Context(), "l10n", "main")
		return err
	})
}
