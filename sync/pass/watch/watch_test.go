package watch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/locsync/locsync/gitops/gittest"
)

// watching is a running watcher on a tree of its own.
type watching struct {
	*testing.T
	w     *Watcher
	root  string
	looks chan struct{}
	mu    sync.Mutex
	said  []string
	stop  func()
}

const (
	quick = 10 * time.Millisecond // debounce
	soon  = 15 * time.Second      // a look that is due has come by then, on a busy machine too
	calm  = 100 * time.Millisecond
)

// start makes files, watches and waits for the first look. change may turn knobs before.
func start(t *testing.T, patterns []string, files []string, change func(*Watcher), more ...func(*watching)) *watching {
	t.Helper()
	s := &watching{T: t, root: t.TempDir(), looks: make(chan struct{}, 1000)}
	for _, file := range files {
		s.write(file, "{}")
		hour := time.Now().Add(-time.Hour)
		s.must(os.Chtimes(s.path(file), hour, hour))
	}
	for _, set := range more {
		set(s)
	}
	o := Options{Root: s.root, Patterns: patterns, Debounce: quick, MaxDelay: time.Second,
		Rescan: time.Hour, Warn: func(m string) {
			s.mu.Lock()
			defer s.mu.Unlock()
			s.said = append(s.said, m)
		}}
	if _, err := os.Stat(s.path(".git")); err == nil {
		o.GitDir = s.path(".git")
	}
	w, err := New(o)
	if err != nil {
		t.Fatal(err)
	}
	w.from = newSource() // so that a queue that runs over is that of this test
	if change != nil {
		change(w)
	}
	s.w = w
	s.run()
	s.expect("the first look")
	if w.o.Rescan == time.Hour {
		s.none("after the first look")
	}
	return s
}

// run runs the watcher until stop.
func (s *watching) run() {
	ctx, cancel := context.WithCancel(s.Context())
	done := make(chan error)
	go func() { done <- s.w.Run(ctx, func() { s.looks <- struct{}{} }) }()
	s.stop = sync.OnceFunc(func() {
		cancel()
		if err := <-done; !errors.Is(err, context.Canceled) {
			s.Errorf("ended with %v", err)
		}
	})
	s.Cleanup(s.stop)
}

func (s *watching) path(rel string) string { return filepath.Join(s.root, filepath.FromSlash(rel)) }

func (s *watching) write(rel, text string) {
	s.Helper()
	s.must(os.MkdirAll(filepath.Dir(s.path(rel)), 0o755))
	s.must(os.WriteFile(s.path(rel), []byte(text), 0o644))
}

func (s *watching) must(err error) {
	s.Helper()
	if err != nil {
		s.Fatal(err)
	}
}

// expect waits for a look and lets what belongs to it settle.
func (s *watching) expect(what string) {
	s.Helper()
	select {
	case <-s.looks:
	case <-time.After(soon):
		s.Fatalf("%s: nobody looked", what)
	}
	for {
		select {
		case <-s.looks:
		case <-time.After(5 * quick):
			return
		}
	}
}

// none checks that no files are read.
func (s *watching) none(what string) {
	s.Helper()
	select {
	case <-s.looks:
		s.Errorf("%s: looked without a reason", what)
	case <-time.After(calm):
	}
}

func (s *watching) warnings() string {
	s.mu.Lock()
	defer s.mu.Unlock()
	return strings.Join(s.said, "\n")
}

