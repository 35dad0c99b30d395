package gittest

import (
	"flag"
	"math/rand/v2"
	"os"
	"strings"
	"testing"

	_ "pgregory.net/rapid" // its flags come before ours
)

// `go test ./...` is to take two minutes. Without LOCSYNC_ALL_TESTS in the environment, which .ci/run sets, tests that
// take seconds are left out, and laws draw fewer cases. With "drawn" a third of such tests runs, each time another.

// All says whether all tests are wanted.
func All() bool { return os.Getenv("LOCSYNC_ALL_TESTS") != "" }

// Long skips a test that takes seconds, unless it is wanted.
func Long(t testing.TB) {
	t.Helper()
	if !All() {
		t.Skip("takes seconds; runs with LOCSYNC_ALL_TESTS=1")
	}
	Draw(t, "LOCSYNC_ALL_TESTS")
}

// Drawn is false two of three times where a variable of the environment is "drawn".
func Drawn(variable string) bool { return os.Getenv(variable) != "drawn" || rand.N(3) == 0 }

// Draw skips a test that is not drawn.
func Draw(t testing.TB, variable string) {
	t.Helper()
	if !Drawn(variable) {
		t.Skip("was not drawn; runs with " + variable + "=1")
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
