package web

import (
	"slices"
	"sync"

	"github.com/locsync/locsync/sync/bound"
)

// Bounds of how many streams of events there are at one time.
const (
	maxListeners = 64 // all together,
	maxOfPeer    = 16 // and of one address elsewhere: an office behind one has some, and nobody needs more than the pages that he sees at one time
)

// audience is the streams of events that there are now, the one that began first in front. Where they are all that may be, they are shared: whoever has less than
// others gets a place of the one who has most. So nobody keeps the others out, and where nobody else wants them one may have them all.
type audience struct {
	mu      sync.Mutex
	streams []*stream
}

// stream is the place of one stream.
type stream struct {
	peer string
	end  func()
}

// admit gives a peer's stream a place, or nil where it gets none; end is called when another one gets it. A proxy on this machine that does not say for whom it asks is
// many, so what comes from this machine may be more than what comes from one address elsewhere; it has to share like that, too.
func (a *audience) admit(peer string, end func()) *stream {
	a.mu.Lock()
	defer a.mu.Unlock()
	has, most := make(map[string]int), 0
	for _, s := range a.streams {
		has[s.peer]++
		most = max(most, has[s.peer])
	}
	switch {
	case has[peer] >= maxOfPeer && !bound.Loopback(peer):
		return nil
	case len(a.streams) >= maxListeners && most < has[peer]+2: // else the two would change places for ever
		return nil
	case len(a.streams) >= maxListeners:
		i := slices.IndexFunc(a.streams, func(s *stream) bool { return has[s.peer] == most })
		a.streams[i].end()
		a.streams = slices.Delete(a.streams, i, i+1)
	}
	s := &stream{peer, end}
	a.streams = append(a.streams, s)
	return s
}

// press admits a stream in any case. Beyond most, the oldest one of the peer that has most is ended: slow senders
// keep no place from one that sends at once.
func (a *audience) press(peer string, most int, end func()) *stream {
	a.mu.Lock()
	defer a.mu.Unlock()
	s := &stream{peer, end}
	a.streams = append(a.streams, s)
	if len(a.streams) > most {
		has, largest := make(map[string]int), 0
		for _, s := range a.streams {
			has[s.peer]++
			largest = max(largest, has[s.peer])
		}
		i := slices.IndexFunc(a.streams, func(s *stream) bool { return has[s.peer] == largest })
		a.streams[i].end()
		a.streams = slices.Delete(a.streams, i, i+1)
	}
	return s
}

// leave gives a place back, unless another one has it already.
func (a *audience) leave(s *stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.streams = slices.DeleteFunc(a.streams, func(other *stream) bool { return other == s })
}