// Each way in which editors save leads to a look, and so does the next save by the same way.
func TestEditorsSave(t *testing.T) {
	t.Parallel()
	const file = "locales/en/app.json"
	for _, c := range []struct {
		name string
		save func(s *watching)
	}{
		{"in place", func(s *watching) { s.write(file, "in place") }},
		{"by a new file renamed over the old", func(s *watching) {
			s.write(file+".tmp1234", "new")
			s.must(os.Rename(s.path(file+".tmp1234"), s.path(file)))
		}},
		{"as vim does", func(s *watching) {
			s.write("locales/en/4913", "")
			s.must(os.Remove(s.path("locales/en/4913")))
			s.must(os.Rename(s.path(file), s.path(file+"~")))
			s.write(file, "vim")
			s.must(os.Remove(s.path(file + "~")))
		}},
		{"as IntelliJ does", func(s *watching) {
			s.write(file+"___jb_tmp___", "idea")
			s.must(os.Rename(s.path(file), s.path(file+"___jb_old___")))
			s.must(os.Rename(s.path(file+"___jb_tmp___"), s.path(file)))
			s.must(os.Remove(s.path(file + "___jb_old___")))
		}},
		{"by removing first", func(s *watching) {
			s.must(os.Remove(s.path(file)))
			s.write(file, "again")
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, []string{"locales/*/*.json"}, []string{file}, nil)
			for _, what := range []string{"first save", "second save", "third save"} {
				c.save(s)
				s.expect(what)
			}
		})
	}
}

func TestWhatIsNoChange(t *testing.T) {
	t.Parallel()
	const file = "locales/en/app.json"
	s := start(t, []string{"locales/*/*"}, []string{file, "src/main.go", "node_modules/a/x.json",
		".git/HEAD", ".git/index"}, nil)
	s.must(os.Chmod(s.path(file), 0o600))
	s.must(os.Chtimes(s.path(file), time.Now(), time.Now()))
	s.write("src/main.go", "package main")
	s.write("src/locales/en/app.json", "{}")
	s.write("locales/en/.app.json.swp", "swap")
	s.write("locales/en/app.json~", "backup")
	s.write("node_modules/a/x.json", "{}")
	s.write(".git/index", "looked at")
	s.write(".git/FETCH_HEAD", "fetched")
	s.write(".git/index.lock", "held")
	s.none("nothing that matters changed")
	if _, err := os.ReadFile(s.path(file)); err != nil {
		t.Fatal(err)
	}
	s.none("reading")
}

func TestFoldersComeAndGo(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/**/*.json"}, []string{"README", "elsewhere/en/app.json"}, nil)

	s.write("locales/a/b/c/app.json", "{}")
	s.expect("new nested folders with a file")
	s.write("locales/a/b/c/app.json", "changed")
	s.expect("a change in a new folder")

	s.must(os.Rename(s.path("locales/a"), s.path("locales/z")))
	s.expect("a renamed folder")
	s.write("locales/z/b/c/app.json", "changed again")
	s.expect("a change in a renamed folder")

	s.must(os.Rename(s.path("locales/z"), s.path("moved")))
	s.expect("a folder that was moved away")
	s.write("moved/b/c/app.json", "nobody's")
	s.none("a change in what was moved away")

	s.must(os.Rename(s.path("elsewhere"), s.path("locales/a")))
	s.expect("a folder that was moved in")
	s.write("locales/a/en/app.json", "changed")
	s.expect("a change in what was moved in")

	s.must(os.RemoveAll(s.path("locales")))
	s.expect("everything removed")
	s.write("locales/en/app.json", "{}")
	s.expect("everything made again")
	s.write("locales/en/app.json", "changed")
	s.expect("a change in what was made again")

	s.must(os.Mkdir(s.path("locales/empty"), 0o755))
	s.none("an empty folder")
}

// Files that are made together with the folders above them are not missed, however quick that is.
func TestNestedFoldersAtOnce(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/**/*.json"}, []string{"locales/en/app.json"}, nil)
	for round := range 20 {
		s.write(fmt.Sprintf("locales/%d/a/b/app.json", round), "{}")
		s.expect(fmt.Sprint("round ", round))
	}
}

func TestOtherRepositoriesAreLeftAlone(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"**/*.json"}, []string{"en.json", ".git/HEAD", "module/.git", "module/en.json",
		"other/.git/HEAD", "other/en.json"}, nil)
	s.write("module/en.json", "theirs")
	s.write("other/en.json", "theirs")
	s.none("changes in other repositories")
	s.write("en.json", "ours")
	s.expect("a change of ours")
}

