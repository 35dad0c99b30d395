package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary, started again with these set, is another process of the same account.
const (
	envURL, envSlots, envUntil = "LOCSYNC_TEST_URL", "LOCSYNC_TEST_SLOTS", "LOCSYNC_TEST_FOR"
	sharedAccount              = "shared-account"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(envURL); address != "" {
		os.Exit(askAsFastAsPossible(address))
	}
	os.Exit(m.Run())
}

func askAsFastAsPossible(address string) int {
	long, err := time.ParseDuration(os.Getenv(envUntil))
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	ctx, cancel := context.WithTimeout(context.Background(), long)
	defer cancel()
	c, err := New(Options{BaseURL: address, AccountID: sharedAccount, APIKey: canary, RequestsPerSecond: 4, SlotDir: os.Getenv(envSlots)})
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for ctx.Err() == nil {
				if _, err := c.Project(ctx, "p"); err != nil && ctx.Err() == nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		})
	}
	all.Wait()
	return 0
}

// Three real processes share the budget of four a second; one of them is killed in between.
func TestBudgetAcrossProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes three seconds")
	}
	t.Parallel()
	s := serve(t, say(200, `{"id":"x"}`))
	slots := filepath.Join(t.TempDir(), "slots")
	start := func(long time.Duration) (*exec.Cmd, *strings.Builder) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), envURL+"="+s.URL, envSlots+"="+slots, envUntil+"="+long.String())
		said := &strings.Builder{}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, said
	}
	killed, _ := start(time.Minute)
	var ended []*exec.Cmd
	var says []*strings.Builder
	for range 2 {
		cmd, said := start(3 * time.Second)
		ended, says = append(ended, cmd), append(says, said)
	}
	time.Sleep(time.Second)
	if err := killed.Process.Kill(); err != nil {
		t.Error(err)
	}
	_ = killed.Wait() // it was killed
	for i, cmd := range ended {
		if err := cmd.Wait(); err != nil || says[i].Len() > 0 {
			t.Errorf("%v: %s", err, says[i])
		}
	}
	var arrivals []time.Duration
	for _, r := range s.seen() {
		arrivals = append(arrivals, r.At.Sub(s.seen()[0].At))
	}
	if i, crowded := crowdedWindow(arrivals, 4, time.Second); crowded {
		t.Errorf("more than 4 arrivals in the second from %v: %v", arrivals[i], arrivals)
	}
	if len(arrivals) < 5 {
		t.Errorf("only %d requests in three seconds", len(arrivals))
	}
	t.Logf("%d requests", len(arrivals))
}

// A pause is everybody's; a damaged file is nobody's.
func TestSlotFile(t *testing.T) {
	dir := t.TempDir()
	p := newPace(4)
	one, two := newBudget(newSlotFile(dir, "o", "a")), newBudget(newSlotFile(dir, "o", "a"))
	other := newBudget(newSlotFile(dir, "o", "b"))
	ctx := t.Context()
	first, err := one.claim(ctx, p)
	if err != nil {
		t.Fatal(err)
	}
	if err := one.answered(ctx, first, p, true, time.Minute); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := two.claim(short, p); err == nil {
		t.Error("the second process does not observe the pause of the first")
	}
	if _, err := other.claim(ctx, p); err != nil {
		t.Errorf("another account: %v", err)
	}
	file := one.store.(*slotFile).path
	if info, err := os.Stat(file); err != nil || info.Size() > 8<<10 {
		t.Errorf("slot file: %v, %v", info, err)
	}
	for _, content := range []string{"", "x", strings.Repeat("\xff", 4<<10), slotMagic} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, err := two.claim(ctx, p); err != nil {
			t.Errorf("with a slot file of %d bytes: %v", len(content), err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := two.claim(ctx, p); err != nil {
		t.Errorf("after the folder was removed: %v", err)
	}
}

func TestSlotDirUnusable(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := New(Options{BaseURL: "http://h", RequestsPerSecond: 4, SlotDir: file}); err == nil {
		t.Error("a file is taken for a folder")
	}
}

func BenchmarkSlotFile(b *testing.B) {
	f := newSlotFile(b.TempDir(), "o", "a")
	for b.Loop() {
		if err := f.update(b.Context(), func(now time.Duration, s *slots) { s.settle(now, ticket{}) }); err != nil {
			b.Fatal(err)
		}
	}
}
