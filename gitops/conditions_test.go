package gitops

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/http"
	"net/http/httptest"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/remote"
)

// A server that refuses clients without multi_ack (Azure DevOps, CodeCommit), and one that knows nothing newer (git
// itself wants more of it over http): fetches of something new arrive, and are built on.
func TestAServerThatWantsMultiAck(t *testing.T) {
	t.Parallel()
	for name, serve := range map[string]func(t *testing.T, dir,
		bare string) (negotiated func() bool){"http": wantsMultiAck, "git": onlyMultiAck} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			negotiated := serve(t, dir, bare)
			r := open(t, dir, Options{Remote: "origin"})
			twice(t, r, dir, bare, "l10n")
			for i := range 2 {
				main := gittest.CommitTo(t, bare, "main", map[string]string{"later": fmt.Sprint(i)})
				theirs := gittest.CommitTo(t, bare, "l10n", map[string]string{"by hand": fmt.Sprint(i)})
				tip := at(t, r, "l10n", "main")
				if tip.Hash() != theirs || tip.Base().Hash() != main {
					t.Errorf("the tip is %s on %s", tip.Hash(), tip.Base().Hash())
				}
				m := must[*Merged](t)(r.Merge(t.Context(), tip, tip.Base(), never))
				push(t, r, commitOn(t, r, m.Tip, "l10n", files("a", fmt.Sprint(i))))
			}
			if !negotiated() {
				t.Error("no request named what is here already")
			}
			gittest.Sound(t, dir)
			gittest.Sound(t, bare)
		})
	}
}

func wantsMultiAck(t *testing.T, dir, bare string) func() bool {
	h := must[http.Handler](t)(gittest.Handler(bare, gittest.Options{}))
	var named atomic.Bool
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		r.Header.Del("Git-Protocol") // it has no other version
		if gittest.IsFetch(r) {
			body, err := readBody(r)
			if err != nil || !bytes.Contains(body, []byte(" multi_ack")) {
				http.Error(w, "TF401041: Clients must support multi-ack", http.StatusBadRequest)
				return
			}
			if bytes.Contains(body, []byte("have ")) {
				named.Store(true)
			}
		}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(server.Close)
	gittest.Git(t, dir, "remote", "set-url", "origin", server.URL+"/"+filepath.Base(bare))
	return named.Load
}

func onlyMultiAck(t *testing.T, dir, bare string) func() bool {
	daemon := gittest.Daemon(t, filepath.Dir(bare))
	listener := must[net.Listener](t)(net.Listen("tcp", "127.0.0.1:0"))
	var named atomic.Bool
	var all sync.WaitGroup
	all.Go(func() {
		for {
			client, err := listener.Accept()
			if err != nil {
				return
			}
			server, err := net.Dial("tcp", fmt.Sprint("127.0.0.1:", daemon.Port))
			if err != nil {
				t.Error(err)
				return
			}
			relay := func(to, from net.Conn, change func([]byte) []byte) {
				b := make([]byte, 1<<16)
				for n, err := 0, error(nil); err == nil; {
					n, err = from.Read(b)
					_, _ = to.Write(change(b[:n]))
				}
				_ = to.(*net.TCPConn).CloseWrite()
			}
			all.Go(func() {
				relay(server, client, func(b []byte) []byte {
					if bytes.Contains(b, []byte(" multi_ack ")) {
						named.Store(true)
					}
					return bytes.ReplaceAll(b, []byte("version=2"), []byte("version=0"))
				})
			})
			all.Go(func() {
				defer client.Close()
				relay(client, server, func(b []byte) []byte { // a word of the same length that no client knows
					return bytes.ReplaceAll(b, []byte("multi_ack_detailed"), []byte("other_ack_detailed"))
				})
			})
		}
	})
	t.Cleanup(func() { listener.Close(); all.Wait() })
	gittest.Git(t, dir, "remote", "set-url", "origin", fmt.Sprintf("git://%s/%s", listener.Addr(), filepath.Base(bare)))
	return named.Load
}

