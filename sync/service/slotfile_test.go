package service

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"
)

// The test binary, started again with these set, is another process of the same account.
const (
	envURL, envSlots, envShared = "LOCSYNC_TEST_URL", "LOCSYNC_TEST_SLOTS", "LOCSYNC_TEST_SHARED"
	envCalls, envRate           = "LOCSYNC_TEST_CALLS", "LOCSYNC_TEST_RATE"
	sharedAccount               = "shared-account"
)

func TestMain(m *testing.M) {
	if address := os.Getenv(envURL); address != "" {
		os.Exit(askAsFastAsPossible(address))
	}
	os.Exit(m.Run())
}

// askAsFastAsPossible makes some calls, two at a time.
func askAsFastAsPossible(address string) int {
	calls, _ := strconv.Atoi(os.Getenv(envCalls))
	rate, err := strconv.ParseFloat(os.Getenv(envRate), 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o := Options{BaseURL: address, AccountID: sharedAccount, APIKey: canary, RequestsPerSecond: rate, SlotDir: os.Getenv(envSlots)}
	if shared := os.Getenv(envShared); shared != "" {
		sharedFolders, o.ShareOnHost = []string{shared}, true
		o.Warn = func(m string) {
			if !strings.Contains(m, "nonexistent") { // this user has no folder of his own
				fmt.Fprintln(os.Stderr, m)
			}
		}
	}
	c, err := New(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range calls / 2 {
				if _, err := c.Project(context.Background(), "p"); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		})
	}
	all.Wait()
	return 0
}

// Eight real processes of six calls each share the budget; another one is killed in between.
func TestBudgetAcrossProcesses(t *testing.T) {
	if testing.Short() {
		t.Skip("takes four seconds")
	}
	t.Parallel()
	const rate = 16 // at 4 it takes fifteen seconds: see the soak
	acrossProcesses(t, rate)
}

func acrossProcesses(t *testing.T, rate int) {
	s := serve(t, say(200, `{"id":"x"}`))
	slots := filepath.Join(t.TempDir(), "slots")
	start := func(calls int) (*exec.Cmd, *strings.Builder) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), envURL+"="+s.URL, envSlots+"="+slots, envCalls+"="+strconv.Itoa(calls), envRate+"="+strconv.Itoa(rate))
		said := &strings.Builder{}
		cmd.Stderr = said
		if err := cmd.Start(); err != nil {
			t.Fatal(err)
		}
		return cmd, said
	}
	killed, _ := start(1000)
	var ended []*exec.Cmd
	var says []*strings.Builder
	for range 8 {
		cmd, said := start(6)
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
	smallest := time.Hour
	for i, r := range s.seen() {
		arrivals = append(arrivals, r.At.Sub(s.seen()[0].At))
		if i > 0 {
			smallest = min(smallest, arrivals[i]-arrivals[i-1])
		}
	}
	if i, crowded := crowdedWindow(arrivals, rate, time.Second); crowded {
		t.Errorf("more than %d arrivals in the second from %v: %v", rate, arrivals[i], arrivals)
	}
	if len(arrivals) < 48 {
		t.Errorf("only %d requests", len(arrivals))
	}
	t.Logf("%d requests in %v, smallest gap %v", len(arrivals), arrivals[len(arrivals)-1], smallest)
}

// A pause is everybody's; a damaged file is nobody's.
func TestSlotFile(t *testing.T) {
	dir := t.TempDir()
	p := newPace(4)
	one, two := newBudget(newSlotFile(dir, "o", "a")), newBudget(newSlotFile(dir, "o", "a"))
	other := newBudget(newSlotFile(dir, "o", "b"))
	ctx := t.Context()
	first, err := one.claim(ctx, p, turn{})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.answered(ctx, first, p, true, time.Minute); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := two.claim(short, p, turn{}); err == nil {
		t.Error("the second process does not observe the pause of the first")
	}
	if _, err := other.claim(ctx, p, turn{}); err != nil {
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
		if _, err := two.claim(ctx, p, turn{}); err != nil {
			t.Errorf("with a slot file of %d bytes: %v", len(content), err)
		}
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := two.claim(ctx, p, turn{}); err != nil {
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
