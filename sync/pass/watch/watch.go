// Package watch says when it is time to look at a working tree: some time after people began to change
// files that matter, when they are quiet again.
//
// Its law: an event is a hint and carries nothing. The woken one looks at the files themselves, so a lost,
// doubled or wrong event costs at most a scan; and because nine ordinary things deliver no event at all
// (a write through another hard link, a memory map, a share that another machine writes to), a full scan
// of the names and times of files, and of git's references, comes round regardless. Where it finds nothing
// new, files are read all the same once an hour.
//
// It watches folders, never single files, whose watch would end with the first save that renames a new
// file over the old one; and every folder from the root down to where a pattern can match, because a
// renamed ancestor says nothing below itself. A new folder is watched first and listed second: the other
// way round, files made in between are missed. What is behind a symbolic link is watched too, and every link on the way
// to it.
//
// Where the kernel gives no events, or not for everything (a network share, too many folders, changes that no event
// announced, twice in a row), names and times are compared every few seconds, and Stats says why.
//
// Only this package knows fsnotify. It reads no file contents, knows no formats and decides nothing about
// what a change means.
package watch

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/fsnotify/fsnotify"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/heartbeat"
)

// Options say what is watched.
type Options struct {
	// Root is the working tree. It need not exist yet.
	Root string
	// Patterns are the files that matter, relative to Root with slashes, in doublestar's grammar. None: only what
	// git does is watched.
	Patterns []string
	// GitDir is the repository's git directory, watched for the end of checkouts, rebases and commits; "" for
	// none. CommonDir is where a linked worktree has its branches, when that is another one.
	GitDir, CommonDir string
	// Debounce is how long changes must have been quiet before the files are read, MaxDelay how long the first of them
	// waits at most, Rescan how often names and times are compared regardless.
	Debounce, MaxDelay, Rescan time.Duration
	// Warn is told, in a sentence, what makes watching worse than it could be. It may be nil.
	Warn func(string)
	// Alive is told, from the goroutine that looks at the folders, that it does, and for how long it may have nothing
	// to do now: for each of them 0, and every few seconds while nothing happens. It may be nil, and must not block.
	Alive func(silence time.Duration)
	// Next is how long to wait for what is done every so often, where many watchers do it. It may be nil.
	Next func(every time.Duration) time.Duration
}

// Watcher watches one working tree.
type Watcher struct {
	o       Options
	gitDirs []string
	files   patterns
	limit   int           // of watches, before polling takes over
	polling time.Duration // between polls, at least
	beat    time.Duration // between looks at clock and root
	always  time.Duration // between readings of the files where nothing seems to have changed

	counting bool // nothing is watched, but it is noted what would be: see Foresee

	hints hints
	rings chan struct{} // one slot: a scan is wanted

	from *source // of events, where the file system is one that answers

	// Owned by the goroutine of Run.
	events    *source              // nil when there is none
	watched   map[string]bool      // folders that are watched, by full path
	links     links                // behind links that matter
	root      fs.FileInfo          // at the last full look; nil when there was none
	seen      map[string]fileStamp // matching files at the last full look, by path below Root
	git       map[string]fileStamp // what git keeps of branches, then
	looked    time.Time            // when that was: of what was young then, a later change may hide
	rung      time.Time            // when reading the files was last asked for
	announced bool                 // a file event came since then
	misses    int                  // full looks in a row that found what no event announced
	pollTimer *time.Timer
	warned    map[string]bool

	stats struct {
		watches, overflows, unannounced atomic.Int64
		poll                            atomic.Pointer[string]
	}
}

// Stats is how watching goes.
type Stats struct {
	Mode        string // "event", or "poll" where events do not come or not for everything
	Why         string // there is polling; "" where there is none
	Watches     int    // folders that are watched
	Events      int    // file events that came, of files that matter and of others beside them
	Overflows   int    // times that events were lost and everything was looked at instead
	Unannounced int    // full looks that found a change no event had announced
}

