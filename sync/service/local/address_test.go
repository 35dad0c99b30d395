package local

import (
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

func TestEventURL(t *testing.T) {
	for base, want := range map[string]string{
		"http://h":              "http://h/project/status",
		"http://h/":             "http://h/project/status",
		"http://h/a/b/":         "http://h/a/b/project/status",
		"http://h/a?x=1&y=/z":   "http://h/a/project/status?x=1&y=/z",
		"https://u:p@h:8/%2Fa?": "https://u:p@h:8/%2Fa/project/status?",
	} {
		if got := eventURL(base, wire.CallbackProjectStatus); got != want {
			t.Errorf("%s: %s, want %s", base, got, want)
		}
	}
}
