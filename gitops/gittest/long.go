package gittest

import (
	"flag"
	"os"
	"strings"
	"testing"

	_ "pgregory.net/rapid" // its flags come before ours
)

// `go test ./...` is to take two minutes; all tests take six. Without LOCSYNC_ALL_TESTS in the environment, which
// .ci/run sets, those that take seconds are left out, and laws draw fewer cases.

// All says whether all tests are wanted.
func All() bool { return os.Getenv("LOCSYNC_ALL_TESTS") != "" }

// Long skips a test that takes seconds, unless all are wanted.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes seconds; runs with LOCSYNC_ALL_TESTS=1")
	}
}

func init() {
	if !All() {
		_ = flag.Set("rapid.checks", "25") // the command line comes later, and counts
	}
}

// Flags gives flags of the tests other values where the command line names none, and returns what it names.
func Flags(values map[string]string) (named map[string]bool) {
	flag.Parse()
	named = map[string]bool{}
	for _, argument := range os.Args[1:] {
		name, _, _ := strings.Cut(strings.TrimLeft(argument, "-"), "=")
		named[name] = true
	}
	for name, value := range values {
		if !named[name] {
			_ = flag.Set(name, value)
		}
	}
	return named
}

// AtOnce runs the tests of a package with their temporary files in memory, eight of the parallel ones at a time: they
// wait more than they compute.
func AtOnce(m interface{ Run() int }) (code int) {
	defer InMemory()()
	Flags(map[string]string{"test.parallel": "8"})
	return m.Run()
}