const (
	// maxWatches bounds what one tree takes of the user's share, which all programs have in common.
	maxWatches = 20_000
	// raiseWatches and raiseInstances name what to change.
	raiseWatches   = "raising the sysctl fs.inotify.max_user_watches helps"
	raiseInstances = "raising the sysctl fs.inotify.max_user_instances helps"
	// pollLeast is the shortest time between polls; long scans stretch it, so that they take 2 % of a core.
	pollLeast   = 2 * time.Second
	pollStretch = 50
	// beatEvery is how often the clocks are compared, and whether the root is still the same: a machine that slept has
	// missed events, and a folder above the root that is renamed makes none.
	beatEvery = 10 * time.Second
	slept     = 5 * time.Second
	// regardless is when files are read though nothing seems to have changed: what they are read with may have.
	regardless = time.Hour
)

// New checks the options and makes a watcher; nothing is watched before Run.
func New(o Options) (*Watcher, error) {
	files, err := newPatterns(o.Patterns)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", o.Root, err)
	}
	root, err := filepath.Abs(o.Root)
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", o.Root, err)
	}
	o.Root = root
	gitDirs, err := o.gitDirs()
	if err != nil {
		return nil, fmt.Errorf("watch %s: %w", root, err)
	}
	if o.Warn == nil {
		o.Warn = func(string) {}
	}
	if o.Alive == nil {
		o.Alive = func(time.Duration) {}
	}
	if o.Next == nil {
		o.Next = (*heartbeat.Part)(nil).Next
	}
	if o.Rescan <= 0 {
		return nil, fmt.Errorf("watch %s: the time between rescans must be longer than 0", root)
	}
	return &Watcher{
		o:       o,
		gitDirs: gitDirs,
		files:   files,
		limit:   systemLimit(),
		polling: pollLeast,
		beat:    beatEvery,
		always:  regardless,
		from:    shared,
		hints:   hints{paths: map[string]bool{}, wake: make(chan struct{}, 1)},
		rings:   make(chan struct{}, 1),
		watched: map[string]bool{},
		warned:  map[string]bool{},
		links:   newLinks(),
	}, nil
}

// Stats may be called from any goroutine.
func (w *Watcher) Stats() Stats {
	s := Stats{
		Watches:     int(w.stats.watches.Load()),
		Events:      int(w.hints.events.Load()),
		Mode:        "event",
		Overflows:   int(w.stats.overflows.Load()),
		Unannounced: int(w.stats.unannounced.Load()),
	}
	if why := w.stats.poll.Load(); why != nil {
		s.Mode, s.Why = "poll", *why
	}
	return s
}

// Run watches until ctx ends and then returns its error. look is called, never twice at a time, once when
// everything is watched, after each settled batch of changes and after each rescan that finds one. While it runs,
// changes are collected.
func (w *Watcher) Run(ctx context.Context, look func()) error {
	var parts fault.Group
	defer parts.Wait()
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()

	w.begin()
	defer w.end()
	w.rescan(false)
	w.ring()
	parts.Go(func() {
		defer cancel()
		debounce(ctx, w.rings, w.o.Debounce, w.o.MaxDelay, look)
	})
	return w.watch(ctx)
}

// begin joins the source of events. Without one, polling does all of the work.
func (w *Watcher) begin() {
	w.pollTimer = time.NewTimer(time.Hour)
	w.pollTimer.Stop()
	why := w.unreliable()
	from := w.from
	if why != "" || w.remoteGit() {
		from = newSource() // where such a file system does not answer, others do not wait for it
	}
	if err := from.join(&w.hints); err != nil {
		w.poll(noEvents(err))
		return
	}
	w.events = from
	if why != "" {
		w.poll(why)
	}
}

// noEvents says why the system tells of no events, and what helps.
func noEvents(err error) string {
	hint := ""
	if errors.Is(err, syscall.EMFILE) {
		hint = "; " + raiseInstances
	}
	return fmt.Sprintf("file events cannot be had (%v)%s", err, hint)
}

func (w *Watcher) end() {
	if w.events != nil {
		w.events.leave(&w.hints, w.watched)
	}
}

