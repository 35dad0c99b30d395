package run

import (
	"errors"
	"testing"
)

// What git answers is read to its end, or is no answer; what a hook of a program that writes leaves running is not
// waited for.
func TestAnAnswerIsWhole(t *testing.T) {
	git, err := Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []string{"true", "false"} {
		for _, writes := range []bool{false, true} {
			out, err := git.Run(t.Context(), Call{Write: writes,
				Args: []string{"-c", "alias.slow=!echo one; (sleep 8; echo two) & " + status, "slow"}})
			good := err == nil == (status == "true")
			if cut := errors.Is(err, errCut); cut == writes || writes && (!good || string(out) != "one\n") {
				t.Errorf("%s, writes: %v: %q, %v", status, writes, out, err)
			}
		}
	}
}
