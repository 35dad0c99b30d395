package budget

import (
	"encoding/binary"
	"math"
	"time"
)

// The rules of the budget, as functions of a state and a time; no clock and no lock of their own.
//
// Two rules together keep "never more than n in any window of one second" true at the server, not only here:
//
//   - Spacing: requests leave one at a time, at 82.5 % of the allowed rate. With 4 a second that is 303 ms
//     apart, so four gaps last 1.21 s, and no delay on the way that differs by less than 0.21 s can push five
//     arrivals into one second. It also keeps a person's request from waiting for more than one other.
//   - Settling: request k does not leave before one second has passed since request k-n was known to have
//     arrived, because its answer began. So whatever the delays are, arrivals k-n and k are a second apart. A
//     request that is not answered within settleCap counts as arrived: a slow answer must not stop everything
//     for long.
//
// Who is served first: requests have a rank (see Priority). One that cannot leave yet leaves word of its rank
// and of when it tries again; a request of a lower rank that could leave just then lets it go first. While
// requests of another rank wait, polls leave two spacings after the last poll at the earliest, so that looking
// at jobs leaves them half of the budget. What has waited for long rises in rank: no request waits for ever.
//
// A 429 all the same (another host uses the account, or the service counts differently) pauses everything,
// lowers the rate to 70 %, and lets it recover by a thirtieth of the configured rate for every 30 s without
// another one. Hosts that share an account without knowing of each other come to share its rate so: pauses alone
// would have a third of their requests refused, for good.

// Margin is the part of the configured rate that is aimed at.
const Margin = 0.825

// MaxPause is the longest pause that a service may ask for.
const MaxPause = 5 * time.Minute

const (
	ringSize     = 256 // the largest n
	settleCap    = 5 * time.Second
	settlePoll   = 25 * time.Millisecond // how often to look whether a request has settled
	windowMargin = 10 * time.Millisecond
	maxBackoff   = time.Minute
	lowerTo      = 0.7
	lowestRate   = 0.5
	recoverBy    = 1.0 / 30 // of the configured rate
	recoverEvery = 30 * time.Second
	pollShare    = 2                     // polls take one part of so many
	wakeUp       = 50 * time.Millisecond // what a request that waits needs at most to wake up and leave
	riseAfter    = 5 * time.Second       // of waiting, a request rises by one rank
)

// Priority is a request's rank when several wait for the budget: the lower ones go first.
type Priority int

// The ranks. Polls are looks at jobs, whatever they are for, unless a person waits for them.
const (
	Asked     Priority = iota // a person or a script waits for it
	Changes                   // what was changed here, on its way to the service
	Polls                     // looks at whether a job is done
	Scheduled                 // what the daemon asks for by itself
	ranks
)

// risen is the rank of a request that has waited for so long.
func (p Priority) risen(waited time.Duration) Priority {
	return max(Asked, p-Priority(min(waited/riseAfter, time.Duration(ranks))))
}

// Pace is what one client may ask of the budget. The zero pace only observes pauses.
type Pace struct {
	n      int           // never more requests than this
	window time.Duration // in any window of this length
	rate   float64       // aimed at, per second
}

// NewPace is the pace of so many requests in a second, 256 at most; for 0, requests are not paced.
func NewPace(perSecond float64) Pace {
	if perSecond == 0 {
		return Pace{}
	}
	perSecond = min(perSecond, ringSize)
	p := Pace{n: int(perSecond), window: time.Second + windowMargin, rate: perSecond * Margin}
	if perSecond < 1 {
		p.n, p.window = 1, seconds(1/perSecond)+windowMargin
	}
	return p
}

// Rate is how many requests in a second are aimed at; 0 without pacing.
func (p Pace) Rate() float64 { return p.rate }

// slots is the state of a budget. Times are on the keeper's clock; 0 is never. The fields are exported
// and of fixed size because keepers hold them as they are.
type slots struct {
	Next        uint64        // number of the next request
	Ring        [ringSize]use // of request number i at i % ringSize
	PausedUntil time.Duration
	Ceiling     float64 // the rate after the last 429, per second; 0: none yet
	Lowered     time.Duration
	Polled      time.Duration        // when the last poll left
	Strikes     int64                // 429s since a request was last let through
	Wanted      [ranks]time.Duration // by rank: until when a request waits that has tried in vain
}

// use is one request: when it was allowed to leave, and when it was known to have arrived.
type use struct{ Sent, Settled time.Duration }

// magic begins what keepers hold; it tells one layout of slots from others.
const magic = "locsync3"

// decode is the slots in what a keeper holds. What is damaged or of another version is not known: a budget begins anew
// after a pause in which all that may have left has arrived.
func decode(content []byte, now time.Duration) slots {
	var s slots
	known := len(content) == len(magic)+binary.Size(s) && string(content[:len(magic)]) == magic
	if known {
		_, err := binary.Decode(content[len(magic):], binary.LittleEndian, &s)
		known = err == nil
	}
	if !known && len(content) > 0 {
		s = slots{}
		s.begin(now)
	}
	s.discard(now)
	return s
}

func (s *slots) encode() []byte {
	content, err := binary.Append([]byte(magic), binary.LittleEndian, s)
	if err != nil { // its fields are of fixed size
		panic(err)
	}
	return content
}

// begin waits until requests that left unseen by these slots have arrived.
func (s *slots) begin(now time.Duration) {
	s.PausedUntil = max(s.PausedUntil, now+settleCap+time.Second)
}

// Ticket names a request that was allowed to leave.
type Ticket struct {
	number uint64
	sent   time.Duration
	lapses time.Time // on this process's clock
}