// readBody reads a request's body and puts it back.
func readBody(r *http.Request) ([]byte, error) {
	raw, err := io.ReadAll(r.Body)
	r.Body = io.NopCloser(bytes.NewReader(raw))
	if err != nil || r.Header.Get("Content-Encoding") != "gzip" {
		return raw, err
	}
	zip, err := gzip.NewReader(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(zip)
}

// Law: http.<url>.* counts for the addresses that git says it counts for; what is sent is what git sends.
func TestSettingsOfAddressesAreGits(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	h := must[http.Handler](t)(gittest.Handler(bare, gittest.Options{}))
	var mu sync.Mutex
	sent := map[string]bool{}
	proxy := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { // it is every host
		mu.Lock()
		for name := range r.Header {
			if strings.HasPrefix(name, "X-") {
				sent[name] = true
			}
		}
		mu.Unlock()
		r.URL = &url.URL{Path: "/" + filepath.Base(bare) + r.URL.Path[strings.Index(r.URL.Path, ".git")+4:],
			RawQuery: r.URL.RawQuery}
		h.ServeHTTP(w, r)
	}))
	t.Cleanup(proxy.Close)
	for i, pattern := range []string{
		"http://*.corp.example", "http://git.corp.example:80", "http://git.corp.example.", "http://git.corp.example/a/../b", "http://bob@git.corp.example",
		"http://ada@git.corp.example", "http://git.corp.example", "http://git.corp.example/b/",
		"http://GIT.corp.EXAMPLE/b", "https://git.corp.example",
		"http://git.corp.example:8080", "http://corp.example", "http://*.example",
		"http://git.*.example", "http://git.corp.example/B",
		"http://git.corp.example/b/repo.git/", "http://git.corp.example/b/re", "http://%67it.corp.example/%62",
		"http://*", "",
	} {
		key := fmt.Sprintf("http.%s.extraHeader", pattern)
		if pattern == "" {
			key = "http.extraHeader"
		}
		if out, err := gittest.TryGit(t, dir, "config", "--add", key, fmt.Sprintf("X-%d: x", i)); err != nil {
			t.Fatal(out)
		}
	}
	gittest.Git(t, dir, "config", "http.http://*.corp.example.proxy", proxy.URL)
	for _, address := range []string{"http://git.corp.example/b/repo.git", "http://git.corp.example:80/b/./repo.git",
		"http://bob@git.corp.example/b/repo.git", "http://git.corp.example/x/repo.git"} {
		gittest.Git(t, dir, "remote", "set-url", "origin", address)
		heard := func(do func()) string {
			mu.Lock()
			clear(sent)
			mu.Unlock()
			do()
			mu.Lock()
			defer mu.Unlock()
			return strings.Join(sortedKeys(sent), " ")
		}
		want := heard(func() { gittest.Git(t, dir, "ls-remote", "origin") })
		got := heard(func() {
			r := open(t, dir, Options{Remote: "origin"})
			gittest.CommitTo(t, bare, "main", map[string]string{"later": address})
			at(t, r, "l10n", "main")
			if set := must[*remote.Remote](t)(remote.From(r.repo)).Setting(t.Context(),
				"http.proxy"); set != proxy.URL {
				t.Errorf("%s: the proxy is %q", address, set)
			}
		})
		if got != want || want == "" {
			t.Errorf("%s: sent %s, git sends %s", address, got, want)
		}
	}
}

