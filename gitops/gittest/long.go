package gittest

import (
	"flag"
	"os"
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
