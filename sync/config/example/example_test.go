package example

import (
	"maps"
	"os"
	"testing"
)

func TestComments(t *testing.T) {
	got := Comments("# About the file.\n\n# The top,\n# in two lines.\ntop = 1\nbeside = 2\n\nalone = 3\n# A table.\n" +
		"[a]\nb = \"\"\"\n# no comment\n\"\"\"\n# One,\nc = 1\n# or another.\nd = 2\n# [[a.more]]\n# Left out.\n# e = 3\n")
	want := map[string]string{"top": "The top, in two lines.", "beside": "The top, in two lines.", "alone": "",
		"a": "A table.", "a.b": "", "a.c": "One,", "a.d": "One, or another.", "a.more": "One, or another.", "a.more.e": "Left out."}
	if !maps.Equal(got, want) {
		t.Errorf("got %q\nwant %q", got, want)
	}
}

// The copy is the file that people get, byte by byte; LOCSYNC_UPDATE=1 makes it so.
func TestCopy(t *testing.T) {
	original, err := os.ReadFile("../../../config.example.toml")
	if err != nil {
		t.Fatal(err)
	}
	if os.Getenv("LOCSYNC_UPDATE") != "" {
		if err := os.WriteFile("config.example.toml", original, 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if Text != string(original) {
		t.Error("config.example.toml was changed; run this test with LOCSYNC_UPDATE=1")
	}
}
