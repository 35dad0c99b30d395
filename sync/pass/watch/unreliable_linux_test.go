package watch

import (
	"errors"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/fsnotify/fsnotify"
)

const mountTable = `21 1 8:1 / / rw,relatime shared:1 - ext4 /dev/sda1 rw
22 21 0:20 / /proc rw - proc proc rw
30 21 0:40 / /mnt/c rw,noatime shared:9 - 9p drvfs rw
31 21 0:41 / /srv/with\040space rw - nfs4 server:/export rw
32 31 0:42 / /srv/with\040space/local rw - tmpfs tmpfs rw
33 21 0:43 / /home/u/app/locales rw - fuse.sshfs u@host: rw
34 21 0:44 / /home/u/app/locales/de rw - virtiofs de rw
35 34 0:45 / /home/u/app/locales/de rw - ext4 /dev/sdb rw
36 21 0:46 / /merged rw - overlay overlay rw,lowerdir=/a,upperdir=/b
37 21 0:47 / /home/u/app/node_modules/x rw - cifs //server/x rw
broken line
`

func TestMountsThatAreDeaf(t *testing.T) {
	all := readMounts(strings.NewReader(mountTable))
	for folder, want := range map[string]string{
		"/home/u": "", "/mnt/c": "a 9p share", "/mnt/c/Users/u/app": "a 9p share", "/mnt/cc": "",
		"/srv/with space/app": "NFS", "/srv/with space/local/app": "", "/home/u/app/locales/en": "FUSE",
		"/home/u/app/locales/de": "",
		"/merged/app":            "an overlay",
	} {
		if got, at := deafMount(all, folder); got != want {
			t.Errorf("%s: %q at %s, want %q", folder, got, at, want)
		}
	}
	if got, _ := deafMount(readMounts(strings.NewReader("1 0 0:1 / / rw - overlay overlay rw\n")), "/app"); got != "" {
		t.Errorf("a container's own files: %q", got)
	}
	below := deafBelow(all, "/home/u/app")
	maps.DeleteFunc(below, func(_, name string) bool { return name == "" })
	if got := slices.Sorted(maps.Keys(below)); !slices.Equal(got, []string{"/home/u/app/locales",
		"/home/u/app/node_modules/x"}) {
		t.Errorf("below: %q", got)
	}
}

const limitedEnv = "LOCSYNC_TEST_WATCH_LIMIT"

// When the kernel gives no more watches, or no event source at all, the rest is polled, and one warning says what to
// raise. The kernel's limits are lowered for a user namespace of our own.
func TestKernelLimits(t *testing.T) {
	t.Parallel()
	if limit := os.Getenv(limitedEnv); limit != "" {
		limited(t, limit)
		return
	}
	unshare, err := exec.LookPath("unshare")
	if err != nil {
		t.Skip("no unshare here")
	}
	for _, limit := range []string{"max_inotify_watches", "max_inotify_instances"} {
		// The watches that the first user of the namespace already has do not count: it is a new one.
		script := `echo ` + map[string]string{"max_inotify_watches": "4", "max_inotify_instances": "0"}[limit] +
			` > /proc/sys/user/` + limit + ` || exit 77; exec "$0" -test.run '^TestKernelLimits$' -test.v`
		cmd := exec.Command(unshare, "-Ur", "sh", "-c", script, os.Args[0])
		cmd.Env = append(os.Environ(), limitedEnv+"="+limit)
		out, err := cmd.CombinedOutput()
		if strings.Contains(string(out), "unshare:") || cmd.ProcessState != nil && cmd.ProcessState.ExitCode() == 77 {
			t.Skipf("limits cannot be lowered here: %s", out)
		}
		if err != nil {
			t.Errorf("%s: %v\n%s", limit, err, out)
		}
	}
}

func limited(t *testing.T, limit string) {
	foreseen(t, limit)
	var files []string
	for _, l := range []string{"a", "b", "c", "d", "e", "f"} {
		files = append(files, "locales/"+l+"/app.json")
	}
	s := start(t, []string{"locales/*/*.json"}, files, func(w *Watcher) { w.polling = 50e6 })
	sysctl := map[string]string{"max_inotify_watches": "fs.inotify.max_user_watches",
		"max_inotify_instances": "fs.inotify.max_user_instances"}[limit]
	if got := s.w.Stats(); got.Mode != "poll" || !strings.Contains(got.Why, sysctl) || got.Watches > 4 {
		t.Errorf("%+v", got)
	}
	for _, file := range files {
		s.write(file, "changed")
		s.expect(file)
	}
	s.must(os.Rename(s.path("locales/a"), s.path("locales/z")))
	s.expect("a renamed folder")
	s.write(filepath.ToSlash("locales/z/app.json"), "changed again")
	s.expect("a change in it")
	if said := s.warnings(); strings.Count(said, "\n") != 0 || !strings.Contains(said, sysctl) {
		t.Errorf("warned %q", said)
	}
}

// foreseen looks at the same limits before anything is watched.
func foreseen(t *testing.T, limit string) {
	dir := t.TempDir()
	l := SystemLimits()
	_, err := Hear(t.Context(), dir)
	if limit == "max_inotify_instances" {
		if !errors.Is(err, ErrNoInstances) || !strings.Contains(err.Error(), raiseInstances) {
			t.Errorf("no instance is left: %v", err)
		}
		return
	}
	if l.Watches != 4 || l.Instances < 1 {
		t.Errorf("the limits are %+v", l)
	}
	if err != nil {
		t.Errorf("one watch is left: %v", err)
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	for range 4 {
		if err := events.Add(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := Hear(t.Context(), dir); !errors.Is(err, ErrNoWatches) || !strings.Contains(err.Error(), raiseWatches) {
		t.Errorf("no watch is left: %v", err)
	}
}

func TestSystemLimits(t *testing.T) {
	before := SystemLimits()
	if before.Watches < 1 || before.Instances < 1 {
		t.Fatalf("%+v", before)
	}
	events, err := fsnotify.NewWatcher()
	if err != nil {
		t.Fatal(err)
	}
	defer events.Close()
	for range 200 {
		if err := events.Add(t.TempDir()); err != nil {
			t.Fatal(err)
		}
	}
	if now := SystemLimits(); now.UsedInstances < 1 || now.UsedWatches < 200 { // other processes come and go
		t.Errorf("%+v with 200 watches", now)
	}
}

func TestFileSystem(t *testing.T) {
	if kind, deaf := FileSystem("/proc/self/nothing/below"); kind != "proc" || deaf != "" {
		t.Errorf("%q, %q", kind, deaf)
	}
}