func TestGitFinishes(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/*.json"}, []string{"locales/en.json", ".git/HEAD", ".git/refs/heads/main"}, nil)
	for _, c := range []struct {
		what string
		do   func()
	}{
		{"a checkout ends", func() {
			s.write(".git/index.lock", "")
			s.must(os.Rename(s.path(".git/index.lock"), s.path(".git/index")))
		}},
		{"HEAD moves", func() {
			s.write(".git/HEAD.lock", "ref: refs/heads/x")
			s.must(os.Rename(s.path(".git/HEAD.lock"), s.path(".git/HEAD")))
		}},
		{"a branch moves", func() {
			s.write(".git/refs/heads/main.lock", "1")
			s.must(os.Rename(s.path(".git/refs/heads/main.lock"), s.path(".git/refs/heads/main")))
		}},
		{"a branch with a slash appears", func() {
			s.write(".git/refs/heads/feature/x", "1")
			time.Sleep(5 * quick) // the new folder is watched after its event
			s.write(".git/refs/heads/feature/x", "2")
		}},
		{"a rebase ends", func() {
			s.must(os.Mkdir(s.path(".git/rebase-merge"), 0o755))
			s.none("a rebase begins")
			s.must(os.RemoveAll(s.path(".git/rebase-merge")))
		}},
	} {
		c.do()
		s.expect(c.what)
	}
}

// A checkout of 400 files leads to few looks (one or two on an idle machine), and the last comes after its end.
func TestRealCheckout(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	git, err := exec.LookPath("git")
	if err != nil {
		t.Skip("no git here")
	}
	dir := t.TempDir()
	run := func(args ...string) {
		t.Helper()
		cmd := exec.Command(git, args...)
		cmd.Dir = dir
		cmd.Env = append(os.Environ(), "GIT_CONFIG_GLOBAL=/dev/null", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@b",
			"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@b")
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	fill := func(text string) {
		for i := range 400 {
			path := filepath.Join(dir, "locales", fmt.Sprint(i%40), fmt.Sprintf("%d.json", i))
			if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		run("add", ".")
		run("commit", "-q", "-m", text)
	}
	run("init", "-q", "-b", "one")
	fill("one")
	run("checkout", "-q", "-b", "two")
	fill("two")

	w, err := New(Options{Root: dir, Patterns: []string{"locales/**/*.json"}, GitDir: filepath.Join(dir, ".git"),
		Debounce: 100 * time.Millisecond, MaxDelay: 5 * time.Second, Rescan: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	looks := make(chan string, 100)
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		_ = w.Run(ctx, func() {
			data, _ := os.ReadFile(filepath.Join(dir, "locales", "39", "399.json"))
			looks <- string(data)
		})
	}()
	defer func() { cancel(); <-done }()
	next := func() (seen []string) {
		for {
			select {
			case text := <-looks:
				seen = append(seen, text)
			case <-time.After(350 * time.Millisecond):
				return seen
			}
		}
	}
	next()
	for _, branch := range []string{"one", "two", "one"} {
		run("checkout", "-q", branch)
		seen := next()
		if len(seen) == 0 || len(seen) > 20 || seen[len(seen)-1] != branch {
			t.Errorf("checkout of %s: looks saw %q", branch, seen)
		}
	}
	if got := w.Stats(); got.Mode != "event" || got.Watches < 42 || got.Unannounced != 0 {
		t.Errorf("got %+v", got)
	}
}

func TestAfterAnOverflowEverythingIsLookedAt(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/**/*.json"}, []string{"locales/en/app.json"}, nil)
	s.w.hints.fail(fsnotify.ErrEventOverflow)
	s.expect("an overflow")
	if got := s.w.Stats(); got.Overflows != 1 || got.Unannounced != 0 || got.Mode != "event" {
		t.Errorf("got %+v", got)
	}
	s.w.hints.fail(errors.New("something broke"))
	s.expect("another failure")
	if !strings.Contains(s.warnings(), "something broke") {
		t.Errorf("warned %q", s.warnings())
	}
	s.write("locales/en/app.json", "changed")
	s.expect("a change after both")
}

