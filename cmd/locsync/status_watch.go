package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/signal"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/terminal"
)

const (
	// lookEvery is how often a status that is watched is asked for. A look that takes long is not repeated before watchShare times as much has passed,
	// so that watching costs a daemon little.
	lookEvery  = time.Second
	watchShare = 20
	// drawEvery is how often the times at a terminal are brought up to date where nothing else changes.
	drawEvery = 5 * time.Second
)

// watchStatus shows the status again when it changes, until ctx ends, which is how it is meant to end.
func (a *app) watchStatus(ctx context.Context, cfg *config.Config, o statusOptions) error {
	out := a.screen()
	if out.terminal && !out.dumb && !a.asJSON {
		return a.watchAtTerminal(ctx, cfg, out, o)
	}
	for s, err := range a.changes(ctx, cfg, o.project) {
		if err != nil {
			return err
		}
		if err := a.sayChange(out, s); err != nil {
			return err
		}
	}
	return nil
}

// sayChange writes a status that is one of many: a line of JSON, or text below the time.
func (a *app) sayChange(out *screen, s report.Status) error {
	if !a.asJSON {
		_, err := fmt.Fprintf(out.to, "-- %s\n%s", inUTC(time.Now()), out.status(s, time.Now(), true))
		return err
	}
	return a.printLine(s)
}

// changes is the status as it is, and again whenever it is another one.
func (a *app) changes(ctx context.Context, cfg *config.Config, project string) func(yield func(report.Status, error) bool) {
	return func(yield func(report.Status, error) bool) {
		var last []byte
		for {
			began := time.Now()
			if edited, err := readConfig(cfg.File); err == nil { // else the last good one holds, as it does for the daemon
				cfg = edited
			}
			s, err := a.status(ctx, cfg)
			s = s.Only(project)
			if ctx.Err() != nil {
				return
			}
			if err != nil {
				yield(s, err)
				return
			}
			now, err := json.Marshal(s)
			if err != nil {
				yield(s, err)
				return
			}
			if !bytes.Equal(now, last) && !yield(s, nil) {
				return
			}
			last = now
			select {
			case <-ctx.Done():
				return
			case <-time.After(max(lookEvery, watchShare*time.Since(began))):
			}
		}
	}
}

// Escape sequences of a terminal (ECMA-48, and xterm's screens).
const (
	enterScreen = "\x1b[?1049h\x1b[?25l\x1b[?7l" // another screen, without a cursor, where a line that is too long is cut
	leaveScreen = "\x1b[?7h\x1b[?25h\x1b[?1049l"
	home        = "\x1b[H"
	eraseLine   = "\x1b[K"
	eraseBelow  = "\x1b[J"
)

// watchAtTerminal draws the status on a screen of its own, and gives back the one that was there before, whatever ends it.
func (a *app) watchAtTerminal(ctx context.Context, cfg *config.Config, out *screen, o statusOptions) (err error) {
	signals := make(chan os.Signal, 1)
	notifyTerminal(signals)
	defer signal.Stop(signals)
	looks, failed := make(chan report.Status), make(chan error, 1)
	go func() {
		defer close(looks)
		for s, err := range a.changes(ctx, cfg, o.project) {
			if err != nil {
				failed <- err
				return
			}
			select {
			case looks <- s:
			case <-ctx.Done():
				return
			}
		}
	}()
	if _, err := io.WriteString(out.to, enterScreen); err != nil {
		return err
	}
	defer func() {
		if _, werr := io.WriteString(out.to, leaveScreen); err == nil {
			err = werr
		}
	}()
	tick := time.NewTicker(drawEvery)
	defer tick.Stop()
	var s *report.Status
	for {
		select {
		case <-ctx.Done():
			return nil
		case next, ok := <-looks:
			if !ok {
				select {
				case err := <-failed:
					return err
				default:
					return nil
				}
			}
			s = &next
		case got := <-signals:
			if suspends(got) {
				if err := out.leaveFor(suspend); err != nil {
					return err
				}
			}
		case <-tick.C:
		}
		if out.file != nil {
			out.measure()
		}
		if s != nil {
			if _, err := io.WriteString(out.to, out.frame(*s, time.Now(), o.all)); err != nil {
				return err
			}
		}
	}
}

// leaveFor gives back the screen that was there before for as long as something lasts.
func (s *screen) leaveFor(do func() error) error {
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
func (s *screen) fitting(line, end string) string {
	if terminal.Columns(line+end) <= s.width {
		line += end
	}
	return line
}

// frame is one picture: a line with the time, the status, and where it does not fit how much is below. Each line is erased by itself: the whole screen would
// flicker. That is done before it is written: behind the last column a terminal stays on that column, and would erase it.
func (s *screen) frame(st report.Status, now time.Time, all bool) string {
	lines := strings.Split(strings.TrimRight(s.status(st, now, all), "\n"), "\n")
	if room := s.height - 2; len(lines) > room && room > 1 {
		hidden := len(lines) - room + 1
		lines = append(lines[:room-1:room-1], s.in(faint, s.fitting(fmt.Sprintf("and %s below", plural(hidden, "line", "lines")), "; a larger window, or locsync status")))
	}
	var b strings.Builder
	b.WriteString(home)
	for _, line := range append([]string{s.in(faint, s.fitting("locsync status, "+inUTC(now), "; Ctrl-C ends it")), ""}, lines...) {
		b.WriteString(eraseLine + line + "\r\n")
	}
	picture := strings.TrimSuffix(b.String(), "\r\n") // the last one would scroll
	return picture + eraseBelow
}
