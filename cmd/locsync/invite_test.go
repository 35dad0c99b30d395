//go:build unix

package main

import (
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"time"
)

// locsync service prints a link for the first person, and makes others while it runs.
func TestServiceInvites(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	key, data := filepath.Join(dir, "key"), filepath.Join(dir, "data")
	if err := os.WriteFile(key, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if out, err := exec.Command("locsync", "service", "invite", "--data", data).CombinedOutput(); err == nil ||
		!strings.Contains(string(out), "has no data of a service") {
		t.Errorf("before it runs: %v %s", err, out)
	}
	if out, err := exec.Command("locsync", "service", "invite", "Anna", "B").CombinedOutput(); err == nil ||
		err.(*exec.ExitError).ExitCode() != 2 {
		t.Errorf("two names: %v %s", err, out)
	}
	var out lockedBuffer
	cmd := exec.Command("locsync", "service", "--listen", "127.0.0.1:0", "--data", data,
		"--account", "me", "--api-key-file", key)
	cmd.Stdout, cmd.Stderr = &out, &out
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	defer cmd.Process.Kill()
	link := regexp.MustCompile(`http://\S+/translate/invitation\?word=\w+`)
	opens := func(said string) {
		t.Helper()
		answer, err := http.Get(link.FindString(said))
		if err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		defer answer.Body.Close()
		if answer.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", said, answer.Status)
		}
	}
	for end := time.Now().Add(20 * time.Second); !link.MatchString(out.String()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("no link: %s", out.String())
		}
	}
	opens(out.String())
	for end := time.Now().Add(20 * time.Second); ; time.Sleep(50 * time.Millisecond) {
		said, err := exec.Command("locsync", "service", "invite", "Anna", "--data", data).Output()
		if err == nil {
			opens(string(said))
			break
		}
		if time.Now().After(end) {
			t.Fatalf("%v %s", err, said)
		}
	}
	if err := cmd.Process.Signal(os.Interrupt); err != nil {
		t.Fatal(err)
	}
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, out.String())
	}
}
