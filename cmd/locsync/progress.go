package main

import (
	"fmt"
	"io"
	"os"
	"strings"
	"sync"
	"time"

	"golang.org/x/term"

	"github.com/locsync/locsync/sync/report"
)

// Work that takes less than progressDelay shows no progress; longer work is drawn anew every progressPeriod.
const (
	progressDelay  = 300 * time.Millisecond
	progressPeriod = 100 * time.Millisecond
)

// standardError is where logs and errors go. At a terminal one line of progress may stand below all of them: what is written takes its place, and
// it is drawn again below that.
//
// The cursor rests at the line's begin. A terminal that is made narrower breaks the line into several, and what is erased from there on is all of them.
type standardError struct {
	to io.Writer

	mu   sync.Mutex
	line string // what stands there; "" for nothing
}

const erase = "\r\x1b[J"

func (e *standardError) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.line == "" {
		return e.to.Write(b)
	}
	above := strings.TrimSuffix(string(b), "\n") + "\n" // a line of progress cannot follow in the same row
	if _, err := io.WriteString(e.to, erase+above+e.line+"\r"); err != nil {
		return 0, err
	}
	return len(b), nil
}

// draw has a line stand below everything; "" takes it away.
func (e *standardError) draw(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case line != "":
		_, _ = io.WriteString(e.to, erase+line+"\r") // a terminal that is gone shows no progress
	case e.line != "":
		_, _ = io.WriteString(e.to, erase)
	}
	e.line = line
}

// progress says in one line at a terminal what is going on, and how far it is. Anywhere else it is silent.
type progress struct {
	to      *standardError // nil: silent
	columns func() int     // of the terminal, as it is now
	stop    chan struct{}
	stopped chan struct{}
	once    sync.Once

	mu    sync.Mutex
	doing report.Doing

	// of the goroutine that draws:
	drawn report.Doing
	since time.Time // when that work began
}

// progress begins to watch over some work; end ends it. Nobody watches a pipe or a CI job, and --json is for programs.
func (a *app) progress() *progress {
	to, ok := a.err.(*standardError)
	if !ok || a.asJSON || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || os.Getenv("CI") != "" {
		return &progress{}
	}
	f, ok := to.to.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &progress{}
	}
	return newProgress(to, func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	})
}

func newProgress(to *standardError, columns func() int) *progress {
	p := &progress{to: to, columns: columns, stop: make(chan struct{}), stopped: make(chan struct{})}
	go p.run()
	return p
}

// show says what is going on now. It may be called from any goroutine, also after the end.
func (p *progress) show(d report.Doing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = d
}

// end takes the line away, for results to be printed. What is shown after it is not seen.
func (p *progress) end() {
	if p.to == nil {
		return
	}
	p.once.Do(func() { close(p.stop) })
	<-p.stopped
}

func (p *progress) run() {
	defer close(p.stopped)
	defer p.to.draw("")
	delay := time.NewTimer(progressDelay)
	defer delay.Stop()
	select {
	case <-p.stop:
		return
	case <-delay.C:
	}
	tick := time.NewTicker(progressPeriod)
	defer tick.Stop()
	for {
		p.mu.Lock()
		d := p.doing
		p.mu.Unlock()
		if d.What != "" {
			p.to.draw(p.line(d))
		}
		select {
		case <-p.stop:
			return
		case <-tick.C:
		}
	}
}

// line is what is drawn: a bar where the total is known, else a sign that moves.
func (p *progress) line(d report.Doing) string {
	width := max(p.columns()-1, 1) // in the last column some terminals begin another line
	if d.Total > 0 {
		d.Done = min(d.Done, d.Total) // more than it was said to be: an archive that is unpacked as it comes
	}
	if d.Project != p.drawn.Project || d.Total != p.drawn.Total || d.Bytes != p.drawn.Bytes || d.Done < p.drawn.Done ||
		d.Total == 0 && d.What != p.drawn.What || p.since.IsZero() {
		p.since = time.Now()
	}
	p.drawn = d
	text := strings.ReplaceAll(shown(d.What), "\n", " ")
	if d.Project != "" {
		text = shown(d.Project) + ": " + text
	}
	if width < 50 { // no room for a bar
		return begun(text, width)
	}
	before, after := p.around(d)
	return begun(before+begun(text, max(width-columns(before)-columns(after), 0))+after, width)
}

const (
	barColumns = 10
	signs      = "|/-\\" // where no total is known, one after the other
)

// around is what is drawn before and after the words of some work.
func (p *progress) around(d report.Doing) (before, after string) {
	elapsed := time.Since(p.since)
	count := fmt.Sprintf("%d", d.Done)
	if d.Bytes {
		count = fmt.Sprintf("%.1f MB", float64(d.Done)/1e6)
	}
	switch {
	case d.Total > 0:
		total := fmt.Sprintf("%d", d.Total)
		if d.Bytes {
			total = fmt.Sprintf("%.1f MB", float64(d.Total)/1e6)
		}
		full := int(barColumns * d.Done / d.Total)
		bar := strings.Repeat("=", full)
		if full < barColumns {
			bar += ">" + strings.Repeat(" ", barColumns-full-1)
		}
		after = fmt.Sprintf(" %3d%% [%s] (%s/%s)", 100*d.Done/d.Total, bar, count, total)
	default:
		before = string(signs[int(elapsed/progressPeriod)%len(signs)]) + " "
		if d.Bytes {
			after = " (" + count + ")"
		}
	}
	return before, after + fmt.Sprintf(" [%s]", elapsed.Truncate(time.Second))
}

// begun is a text, or so many columns of its begin.
func begun(text string, to int) string {
	if columns(text) <= to {
		return text
	}
	var b strings.Builder
	for _, r := range text {
		if to -= columnsOf(r); to < 1 {
			break
		}
		b.WriteRune(r)
	}
	return b.String() + "…"
}
