package gitops

import (
	"maps"
	"os"
	"slices"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// atExit takes away what benchmarks share.
var atExit []func()

// TestMain keeps the machine's git configuration away from every test, and bounds the property tests: most of them
// start git some dozen times for each example. -rapid.checks asks for more.
func TestMain(m *testing.M) {
	if dir := os.Getenv("LOCSYNC_TEST_VICTIM"); dir != "" {
		killedPass(dir, os.Getenv("LOCSYNC_TEST_REMOTE"), os.Getenv("LOCSYNC_TEST_BRANCH"),
			os.Getenv("LOCSYNC_TEST_STEP"))
		return
	}
	if dir := os.Getenv("LOCSYNC_BENCH_DIR"); dir != "" {
		benchPass(dir, os.Getenv("LOCSYNC_BENCH_FILES"))
		return
	}
	home, err := os.MkdirTemp("", "locsync-home-")
	if err != nil {
		panic(err)
	}
	for name, value := range map[string]string{"HOME": home, "XDG_CONFIG_HOME": ""} {
		os.Setenv(name, value)
	}
	gittest.Flags(map[string]string{"rapid.checks": "20", "rapid.nofailfile": "true"})
	code := gittest.AtOnce(m)
	for _, do := range atExit {
		do()
	}
	os.RemoveAll(home)
	os.Exit(code)
}

func sortedKeys[V any](m map[string]V) []string { return slices.Sorted(maps.Keys(m)) }