// The kernel's queue runs over for real: the reader of events is held up while thousands of them come. What was lost
// is found, and what was made meanwhile is watched.
func TestTheQueueRunsOver(t *testing.T) {
	t.Parallel()
	limit, err := os.ReadFile("/proc/sys/fs/inotify/max_queued_events")
	if err != nil {
		t.Skip("the kernel does not say how long its queue is")
	}
	most, err := strconv.Atoi(strings.TrimSpace(string(limit)))
	if err != nil || most > 50_000 {
		t.Skipf("a queue of %q events takes too long to fill", limit)
	}
	s := start(t, []string{"locales/**/*.json"}, []string{"locales/en/app.json", "locales/en/web.json"},
		func(w *Watcher) { w.o.MaxDelay = 100 * time.Millisecond })
	s.w.hints.mu.Lock() // the collector waits for it, and the queue is not read
	var files [2]*os.File
	for i, name := range []string{"app", "web"} {
		files[i], err = os.OpenFile(s.path("locales/en/"+name+".json"), os.O_WRONLY, 0)
		s.must(err)
		defer files[i].Close()
	}
	// Beside the kernel's queue there is room in the channel, in the library's buffer (64 KiB, at least 16 bytes an
	// event), and in the collector's hand. Two files in turn: the same event twice is queued once.
	for i := range most + readAhead + 4096 + 1000 {
		_, err := files[i%2].WriteAt([]byte("x"), 0)
		s.must(err)
	}
	s.write("locales/new/deep/app.json", "{}") // its event is lost
	s.w.hints.mu.Unlock()
	for deadline := time.Now().Add(soon); s.w.Stats().Overflows == 0 && time.Now().Before(deadline); {
		s.expect("an overflow")
	}
	if got := s.w.Stats(); got.Overflows == 0 || got.Mode != "event" {
		t.Errorf("%+v", got)
	}
	s.write("locales/new/deep/app.json", "changed")
	s.expect("a change in a folder whose making was lost")
}

// Folders above the limit are polled, with one warning, and the watched ones stay watched.
func TestAboveTheLimitThereIsPolling(t *testing.T) {
	t.Parallel()
	var files []string
	for i := range 10 {
		files = append(files, fmt.Sprintf("locales/%d/app.json", i))
	}
	s := start(t, []string{"locales/*/*.json"}, files, func(w *Watcher) { w.limit, w.polling = 5, 50*time.Millisecond })
	if got := s.w.Stats(); got.Mode != "poll" || got.Watches != 5 {
		t.Errorf("got %+v", got)
	}
	for _, file := range files {
		s.write(file, "changed")
		s.expect(file)
	}
	if n := strings.Count(s.warnings(), "\n"); n != 0 || !strings.Contains(s.warnings(), "more than 5 folders") {
		t.Errorf("warned %q", s.warnings())
	}
}