// The machine's attributes and core.ignoreCase count as they do for git, for what is stored.
func TestAttributesOfTheMachine(t *testing.T) {
	const inside = "LOCSYNC_TEST_IN_NAMESPACE"
	if os.Getenv(inside) == "" {
		etc := t.TempDir()
		gittest.Write(t, etc, map[string]string{"gitattributes": "*.sys text\n[attr]lines text\n"})
		self := must[string](t)(os.Executable())
		script := "mount -t overlay overlay -o lowerdir=" + etc + ":/etc /etc && exec \"$0\" -test.run='^" + t.Name() +
			"$' -test.v"
		cmd := exec.Command("unshare", "--mount", "--map-root-user", "sh", "-c", script, self)
		cmd.Env = append(os.Environ(), inside+"=1")
		out, err := cmd.CombinedOutput()
		switch {
		case !bytes.Contains(out, []byte("=== RUN")):
			t.Skipf("no namespace with another /etc here: %v %s", err, out)
		case err != nil || bytes.Contains(out, []byte("--- SKIP")):
			t.Errorf("%v\n%s", err, out)
		}
		return
	}
	dir := gittest.Init(t, map[string]string{".gitattributes": "*.TXT text\n*.own lines\n", "README.md": "r"})
	names := []string{"a.sys", "a.own", "a.txt", "a.other"}
	for _, ignore := range []string{"false", "true"} {
		gittest.Git(t, dir, "config", "core.ignoreCase", ignore)
		r := open(t, dir, Options{})
		f := map[string][]byte{}
		for _, name := range names {
			f[name] = []byte("one\r\ntwo " + ignore + "\r\n")
			gittest.Write(t, dir, map[string]string{name: string(f[name])})
		}
		made := commitOn(t, r, at(t, r, "l10n", "main"), "l10n", f)
		gittest.Git(t, dir, "add", "-A")
		for _, name := range names {
			got, want := gittest.Git(t, dir, "rev-parse", made.Hash()+":"+name), gittest.Git(t, dir, "rev-parse",
				":"+name)
			if got != want {
				t.Errorf("core.ignoreCase %s, %s: stored as %q, git stores it as %q", ignore, name,
					gittest.Git(t, dir, "cat-file", "blob", got), gittest.Git(t, dir, "cat-file", "blob", want))
			}
		}
		if got := gittest.Git(t, dir, "cat-file", "-s",
			made.Hash()+":a.sys"); got != fmt.Sprint(len("one\ntwo \n")+len(ignore)) {
			t.Errorf("a.sys has %s bytes: the machine's attributes do not count here", got)
		}
		if err := r.Drop("l10n"); err != nil {
			t.Fatal(err)
		}
	}
}

// A repository that borrows its objects: the lender collects its garbage, and one day it is gone. What cannot be read
// then is an error, never a file that does not exist.
func TestALenderGoes(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	source := gittest.Init(t, sample)
	bare := gittest.Bare(t, source)
	lender := gittest.Clone(t, bare, "--bare")
	dir := gittest.Clone(t, "file://"+bare, "--reference", lender)
	r := open(t, dir, Options{Remote: "origin"})
	twice(t, r, dir, bare, "l10n")
	gittest.Git(t, lender, "gc", "-q", "--prune=now")
	if got := string(must[[]byte](t)(at(t, r, "main", "main").ReadFile("README.md"))); got != sample["README.md"] {
		t.Errorf("after the lender's gc: %q", got)
	}
	twice(t, r, dir, bare, "other")
	if err := os.RemoveAll(lender); err != nil {
		t.Fatal(err)
	}
	before := gittest.Git(t, bare, "for-each-ref")
	made, err := onceMore(t, open(t, dir, Options{Remote: "origin"}))
	if made != "" || err == nil || errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoBranch) {
		t.Errorf("without its lender: %s, %v", made, err)
	}
	if after := gittest.Git(t, bare, "for-each-ref"); after != before {
		t.Errorf("the remote had %s and has %s", before, after)
	}
	gittest.Sound(t, bare)
}

