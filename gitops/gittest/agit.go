package gittest

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
)

// agitVariable names the repository for which the test's own program, started once more, is the hook that AGit
// installs.
const agitVariable = "LOCSYNC_TEST_AGIT"

func init() {
	repo := os.Getenv(agitVariable)
	if repo == "" {
		return
	}
	if err := agit(os.Stdin, os.Stdout, repo); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
	os.Exit(0)
}

// AGit makes a bare repository take the AGit flow as Gitea does: what is pushed to refs/for/ moves no reference,
// prints the address of a pull request, and is refused when it is the same once more. proposed is what was:
// reference, commit and options, a line each.
func AGit(t testing.TB, bare string) (proposed func() string) {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	Git(t, bare, "config", "receive.advertisePushOptions", "true")
	Git(t, bare, "config", "receive.procReceiveRefs", "refs/for")
	Hook(t, bare, "proc-receive", agitVariable+"='"+bare+"' exec '"+self+"'")
	return func() string {
		log, err := os.ReadFile(agitLog(bare))
		if err != nil && !os.IsNotExist(err) {
			t.Fatal(err)
		}
		return string(log)
	}
}

func agitLog(repo string) string { return filepath.Join(repo, "agit.log") }

// agit is git's proc-receive protocol: lines with their length in front, in groups that end with an empty one.
func agit(in io.Reader, out io.Writer, repo string) error {
	lines := func() (all []string, err error) {
		for {
			var size [4]byte
			if _, err := io.ReadFull(in, size[:]); err != nil {
				return nil, err
			}
			n, err := strconv.ParseInt(string(size[:]), 16, 32)
			if err != nil || n == 0 {
				return all, err
			}
			line := make([]byte, n-4)
			if _, err := io.ReadFull(in, line); err != nil {
				return nil, err
			}
			all = append(all, strings.TrimRight(string(line), "\n"))
		}
	}
	say := func(all ...string) {
		for _, line := range all {
			fmt.Fprintf(out, "%04x%s", len(line)+4, line)
		}
		io.WriteString(out, "0000")
	}
	if _, err := lines(); err != nil { // version and capabilities
		return err
	}
	say("version=1\x00push-options")
	commands, err := lines()
	if err != nil {
		return err
	}
	options, err := lines()
	if err != nil {
		return err
	}
	fields := strings.Fields(commands[0]) // old, new, reference
	log, err := os.OpenFile(agitLog(repo), os.O_APPEND|os.O_CREATE|os.O_RDWR, 0o666)
	if err != nil {
		return err
	}
	defer log.Close()
	before, err := io.ReadAll(log)
	if err != nil {
		return err
	}
	if strings.Contains(string(before), fields[1]) {
		say("ng " + fields[2] + " new commit is same with old commit")
		return nil
	}
	fmt.Fprintf(log, "%s %s %q\n", fields[2], fields[1], options)
	fmt.Fprint(os.Stderr, "Visit the existing pull request:\n  https://gitea.example.com/acme/app/pulls/3\n")
	say("ok "+fields[2], "option refname refs/pull/3/head")
	return nil
}
