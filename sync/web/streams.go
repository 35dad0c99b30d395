package web

import (
	"slices"
	"sync"

	"github.com/locsync/locsync/sync/bound"
)

// Bounds of how many streams of events there are at one time.
const (
	maxListeners = 64 // all together,
	maxOfPeer    = 16 // and of one address elsewhere: an office behind one needs some, a person as many as windows
)

// streamSet is the streams of events that there are now, the one that began first in front. At the limit, a peer that
// has fewer takes a stream over from the one that has most. So one peer alone may have them all, and never keeps others
// out.
type streamSet struct {
	mu      sync.Mutex
	streams []*stream
}

// stream is one of them.
type stream struct {
	peer string
	end  func()
}

// admit adds a stream of a peer, or returns nil at the limit; end is called when another peer takes it over. A proxy on
// this machine that does not say for whom it asks is many, so what comes from this machine may be more than what comes
// from one address elsewhere; it has to share like that, too.
func (a *streamSet) admit(peer string, end func()) *stream {
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
// do not keep out one that sends at once.
func (a *streamSet) press(peer string, most int, end func()) *stream {
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

// leave removes a stream, unless another peer has taken it over.
func (a *streamSet) leave(s *stream) {
	a.mu.Lock()
	defer a.mu.Unlock()
	a.streams = slices.DeleteFunc(a.streams, func(other *stream) bool { return other == s })
}
