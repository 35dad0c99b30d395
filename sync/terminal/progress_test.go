package terminal

import (
	"bytes"
	"fmt"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/sync/report"
)

// glass is what a person sees of what is sent to a terminal: rows of text, and where the cursor is. It knows what
// the progress line uses, and fails at anything else.
type glass struct {
	rows     []string
	row, col int
}

func (g *glass) see(t rapid.TB, sent string) {
	t.Helper()
	if g.rows == nil {
		g.rows = []string{""}
	}
	sent = strings.ReplaceAll(sent, "…", "~") // one column
	for sent != "" {
		rest, erases := strings.CutPrefix(sent, "\x1b[J")
		if erases {
			g.rows = append(g.rows[:g.row], g.rows[g.row][:min(g.col, len(g.rows[g.row]))])
			sent = rest
			continue
		}
		c := sent[0]
		sent = sent[1:]
		switch {
		case c == '\r':
			g.col = 0
		case c == '\n':
			g.row, g.col = g.row+1, 0
			if g.row == len(g.rows) {
				g.rows = append(g.rows, "")
			}
		case c < ' ' || c > '~':
			t.Fatalf("%q was sent to the terminal", c)
		default:
			line := g.rows[g.row]
			line += strings.Repeat(" ", max(0, g.col-len(line)))
			g.rows[g.row] = line[:g.col] + string(c) + line[min(g.col+1, len(line)):]
			g.col++
		}
	}
}

// watched is progress at a terminal of that many columns, in a bubble of time.
func watched(columns int) (*Progress, *bytes.Buffer) {
	var sent bytes.Buffer
	return newProgress(&StandardError{To: &sent}, func() int { return columns }), &sent
}

// taken is what was sent since it was asked last.
func (p *Progress) taken(sent *bytes.Buffer) string {
	p.to.mu.Lock()
	defer p.to.mu.Unlock()
	defer sent.Reset()
	return sent.String()
}

// Short work shows nothing at all: not a byte.
func TestProgressOfShortWork(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, sent := watched(80)
		p.Show(report.Doing{Project: "app", What: "reading"})
		time.Sleep(progressDelay - time.Millisecond)
		p.End()
		if sent.Len() > 0 {
			t.Errorf("%q was sent", sent)
		}
		p.Show(report.Doing{What: "late"}) // of a goroutine that has not heard of the end
		time.Sleep(time.Second)
		if sent.Len() > 0 {
			t.Errorf("%q was sent after the end", sent)
		}
	})
}

func TestProgress(t *testing.T) {
	synctest.Test(t, func(t *testing.T) {
		p, sent := watched(80)
		defer p.End()
		var g glass
		looks := func(want string, more ...string) {
			t.Helper()
			time.Sleep(progressPeriod + time.Millisecond)
			synctest.Wait()
			g.see(t, p.taken(sent))
			last := g.rows[len(g.rows)-1]
			for _, w := range append(more, want) {
				if !strings.Contains(last, w) {
					t.Errorf("%q is not in %q", w, last)
				}
			}
			if len(last) > 79 {
				t.Errorf("%d columns: %q", len(last), last)
			}
		}
		p.Show(report.Doing{Project: "app", What: "waiting for git"})
		time.Sleep(progressDelay)
		looks("app: waiting for git", "[0s]")
		time.Sleep(5 * time.Second)
		looks("app: waiting for git", "[5s]")
		p.Show(report.Doing{Project: "app", What: "sending 3 files to \"main\" (en)", Done: 0, Total: 4})
		looks("sending 3 files", "0%", "(0/4)")
		time.Sleep(4 * time.Second)
		p.Show(report.Doing{Project: "app", What: "sending 3 files to \"main\" (de)", Done: 2, Total: 4})
		looks("(de)", "50%", "(2/4)", "[4s]")
		p.Show(report.Doing{Project: "app", What: "fetching", Done: 512 << 10, Total: 1 << 20, Bytes: true})
		looks("50%", "fetching", "MB")
		p.Show(report.Doing{Project: "app", What: "fetching", Done: 3 << 20, Bytes: true})
		looks("fetching", "3.1 MB")
		p.Show(report.Doing{Project: strings.Repeat("long", 30), What: strings.Repeat("words ", 30), Total: 7})
		looks("(0/7)")
		p.Show(report.Doing{What: "a\x1b[2Jb\nc"})
		looks(`a\u001b[2Jb c`)

		// What is logged stands above, whole, and the line below it as before.
		fmt.Fprintln(p.to, "a warning")
		looks("b c")
		fmt.Fprint(p.to, "without an end")
		looks("b c")
		p.End()
		g.see(t, p.taken(sent))
		if got := strings.Join(g.rows, "|"); got != "a warning|without an end|" {
			t.Errorf("left behind: %q", got)
		}
	})
}

// Whatever is told and logged, in whatever order: the terminal shows the log lines in their order and below them at
// most one line, which is gone at the end.
func TestProgressTearsNothing(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var sent bytes.Buffer
		e := &StandardError{To: &sent}
		p := &Progress{to: e, columns: rapid.Map(rapid.IntRange(4, 120),
			func(n int) func() int { return func() int { return n } }).Draw(t, "columns")}
		var want []string
		var g glass
		for range rapid.IntRange(1, 30).Draw(t, "events") {
			if rapid.Bool().Draw(t, "log") {
				line := rapid.StringMatching(`[ -~]{0,30}`).Draw(t, "line")
				want = append(want, line)
				fmt.Fprintln(e, line)
			} else {
				d := report.Doing{Project: rapid.StringMatching(`[a-z]{0,9}`).Draw(t, "project"),
					What: rapid.StringMatching(`[a-z]( ?[a-z]){0,60}`).Draw(t, "what"),
					Done: rapid.Int64Range(0, 1<<40).Draw(t, "done"), Total: rapid.Int64Range(0, 1<<40).Draw(t,
						"total"), Bytes: rapid.Bool().Draw(t, "bytes")}
				e.draw(p.line(d))
			}
			g.see(t, sent.String())
			sent.Reset()
			if len(g.rows) > len(want)+1 {
				t.Fatalf("%q", g.rows)
			}
			if last := g.rows[len(g.rows)-1]; len(last) >= p.columns() && len(g.rows) > len(want) && p.columns() > 4 {
				t.Fatalf("%d columns of %d: %q", len(last), p.columns(), last)
			}
		}
		e.draw("")
		g.see(t, sent.String())
		if got := strings.Join(g.rows, "\n"); got != strings.Join(append(want, ""), "\n") {
			t.Fatalf("shown:\n%s\nwant:\n%s", got, strings.Join(want, "\n"))
		}
	})
}
