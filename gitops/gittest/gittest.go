// Package gittest makes git repositories for tests with the real git program, and serves them over http with the real
// `git http-backend`, with passwords and faults on request.
//
// Its law: what a test sees is what git did. Nothing of the machine's or the user's git configuration reaches these
// repositories, nor a test that imports this package; every folder is the test's own, and a test is skipped, with the
// reason, where there is no git program.
//
// It does not know this project's other packages, so that any of their tests may use it.
package gittest

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
)

// init keeps git's configuration of machine and user, and what a git that runs the tests says, from the code under
// test, too. A program that a test makes of its own binary has the environment that the test gives it.
func init() {
	if !strings.Contains(filepath.Base(os.Args[0]), ".test") {
		return
	}
	for _, kv := range os.Environ() {
		if name, _, _ := strings.Cut(kv, "="); strings.HasPrefix(name, "GIT_") {
			os.Unsetenv(name)
		}
	}
	os.Setenv("GIT_CONFIG_NOSYSTEM", "1")
	os.Setenv("GIT_CONFIG_GLOBAL", os.DevNull)
}

// Environ is the environment in which git runs: the process's own without any GIT_ variable, without configuration of
// user and machine, with a fixed author and time.
func Environ() []string {
	env := slices.DeleteFunc(os.Environ(), func(kv string) bool { return strings.HasPrefix(kv, "GIT_") })
	env = append(env,
		"GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL="+os.DevNull, "GIT_TERMINAL_PROMPT=0", "LC_ALL=C",
		"GIT_AUTHOR_NAME=Ada", "GIT_AUTHOR_EMAIL=ada@example.org", "GIT_AUTHOR_DATE=1700000000 +0000",
		"GIT_COMMITTER_NAME=Ada", "GIT_COMMITTER_EMAIL=ada@example.org", "GIT_COMMITTER_DATE=1700000000 +0000",
	)
	settings := []string{"init.defaultBranch", "main", "protocol.file.allow", "always", "gc.auto", "0",
		"maintenance.auto", "false", "core.fsync", "none"}
	return append(env, Settings(settings...)...)
}

// Settings are the variables that give git names and values of its configuration.
func Settings(pairs ...string) []string {
	env := []string{fmt.Sprint("GIT_CONFIG_COUNT=", len(pairs)/2)}
	for i := 0; i < len(pairs); i += 2 {
		env = append(env, fmt.Sprintf("GIT_CONFIG_KEY_%d=%s", i/2, pairs[i]), fmt.Sprintf("GIT_CONFIG_VALUE_%d=%s", i/2,
			pairs[i+1]))
	}
	return env
}

// Need skips the test where there is no git program.
func Need(t testing.TB) {
	t.Helper()
	if _, err := exec.LookPath("git"); err != nil {
		t.Skip("no git program")
	}
}

