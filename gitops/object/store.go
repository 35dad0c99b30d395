// Package object reads and writes the objects of a repository.
//
// One `git cat-file --batch-command` reads them: it knows packs, loose objects, borrowed ones, both formats of names
// and what another process has just repacked. Beside 100,000 files it takes 67 µs for a small one, where go-git takes
// 24 and more memory; large ones it reads faster than go-git (300 of them, 84 MB: 0.5 s and 1.2), which reads no other
// repository than the plain one.
//
// go-git names the kinds of objects and makes the SHA-1, which detects collisions. What trees, commits and packs
// consist of is written here: go-git's names have 20 bytes, so repositories with SHA-256 need this beside it, and its
// encoder takes 3.3 s for a pack of those 300 files that takes 0.66 here. Its package of objects would bring nine more
// modules.
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
	"sync/atomic"

	"github.com/go-git/go-git/v5/plumbing"

	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/sync/bound"
)

// ErrMissing is an object that is not in the repository.
var ErrMissing = errors.New("object not found")

// mostBytes bounds what is read of one object. A larger one has a size, and is a *bound.Exceeded where it is read.
const mostBytes = 256 << 20

// mostKept is how many entries of trees are kept: some 10 MB.
const mostKept = 100_000

// Store is the objects of one repository. It is safe for concurrent use, and writes packs (pack.go).
//
// The program that reads is started for the first object and runs until Close. It works in a git folder of its own
// with nothing in it but the format, on the repository's objects: so it asks no remote for what a partial clone left
// out, and follows no replacement.
type Store struct {
	Format Format
	Reads  *atomic.Int64 // objects that were read: who watches us sees that we move
	// Absent, when not nil, brings an object that a partial clone left out, by itself.
	Absent func(Kind, Name) ([]byte, error)

	git *run.Program
	dir string // the folder of objects

	treesMu sync.Mutex // around trees and kept
	trees   map[Name][]Entry
	kept    int // entries in trees

	mu     sync.Mutex // around what follows
	cmd    *exec.Cmd  // nil while none runs
	folder string     // the git folder of its own
	gone   bool       // which is removed
	in     io.WriteCloser
	out    *bufio.Reader
	closer io.Closer
}

// Open opens a folder of objects. Nothing is read before the first object is asked for.
func Open(dir string, f Format, git *run.Program) *Store {
	return &Store{Format: f, Reads: new(atomic.Int64), git: git, dir: dir}
}

// Read gives an object's kind and content, which is the caller's. ErrMissing.
func (s *Store) Read(n Name) (Kind, []byte, error) {
	return s.read(n, mostBytes)
}

func (s *Store) read(n Name, most int64) (Kind, []byte, error) {
	k, _, data, err := s.ask("contents", n, most)
	return k, data, err
}

// Size gives an object's kind and length. ErrMissing.
func (s *Store) Size(n Name) (Kind, int64, error) {
	k, size, _, err := s.ask("info", n, 0)
	return k, size, err
}

// Has says whether an object is here. It asks no remote.
func (s *Store) Has(n Name) bool {
	_, _, err := s.Size(n)
	return err == nil
}

// ReadAs reads an object that must be of one kind.
func (s *Store) ReadAs(want Kind, n Name) ([]byte, error) { return s.ReadAtMost(want, n, mostBytes) }

// ReadAtMost is ReadAs for an object of at most so many bytes. A larger one is not read, and a *bound.Exceeded.
func (s *Store) ReadAtMost(want Kind, n Name, most int64) ([]byte, error) {
	k, data, err := s.read(n, min(most, mostBytes))
	if errors.Is(err, ErrMissing) && s.Absent != nil {
		k = want
		data, err = s.Absent(want, n)
	}
	switch {
	case err != nil:
		return nil, err
	case k != want:
		return nil, fmt.Errorf("object %s is a %s, not a %s", n, k, want)
	case int64(len(data)) > most:
		return nil, &bound.Exceeded{What: "bytes", Most: most}
	}
	return data, nil
}

// Entries reads a tree, and keeps what it has: the commits of a pass share most of their trees. They are not to be
// changed. The empty tree, and the zero name, have none and need not be stored.
func (s *Store) Entries(tree Name) ([]Entry, error) {
	if IsEmptyTree(tree) {
		return nil, nil
	}
	s.treesMu.Lock()
	entries, known := s.trees[tree]
	s.treesMu.Unlock()
	if known {
		return entries, nil
	}
	data, err := s.ReadAs(Tree, tree)
	if err != nil {
		return nil, err
	}
	entries, err = s.Format.ParseTree(data)
	if err != nil {
		return nil, err
	}
	s.treesMu.Lock()
	defer s.treesMu.Unlock()
	s.kept += len(entries)
	if s.trees == nil || s.kept > mostKept {
		s.trees, s.kept = make(map[Name][]Entry), len(entries)
	}
	s.trees[tree] = entries
	return entries, nil
}

