package repository

import (
	"path/filepath"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/run"
)

// The configuration is what git reads, in every shape that it takes.
func TestSettingsAreGits(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, map[string]string{"a": "1"})
	config := `[core]
	AutoCRLF = input ; a comment
	bare
[remote "Or.Igin"]
	url = "https://example.org/a b.git"
	fetch = +refs/heads/*:refs/remotes/o/*
	fetch = ^refs/heads/wip
[url "git@example.org:"]
	insteadOf = https://example.org/
[http "https://example.org/x"]
	extraHeader = "A: b\tc"
[safe]
	directory =
`
	gittest.Write(t, dir, map[string]string{".git/config": config})
	git, err := run.Find(t.Context(), "")
	if err != nil {
		t.Fatal(err)
	}
	ours, err := readSettings(t.Context(), git, filepath.Join(dir, ".git"))
	if err != nil {
		t.Fatal(err)
	}
	for key, want := range map[string]string{"core.autocrlf": "input", "core.bare": "true",
		"remote.Or.Igin.url":                     "https://example.org/a b.git",
		"http.https://example.org/x.extraheader": "A: b\tc", "safe.directory": ""} {
		if got := ours.Get(key); got != want {
			t.Errorf("%s: %q, not %q", key, got, want)
		}
	}
	r, err := Open(t.Context(), dir, Options{Remote: "Or.Igin"})
	if err != nil {
		t.Fatal(err)
	}
	defer r.Objects.Close()
	to, err := r.PushURLs()
	if got := r.URL + " " + strings.Join(to, " "); err != nil ||
		got != "git@example.org:a b.git git@example.org:a b.git" {
		t.Errorf("addresses %q", got)
	}
	if a, b := ours.tracking("Or.Igin", "l10n/x"), ours.tracking("Or.Igin", "wip"); a != "refs/remotes/o/l10n/x" ||
		b != "" {
		t.Errorf("tracked as %q and %q", a, b)
	}
}
