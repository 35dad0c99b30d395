// Package run runs the git program, and others, for package gitops: without a terminal, without our secrets in the
// environment, ended with everything that they started, and given up when nothing of them moves (see silence.go).
package run

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"regexp"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/locsync/locsync/sync/bound"
)

// Program is the git program: the only road to remotes, and what merges, applies attributes and filters, reads the
// configuration and moves a checked-out tree.
type Program struct {
	Path, Version string
	Trust         string // a folder that git would call of dubious ownership, accepted for these calls only
}

// OldestGit is the oldest git program that is enough: the first one with git merge-tree --write-tree.
const OldestGit = "2.38"

// ErrGit means that there is no git program, or one that is too old.
var ErrGit = fmt.Errorf("git %s or newer is needed", OldestGit)

// Error is a git command that ended with a status of its own choosing.
type Error struct {
	Verb   string
	Exit   int
	Stderr string
}

func (e *Error) Error() string {
	said := LastLines(e.Stderr, 3)
	if said == "" {
		said = fmt.Sprintf("exit status %d", e.Exit)
	}
	return "git " + e.Verb + ": " + said
}

// Is takes what a system call said to git for what it says to us.
func (e *Error) Is(target error) bool {
	said := strings.Replace(strings.ToLower(e.Stderr), "out of diskspace", syscall.ENOSPC.Error(), 1)
	known := []syscall.Errno{syscall.EACCES, syscall.EROFS, syscall.ENOSPC, syscall.EDQUOT, syscall.EMFILE}
	return slices.ContainsFunc(known, func(errno syscall.Errno) bool {
		return errors.Is(errno, target) && strings.Contains(said, errno.Error())
	})
}

// Disturbed says whether git failed for what another process did here meanwhile: git gc --prune=now takes away packs
// that are being written, and another fetch moves the same tracking reference.
func Disturbed(err error) bool {
	failed, ok := errors.AsType[*Error](err)
	return ok && (strings.Contains(failed.Stderr, "unable to rename temporary") ||
		strings.Contains(failed.Stderr, "cannot lock ref") && strings.Contains(failed.Stderr, "but expected"))
}

// Find looks for git. "" is the one in PATH.
func Find(ctx context.Context, name string) (*Program, error) {
	path, err := exec.LookPath(cmp.Or(name, "git"))
	if err != nil {
		return nil, fmt.Errorf("%w, and there is none: %w; install it, or add its folder to PATH", ErrGit, err)
	}
	p := &Program{Path: path}
	if p.Version, err = p.askVersion(ctx); err != nil {
		return nil, fmt.Errorf("ask the git program for its version: %w", err)
	}
	if TooOld(p.Version) {
		return nil, fmt.Errorf("%w, and %s is git %s; install a newer one", ErrGit, path, p.Version)
	}
	return p, nil
}

// versionsKnown has the version of each git program as it was when it was asked: every repository is opened with one.
var versionsKnown sync.Map

func (p *Program) askVersion(ctx context.Context) (string, error) {
	info, err := os.Stat(p.Path)
	if err != nil {
		return "", err
	}
	key := fmt.Sprint(p.Path, info.Size(), info.ModTime().UnixNano())
	if known, ok := versionsKnown.Load(key); ok {
		return known.(string), nil
	}
	out, err := p.Run(ctx, Call{Args: []string{"version"}})
	if err != nil {
		return "", err
	}
	version := strings.TrimPrefix(strings.TrimSpace(string(out)), "git version ")
	versionsKnown.Store(key, version)
	return version, nil
}

// TooOld reports whether a git program is older than OldestGit. One whose version cannot be read is not.
func TooOld(version string) bool {
	var have, want [2]int
	n, _ := fmt.Sscanf(version, "%d.%d", &have[0], &have[1])
	_, _ = fmt.Sscanf(OldestGit, "%d.%d", &want[0], &want[1])
	return slices.Compare(have[:n], want[:n]) < 0
}

// Call is one run of the program.
type Call struct {
	Dir  string   // where; "" is our own folder
	Args []string // the verb and its own; settings (-c) may come first
	Env  []string // on top of the cleaned environment

	Settings []string // of git's configuration, for this call: KEY=VALUE, without secrets
	Login    *Login   // nil: none

	Stdin []byte
	Input io.Reader // in place of Stdin
	// Output takes what the program prints, as it comes and however much it is; nil where Run gives it.
	Output io.Writer
	Write  bool // takes locks: optional locks stay on for it

	Objects string // the folder where packs that it writes grow; "" when it writes none
	Remote  bool   // it reads what a remote sends, within mostMemory, mostFile and longest
	Hooks   bool   // hooks of a folder of this machine run: they take the memory that they need
	LFS     string // the file for git LFS to tell in what it brings or sends; "" where it does nothing
}

