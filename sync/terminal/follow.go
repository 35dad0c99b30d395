package terminal

import (
	"context"
	"fmt"
	"io"
	"iter"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// Escape sequences of a terminal (ECMA-48, and xterm's screens).
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l" // another screen, without a cursor, where a line that is too long is cut
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	eraseLine   = "\x1b[K"
	eraseBelow  = "\x1b[J"
)

// drawEvery is how often the times at a terminal are brought up to date where nothing else changes.
const drawEvery = 5 * time.Second

// Follow shows each status of several, until ctx ends: at a terminal instead of the one before, else below the
// time.
func (s *Screen) Follow(ctx context.Context, changes iter.Seq2[report.Status, error], all bool) error {
	if s.terminal && !s.dumb {
		return s.draw(ctx, changes, all)
	}
	for st, err := range changes {
		if err != nil {
			return err
		}
		now := time.Now()
		if _, err := fmt.Fprintf(s.to, "-- %s\n%s", report.InUTC(now), s.statusText(st, now, true)); err != nil {
			return err
		}
	}
	return nil
}

// draw shows statuses on a screen of their own, and gives back the one that was there before, whatever ends it.
func (s *Screen) draw(ctx context.Context, changes iter.Seq2[report.Status, error], all bool) (err error) {
	signals := make(chan os.Signal, 1)
	notifyTerminal(signals)
	defer signal.Stop(signals)
	statuses, failed := received(ctx, changes)
	if _, err := io.WriteString(s.to, enterScreen); err != nil {
		return err
	}
	defer func() {
		if _, werr := io.WriteString(s.to, leaveScreen); err == nil {
			err = werr
		}
	}()
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	var latest *report.Status
	for {
		select {
		case <-ctx.Done():
			return nil
		case next, ok := <-statuses:
			if !ok {
				select {
				case err := <-failed:
					return err
				default:
					return nil
				}
			}
			latest = &next
		case got := <-signals:
			if suspends(got) {
				if err := s.leaveFor(suspend); err != nil {
					return err
				}
			}
		case <-tick.C:
		}
		if s.file != nil {
			s.measure()
		}
		if latest != nil {
			if _, err := io.WriteString(s.to, s.frame(*latest, time.Now(), all)); err != nil {
				return err
			}
		}
	}
}

// received is what changes yield, from a goroutine of its own, and the error that ends it early.
func received(ctx context.Context, changes iter.Seq2[report.Status, error]) (<-chan report.Status, <-chan error) {
	statuses, failed := make(chan report.Status), make(chan error, 1)
	go func() {
		defer close(statuses)
		for st, err := range changes {
			if err != nil {
				failed <- err
				return
			}
			select {
			case statuses <- st:
			case <-ctx.Done():
				return
			}
		}
	}()
	return statuses, failed
}

// leaveFor gives back the screen that was there before for as long as something lasts.
func (s *Screen) leaveFor(do func() error) error {
	if _, err := io.WriteString(s.to, leaveScreen); err != nil {
		return err
	}
	if err := do(); err != nil {
		return err
	}
	_, err := io.WriteString(s.to, enterScreen)
	return err
}

// fitting is a line with an end that goes first where the screen is too narrow.
func (s *Screen) fitting(line, end string) string {
	if Columns(line+end) <= s.width {
		line += end
	}
	return line
}

// frame is one picture: a line with the time, the status, and where it does not fit how much is below. Each line is
// erased by itself: the whole screen would flicker. That is done before it is written: behind the last column a
// terminal stays on that column, and would erase it.
func (s *Screen) frame(st report.Status, now time.Time, all bool) string {
	lines := strings.Split(strings.TrimRight(s.statusText(st, now, all), "\n"), "\n")
	if height := s.height - 2; len(lines) > height && height > 1 {
		hidden := len(lines) - height + 1
		lines = append(lines[:height-1:height-1], s.in(faint,
			s.fitting("and "+Count(hidden, "line")+" below", "; a larger window, or locsync status")))
	}
	var b strings.Builder
	b.WriteString(home)
	for _, line := range append([]string{s.in(faint, s.fitting("locsync status, "+local(now, now), "; Ctrl-C ends it")),
		""}, lines...) {
		b.WriteString(eraseLine + line + "\r\n")
	}
	picture := strings.TrimSuffix(b.String(), "\r\n") // the last one would scroll
	return picture + eraseBelow
}