// watch is the loop: the only goroutine that touches the watches.
func (w *Watcher) watch(ctx context.Context) error {
	rescan := time.NewTicker(w.o.Rescan)
	defer rescan.Stop()
	silence := w.o.Next(w.beat)
	beat := time.NewTimer(silence)
	defer beat.Stop()
	defer w.pollTimer.Stop()
	last := time.Now()
	for {
		w.o.Alive(silence)
		select {
		case <-ctx.Done():
			return ctx.Err()
		case <-w.hints.wake:
			w.follow()
		case <-rescan.C:
			if w.rescan(false) || time.Since(w.rung) >= w.always {
				w.ring()
			}
		case <-w.pollTimer.C:
			if w.rescan(true) {
				w.ring()
			}
		case now := <-beat.C:
			if jumped(last, now) || w.moved() {
				w.announced = true
				w.rescan(false)
				w.ring()
			}
			last = now
			silence = w.o.Next(w.beat)
			beat.Reset(silence)
		}
	}
}

// jumped reports whether the wall clock was set between two times, or the machine slept: that time counts on the wall
// clock only.
func jumped(before, after time.Time) bool {
	return jumpedBy(before, after, 0)
}

// jumpedBy is jumped with the wall clock set by so much more.
func jumpedBy(before, after time.Time, more time.Duration) bool {
	jump := after.Round(0).Sub(before.Round(0)) - after.Sub(before) + more
	return jump > slept || jump < -slept
}

// moved reports whether the root is another folder than at the last full look, came or went.
func (w *Watcher) moved() bool {
	info, err := os.Stat(w.o.Root)
	if err != nil || w.root == nil {
		return (err == nil) != (w.root != nil)
	}
	return !os.SameFile(info, w.root)
}

func (w *Watcher) ring() {
	w.rung = time.Now()
	select {
	case w.rings <- struct{}{}:
	default: // one is on its way
	}
}

// follow takes the hints that came together and brings the watches in line with the disk. The order of
// events does not matter: first goes what may be gone, then comes what is there.
func (w *Watcher) follow() {
	paths, failures := w.hints.take()
	if len(failures) > 0 {
		for _, err := range failures {
			if errors.Is(err, fsnotify.ErrEventOverflow) {
				w.stats.overflows.Add(1)
			} else {
				w.warn("events", fmt.Sprintf("watching %s: %v; everything is looked at again", w.o.Root, err))
			}
		}
		w.announced = true // not that nothing was said: it was lost
		if w.rescan(false) {
			w.ring()
		}
		return
	}
	rings, rejoins := false, false
	var folders []string
	for path, structural := range paths {
		if w.inGit(path) {
			rings = rings || gitDone(path, structural)
			if structural {
				folders = append(folders, path)
			}
			continue
		}
		rel, ok := w.below(path)
		if w.links.steps[path] {
			rings, rejoins = true, rejoins || structural
		}
		switch {
		case !ok:
		case w.files.match(rel) && !temporary(filepath.Base(path)):
			rings, w.announced = true, true
			if structural {
				folders = append(folders, path)
			}
		case structural && (w.watched[path] || w.files.reaches(rel)):
			folders = append(folders, path)
		}
	}
	slices.Sort(folders) // the upper ones first: with them go the lower ones
	for _, folder := range folders {
		if w.forget(folder) {
			rings, w.announced = true, true // what was below may have been files that matter
		}
	}
	for _, folder := range folders {
		if w.enter(folder) {
			rings, w.announced = true, true
		}
	}
	if rejoins {
		w.rejoin()
	}
	if rings {
		w.announced = true
		w.ring()
	}
}

// below is a path relative to the root, with slashes.
func (w *Watcher) below(path string) (string, bool) {
	if path == w.o.Root {
		return "", true
	}
	rel, ok := strings.CutPrefix(path, strings.TrimSuffix(w.o.Root, string(filepath.Separator))+string(filepath.Separator))
	return filepath.ToSlash(rel), ok
}

// forget ends the watches of a folder that was there and all below it, and reports whether there were any.
func (w *Watcher) forget(folder string) bool {
	if !w.watched[folder] {
		return false
	}
	for path := range w.watched {
		if path == folder || strings.HasPrefix(path, folder+string(filepath.Separator)) {
			delete(w.watched, path)
			w.events.remove(path, &w.hints)
		}
	}
	w.stats.watches.Store(int64(len(w.watched)))
	return true
}