// Git runs the program in a folder and gives its trimmed standard output. A failure ends the test.
func Git(t testing.TB, dir string, args ...string) string {
	t.Helper()
	out, err := TryGit(t, dir, args...)
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// Input is Git with something on its standard input.
func Input(t testing.TB, dir string, in []byte, args ...string) string {
	t.Helper()
	Need(t)
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env, cmd.Stdin = dir, Environ(), bytes.NewReader(in)
	out, err := cmd.CombinedOutput()
	if err != nil {
		t.Fatalf("git %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return strings.TrimSpace(string(out))
}

// TryGit is Git for commands that may fail; the output holds both streams then.
func TryGit(t testing.TB, dir string, args ...string) (string, error) {
	t.Helper()
	Need(t)
	cmd := exec.Command("git", args...)
	cmd.Dir, cmd.Env = dir, Environ()
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	if err := cmd.Run(); err != nil {
		return strings.TrimSpace(out.String() + errs.String()), err
	}
	return strings.TrimSpace(out.String()), nil
}

// Shell runs a command of the shell in a folder, and gives both streams.
func Shell(t testing.TB, dir, command string) (string, error) {
	t.Helper()
	cmd := exec.Command("sh", "-c", command)
	cmd.Dir, cmd.Env = dir, Environ()
	out, err := cmd.CombinedOutput()
	return string(out), err
}

// Write puts files into a folder; an empty content of nil length is an empty file.
func Write(t testing.TB, dir string, files map[string]string) {
	t.Helper()
	for name, content := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o666); err != nil {
			t.Fatal(err)
		}
	}
}

// Init makes a repository with a working tree in a new folder, on branch main, with one commit of the files (none
// without files).
func Init(t testing.TB, files map[string]string) (dir string) {
	t.Helper()
	return InitAs(t, "sha1", files)
}

// InitAs is Init with a format of object names.
func InitAs(t testing.TB, format string, files map[string]string) (dir string) {
	t.Helper()
	Need(t)
	dir = t.TempDir()
	if m := templateOf(t, files); m != nil && format == "sha1" {
		m.make(t, dir, files)
	} else {
		initialize(t, dir, format, files)
	}
	return dir
}

func initialize(t testing.TB, dir, format string, files map[string]string) {
	t.Helper()
	Git(t, dir, "init", "-q", "--template=", "--object-format="+format, ".")
	if len(files) > 0 {
		Commit(t, dir, "first", files)
	}
}

// Commit writes files into a working tree and commits everything there; it gives the commit.
func Commit(t testing.TB, dir, message string, files map[string]string) string {
	t.Helper()
	Write(t, dir, files)
	Git(t, dir, "add", "-A")
	said := Git(t, dir, "-c", "core.abbrev=no", "commit", "-m", message) // [main 0123...] message
	hash := regexp.MustCompile(`^\[.*?([0-9a-f]{40,64})\]`).FindStringSubmatch(said)
	if hash == nil {
		return Git(t, dir, "rev-parse", "HEAD")
	}
	return hash[1]
}

// CommitTo adds a commit of the files to a branch that a repository has, without a working tree; it gives the commit.
func CommitTo(t testing.TB, dir, branch string, files map[string]string) string {
	t.Helper()
	var in bytes.Buffer
	fmt.Fprintf(&in, "commit refs/heads/%s\nmark :1\ncommitter Ada <ada@example.org> 1700000000 +0000\ndata "+
		"4\nmore\nfrom refs/heads/%[1]s^0\n", branch)
	for name, content := range files {
		fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", strconv.Quote(name), len(content), content)
	}
	in.WriteString("get-mark :1\n")
	return Input(t, dir, in.Bytes(), "fast-import", "--quiet")
}

// Bare makes a bare clone in a new folder and adds it to the repository as remote origin, tracked.
func Bare(t testing.TB, dir string) (bare string) {
	t.Helper()
	bare = filepath.Join(t.TempDir(), "origin.git")
	if m, ok := madeBy.Load(dir); ok && m.(*template).untouched(t, dir) {
		m.(*template).addBare(t, dir, bare)
	} else {
		cloneBare(t, dir, bare)
	}
	return bare
}

func cloneBare(t testing.TB, dir, bare string) {
	t.Helper()
	Git(t, dir, "clone", "-q", "--bare", "--no-hardlinks", "--template=", ".", bare)
	Git(t, dir, "remote", "add", "origin", bare)
	Git(t, dir, "fetch", "-q", "origin")
}

// Clone clones an address into a new folder.
func Clone(t testing.TB, address string, options ...string) (dir string) {
	t.Helper()
	dir = filepath.Join(t.TempDir(), "clone")
	Git(t, "", append(append([]string{"clone", "-q"}, options...), address, dir)...)
	return dir
}

// Hook installs a shell script as a hook of a repository.
func Hook(t testing.TB, dir, name, script string) {
	t.Helper()
	hooks := Git(t, dir, "rev-parse", "--git-path", "hooks")
	if !filepath.IsAbs(hooks) {
		hooks = filepath.Join(dir, hooks)
	}
	if err := os.MkdirAll(hooks, 0o777); err != nil {
		t.Fatal(err)
	}
	Executable(t, filepath.Join(hooks, name), []byte("#!/bin/sh\n"+script+"\n"))
}

// Executable writes a file that is run afterwards. No process is forked meanwhile: it would inherit the file open for
// writing, and until it ran its own program the kernel would refuse to run this one (ETXTBSY, golang/go#22315).
func Executable(t testing.TB, path string, content []byte) {
	t.Helper()
	syscall.ForkLock.RLock()
	defer syscall.ForkLock.RUnlock()
	if err := os.WriteFile(path, content, 0o777); err != nil {
		t.Fatal(err)
	}
}

// Sound fails the test unless `git fsck --strict` finds nothing to say.
func Sound(t testing.TB, dir string) {
	t.Helper()
	out, err := TryGit(t, dir, "fsck", "--strict", "--full", "--no-dangling", "--no-progress")
	if err != nil || out != "" {
		t.Errorf("git fsck in %s: %v\n%s", dir, err, out)
	}
}