// Loose reads the loose objects.
func (s *Store) Loose() (map[Name]Object, error) {
	objects := map[Name]Object{}
	files, err := filepath.Glob(filepath.Join(GlobEscape(s.dir), "[0-9a-f][0-9a-f]", "*"))
	if err != nil {
		return nil, err
	}
	for _, file := range files {
		n, ok := Parse(filepath.Base(filepath.Dir(file)) + filepath.Base(file))
		if !ok {
			continue
		}
		k, data, err := s.Read(n)
		if err != nil {
			return nil, err
		}
		objects[n] = Object{k, n, data}
	}
	return objects, nil
}

// diedError is a program that ended, with what it said last.
type diedError struct {
	said string
	err  error
}

func (e *diedError) Error() string { return "git cat-file: " + e.said + e.err.Error() }
func (e *diedError) Unwrap() error { return e.err }

// ask gives one command, and gives it once more where the program was killed.
func (s *Store) ask(command string, n Name, most int64) (k Kind, size int64, data []byte, err error) {
	s.Reads.Add(1)
	if n.IsZero() || FormatOf(n) != s.Format { // there is no object with the name of another format
		return 0, 0, nil, fmt.Errorf("read object %s: %w", n, ErrMissing)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for range 2 {
		if err = s.start(); err != nil {
			return 0, 0, nil, err
		}
		k, size, data, err = s.exchange(command, n, most)
		var died *diedError
		if !errors.As(err, &died) {
			if !s.gone { // the program has read it and needs it no more: so a process that is killed leaves none
				_ = os.RemoveAll(s.folder)
				s.gone = true
			}
			break
		}
		s.stop()
	}
	if err != nil {
		err = fmt.Errorf("read object %s: %w", n, err)
	}
	return k, size, data, err
}

// exchange gives a command and reads the answer. Both streams of the program are one here, so what it says about
// damage comes before its answer: "missing" after such words does not mean that it is absent.
func (s *Store) exchange(command string, n Name, most int64) (k Kind, size int64, data []byte, err error) {
	if _, err := io.WriteString(s.in, command+" "+n.String()+"\n"); err != nil {
		return 0, 0, nil, &diedError{"", err}
	}
	said := ""
	for {
		line, err := s.out.ReadString('\n')
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
		if err != nil {
			return 0, 0, nil, fmt.Errorf("git cat-file: %s%s", said, strings.TrimSpace(answer))
		}
		break
	}
	switch {
	case command == "info":
		return k, size, nil, nil
	case size > most:
		s.stop() // it is about to write all of it
		return 0, 0, nil, &bound.Exceeded{What: "bytes", Most: most}
	}
	data = make([]byte, size+1) // the line ends behind it
	if _, err := io.ReadFull(s.out, data); err != nil {
		return 0, 0, nil, &diedError{said, err}
	}
	// Words about damage may come in the middle of a content, in place of its rest.
	sum := s.Format.digest()
	fmt.Fprintf(sum, "%s %d\x00", k, size)
	sum.Write(data[:size])
	if fromBytes(sum.Sum(nil)) != n {
		return 0, 0, nil, &diedError{said, fmt.Errorf("the content of %s is not what its name says", n)}
	}
	return k, size, data[:size:size], nil
}

// start starts the program where none runs.
func (s *Store) start() (err error) {
	if s.cmd != nil {
		return nil
	}
	s.gone = false
	if s.folder, err = os.MkdirTemp("", "locsync-objects-"); err != nil {
		return fmt.Errorf("start git cat-file: %w", err)
	}
	defer func() {
		if err != nil {
			err = errors.Join(fmt.Errorf("start git cat-file: %w", err), os.RemoveAll(s.folder))
		}
	}()
	config := "[core]\n\trepositoryformatversion = 1\n\tbare = true\n" +
		fmt.Sprintf("[extensions]\n\tobjectformat = %s\n", s.Format)
	for name, text := range map[string]string{"HEAD": "ref: refs/heads/none\n", "config": config} {
		if err := os.WriteFile(filepath.Join(s.folder, name), []byte(text), 0o600); err != nil {
			return err
		}
	}
	if err := os.Mkdir(filepath.Join(s.folder, "refs"), 0o700); err != nil {
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
	cmd := s.git.Command(context.Background(), run.Call{Dir: s.folder, Args: []string{"cat-file", "--batch-command"},
		Env: []string{"GIT_DIR=" + s.folder, "GIT_OBJECT_DIRECTORY=" + s.dir, "GIT_NO_REPLACE_OBJECTS=1"}})
	cmd.Stdin, cmd.Stdout, cmd.Stderr = in, out, out
	if err := cmd.Start(); err != nil {
		return errors.Join(err, stdin.Close(), stdout.Close())
	}
	s.cmd, s.in, s.out, s.closer = cmd, stdin, bufio.NewReaderSize(stdout, 64<<10), stdout
	return nil
}

// stop ends the program: it ends with its input. A folder that another program holds open is a leftover, and no reason
// to lose what was read.
func (s *Store) stop() {
	if s.cmd == nil {
		return
	}
	_ = s.in.Close()
	_ = s.closer.Close()
	_ = s.cmd.Wait() // how it ended says nothing that was not said
	s.cmd = nil
	_ = os.RemoveAll(s.folder)
}

// Close lets the program go. What is read later starts it again.
func (s *Store) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.stop()
}
