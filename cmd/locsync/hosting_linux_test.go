package main

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/backup"
)

// A backup whose command is killed at any moment is no file, or a whole one; the service is not affected.
func TestKilledBackupCommand(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	dir := t.TempDir()
	data, file, key := filepath.Join(dir, "data"), filepath.Join(dir, "copy"), filepath.Join(dir, "key")
	if err := os.WriteFile(key, []byte("secret\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	var said lockedBuffer
	service := exec.Command("locsync", "service", "--listen", "127.0.0.1:0", "--data", data, "--account", "acc",
		"--api-key-file", key)
	service.Stdout, service.Stderr = &said, &said
	if err := service.Start(); err != nil {
		t.Fatal(err)
	}
	defer service.Process.Kill()
	var took time.Duration
	for {
		began := time.Now()
		again := exec.Command("locsync", "service", "backup", file, "--data", data, "--force")
		if again.Run() == nil && strings.Contains(said.String(), "listening") {
			took = time.Since(began)
			break
		}
		time.Sleep(20 * time.Millisecond)
	}
	seen := make(map[bool]int)
	for round := 0; round < 40 || round < 400 && seen[true]*seen[false] == 0; round++ { // the machine may be slow by now
		if err := os.Remove(file); err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		cmd := exec.Command("locsync", "service", "backup", file, "--data", data)
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		time.Sleep(took * time.Duration(20+2*round) / 60)
		_ = cmd.Process.Kill() // where it has not ended
		_ = cmd.Wait()
		f, err := os.Open(file)
		seen[err == nil]++
		if err != nil {
			continue
		}
		if _, err := backup.Check(f); err != nil {
			t.Errorf("round %d: %v", round, err)
		}
		_ = f.Close() // it was only read
	}
	if seen[true] == 0 || seen[false] == 0 {
		t.Errorf("%v: nothing was tested", seen)
	}
	again := exec.Command("locsync", "service", "backup", file, "--data", data, "--force")
	if out, err := again.CombinedOutput(); err != nil {
		t.Errorf("%v %s\n%s", err, out, &said)
	}
}