// ticketLife is shorter than settleCap, after which the request counts as arrived wherever it is.
const ticketLife = settleCap - time.Second

// Lapsed reports whether the request must not leave any more: this process was stopped since, and others count on it
// having arrived. Another ticket is needed.
func (t Ticket) Lapsed() bool { return !t.lapses.IsZero() && time.Now().After(t.lapses) }

// claim lets a request leave (wait 0) or says how long to wait before asking again.
func (s *slots) claim(now time.Duration, p Pace, rank Priority, poll bool) (t Ticket, wait time.Duration) {
	wait = s.PausedUntil - now
	if p.n > 0 && wait <= 0 {
		wait = s.crowded(now, p)
		if poll && s.Polled != 0 && s.othersWait(now, rank) {
			wait = max(wait, s.Polled+pollShare*s.spacing(now, p)-now)
		}
		if wait <= 0 {
			wait = s.yields(now, p, rank)
		}
	}
	if wait > 0 {
		s.Wanted[rank] = now + wait + wakeUp
		return Ticket{}, wait
	}
	t = Ticket{number: s.Next, sent: now}
	s.Ring[s.Next%ringSize] = use{Sent: now}
	s.Next++
	s.Wanted[rank] = 0 // others of this rank say so again when they try
	if poll {
		s.Polled = now
	}
	return t, 0
}

// othersWait reports whether a request of another rank has tried in vain a moment ago.
func (s *slots) othersWait(now time.Duration, rank Priority) bool {
	for other, until := range s.Wanted {
		if Priority(other) != rank && until > now {
			return true
		}
	}
	return false
}

// crowded is how long the two rules still hold the next request back.
func (s *slots) crowded(now time.Duration, p Pace) time.Duration {
	last := s.Ring[(s.Next-1)%ringSize]
	if wait := last.Sent + s.spacing(now, p) - now; last.Sent != 0 && wait > 0 {
		return wait
	}
	var wait time.Duration
	for back := p.n; back <= ringSize; back++ {
		earlier := s.Ring[(s.Next-uint64(back))%ringSize]
		switch {
		case earlier.Sent == 0:
		case earlier.Settled != 0:
			wait = max(wait, earlier.Settled+p.window-now)
		case now < earlier.Sent+settleCap:
			wait = max(wait, settlePoll)
		default:
			wait = max(wait, earlier.Sent+settleCap+p.window-now)
		}
	}
	return wait
}

// yields is how long a request lets those of a higher rank go first: those that are about to try, or would be
// held up by it.
func (s *slots) yields(now time.Duration, p Pace, rank Priority) (wait time.Duration) {
	for _, until := range s.Wanted[:rank] {
		if until > now && until-wakeUp < now+s.spacing(now, p) {
			wait = max(wait, until-now)
		}
	}
	return wait
}

// settle records that the request is known to have arrived.
func (s *slots) settle(now time.Duration, t Ticket) {
	u := &s.Ring[t.number%ringSize]
	if u.Sent == t.sent && u.Settled == 0 {
		u.Settled = now
	}
}

// limited takes a 429 into account; jitter is between 0 and 1. Answers to requests that left before the rate
// was lowered tell nothing new: they prolong a pause, but do not lower the rate again.
func (s *slots) limited(now time.Duration, t Ticket, p Pace, retryAfter time.Duration, jitter float64) {
	backoff := time.Duration((1 + jitter) / 2 * float64(min(maxBackoff, time.Second<<min(s.Strikes, 10))))
	s.PausedUntil = max(s.PausedUntil, now+min(MaxPause, max(retryAfter, backoff)))
	if t.sent < s.Lowered {
		return
	}
	s.Strikes++
	if p.n > 0 {
		s.Ceiling = s.rate(now, p) * lowerTo
	}
	s.Lowered = now
}

// admitted takes an answer other than 429 into account.
func (s *slots) admitted(t Ticket) {
	if t.sent >= s.Lowered {
		s.Strikes = 0
	}
}

// rate is the present rate: the pace's, or less while it recovers from a 429.
func (s *slots) rate(now time.Duration, p Pace) float64 {
	if s.Ceiling == 0 {
		return p.rate
	}
	return min(p.rate, max(lowestRate, s.Ceiling+recoverBy*p.rate*float64((now-s.Lowered)/recoverEvery)))
}

func (s *slots) spacing(now time.Duration, p Pace) time.Duration { return seconds(1 / s.rate(now, p)) }

// discard drops what cannot be true: times ahead of now were written before a restart of the machine or
// by a damaged file. Without it, such a file would stop every request.
func (s *slots) discard(now time.Duration) {
	if s.PausedUntil > now+MaxPause || s.PausedUntil < 0 {
		s.PausedUntil = 0
	}
	if s.Lowered > now || s.Lowered < 0 || math.IsNaN(s.Ceiling) || s.Ceiling < 0 || s.Strikes < 0 {
		s.Ceiling, s.Lowered, s.Strikes = 0, 0, 0
	}
	if s.Polled > now || s.Polled < 0 {
		s.Polled = 0
	}
	for i, until := range s.Wanted {
		if until < 0 || until > now+MaxPause+settleCap+time.Minute {
			s.Wanted[i] = 0
		}
	}
	for i := range s.Ring {
		if u := &s.Ring[i]; u.Sent > now || u.Settled > now || u.Sent < 0 || u.Settled < 0 {
			*u = use{}
		}
	}
}

// seconds is a number of seconds as a duration.
func seconds(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