// A power failure, or a disk that fails: what is damaged is named, and never taken for something that is not there.
// What only people's own work needs (index, HEAD, locks) does not hold up the delivery.
func TestDamagedFiles(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const l10n = ".git/refs/heads/l10n"
	for name, damage := range map[string]func(t *testing.T, dir string){
		"an empty reference": func(t *testing.T, dir string) { gittest.Write(t, dir, map[string]string{l10n: ""}) },
		"half a reference": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{l10n: "0123456"})
		},
		"zeros": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{l10n: strings.Repeat("\x00", 41)})
		},
		"a reference to nothing": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{l10n: strings.Repeat("1", 40) + "\n"})
		},
		"an empty tracked reference": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/refs/remotes/origin/l10n": ""})
		},
		"an empty waiting commit": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/refs/locsync-outbox/l10n": ""})
		},
		"half of packed-refs": func(t *testing.T, dir string) { packedInHalf(t, dir) },
		"half an index": func(t *testing.T, dir string) {
			truncate(t, filepath.Join(dir, ".git/index"))
		},
		"an empty index": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/index": ""})
		},
		"half a blob": func(t *testing.T, dir string) {
			truncate(t, loose(t, dir, "main:locales/de/app.json"))
		},
		"no blob": func(t *testing.T, dir string) {
			remove(t, loose(t, dir, "main:locales/de/app.json"))
		},
		"half a tree":   func(t *testing.T, dir string) { truncate(t, loose(t, dir, "main:locales")) },
		"no tree":       func(t *testing.T, dir string) { remove(t, loose(t, dir, "main:locales")) },
		"half a commit": func(t *testing.T, dir string) { truncate(t, loose(t, dir, "main")) },
		"no commit":     func(t *testing.T, dir string) { remove(t, loose(t, dir, "main")) },
		"HEAD.lock": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/HEAD.lock": ""})
		},
		"packed-refs.lock": func(t *testing.T, dir string) {
			gittest.Write(t, dir, map[string]string{".git/packed-refs.lock": ""})
		},
		"an old lock of the reference": func(t *testing.T, dir string) { oldLock(t, filepath.Join(dir, l10n+".lock")) },
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			dir := gittest.Init(t, sample)
			bare := gittest.Bare(t, dir)
			r := open(t, dir, Options{Remote: "origin"})
			push(t, r, commitOn(t, r, at(t, r, "l10n", "main"), "l10n", files("first", "1")))
			first := gittest.Git(t, bare, "rev-parse", "l10n")
			damage(t, dir)
			r = open(t, dir, Options{Remote: "origin"})
			made, err := onceMore(t, r)
			if errors.Is(err, fs.ErrNotExist) || errors.Is(err, ErrNoBranch) || errors.Is(err, ErrNothing) {
				t.Errorf("damage is taken for absence: %v", err)
			}
			if delivered := strings.Contains(name, "index") ||
				strings.Contains(name, "lock"); delivered != (made != "") || delivered != (err == nil) {
				t.Errorf("delivered %q, %v", made, err)
			}
			if now := gittest.Git(t, bare, "rev-parse", "l10n"); now != cmp.Or(made, first) {
				t.Errorf("the remote has %s, not %s", now, cmp.Or(made, first))
			}
			if got := gittest.Git(t, bare, "ls-tree", "-r", "--name-only", "l10n"); made != "" &&
				len(strings.Fields(got)) != len(sample)+2 {
				t.Errorf("the branch has\n%s", got)
			}
			gittest.Sound(t, bare)
		})
	}
}

// onceMore is a pass that reads every file, as the engine does. It gives the commit that was delivered.
func onceMore(t *testing.T, r *Repo) (string, error) {
	if _, err := r.Pending("l10n"); err != nil {
		return "", err
	}
	tip, err := r.At(t.Context(), "l10n", "main")
	if err != nil {
		return "", err
	}
	err = fs.WalkDir(tip, ".", func(name string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			_, err = tip.ReadFile(name)
		}
		return err
	})
	if err != nil {
		return "", err
	}
	made, err := r.Commit(t.Context(), tip, "l10n", files("locales/de/app.json", "2", "second", "2"), message("second"))
	if err != nil {
		return "", err
	}
	result, err := r.Push(t.Context(), made)
	if err == nil && result.Local == Left && result.Why == "" {
		t.Error("left without a reason")
	}
	if !result.Pushed {
		return "", err
	}
	return made.Hash(), err
}

// loose is the file of an object that is alone in it.
func loose(t *testing.T, dir, name string) string {
	t.Helper()
	h := gittest.Git(t, dir, "rev-parse", name)
	return filepath.Join(dir, ".git/objects", h[:2], h[2:])
}

func truncate(t *testing.T, file string) {
	t.Helper()
	info := must[fs.FileInfo](t)(os.Stat(file))
	if err := errors.Join(os.Chmod(file, 0o600), os.Truncate(file, info.Size()/2)); err != nil {
		t.Fatal(err)
	}
}

func remove(t *testing.T, file string) {
	t.Helper()
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
}

func oldLock(t *testing.T, file string) {
	t.Helper()
	old := time.Now().Add(-time.Hour)
	if err := errors.Join(os.WriteFile(file, nil, 0o600), os.Chtimes(file, old, old)); err != nil {
		t.Fatal(err)
	}
}

func packedInHalf(t *testing.T, dir string) {
	gittest.Git(t, dir, "pack-refs", "--all")
	truncate(t, filepath.Join(dir, ".git/packed-refs"))
}
