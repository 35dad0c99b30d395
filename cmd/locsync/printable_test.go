package main

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// What both halves of a sync failed with is said once.
func TestExitSaysErrorsOnce(t *testing.T) {
	var said strings.Builder
	a := &app{err: &said}
	down := errors.New("the service is down")
	code := a.exit(errors.Join(fmt.Errorf("project \"app\": %w", down), fmt.Errorf("project \"app\": %w", down),
		errors.New("and the\nbranch")))
	if want := "locsync: project \"app\": the service is down\nand the\nbranch\n"; said.String() != want ||
		code != report.ExitLater {
		t.Errorf("%d, %q", code, said.String())
	}
}