// Changes that come without events are found by the rescan; when that happens twice in a row, polling begins.
func TestUnannouncedChanges(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/*.json"}, []string{"locales/en.json"}, func(w *Watcher) {
		w.o.Rescan, w.polling = 300*time.Millisecond, 20*time.Millisecond
	})
	elsewhere := filepath.Join(t.TempDir(), "link.json")
	if err := os.Link(s.path("locales/en.json"), elsewhere); err != nil {
		t.Skip("no hard links here")
	}
	for round := 0; s.w.Stats().Mode != "poll"; round++ {
		if round == 10 {
			t.Fatalf("no polling after %d changes without events: %+v", round, s.w.Stats())
		}
		s.must(os.WriteFile(elsewhere, []byte(strings.Repeat("x", round+1)), 0o644)) // a write under another name
		time.Sleep(s.w.o.Rescan)
	}
	if got := s.w.Stats(); got.Unannounced < 2 || !strings.Contains(s.warnings(), "without file events") {
		t.Errorf("got %+v, warned %q", got, s.warnings())
	}
}

// A rescan finds what no event tells of: a file whose size and time were set back, another file of its name, a branch;
// and once more what was so young that a later change may hide.
func TestRescanFindsWhatNoEventTells(t *testing.T) {
	t.Parallel()
	root := t.TempDir()
	file, branch := filepath.Join(root, "en.json"), filepath.Join(root, ".git", "refs", "heads", "main")
	must := func(errs ...error) {
		t.Helper()
		if err := errors.Join(errs...); err != nil {
			t.Fatal(err)
		}
	}
	hour := time.Now().Add(-time.Hour)
	write := func(path, text string) {
		t.Helper()
		must(os.MkdirAll(filepath.Dir(path), 0o755), os.WriteFile(path, []byte(text), 0o644), os.Chtimes(path, hour, hour))
	}
	write(file, "{}")
	write(branch, "1234")
	w, err := New(Options{Root: root, GitDir: filepath.Join(root, ".git"), Patterns: []string{"*.json"},
		Rescan: time.Hour})
	must(err)
	w.pollTimer = time.NewTimer(time.Hour)
	w.rescan(false)
	for _, c := range []struct {
		name string
		do   func()
		want bool
	}{
		{"nothing", func() {}, false},
		{"a size and a time that were set back", func() { write(file, "[]") }, true},
		{"another file", func() { write(file+".new", "{}"); must(os.Rename(file+".new", file)) }, true},
		{"a branch that moved", func() { write(branch, "5678") }, true},
		{"a new branch", func() { write(filepath.Join(filepath.Dir(branch), "topic", "one"), "1234") }, true},
		{"a branch that is gone", func() { must(os.Remove(branch)) }, true},
		{"what does not matter", func() { write(filepath.Join(root, "README"), "x") }, false},
		{"what was young", func() { w.looked = time.Now() }, true},
	} {
		w.looked = time.Now().Add(time.Hour) // the files of this test are young
		c.do()
		if got := w.rescan(false); got != c.want {
			t.Errorf("%s: %v", c.name, got)
		}
	}
}

// Where nothing is another, files are read after a longer time all the same.
func TestRescanOfWhatIsAsItWas(t *testing.T) {
	t.Parallel()
	for name, always := range map[string]time.Duration{"for a while": time.Hour, "for long": 30 * quick} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := start(t, []string{"locales/*.json"}, nil, func(w *Watcher) {
				w.o.Rescan, w.always = 10*time.Millisecond, always
			})
			if always == time.Hour {
				s.none("nothing is another")
			} else {
				s.expect("nothing is another for long")
			}
		})
	}
}

// Links: a save of the file behind one, behind a linked folder, and a swap of a link on the way, as Kubernetes swaps
// volumes, are seen, again and again. What is outside is not watched, and a circle of links ends.
func TestBehindLinks(t *testing.T) {
	t.Parallel()
	link := func(s *watching, to, at string) {
		s.Helper()
		s.must(os.MkdirAll(filepath.Dir(s.path(at)), 0o755))
		s.must(os.Symlink(filepath.FromSlash(to), s.path(at)))
	}
	for _, c := range []struct {
		name string
		set  func(s *watching)
		do   []func(s *watching)
	}{
		{"a file elsewhere", func(s *watching) { link(s, "../../shared/deep/app.json", "locales/en/app.json") },
			[]func(s *watching){
				func(s *watching) { s.write("shared/deep/app.json", "in place") },
				func(s *watching) {
					s.write("shared/deep/tmp", "new")
					s.must(os.Rename(s.path("shared/deep/tmp"), s.path("shared/deep/app.json")))
				},
				func(s *watching) { s.write("shared/deep/app.json", "in place again") },
				func(s *watching) { s.must(os.Remove(s.path("locales/en/app.json"))) },
			}},
		{"a folder elsewhere", func(s *watching) { link(s, "../shared/deep", "locales/fr") }, []func(s *watching){
			func(s *watching) { s.write("shared/deep/app.json", "in place") },
			func(s *watching) { s.write("shared/deep/new.json", "{}") },
		}},
		{"a link to a link", func(s *watching) {
			link(s, "two", "one")
			link(s, "shared", "two")
			link(s, "../../one/deep/app.json", "locales/en/app.json")
		}, []func(s *watching){
			func(s *watching) { s.write("shared/deep/app.json", "in place") },
			func(s *watching) {
				s.write("other/deep/app.json", "another")
				link(s, "other", "two.new")
				s.must(os.Rename(s.path("two.new"), s.path("two")))
			},
			func(s *watching) { s.write("other/deep/app.json", "in place") },
		}},
		{"a volume of Kubernetes", func(s *watching) {
			s.write("locales/en/..2026_1/app.json", "one")
			link(s, "..2026_1", "locales/en/..data")
			link(s, "..data/app.json", "locales/en/app.json")
		}, []func(s *watching){
			func(s *watching) { swapVolume(s, 2, link) },
			func(s *watching) { swapVolume(s, 3, link) },
			func(s *watching) { s.write("locales/en/..2026_3/app.json", "in place") },
		}},
		{"a folder of a volume", func(s *watching) {
			s.write("vol/..2026_1/de/app.json", "one")
			link(s, "..2026_1", "vol/..data")
			link(s, "../vol/..data/de", "locales/de")
		}, []func(s *watching){
			func(s *watching) {
				s.write("vol/..2026_2/de/app.json", "two")
				link(s, "..2026_2", "vol/..tmp")
				s.must(os.Rename(s.path("vol/..tmp"), s.path("vol/..data")))
				s.must(os.RemoveAll(s.path("vol/..2026_1")))
			},
			func(s *watching) { s.write("vol/..2026_2/de/app.json", "in place") },
		}},
		{"a circle", func(s *watching) {
			link(s, "..", "locales/up")
			link(s, "../../locales/en", "locales/en/self")
			link(s, "nowhere", "locales/en/dangling.json")
			link(s, os.TempDir(), "locales/outside")
			link(s, "../../..", "locales/above")
		}, []func(s *watching){
			func(s *watching) { s.write("locales/en/web.json", "{}") },
			func(s *watching) { s.write("locales/en/nowhere", "{}") },
		}},
	} {
		t.Run(c.name, func(t *testing.T) {
			t.Parallel()
			s := start(t, []string{"locales/**/*.json"}, []string{"shared/deep/app.json", "locales/en/other.json"}, nil,
				c.set)
			for i, do := range c.do {
				do(s)
				s.expect(fmt.Sprint("change ", i+1))
			}
			if n := s.w.Stats().Watches; n > 20 {
				t.Errorf("%d watches", n)
			}
		})
	}
}

