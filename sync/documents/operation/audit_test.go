package operation

import (
	"encoding/json"
	"slices"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service"
)

func TestSince(t *testing.T) {
	now := time.Date(2026, 3, 10, 12, 0, 0, 0, time.UTC)
	for text, want := range map[string]string{
		"7d": "2026-03-03T12:00:00Z", "0d": "2026-03-10T12:00:00Z", "90m": "2026-03-10T10:30:00Z",
		"2026-01-31": "2026-01-31T00:00:00Z", "2026-01-31T18:00:00+01:00": "2026-01-31T17:00:00Z",
		"": "", "-1d": "", "-2h": "", "soon": "", "999999999999d": "",
	} {
		got, err := Since(text, now)
		if (err == nil) != (want != "") || err == nil && got.UTC().Format(time.RFC3339) != want {
			t.Errorf("%q: %v, %v; want %q", text, got, err, want)
		}
	}
}

func TestNewest(t *testing.T) {
	entry := func(at string) service.AuditEntry { return service.AuditEntry{Time: at, Type: at} }
	all := []service.AuditEntry{entry("x"), entry("2026-01-01T00:00:00Z"), entry("2026-01-01T00:00:00.5Z"), entry("2025-12-31T23:00:00-05:00")}
	for limit, want := range map[int][]string{
		0: {"2025-12-31T23:00:00-05:00", "2026-01-01T00:00:00.5Z", "2026-01-01T00:00:00Z", "x"},
		2: {"2025-12-31T23:00:00-05:00", "2026-01-01T00:00:00.5Z"},
	} {
		var got []string
		for _, e := range newest(all, limit) {
			got = append(got, e.Time)
		}
		if !slices.Equal(got, want) {
			t.Errorf("%d: %q", limit, got)
		}
	}
}

func TestPayload(t *testing.T) {
	for raw, want := range map[string]string{"": "", "{ \"a\": [1,\n2] }": `{"a":[1,2]}`, "{": ""} {
		if got := payload(json.RawMessage(raw)); got != want {
			t.Errorf("%q: %q", raw, got)
		}
	}
}
