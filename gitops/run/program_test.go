package run

import (
	"errors"
	"fmt"
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
			t.Run(fmt.Sprint(status, writes), func(t *testing.T) {
				t.Parallel()
				out, err := git.Run(t.Context(), Call{Write: writes,
					Args: []string{"-c", "alias.slow=!echo one; (sleep 8; echo two) & " + status, "slow"}})
				good := err == nil == (status == "true")
				if cut := errors.Is(err, errCut); cut == writes || writes && (!good || string(out) != "one\n") {
					t.Errorf("%q, %v", out, err)
				}
			})
		}
	}
}
