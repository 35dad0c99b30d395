package watch

import (
	"context"
	"errors"
	"fmt"
	"path/filepath"
	"sync"

	"github.com/fsnotify/fsnotify"
	"github.com/locsync/locsync/sync/bound/fault"
)

// readAhead is how many events wait between the library's reader and ours, beside those in the kernel's queue.
const readAhead = 4096

// source is where file events come from. The watchers of a process share one, since the kernel gives a user few queues
// of events: with one for each repository, a daemon of hundreds has none left.
//
// A queue tells of a folder by one path, and a folder may have several (links, mounts): each further path is watched by
// another queue.
type source struct {
	change sync.Mutex // while watches begin and end

	mu      sync.Mutex // of what follows
	readers map[*hints]bool
	queues  []*queue
	folders map[string]*folder // by path
}

// queue is one of the kernel's.
type queue struct {
	events *fsnotify.Watcher
	paths  map[fileID]string // of the folders that it watches
}

// folder is one that is watched.
type folder struct {
	id      fileID
	queue   *queue
	readers map[*hints]bool
}

func newSource() *source {
	return &source{readers: map[*hints]bool{}, folders: map[string]*folder{}}
}

// shared is the source of this process.
var shared = newSource()

// join is for a reader that begins. It fails where the kernel gives no queue.
func (s *source) join(h *hints) error {
	s.change.Lock()
	defer s.change.Unlock()
	if len(s.queues) == 0 {
		if _, err := s.open(); err != nil {
			return err
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	s.readers[h] = true
	return nil
}

// leave is for a reader that ends, with the paths that it watches. With the last one the queues go.
func (s *source) leave(h *hints, paths map[string]bool) {
	for path := range paths {
		s.remove(path, h)
	}
	s.change.Lock()
	defer s.change.Unlock()
	s.mu.Lock()
	var unused []*queue
	delete(s.readers, h)
	if len(s.readers) == 0 {
		unused, s.queues = s.queues, nil
		clear(s.folders)
	}
	s.mu.Unlock() // a queue ends when its last event was taken
	for _, q := range unused {
		_ = q.events.Close()
	}
}

// add has a reader hear of what happens in a folder. It is watched once more where it is watched already: it may be
// another folder of that name.
func (s *source) add(path string, h *hints) error {
	id, err := identify(path) // where a mount does not answer, this waits, and not the source
	if err != nil {
		return err
	}
	s.change.Lock()
	defer s.change.Unlock()
	q, err := s.queueFor(path, id)
	if err != nil {
		return err
	}
	s.mu.Lock()
	f := s.folders[path]
	if f == nil {
		f = &folder{readers: map[*hints]bool{}}
		s.folders[path] = f
	}
	f.id, f.queue, q.paths[id] = id, q, path
	known := f.readers[h]
	f.readers[h] = true
	s.mu.Unlock()
	if err := q.events.Add(path); err != nil {
		if !known {
			s.drop(path, h)
		}
		return err
	}
	return nil
}

// queueFor is the queue that watches a folder by a path, or can.
func (s *source) queueFor(path string, id fileID) (*queue, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if f := s.folders[path]; f != nil {
		if f.id == id {
			return f.queue, nil
		}
		delete(f.queue.paths, f.id) // the path leads to another folder now
		if _, taken := f.queue.paths[id]; !taken {
			return f.queue, nil
		}
		_ = f.queue.events.Remove(path)
	}
	for _, q := range s.queues {
		if _, taken := q.paths[id]; !taken {
			return q, nil
		}
	}
	return s.open()
}

var errNoQueue = errors.New("the system gives no queue of them")

// open opens a queue.
func (s *source) open() (*queue, error) {
	events, err := fsnotify.NewBufferedWatcher(readAhead)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", errNoQueue, err)
	}
	q := &queue{events: events, paths: map[fileID]string{}}
	s.queues = append(s.queues, q)
	go s.read(q)
	return q, nil
}

// remove is for a reader that wants to hear of a folder no more.
func (s *source) remove(path string, h *hints) {
	s.change.Lock()
	defer s.change.Unlock()
	s.drop(path, h)
}

func (s *source) drop(path string, h *hints) {
	s.mu.Lock()
	f := s.folders[path]
	if f == nil {
		s.mu.Unlock()
		return
	}
	delete(f.readers, h)
	unused := len(f.readers) == 0
	if unused {
		delete(s.folders, path)
		delete(f.queue.paths, f.id)
	}
	s.mu.Unlock()
	if unused {
		_ = f.queue.events.Remove(path) // mostly the system has ended it already
	}
}

var errReader = errors.New("the reader of file events had a fault")

// read hands the events of a queue to those who read its folders, until it is closed. It does nothing else: what works
// on each event is too slow for a checkout of thousands of files, and the kernel drops what is not fetched.
func (s *source) read(q *queue) {
	again := false
	fault.Keep(context.Background(), "the reader of file events", func() {
		if again {
			s.fail(errReader)
		}
		again = true
		for in, failures := q.events.Events, q.events.Errors; in != nil || failures != nil; {
			select {
			case e, ok := <-in:
				if !ok {
					in = nil
					continue
				}
				s.tell(e)
			case err, ok := <-failures:
				if !ok {
					failures = nil
					continue
				}
				s.fail(err)
			}
		}
	})
}

// tell tells an event to those who read the folder that it is in, or that it is about.
func (s *source) tell(e fsnotify.Event) {
	s.mu.Lock()
	defer s.mu.Unlock()
	in, about := s.folders[filepath.Dir(e.Name)], s.folders[e.Name]
	if in != nil {
		for h := range in.readers {
			h.add(e)
		}
	}
	if about == nil || about == in {
		return
	}
	for h := range about.readers {
		if in == nil || !in.readers[h] {
			h.add(e)
		}
	}
}

// fail tells all readers that events may have been lost.
func (s *source) fail(err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for h := range s.readers {
		h.fail(err)
	}
}
