package memory

import (
	"os"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

func TestMain(m *testing.M) {
	gittest.Flags(map[string]string{"rapid.checks": "8", "rapid.nofailfile": "true"})
	os.Exit(gittest.AtOnce(m))
}
