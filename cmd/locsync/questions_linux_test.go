package main

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"golang.org/x/sys/unix"

	"github.com/locsync/locsync/gitops/gittest"
)

// terminal is a program at a terminal of its own.
type terminal struct {
	tb   testing.TB
	keys *os.File // our end
	cmd  *exec.Cmd
	seen bytes.Buffer
}

func atTerminal(tb testing.TB, dir string, args ...string) *terminal {
	tb.Helper()
	ours, err := unix.Open("/dev/ptmx", unix.O_RDWR|unix.O_NOCTTY|unix.O_NONBLOCK|unix.O_CLOEXEC, 0)
	if err != nil {
		tb.Skip("no terminals here: ", err)
	}
	keys := os.NewFile(uintptr(ours), "terminal")
	tb.Cleanup(func() { keys.Close() })
	n, err := unix.IoctlGetInt(ours, unix.TIOCGPTN)
	if err == nil {
		err = unix.IoctlSetPointerInt(ours, unix.TIOCSPTLCK, 0)
	}
	if err != nil {
		tb.Fatal(err)
	}
	theirs, err := os.OpenFile(fmt.Sprintf("/dev/pts/%d", n), os.O_RDWR|syscall.O_NOCTTY, 0)
	if err != nil {
		tb.Fatal(err)
	}
	defer theirs.Close()
	cmd := exec.Command("locsync", args...)
	cmd.Dir, cmd.Stdin, cmd.Stdout, cmd.Stderr = dir, theirs, theirs, theirs
	cmd.SysProcAttr = &syscall.SysProcAttr{Setsid: true, Setctty: true}
	if err := cmd.Start(); err != nil {
		tb.Fatal(err)
	}
	return &terminal{tb: tb, keys: keys, cmd: cmd}
}

// sees waits until a text has been shown since the last look.
func (t *terminal) sees(text string) {
	t.tb.Helper()
	if err := t.keys.SetReadDeadline(time.Now().Add(20 * time.Second)); err != nil {
		t.tb.Fatal(err)
	}
	buf := make([]byte, 4096)
	for !strings.Contains(t.seen.String(), text) {
		n, err := t.keys.Read(buf)
		t.seen.Write(buf[:n])
		if err != nil {
			t.tb.Fatalf("%q was never shown (%v):\n%s", text, err, t.seen.String())
		}
	}
	_, rest, _ := strings.Cut(t.seen.String(), text)
	t.seen.Reset()
	t.seen.WriteString(rest)
}

func (t *terminal) types(text string) {
	t.tb.Helper()
	if _, err := t.keys.WriteString(text); err != nil {
		t.tb.Fatal(err)
	}
}

func (t *terminal) ends(code int) {
	t.tb.Helper()
	go func() { // what nobody reads would hold the program up
		buf := make([]byte, 4096)
		for {
			if _, err := t.keys.Read(buf); err != nil {
				return
			}
		}
	}()
	if err := t.cmd.Wait(); t.cmd.ProcessState.ExitCode() != code {
		t.tb.Errorf("it ended with %v, want exit code %d", err, code)
	}
	t.keys.Close()
}

// A person at a terminal is asked, told why an answer cannot be, and asked again; who leaves, leaves nothing behind.
func TestInitAsks(t *testing.T) {
	t.Parallel()
	gittest.Need(t)
	dir := filepath.Join(t.TempDir(), "shop")
	repositoryOf(t, dir, map[string]string{"locales/en.json": `{"a": "A"}`, "locales/de.json": `{"a": "Ä"}`, "locales/pt_BR.json": `{"a": "Á"}`, "mail/i18n/en.json": `{"b": "B"}`}, true)
	file := filepath.Join(dir, "locsync.toml")

	x := atTerminal(t, dir, "init", "--branch", "i18n")
	x.sees("Target languages: de, pt-BR")
	x.sees("Source language [en]: ")
	x.types("fr\n")
	x.sees("no resource file is in fr; there are files in de, en, pt-BR")
	x.sees("Source language [en]: ")
	x.types("\n")
	x.sees("Target languages [de, pt-BR]: ")
	x.types("de, xx\n")
	x.sees(`"xx" is not a language`)
	x.types("de en\n")
	x.sees(`"en" is the source language`)
	x.types("de, zh-Hans pt-BR\n")
	x.sees("Address of the translation service, or embedded for one inside locsync [embedded]: ")
	x.types("translation.example.com\n")
	x.sees("is not \"embedded\" or an address")
	x.types("https://translation.example.com\n")
	x.sees("Account id: ")
	x.types("\n")
	x.sees("must be the account's identifier")
	x.types("42\n")
	x.sees("Environment variable with the API key [LOCSYNC_API_KEY]: ")
	x.types("KEY\n")
	x.sees("Project id there")
	x.types("\n")
	x.sees("Write " + file + "? [yes]: ") // the branch was given
	if _, err := os.Stat(file); !os.IsNotExist(err) {
		t.Error("it is written before anybody agreed: ", err)
	}
	x.types("y\n")
	x.sees("locsync project create")
	x.ends(exitDone)
	text, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range []string{`url = "https://translation.example.com"`, `account_id = "42"`, `api_key_env = "KEY"`, `target_languages = ["de", "zh-Hans", "pt-BR"]`, `branch = "i18n"`, `"pt-BR" = "pt_BR"`, `"zh-Hans" = "zh_Hans"`} {
		if !strings.Contains(string(text), line) {
			t.Errorf("%s is not in\n%s", line, text)
		}
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	for name, leave := range map[string]string{"Ctrl-D": "\x04", "Ctrl-C": "\x03"} {
		x := atTerminal(t, dir, "init")
		x.sees("Source language [en]: ")
		x.types("de\n")
		x.sees("Source language: de (it was given)") // another look
		x.sees("Target languages [en, pt-BR]: ")
		x.types(leave)
		x.sees("nothing was written")
		x.ends(exitLater)
		if _, err := os.Stat(file); !os.IsNotExist(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	no := atTerminal(t, dir, "init", "--source", "en", "--languages", "de", "--url", "embedded", "--branch", "l10n")
	no.sees("? [yes]: ")
	no.types("maybe\n")
	no.sees("yes or no")
	no.types("n\n")
	no.sees("nothing was written")
	no.ends(exitLater)
	silent := atTerminal(t, dir, "init", "--no-input")
	silent.sees("Wrote " + file)
	silent.ends(exitDone)
}
