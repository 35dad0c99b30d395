package report

import "testing"

// Unknown counts are told as unknown, and nothing is said of counts that are all 0.
func TestStaleInWords(t *testing.T) {
	counts := func(of ...StaleCount) *StaleStatus {
		return &StaleStatus{Commit: "0123456789abcdef", Languages: of, Command: ListStale}
	}
	for _, c := range []struct {
		of   *StaleStatus
		want string
	}{
		{nil, ""},
		{counts(), ""},
		{counts(StaleCount{"de", 0}), ""},
		{counts(StaleCount{"de", 2}, StaleCount{"fr", 0}, StaleCount{"it", 1}),
			"translations older than their source texts at 0123456789: 2 in de, 1 in it; locsync check --stale lists them"},
		{&StaleStatus{Unknown: true},
			"unknown, as the history of this clone ends too early; fetch all of it: git fetch --unshallow"},
	} {
		if got := c.of.String(); got != c.want {
			t.Errorf("%+v: %q, want %q", c.of, got, c.want)
		}
	}
}
