package main

import (
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