// verb is what git is to do.
func (c Call) verb() string {
	args := c.Args
	for len(args) > 2 && args[0] == "-c" {
		args = args[2:]
	}
	return args[0]
}

// Run gives standard output.
func (p *Program) Run(ctx context.Context, c Call) ([]byte, error) {
	out, _, err := p.RunBoth(ctx, c)
	return out, err
}

// Command is a call as a process that was not started. The program never prompts, sees none of the variables by which
// git hands a hook its repository, and ends with ctx.
func (p *Program) Command(ctx context.Context, c Call) *exec.Cmd {
	var args []string
	if c.Write {
		args = []string{"-c", "core.fsync=objects,reference", "-c", "gc.auto=0", "-c", "maintenance.auto=false"}
	}
	if p.Trust != "" {
		args = append(args, "-c", "safe.directory="+p.Trust)
	}
	for _, setting := range c.Settings {
		args = append(args, "-c", setting)
	}
	cmd := exec.CommandContext(ctx, p.Path, append(args, c.Args...)...)
	cmd.Dir = c.Dir
	cmd.Env = append(Env(os.Environ()), c.Env...)
	if !c.Write {
		cmd.Env = append(cmd.Env, "GIT_OPTIONAL_LOCKS=0")
	}
	if c.Remote && !c.Hooks {
		limit(cmd)
	}
	ownGroup(cmd)
	return cmd
}

// mostMemory is what git, and each helper of it, may take for what a remote sends: git keeps all references of a list,
// and an entry of each object of a pack.
const mostMemory = 384 << 20

// mostFile is how large a file may grow that git, or a helper of it, writes of what a remote sends: its pack. Both are
// variables for tests.
var mostFile int64 = 16 << 30

// How long a call may take in all, whatever it prints: one that brings or sends objects in bulk, and any other.
var (
	longestTransfer = 24 * time.Hour
	longestCall     = time.Hour
)

// longest is how long the call may take, because a remote can print for ever.
func (c Call) longest() time.Duration {
	if verb := c.verb(); verb == "fetch" || verb == "lfs" {
		return longestTransfer
	}
	return longestCall
}

// tooMuch is git's word for memory that it did not get.
var tooMuch = regexp.MustCompile(`(?i)out of memory|cannot allocate memory|unable to mmap|failed to allocate`)

// RunBoth gives both streams. The program is killed with everything it started when ctx ends.
func (p *Program) RunBoth(ctx context.Context, c Call) (stdout []byte, stderr string, err error) {
	ended := c.traced(ctx)
	defer func() { ended(err) }()
	if c.Login != nil {
		settings, end, err := c.Login.offer()
		if err != nil {
			return nil, "", fmt.Errorf("git %s: %w", c.verb(), err)
		}
		defer end()
		c.Settings = slices.Concat(c.Settings, settings)
	}
	if c.Remote {
		most := c.longest()
		late, stop := context.WithTimeoutCause(ctx, most, &endless{most})
		defer stop()
		ctx = late
	}
	ctx, end := context.WithCancel(ctx)
	defer end()
	cmd := p.Command(ctx, c)
	if cmd.Stdin = c.Input; c.Input == nil {
		cmd.Stdin = bytes.NewReader(c.Stdin)
	}
	out, said := new(answer), &words{end: end}
	all := &whole{movingWriter: movingWriter{ctx, cmp.Or[io.Writer](c.Output, out)}}
	cmd.Stdout, cmd.Stderr = all, movingWriter{ctx, said}
	if c.Objects != "" {
		defer seeing(ctx, packsGrow(c.Objects))()
	}
	if c.LFS != "" {
		defer os.Remove(c.LFS)
		defer seeing(ctx, fileGrows(c.LFS))()
		cmd.Env = append(cmd.Env, "GIT_LFS_PROGRESS="+c.LFS)
	}
	err = Group(ctx, cmd)
	stdout, stderr = out.kept.Bytes(), said.String()
	switch {
	case out.refused != nil || said.refused != nil:
		return nil, stderr, fmt.Errorf("git %s: %w", c.verb(), errors.Join(out.refused, said.refused))
	case err == nil && (all.ended || c.Write):
		return stdout, stderr, nil
	case ctx.Err() != nil:
		return stdout, stderr, fmt.Errorf("git %s: %w", c.verb(), said.ended(context.Cause(ctx)))
	}
	exit, failed := errors.AsType[*exec.ExitError](err)
	switch {
	case (err == nil || failed && exit.Exited()) && !all.ended && !c.Write: // an answer of status 1 is one, too
		return nil, stderr, fmt.Errorf("git %s: %w", c.verb(), errCut)
	case failed && c.Remote && tooMuch.MatchString(stderr):
		return nil, stderr, fmt.Errorf("git %s: what the remote sends cannot be read: %w", c.verb(),
			&bound.Exceeded{What: "bytes", Most: mostMemory})
	case failed && c.Remote && removeCut(c.Objects, mostFile):
		return nil, stderr, fmt.Errorf("git %s: what the remote sends is too large: %w", c.verb(),
			&bound.Exceeded{What: "bytes", Most: mostFile})
	case failed:
		return stdout, stderr, &Error{c.verb(), exit.ExitCode(), stderr}
	}
	return stdout, stderr, fmt.Errorf("git %s: %w", c.verb(), err)
}

