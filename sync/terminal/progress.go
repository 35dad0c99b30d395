package terminal

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

// StandardError is where logs and errors go. At a terminal one line of progress may be below all of them: what is
// written replaces it, and it is drawn again below that.
//
// The cursor rests at the line's begin. A terminal that is made narrower breaks the line into several, and what is
// erased from there on is all of them.
type StandardError struct {
	To io.Writer

	mu   sync.Mutex
	line string // what is shown; "" for nothing
}

// Erase takes away the line of progress, and what a narrower terminal has made of it.
const Erase = "\r\x1b[J"

func (e *StandardError) Write(b []byte) (int, error) {
	e.mu.Lock()
	defer e.mu.Unlock()
	if e.line == "" {
		return e.To.Write(b)
	}
	above := strings.TrimSuffix(string(b), "\n") + "\n" // a line of progress cannot follow in the same row
	if _, err := io.WriteString(e.To, Erase+above+e.line+"\r"); err != nil {
		return 0, err
	}
	return len(b), nil
}

// draw shows a line below everything; "" removes it.
func (e *StandardError) draw(line string) {
	e.mu.Lock()
	defer e.mu.Unlock()
	switch {
	case line != "":
		_, _ = io.WriteString(e.To, Erase+line+"\r") // a terminal that is gone shows no progress
	case e.line != "":
		_, _ = io.WriteString(e.To, Erase)
	}
	e.line = line
}

// Progress says in one line at a terminal what is going on, and how far it is. Anywhere else it is silent.
type Progress struct {
	to      *StandardError // nil: silent
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

// Watch begins to show some work below what is written to a writer; End ends it. Pipes and CI jobs get none of it.
func Watch(w io.Writer) *Progress {
	to, ok := w.(*StandardError)
	if !ok || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || os.Getenv("CI") != "" {
		return &Progress{}
	}
	f, ok := to.To.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) {
		return &Progress{}
	}
	return newProgress(to, func() int {
		if width, _, err := term.GetSize(int(f.Fd())); err == nil && width > 0 {
			return width
		}
		return 80
	})
}

func newProgress(to *StandardError, columns func() int) *Progress {
	p := &Progress{to: to, columns: columns, stop: make(chan struct{}), stopped: make(chan struct{})}
	go p.run()
	return p
}

// Show says what is going on now. It may be called from any goroutine, also after the end.
func (p *Progress) Show(d report.Doing) {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.doing = d
}

// End takes the line away, for results to be printed. What is shown after it is not seen.
func (p *Progress) End() {
	if p.to == nil {
		return
	}
	p.once.Do(func() { close(p.stop) })
	<-p.stopped
}

func (p *Progress) run() {
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
func (p *Progress) line(d report.Doing) string {
	width := max(p.columns()-1, 1) // in the last column some terminals begin another line
	if d.Total > 0 {
		d.Done = min(d.Done, d.Total) // more than it was said to be: an archive that is unpacked as it comes
	}
	if d.Project != p.drawn.Project || d.Total != p.drawn.Total || d.Bytes != p.drawn.Bytes ||
		d.Done < p.drawn.Done ||
		d.Total == 0 && d.What != p.drawn.What || p.since.IsZero() {
		p.since = time.Now()
	}
	p.drawn = d
	text := strings.ReplaceAll(report.Printable(d.What), "\n", " ")
	if d.Project != "" {
		text = report.Printable(d.Project) + ": " + text
	}
	if width < 50 { // no room for a bar
		return begun(text, width)
	}
	before, after := p.around(d)
	return begun(before+begun(text, max(width-Columns(before)-Columns(after), 0))+after, width)
}

const (
	barColumns = 10
	signs      = "|/-\\" // where no total is known, one after the other
)

// around is what is drawn before and after the words of some work.
func (p *Progress) around(d report.Doing) (before, after string) {
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