func swapVolume(s *watching, n int, link func(s *watching, to, at string)) {
	s.write(fmt.Sprintf("locales/en/..2026_%d/app.json", n), fmt.Sprint(n))
	link(s, fmt.Sprintf("..2026_%d", n), "locales/en/..data_tmp")
	s.must(os.Rename(s.path("locales/en/..data_tmp"), s.path("locales/en/..data")))
	s.must(os.RemoveAll(s.path(fmt.Sprintf("locales/en/..2026_%d", n-1))))
}

// A folder above the root that is renamed announces nothing; that the root is another one now is noticed all the same,
// and the new one is watched.
func TestTheRootIsAnother(t *testing.T) {
	t.Parallel()
	above := t.TempDir()
	root := filepath.Join(above, "home", "app")
	fill := func() {
		t.Helper()
		if err := errors.Join(os.MkdirAll(filepath.Join(root, "locales"), 0o755),
			os.WriteFile(filepath.Join(root, "locales", "en.json"), []byte("{}"), 0o644)); err != nil {
			t.Fatal(err)
		}
	}
	fill()
	w, err := New(Options{Root: root, Patterns: []string{"locales/*.json"}, Debounce: quick,
		MaxDelay: time.Second, Rescan: time.Hour})
	if err != nil {
		t.Fatal(err)
	}
	w.beat = 50 * time.Millisecond
	ctx, cancel := context.WithCancel(t.Context())
	looks, done := make(chan struct{}, 100), make(chan struct{})
	go func() { defer close(done); _ = w.Run(ctx, func() { looks <- struct{}{} }) }()
	defer func() { cancel(); <-done }()
	s := &watching{T: t, w: w, root: root, looks: looks}
	s.expect("the first look")
	s.must(os.Rename(filepath.Join(above, "home"), filepath.Join(above, "away")))
	s.expect("the root is gone")
	fill()
	s.expect("the root is there again")
	s.write("locales/en.json", "changed")
	s.expect("a change in the new root")
	s.must(os.WriteFile(filepath.Join(above, "away", "app", "locales", "en.json"), []byte("nobody's"), 0o644))
	s.none("a change in what was renamed")
}

