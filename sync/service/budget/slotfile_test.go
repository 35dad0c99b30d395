package budget

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
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

// askAsFastAsPossible makes some requests, two at a time.
func askAsFastAsPossible(address string) int {
	calls, _ := strconv.Atoi(os.Getenv(envCalls))
	rate, err := strconv.ParseFloat(os.Getenv(envRate), 64)
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		return 1
	}
	o := Options{Origin: address, Account: sharedAccount, Dir: os.Getenv(envSlots)}
	if shared := os.Getenv(envShared); shared != "" {
		sharedFolders, o.Host = []string{shared}, true
		o.Warn = func(m string) {
			if !strings.Contains(m, "nonexistent") { // this user has no folder of his own
				fmt.Fprintln(os.Stderr, m)
			}
		}
	}
	b, pace := Open(o), NewPace(rate)
	var all sync.WaitGroup
	for range 2 {
		all.Go(func() {
			for range calls / 2 {
				if err := request(b, pace, address); err != nil {
					fmt.Fprintln(os.Stderr, err)
				}
			}
		})
	}
	all.Wait()
	return 0
}

// request makes one request within the budget.
func request(b *Budget, p Pace, address string) error {
	ctx := context.Background()
	t, err := b.Claim(ctx, p, Request{Rank: Changes})
	if err != nil {
		return err
	}
	resp, err := http.Get(address)
	if err != nil {
		return errors.Join(err, b.Settle(ctx, t))
	}
	limited := resp.StatusCode == http.StatusTooManyRequests
	return errors.Join(resp.Body.Close(), b.Answered(ctx, t, p, limited, 0))
}

// arrivals is a server that notes when requests arrive.
type arrivals struct {
	*httptest.Server
	mu sync.Mutex
	at []time.Time
}

func newArrivals(t *testing.T) *arrivals {
	a := &arrivals{}
	a.Server = httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) {
		a.mu.Lock()
		defer a.mu.Unlock()
		a.at = append(a.at, time.Now())
	}))
	t.Cleanup(a.Close)
	return a
}

// sinceFirst are the arrivals, from the first one on.
func (a *arrivals) sinceFirst() (at []time.Duration) {
	a.mu.Lock()
	defer a.mu.Unlock()
	for _, t := range a.at {
		at = append(at, t.Sub(a.at[0]))
	}
	return at
}

// Eight real processes of six calls each share the budget; another one is killed in between.
func TestBudgetAcrossProcesses(t *testing.T) {
	gittest.Long(t)
	if testing.Short() {
		t.Skip("takes four seconds")
	}
	t.Parallel()
	const rate = 16 // at 4 it takes fifteen seconds: see the soak
	acrossProcesses(t, rate)
}

func acrossProcesses(t *testing.T, rate int) {
	s := newArrivals(t)
	slots := t.TempDir()
	start := func(calls int) (*exec.Cmd, *strings.Builder) {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), envURL+"="+s.URL, envSlots+"="+slots,
			envCalls+"="+strconv.Itoa(calls), envRate+"="+strconv.Itoa(rate))
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
	arrivals, smallest := s.sinceFirst(), time.Hour
	for i := 1; i < len(arrivals); i++ {
		smallest = min(smallest, arrivals[i]-arrivals[i-1])
	}
	if i, crowded := crowdedWindow(arrivals, rate, time.Second); crowded {
		t.Errorf("more than %d arrivals in the second from %v: %v", rate, arrivals[i], arrivals)
	}
	if len(arrivals) < 48 {
		t.Errorf("only %d requests", len(arrivals))
	}
	t.Logf("%d requests in %v, smallest gap %v", len(arrivals), arrivals[len(arrivals)-1], smallest)
}

// A pause is for all processes; a damaged file stops none for longer than a request is on its way.
func TestSlotFile(t *testing.T) {
	dir := t.TempDir()
	p := NewPace(4)
	open := func(account string) *Budget { return Open(Options{Origin: "o", Account: account, Dir: dir}) }
	one, two, other := open("a"), open("a"), open("b")
	ctx := t.Context()
	first, err := one.Claim(ctx, p, Request{})
	if err != nil {
		t.Fatal(err)
	}
	if err := one.Answered(ctx, first, p, true, time.Minute); err != nil {
		t.Fatal(err)
	}
	short, cancel := context.WithTimeout(ctx, 50*time.Millisecond)
	defer cancel()
	if _, err := two.Claim(short, p, Request{}); err == nil {
		t.Error("the second process does not observe the pause of the first")
	}
	if _, err := other.Claim(ctx, p, Request{}); err != nil {
		t.Errorf("another account: %v", err)
	}
	file := one.keepers[0].(*slotFile).path(one.account)
	if info, err := os.Stat(file); err != nil || info.Size() > 8<<10 {
		t.Errorf("slot file: %v, %v", info, err)
	}
	for _, content := range []string{"x", strings.Repeat("\xff", 4<<10), strings.Repeat("\xff", 9<<10), magic} {
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
		err := two.update(ctx, func(now time.Duration, s *slots) {
			if _, wait := s.claim(now, p, Changes, false); wait != settleCap+time.Second {
				t.Errorf("with a slot file of %d bytes: a wait of %v", len(content), wait)
			}
		})
		if info, err2 := os.Stat(file); err != nil || err2 != nil || info.Size() != int64(len((&slots{}).encode())) {
			t.Errorf("with a slot file of %d bytes: %v, %v", len(content), errors.Join(err, err2), info)
		}
	}
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Claim(ctx, p, Request{}); err != nil {
		t.Errorf("with an empty file: %v", err)
	}
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if _, err := two.Claim(ctx, p, Request{}); err != nil {
		t.Errorf("after the folder was removed: %v", err)
	}
}

func BenchmarkSlotFile(b *testing.B) {
	of := Open(Options{Dir: b.TempDir()})
	for b.Loop() {
		if err := of.Settle(b.Context(), Ticket{}); err != nil {
			b.Fatal(err)
		}
	}
}
