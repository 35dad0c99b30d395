package object

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/locsync/locsync/gitops/run"
)

// maxObject bounds what one object may claim to be, so that a damaged header does not become an allocation.
const maxObject = 2 << 30

// program reads objects through one `git cat-file --batch-command`, which is started for the first of them and runs
// until Close. It works in a git folder of its own with nothing in it but the format, on the repository's objects: so
// it asks no remote for what a partial clone left out, and follows no replacement.
type program struct {
	git    *run.Program
	dir    string // the folder of objects
	format Format

	mu     sync.Mutex
	cmd    *exec.Cmd // nil while none runs
	folder string    // the git folder of its own
	in     io.WriteCloser
	out    *bufio.Reader
	closer io.Closer
}

// diedError is a program that ended, with what it said last.
type diedError struct {
	said string
	err  error
}

func (e *diedError) Error() string { return "git cat-file: " + e.said + e.err.Error() }
func (e *diedError) Unwrap() error { return e.err }

// Read implements Reader.
func (p *program) Read(n Name) (Kind, []byte, error) {
	k, _, data, err := p.ask("contents", n)
	return k, data, err
}

// Size implements Reader.
func (p *program) Size(n Name) (Kind, int64, error) {
	k, size, _, err := p.ask("info", n)
	return k, size, err
}

// ask gives one command, and gives it once more where the program was killed.
func (p *program) ask(command string, n Name) (k Kind, size int64, data []byte, err error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	for range 2 {
		if err = p.start(); err != nil {
			return 0, 0, nil, err
		}
		k, size, data, err = p.exchange(command, n)
		var died *diedError
		if !errors.As(err, &died) {
			// The program has read its folder and needs it no more: so a process that is killed leaves none.
			_ = os.RemoveAll(p.folder)
			break
		}
		_ = p.stop()
	}
	return k, size, data, err
}

// exchange gives a command and reads the answer. Both streams of the program are one here, so what it says about
// damage comes before its answer: "missing" after such words is no absence.
func (p *program) exchange(command string, n Name) (k Kind, size int64, data []byte, err error) {
	if _, err := io.WriteString(p.in, command+" "+n.String()+"\n"); err != nil {
		return 0, 0, nil, &diedError{"", err}
	}
	said := ""
	for {
		line, err := p.out.ReadString('\n')
		if err != nil {
			return 0, 0, nil, &diedError{said + line, err}
		}
		answer, ok := strings.CutPrefix(line, n.String()+" ")
		if !ok {
			said += line
			continue
		}
		word, length, _ := strings.Cut(strings.TrimSpace(answer), " ")
		if word == "missing" && said == "" {
			return 0, 0, nil, ErrMissing
		}
		if k, err = plumbing.ParseObjectType(word); err == nil {
			size, err = strconv.ParseInt(length, 10, 64)
		}
		if err != nil || size > maxObject {
			return 0, 0, nil, fmt.Errorf("git cat-file: %s%s", said, strings.TrimSpace(answer))
		}
		break
	}
	if command == "info" {
		return k, size, nil, nil
	}
	data = make([]byte, size+1) // the line ends behind it
	if _, err := io.ReadFull(p.out, data); err != nil {
		return 0, 0, nil, &diedError{said, err}
	}
	// Words about damage may come in the middle of a content, in place of its rest.
	sum := p.format.digest()
	fmt.Fprintf(sum, "%s %d\x00", k, size)
	sum.Write(data[:size])
	if fromBytes(sum.Sum(nil)) != n {
		return 0, 0, nil, &diedError{said, fmt.Errorf("the content of %s is not what its name says", n)}
	}
	return k, size, data[:size:size], nil
}

// start starts the program where none runs.
func (p *program) start() (err error) {
	if p.cmd != nil {
		return nil
	}
	if p.folder, err = os.MkdirTemp("", "locsync-objects-"); err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start git cat-file: %w", err), os.RemoveAll(p.folder))
		}
	}()
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n" +
		fmt.Sprintf("[extensions]\n\tobjectformat = %s\n", p.format)
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config} {
		if err := os.WriteFile(filepath.Join(p.folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(p.folder, "refs"), 0o700); err != nil {
		return err
	}
	in, stdin, err := os.Pipe()
	if err != nil {
		return err
	}
	defer in.Close()
	stdout, out, err := os.Pipe()
	if err != nil {
		return errors.Join(err, stdin.Close())
	}
	defer out.Close()
	widen(out)
	cmd := p.git.Command(context.Background(), run.Call{Dir: p.folder, Args: []string{"cat-file", "--batch-command"},
		Env: []string{"GIT_DIR=" + p.folder, "GIT_OBJECT_DIRECTORY=" + p.dir, "GIT_NO_REPLACE_OBJECTS=1"}})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	if err := cmd.Start(); err != nil {
		return errors.Join(err, stdin.Close(), stdout.Close())
	}
	p.cmd, p.in, p.out, p.closer = cmd, stdin, bufio.NewReaderSize(stdout, 64<<10), stdout
	return nil
}

// stop ends the program: it ends with its input.
func (p *program) stop() error {
	if p.cmd == nil {
		return nil
	}
	_ = p.in.Close()
	_ = p.closer.Close()
	_ = p.cmd.Wait() // how it ended says nothing that was not said
	p.cmd = nil
	return os.RemoveAll(p.folder)
}

// Close implements Reader.
func (p *program) Close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.stop()
}
