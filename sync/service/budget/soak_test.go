//go:build soak

package budget

import "testing"

// Eight real processes of six calls each at the usual rate: four a second, never more.
func TestBudgetAcrossProcessesAtFour(t *testing.T) {
	t.Parallel()
	acrossProcesses(t, 4)
}
