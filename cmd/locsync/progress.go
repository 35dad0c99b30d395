package main

import (
	"fmt"
	"os"
	"strings"
	"sync"

	"golang.org/x/term"
)

// progress is one line at a terminal that says what is going on, rewritten in place. Anywhere else it is silent.
type progress struct {
	mu    sync.Mutex
	file  *os.File // nil: silent
	shown int
}

func (a *app) progress() *progress {
	f, ok := a.err.(*os.File)
	if !ok || !term.IsTerminal(int(f.Fd())) || os.Getenv("NO_COLOR") != "" || os.Getenv("TERM") == "dumb" || a.asJSON {
		return &progress{}
	}
	return &progress{file: f}
}

func (p *progress) show(project, what string) {
	if p.file == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	line := []rune(strings.ReplaceAll(shown(project+": "+what), "\n", " "))
	if width, _, err := term.GetSize(int(p.file.Fd())); err == nil && len(line) >= width && width > 1 {
		line = append(line[:width-2], '…')
	}
	fmt.Fprintf(p.file, "\r\x1b[K%s", string(line))
	p.shown = len(line)
}

func (p *progress) clear() {
	if p.file == nil {
		return
	}
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.shown > 0 {
		fmt.Fprint(p.file, "\r\x1b[K")
		p.shown = 0
	}
}
