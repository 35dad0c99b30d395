package past

import (
	"os"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

func TestMain(m *testing.M) { os.Exit(gittest.AtOnce(m)) }