// enter watches a folder that appeared, and what is in it; it reports whether files that matter are.
func (w *Watcher) enter(folder string) bool {
	info, err := os.Lstat(folder)
	if err != nil || !info.IsDir() {
		return false
	}
	if w.inGit(folder) {
		if isBranch(folder) {
			w.watchBranches(folder)
		}
		return false
	}
	rel, _ := w.below(folder)
	if rel != "" && isRepository(folder) {
		return false
	}
	return len(w.walk(rel)) > 0
}

// rescan watches every folder that matters, again where it is watched already (it may be another one of
// the same name), and compares the files with the last time. polled says that events are not expected. It
// reports whether something has changed, or may have.
func (w *Watcher) rescan(polled bool) bool {
	began := time.Now()
	if w.moved() {
		for path := range maps.Clone(w.watched) {
			w.forget(path) // the watches are on what once was there
		}
	}
	w.root, _ = os.Stat(w.o.Root)
	w.watchGit()
	for path := range w.watched {
		w.o.Alive(0)
		if _, err := os.Lstat(path); errors.Is(err, fs.ErrNotExist) {
			w.forget(path)
		}
	}
	now, git := w.walk(""), w.references()
	changed := w.seen != nil && !sameFiles(w.seen, now)
	switch {
	case changed && !w.announced && !polled:
		w.stats.unannounced.Add(1)
		if w.misses++; w.misses == 2 {
			w.poll(fmt.Sprintf("changes in %s come without file events", w.o.Root))
		}
	case changed:
		w.misses = 0
	}
	changed = !maps.Equal(w.seen, now) || !maps.Equal(w.git, git)
	if polled {
		changed = changed || young(w.looked, min(racy, w.polling), fileStamp.written, w.seen)
	} else {
		changed = changed || young(w.looked, settled, fileStamp.touched, w.seen) ||
			young(w.looked, settled, fileStamp.touched, w.git)
	}
	w.seen, w.git, w.announced, w.looked = now, git, false, began
	if w.stats.poll.Load() != nil {
		w.pollTimer.Reset(max(w.polling, pollStretch*time.Since(began)))
	}
	return changed
}

// add watches one folder. Where that fails for good, polling takes over; what is watched stays watched.
func (w *Watcher) add(path string) {
	if w.counting {
		w.watched[path] = true
	}
	if w.events == nil {
		return
	}
	if len(w.watched) >= w.limit && !w.watched[path] {
		why := fmt.Sprintf("%s has more than %d folders to watch", w.o.Root, w.limit)
		if w.limit < maxWatches {
			why += ", and the rest of this user's share is for other programs (" + raiseWatches + ")"
		}
		w.poll(why)
		return
	}
	switch err := w.events.add(path, &w.hints); {
	case err == nil:
		w.watched[path] = true
		w.stats.watches.Store(int64(len(w.watched)))
	case errors.Is(err, syscall.ENOSPC):
		w.poll("the user's limit of watched folders is reached (" + raiseWatches + ")")
	case errors.Is(err, errNoQueue):
		w.poll(noEvents(err))
	case errors.Is(err, syscall.EMFILE), errors.Is(err, syscall.ENFILE):
		w.poll("the limit of open files is reached (raising it with ulimit -n, or LimitNOFILE= of a systemd unit, helps)")
	case errors.Is(err, fs.ErrNotExist):
		// gone again, and that is an event of the folder above
	default:
		w.warn(path, fmt.Sprintf("watch %s: %v; its files are seen at the rescan only", path, err))
	}
}

// poll begins to poll, once, and says why.
func (w *Watcher) poll(why string) {
	if w.stats.poll.CompareAndSwap(nil, &why) {
		w.o.Warn(why + "; files are compared every few seconds instead")
		w.pollTimer.Reset(w.polling)
	}
}

// warn says a thing once for each subject.
func (w *Watcher) warn(subject, message string) {
	if !w.warned[subject] {
		w.warned[subject] = true
		w.o.Warn(message)
	}
}
