package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// deadMount runs locsync where a folder is a mount of which the server never says a word: not even its first lookup is
// answered, as of a server for files that is gone. It needs a namespace of its own, which its process is begun in.
func deadMount() {
	dir, args := os.Args[1], os.Args[2:]
	fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err == nil {
		err = syscall.Mount("dead", dir, "fuse", syscall.MS_NODEV|syscall.MS_NOSUID,
			fmt.Sprintf("fd=%d,rootmode=40000,user_id=0,group_id=0", fuse.Fd()))
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "no dead mount:", err)
		os.Exit(noDeadMount)
	}
	cmd := exec.Command("locsync", args...)
	cmd.Stdout, cmd.Stderr = os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL} // who ends this program ends the daemon, too
	if err := cmd.Start(); err != nil {
		panic(err)
	}
	signals := make(chan os.Signal, 10)
	signal.Notify(signals, syscall.SIGHUP, syscall.SIGTERM)
	go func() {
		for s := range signals {
			_ = cmd.Process.Signal(s) // it has ended when this fails
		}
	}()
	_ = cmd.Wait()          // its code is handed on
	runtime.KeepAlive(fuse) // the mount answers, with an error, once this is closed
	os.Exit(cmd.ProcessState.ExitCode())
}

const noDeadMount = 77

func init() { programs["deadmount"] = deadMount }

// A mount on which every call hangs, even the one for what a name is, is like a repository of which one file hangs: the
// daemon starts beside it, is reloaded, and ends. A configuration that names a secret there is not used.
func TestDeadMount(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newRestingWorld(t)
	mount := filepath.Join(t.TempDir(), "mount")
	w.check(os.Mkdir(mount, 0o700))
	w.docs(filepath.Join(mount, "docs"))
	program, err := exec.LookPath("deadmount")
	w.check(err)
	daemon := func(args ...string) *exec.Cmd {
		cmd := w.command()
		cmd.Path, cmd.Args = program, append([]string{"deadmount", mount}, args...)
		cmd.SysProcAttr = &syscall.SysProcAttr{
			Cloneflags:  syscall.CLONE_NEWUSER | syscall.CLONE_NEWNS,
			UidMappings: []syscall.SysProcIDMap{{HostID: os.Getuid(), Size: 1}},
			GidMappings: []syscall.SysProcIDMap{{HostID: os.Getgid(), Size: 1}},
			Pdeathsig:   syscall.SIGKILL,
		}
		return cmd
	}
	if out, err := daemon("version").CombinedOutput(); err != nil {
		t.Skipf("NOTE: a dead mount cannot be made here: %v: %s", err, out)
	}
	cmd := w.startThis(daemon("run"))
	w.until("the log names the one that hangs", func() bool {
		return strings.Contains(w.logs.String(), "the project does not begin {\"project\": \"docs\"")
	})
	for range 3 {
		w.hup(cmd.Process)
	}
	w.until("the other project is pushed", func() bool {
		_, body := w.get("/api/status")
		return strings.Contains(body, `"result": "ok"`)
	})
	out, _ := w.command("push", "--project", "app").CombinedOutput()
	if !strings.Contains(string(out), "app") {
		t.Errorf("a push beside it:\n%s", out)
	}

	w.configure(fmt.Sprintf("callback_secret_file = %q", filepath.Join(mount, "secret")))
	w.check(cmd.Process.Signal(syscall.SIGHUP))
	w.told("RELOADING=1")
	if said := w.told("READY=1"); !strings.Contains(said, "the new configuration is not used") {
		t.Errorf("of a secret that does not answer systemd is told %q", said)
	}
	w.until("the log says why", func() bool {
		return strings.Contains(w.logs.String(), "does not answer: the disk or mount")
	})
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.told("STOPPING=1")
	w.ends(cmd, 10*time.Second)
}

// foldedMount is a folder in which names of another case are the same, as on macOS: an image, mounted.
func foldedMount(t *testing.T) string {
	t.Helper()
	if os.Getuid() != 0 {
		t.Skip("only root can mount")
	}
	for _, program := range []string{"losetup", "mkfs.exfat", "mount.exfat-fuse", "umount"} {
		if _, err := exec.LookPath(program); err != nil {
			t.Skipf("there is no %s here", program)
		}
	}
	dir := t.TempDir()
	image, mount := filepath.Join(dir, "image"), filepath.Join(dir, "mount")
	err := errors.Join(os.WriteFile(image, nil, 0o600), os.Truncate(image, 64<<20), os.Mkdir(mount, 0o700))
	if err != nil {
		t.Fatal(err)
	}
	run(t, "", nil, "mkfs.exfat", image)
	out, err := exec.Command("losetup", "--find", "--show", image).Output()
	if err != nil {
		t.Skip("no device for an image can be had: ", err)
	}
	device := strings.TrimSpace(string(out))
	t.Cleanup(func() { run(t, "", nil, "losetup", "--detach", device) })
	if out, err := exec.Command("mount.exfat-fuse", device, mount).CombinedOutput(); err != nil {
		t.Skipf("the image cannot be mounted: %s", out)
	}
	t.Cleanup(func() { run(t, "", nil, "umount", mount) })
	return mount
}

// Where names of another case are the same, translations come beside their source, in the spelling that git has, and a
// file that is renamed to another case keeps what it has.
func TestNamesOfAnotherCase(t *testing.T) {
	gittest.Need(t)
	repo := filepath.Join(foldedMount(t), "app")
	gittest.Git(t, filepath.Dir(repo), "init", "--quiet", "-b", "main", repo)
	if got := gittest.Git(t, repo, "config", "core.ignorecase"); got != "true" {
		t.Fatalf("names of another case are not the same here: %q", got)
	}
	gittest.Commit(t, repo, "texts", map[string]string{"Locales/en.json": `{"a": "A", "b": "B"}`,
		"locsync.toml": "[service]\nurl = \"embedded\"\n[[project]]\nname = \"app\"\nrepository = \".\"\n" +
			"source_language = \"en\"\ntarget_languages = [\"de\"]\n[project.pull]\ncompletion_state = \"draft\"\n" +
			"remote = \"\"\n[[project.files]]\nsource = \"locales/en.json\"\noutput = \"locales/{LANGUAGE}.json\"\n"})
	sync := func() (branch string) {
		t.Helper()
		run(t, repo, nil, "locsync", "sync")
		return strings.ReplaceAll(gittest.Git(t, repo, "ls-tree", "-r", "--name-only", "l10n"), "\n", " ")
	}
	if got := sync(); got != "Locales/de.json Locales/en.json locsync.toml" {
		t.Errorf("the branch has %q", got)
	}
	translations := gittest.Git(t, repo, "show", "l10n:Locales/de.json")
	gittest.Git(t, repo, "merge", "--quiet", "--ff-only", "l10n")
	gittest.Git(t, repo, "mv", "Locales/en.json", "Locales/EN.json")
	gittest.Git(t, repo, "commit", "--quiet", "-m", "another case")
	sync()
	if got := gittest.Git(t, repo, "show", "l10n:Locales/de.json"); got != translations {
		t.Errorf("after a rename the translations are %q, were %q", got, translations)
	}
}
