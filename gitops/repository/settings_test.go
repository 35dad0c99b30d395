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

// The addresses of a remote are those that git prints, also where git is not asked.
func TestAddressesAreGits(t *testing.T) {
	t.Parallel()
	for name, config := range map[string]string{
		"one":                      "[remote \"o\"]\n\turl = https://example.org/a\n",
		"several":                  "[remote \"o\"]\n\turl = https://example.org/a\n\turl = ../b\n",
		"others for pushes":        "[remote \"o\"]\n\turl = https://example.org/a\n\tpushurl = ssh://x/y\n\tpushurl = z:a b\n",
		"an empty one":             "[remote \"o\"]\n\turl = \n\turl = https://example.org/a\n",
		"instead of":               "[remote \"o\"]\n\turl = s:a\n[url \"https://example.org/\"]\n\tinsteadOf = s:\n",
		"instead of, for pushes":   "[remote \"o\"]\n\turl = s:a\n[url \"ssh://x/\"]\n\tpushInsteadOf = s:\n",
		"instead of a pushurl":     "[remote \"o\"]\n\turl = a\n\tpushurl = s:b\n[url \"ssh://x/\"]\n\tinsteadOf = s:\n",
		"for another remote alone": "[remote \"p\"]\n\turl = s:a\n",
	} {
		t.Run(name, func(t *testing.T) {
			dir := gittest.Init(t, map[string]string{"a": "1"})
			gittest.Write(t, dir, map[string]string{".git/config": "[core]\n\tbare = false\n" + config})
			r, err := Open(t.Context(), dir, Options{Remote: "o"})
			if err != nil {
				t.Fatal(err)
			}
			defer r.Objects.Close()
			to, err := r.PushURLs()
			if err != nil {
				t.Fatal(err)
			}
			asked := func(options string) string {
				out, _ := gittest.Shell(t, dir, "git remote get-url --all "+options+" o 2>/dev/null")
				return strings.TrimSpace(out)
			}
			from, _, _ := strings.Cut(asked(""), "\n")
			if r.URL != from || strings.Join(to, "\n") != asked("--push") {
				t.Errorf("fetched from %q and pushed to %q; git has %q and %q", r.URL, to, from, asked("--push"))
			}
		})
	}
}