// endsWithin is how long a program that is ended may take to put away what it has in hand (git removes its locks),
// before it is killed.
const endsWithin = 2 * time.Second

// Group runs a program, which ends with ctx, with everything that it started.
func Group(ctx context.Context, cmd *exec.Cmd) error {
	ownGroup(cmd)
	cmd.WaitDelay = endsWithin
	err := cmd.Run()
	switch {
	case ctx.Err() != nil && cmd.Process != nil:
		killGroup(cmd)
	case errors.Is(err, exec.ErrWaitDelay):
		return nil // it ended well, and what a hook left running in the background has its streams still open
	}
	return err
}

// errCut is why an answer is not used. Of a program that writes, a hook may hold it open in the background.
var errCut = errors.New("its answer was not read to its end: this machine has more to do than it can, or a program " +
	"that git has started holds it open; try again")

// whole sees whether all that git prints was read.
type whole struct {
	movingWriter
	ended bool
}

// ReadFrom is io.ReaderFrom's, by which the answer is read.
func (w *whole) ReadFrom(from io.Reader) (int64, error) {
	n, err := io.Copy(w.movingWriter, from)
	w.ended = err == nil
	return n, err
}

// mostAnswer bounds what git answers: the names of a million references or files are less.
const mostAnswer = 128 << 20

// answer is what git prints for programs. Where that is too much, git ends with its next line.
type answer struct {
	kept    bytes.Buffer
	refused error
}

func (a *answer) Write(b []byte) (int, error) {
	if a.kept.Len()+len(b) > mostAnswer {
		a.refused = &bound.Exceeded{What: "bytes", Most: mostAnswer}
	}
	if a.refused != nil {
		return 0, a.refused
	}
	return a.kept.Write(b)
}

// words are what git prints for people, without its progress: lines that are written over (they end with a carriage
// return) and those that they end as.
type words struct {
	kept    []byte
	last    string // of the progress
	all     int    // bytes
	refused error
	end     func() // ends the program, which may not notice that its words are read no more
}

// mostWords bounds what is kept of what a hook at the other end prints, mostSaid all that it may print.
const (
	mostWords = 1 << 20
	mostSaid  = 16 << 20
)

func (w *words) Write(b []byte) (int, error) {
	if w.all += len(b); w.all > mostSaid {
		w.refused = &bound.Exceeded{What: "bytes", Most: mostSaid}
		w.end()
		return 0, w.refused
	}
	if w.kept = append(w.kept, b...); len(w.kept) > 2*mostWords {
		text := w.String()
		w.kept = append(make([]byte, 0, mostWords), text[:min(mostWords, len(text))]...)
	}
	return len(b), nil
}

// String takes the progress out. A line that an empty one was written over is one of a hook that ends them as Windows
// does.
func (w *words) String() string {
	var text strings.Builder
	for line := range strings.Lines(string(w.kept)) {
		line, end := strings.CutSuffix(line, "\n")
		over := strings.Split(strings.TrimSuffix(line, "\r"), "\r")
		line, over = over[len(over)-1], over[:len(over)-1]
		if n := len(over); n > 0 && (line == "" || line == "remote: ") {
			line, over = over[n-1], over[:n-1]
		}
		if n := len(over); n > 0 {
			w.last = strings.TrimSpace(over[n-1])
		}
		if len(line) < mostProgress && progress.MatchString(strings.TrimSpace(line)) {
			w.last = strings.TrimSpace(line)
			continue
		}
		if text.WriteString(line); end {
			text.WriteByte('\n')
		}
	}
	return text.String()
}