func TestClockJumps(t *testing.T) {
	at := time.Now()
	for jump, want := range map[time.Duration]bool{0: false, time.Second: false, -time.Second: false,
		time.Hour: true, -time.Hour: true} {
		// Add moves both clocks; what is cut off has the wall clock only.
		later := at.Add(10 * time.Second)
		if got := jumpedBy(at, later, jump); got != want {
			t.Errorf("a clock set by %v: %v", jump, got)
		}
	}
}

// A tree that is gone and comes back is found by the rescan.
func TestRootReturns(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"locales/*.json"}, []string{"locales/en.json"},
		func(w *Watcher) { w.o.Rescan = 300 * time.Millisecond })
	s.must(os.RemoveAll(s.root))
	time.Sleep(2 * s.w.o.Rescan)
	s.write("locales/en.json", "back")
	time.Sleep(2 * s.w.o.Rescan)
	if got := s.w.Stats(); got.Watches != 2 {
		t.Errorf("got %+v, want root and locales watched", got)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	if _, err := New(Options{Root: ".", Patterns: []string{"["}, Rescan: time.Second}); err == nil ||
		!strings.Contains(err.Error(), "watch .: ") {
		t.Errorf("got %v", err)
	}
	if _, err := New(Options{Root: "."}); err == nil {
		t.Error("a rescan of 0 is taken")
	}
}

// A full look at 2,400 folders with 10,000 files, watches renewed.
func BenchmarkRescan10000(b *testing.B) {
	root := b.TempDir()
	for i := range 10_000 {
		path := filepath.Join(root, fmt.Sprint(i%60), fmt.Sprint(i%40), fmt.Sprintf("%d.json", i))
		if i < 2400 {
			path = filepath.Join(root, fmt.Sprint(i/40), fmt.Sprint(i%40), fmt.Sprintf("%d.json", i))
		}
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			b.Fatal(err)
		}
		if err := os.WriteFile(path, []byte("{}"), 0o644); err != nil {
			b.Fatal(err)
		}
	}
	w, err := New(Options{Root: root, Patterns: []string{"**/*.json"}, Rescan: time.Hour})
	if err != nil {
		b.Fatal(err)
	}
	w.begin()
	defer w.end()
	b.ReportAllocs()
	for b.Loop() {
		w.rescan(false)
	}
	b.ReportMetric(float64(w.Stats().Watches), "watches")
}

// Every event that comes is counted, also of files that are no reason to look: what is counted is the load.
func TestEventsAreCounted(t *testing.T) {
	t.Parallel()
	s := start(t, []string{"*.json"}, []string{"a.json"}, nil)
	before := s.w.Stats().Events
	s.write("beside.txt", "x")
	s.none("a file that does not matter")
	beside := s.w.Stats().Events
	if beside <= before {
		t.Errorf("%d events before a file was written that does not matter, %d after", before, beside)
	}
	s.write("a.json", "{}")
	s.expect("a change")
	if got := s.w.Stats().Events; got <= beside {
		t.Errorf("%d events before a change, %d after", beside, got)
	}
}

// While nothing happens, and while many folders are looked at, the watcher says that it moves.
func TestAlive(t *testing.T) {
	t.Parallel()
	var signs atomic.Int64
	var files []string
	for i := range 50 {
		files = append(files, fmt.Sprintf("a/%d/en.json", i))
	}
	s := start(t, []string{"a/*/en.json"}, files, func(w *Watcher) {
		w.beat, w.o.Alive = quick, func(time.Duration) { signs.Add(1) }
	})
	if n := signs.Load(); n < 50 {
		t.Errorf("%d signs of life while 50 folders were looked at", n)
	}
	before := signs.Load()
	for end := time.Now().Add(soon); signs.Load() < before+3; time.Sleep(quick) {
		if time.Now().After(end) {
			t.Fatal("none while nothing happens")
		}
	}
	s.none("nothing happened")
}
