package cluster

import (
	"container/heap"
	"math/rand/v2"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/budget"
)

// account is what a simulated account and its projects are like: projects are due one after the other, spread over the
// interval, and requests of a pass come one after the other.
type account struct {
	rate    float64       // requests_per_second
	freshly time.Duration // between two pulls of a project
	idle    int           // requests of a pull that finds nothing new
	busy    int           // and of one that does
	share   float64       // of pulls that do
	answer  time.Duration // how long the service takes
}

// event is a pass that wants its next request.
type event struct {
	at      time.Duration
	project int
	left    int
}

type events []event

func (e events) Len() int { return len(e) }
func (e events) Less(i, j int) bool {
	return e[i].at < e[j].at || e[i].at == e[j].at && e[i].project < e[j].project // as the queue has them
}
func (e events) Swap(i, j int) { e[i], e[j] = e[j], e[i] }
func (e *events) Push(x any)   { *e = append(*e, x.(event)) }
func (e *events) Pop() any {
	old := *e
	last := old[len(old)-1]
	*e = old[:len(old)-1]
	return last
}

// rounds is how many intervals are simulated.
const rounds = 8

// late is the longest time between the ends of two pulls of a project.
func (a account) late(projects int) time.Duration {
	rnd := rand.New(rand.NewPCG(1, uint64(projects)))
	spacing := time.Duration(float64(time.Second) / (a.rate * budget.Margin))
	requests := func() int {
		if rnd.Float64() < a.share {
			return a.busy
		}
		return a.idle
	}
	var wanted events
	due, ended := make([]time.Duration, projects), make([]time.Duration, projects)
	for p := range projects {
		due[p] = a.freshly * time.Duration(p) / time.Duration(projects)
		wanted = append(wanted, event{due[p], p, requests()})
	}
	heap.Init(&wanted)
	var free, worst time.Duration
	for len(wanted) > 0 && wanted[0].at < rounds*a.freshly {
		e := heap.Pop(&wanted).(event)
		leaves := max(e.at, free)
		free = leaves + spacing
		if e.left--; e.left > 0 {
			heap.Push(&wanted, event{leaves + a.answer, e.project, e.left})
			continue
		}
		end := leaves + a.answer
		if ended[e.project] > 0 {
			worst = max(worst, end-ended[e.project])
		}
		ended[e.project] = end
		due[e.project] = max(due[e.project]+a.freshly, end) // by the schedule, or at once where that has passed
		heap.Push(&wanted, event{due[e.project], e.project, requests()})
	}
	return worst
}

// allows is how many projects there is budget for.
func (a account) allows() float64 {
	mean := float64(a.idle)*(1-a.share) + float64(a.busy)*a.share
	return a.rate * budget.Margin * a.freshly.Seconds() / mean
}

// most is how many projects an account serves so that no pull comes later than a tenth of the interval.
func (a account) most() int {
	low, high := 1, 2*int(a.allows())
	for low < high {
		middle := (low + high + 1) / 2
		if a.late(middle) <= a.freshly*11/10 {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return low
}

// What an account with 4 requests a second can serve. The guide to operations has the figures.
func TestCapacity(t *testing.T) {
	t.Parallel()
	a := account{rate: 4, freshly: 15 * time.Minute, idle: 1, busy: 4, share: 0.02, answer: 300 * time.Millisecond}
	for name, change := range map[string]func(*account){
		"as it is":             func(*account) {},
		"an idle pull costs 2": func(a *account) { a.idle = 2 },
		"an idle pull costs 3": func(a *account) { a.idle = 3 },
		"a tenth is new":       func(a *account) { a.share = 0.1 },
		"an hour's freshness":  func(a *account) { a.freshly = time.Hour },
		"8 requests a second":  func(a *account) { a.rate = 8 },
	} {
		of := a
		change(&of)
		most, bound := of.most(), of.allows()
		t.Logf("%-26s %6d projects; the budget alone allows %.0f", name, most, bound)
		if float64(most) > bound*1.12 || float64(most) < bound*0.8 {
			t.Errorf("%s: %d projects, and the budget allows %.0f", name, most, bound)
		}
	}
}

// A process whose clock is wrong puts a job off to the right time, or to an earlier one that is corrected.
func TestJobsArePutOffByTheDatabasesClock(t *testing.T) {
	now := time.Now()
	for _, c := range []struct{ behind, want time.Duration }{
		{0, time.Minute}, {5 * time.Minute, 6 * time.Minute}, {-5 * time.Minute, 0},
	} {
		due := now.Add(c.behind + time.Minute)
		p := planned{Now: now.Add(c.behind), Due: &due, read: now}
		snooze := snoozed(t, p.putOff())
		if snooze.Round(time.Second) != c.want {
			t.Errorf("the clock is %v behind: put off by %v, want %v", c.behind, snooze, c.want)
		}
	}
}