// ended is why the program was ended, with how far it was.
func (w *words) ended(why error) error {
	if silent, ok := errors.AsType[*Silent](why); ok {
		return &Silent{For: silent.For, Last: strings.TrimPrefix(w.last, "remote: ")}
	}
	return why
}

// mostProgress is how long such a line may be.
const mostProgress = 400

// progress are the lines in which git, here or at the other end, ends to tell how far something is.
var progress = regexp.MustCompile(`^(remote: )?` +
	`((Enumerating|Counting|Compressing|Receiving|Unpacking|Writing|Checking) objects|` +
	`Finding sources|Getting sizes|Resolving deltas|` +
	`Updating (files|references)|Filtering content|Checking connectivity): +\d+(% \(\d+/\d+\))?(, .*)?$|` +
	`^(remote: )?Total \d+ \(delta \d+\)|^Delta compression using up to \d+ threads?$`)

// Env is an environment without our secrets, without what git exports to hooks (the list of `git rev-parse
// --local-env-vars`, and the quarantine of a receiving repository) and with everything that could ask a person turned
// off.
func Env(environ []string) []string {
	local := map[string]bool{
		"GIT_ALTERNATE_OBJECT_DIRECTORIES": true, "GIT_CONFIG": true, "GIT_CONFIG_PARAMETERS": true,
		"GIT_OBJECT_DIRECTORY": true, "GIT_DIR": true, "GIT_WORK_TREE": true, "GIT_IMPLICIT_WORK_TREE": true,
		"GIT_GRAFT_FILE": true, "GIT_INDEX_FILE": true, "GIT_NO_REPLACE_OBJECTS": true, "GIT_REPLACE_REF_BASE": true,
		"GIT_PREFIX": true, "GIT_SHALLOW_FILE": true, "GIT_COMMON_DIR": true, "GIT_INTERNAL_SUPER_PREFIX": true,
		"GIT_QUARANTINE_PATH": true, "GIT_NAMESPACE": true, "GIT_CEILING_DIRECTORIES": true,
		"GIT_EDITOR": true, "GIT_SEQUENCE_EDITOR": true, "GIT_PAGER": true, "GIT_EXTERNAL_DIFF": true, "GIT_TRACE": true,
		"GIT_ASKPASS": true, "SSH_ASKPASS": true, "SSH_ASKPASS_REQUIRE": true, "GIT_TERMINAL_PROMPT": true,
		"GIT_OPTIONAL_LOCKS": true, "LC_ALL": true, "LANGUAGE": true,
	}
	var env []string
	for _, kv := range environ {
		if name, _, _ := strings.Cut(kv, "="); !local[name] && !ownSecret(name) {
			env = append(env, kv)
		}
	}
	return append(env, "GIT_TERMINAL_PROMPT=0", "GIT_ASKPASS=", "SSH_ASKPASS=", "SSH_ASKPASS_REQUIRE=never",
		"GCM_INTERACTIVE=never", "LC_ALL=C", "LANGUAGE=")
}

// ownSecret says whether a variable is meant for this process alone: hooks, filters and helpers are programs of others.
func ownSecret(name string) bool {
	for _, prefix := range []string{"LOCSYNC_", "WATCHDOG_", "LISTEN_"} {
		if strings.HasPrefix(name, prefix) {
			return true
		}
	}
	return name == "CREDENTIALS_DIRECTORY" || name == "NOTIFY_SOCKET" || isWithheld(name)
}

// LastLines are the last n lines of what a program printed for people, in one.
func LastLines(s string, n int) string {
	var kept []string
	for line := range strings.Lines(s) {
		line = strings.TrimSpace(line)
		if line != "" && !strings.HasPrefix(line, "hint:") {
			kept = append(kept, line)
		}
	}
	if len(kept) > n {
		kept = kept[len(kept)-n:]
	}
	return strings.Join(kept, "; ")
}

// withheld are the environment variables that hold secrets of this process under names of their own. Like the
// environment, they belong to the process as a whole.
var withheld sync.Map

// Withhold keeps variables from everything that git starts, from now on.
func Withhold(names ...string) {
	for _, name := range names {
		withheld.Store(name, true)
	}
}

func isWithheld(name string) bool {
	_, is := withheld.Load(name)
	return is
}
