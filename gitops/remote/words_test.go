package remote

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/gitops/outcome"
	"github.com/locsync/locsync/gitops/repository"
	"github.com/locsync/locsync/gitops/run"
)

// What servers of all ages report: a no that stays, or something that only the listing explains.
func TestReports(t *testing.T) {
	t.Parallel()
	const name = "refs/heads/x"
	for status, sure := range map[string]bool{
		"pre-receive hook declined": true, "protected branch hook declined": true, "deny updating a hidden ref": true, "funny refname": true,
		"failed to update ref": false, "cannot lock ref 'refs/heads/x': is at 1 but expected 2": false,
		"incorrect old value provided": false,
		"reference already exists":     false,
	} {
		if perhapsMoved(status) == sure {
			t.Errorf("%s: sure is %v", status, !sure)
		}
		out := "To origin\n!\tabc:refs/heads/x\t[remote rejected] (" + status + ")\nDone\n"
		if got, found := porcelainStatus(out, name); !found || got != status {
			t.Errorf("git's %q reads as %q", out, got)
		}
	}
	for _, line := range []string{"*\tabc:refs/heads/x\t[new branch]", " \tabc:refs/heads/x\t1..2",
		"=\tabc:refs/heads/x\t[up to date]", "!\tabc:refs/heads/y\t[rejected] (no)"} {
		if got, found := porcelainStatus("To origin\n"+line+"\n", name); found {
			t.Errorf("git's %q reads as the refusal %q", line, got)
		}
	}
}

// What the forges print after a push, as it comes through the side-band.
func TestOffer(t *testing.T) {
	for _, c := range []struct{ name, said, want string }{
		{"GitHub",
			"\nCreate a pull request for 'l10n' on GitHub by visiting:\n     https://github.com/acme/app/pull/new/l10n\n",
			"https://github.com/acme/app/pull/new/l10n"},
		{"GitLab, none yet",
			"\nTo create a merge request for l10n, visit:\n  https://gitlab.com/acme/app/-/merge_requests/new?merge_request%5Bsource_branch%5D=l10n\n\n",
			"https://gitlab.com/acme/app/-/merge_requests/new?merge_request%5Bsource_branch%5D=l10n"},
		{"GitLab, there is one",
			"\nView merge request for l10n:\n  https://gitlab.example.com/acme/app/-/merge_requests/7\n",
			"https://gitlab.example.com/acme/app/-/merge_requests/7"},
		{"Gitea",
			"\nCreate a new pull request for 'l10n':\n  https://gitea.example.com/acme/app/compare/main...l10n\n\n. Processing 1 references\nProcessed 1 references in total\n",
			"https://gitea.example.com/acme/app/compare/main...l10n"},
		{"Gitea, there is one",
			"\nVisit the existing pull request:        \n  http://localhost:3000/acme/app/pulls/6        \n",
			"http://localhost:3000/acme/app/pulls/6"},
		{"Forgejo", "Visit the existing pull request:\n  http://localhost:3300/acme/app/pulls/12 merges into main\n",
			"http://localhost:3300/acme/app/pulls/12"},
		{"Bitbucket",
			"\nCreate pull request for l10n:\n  https://bitbucket.org/acme/app/pull-requests/new?source=l10n&t=1\n\n",
			"https://bitbucket.org/acme/app/pull-requests/new?source=l10n&t=1"},
		{"another address",
			"GitHub found 3 vulnerabilities on acme/app's default branch. To find out more, visit:\n     https://github.com/acme/app/security/dependabot\n", ""},
		{"another address below",
			"Create a pull request later\nthis repository moved to:\n  https://github.com/acme/new\n", ""},
		{"no address", "Create a pull request for 'l10n' on GitHub by visiting:\n   javascript:alert(1)\n", ""},
		{"with a password", "View merge request:\n https://ada:secret@gitlab.example.com/a/b/-/merge_requests/1",
			"https://gitlab.example.com/a/b/-/merge_requests/1"},
		{"with control characters", "View merge request:\n https://example.com/\x1b[31mred", ""},
		{"nothing", "", ""},
	} {
		if got := offered(strings.Split(c.said, "\n")); got != c.want {
			t.Errorf("%s: got %q, want %q", c.name, got, c.want)
		}
	}
}

// What a server prints may be what it was sent.
func TestSilentKeepsSecrets(t *testing.T) {
	t.Parallel()
	o := repository.Options{Username: "me", Password: "hunter2"}
	r, err := repository.Open(t.Context(), gittest.Init(t, map[string]string{"a": "1"}), o)
	if err != nil {
		t.Fatal(err)
	}
	err = (&Remote{repo: r, Address: "http://127.0.0.1/x.git"}).explain(fmt.Errorf("git push: %w",
		&run.Silent{For: time.Minute, Last: "checking hunter2"}))
	const words = "hunter2000 and hunter2"
	if got := (&Remote{repo: r, Address: "http://127.0.0.1/x.git"}).conceal(words); got != "hunter2000 and ***" {
		t.Errorf("a word that begins like a password: %q", got)
	}
	if !errors.Is(err, context.DeadlineExceeded) || strings.Contains(err.Error(), "hunter2") ||
		!strings.Contains(err.Error(), `"checking ***"`) {
		t.Errorf("%v", err)
	}
}

// A remote that gives no answer is told of with its address, the cause alone, and what to do.
func TestUnreachable(t *testing.T) {
	for words, want := range map[string]string{
		"fatal: unable to access 'http://a/x.git/': Could not resolve host: a\n": "it cannot be reached (Could not resolve " +
			"host: a); " + tryNetwork,
		"ssh: connect to host a port 22: Connection refused\r\nfatal: Could not read from remote repository.\n": "it cannot " +
			"be reached (connect to host a port 22: Connection refused); " + tryNetwork,
		"error: RPC failed; curl 56 reset\nfatal: early EOF\n": "it cannot be reached (RPC failed; curl 56 reset); " + tryNetwork,
		"fatal: unable to access 'http://a/x.git/': The requested URL returned error: 503\n": "it is not available now " +
			"(503); " + tryLater,
	} {
		err := explainWords("http://a/x.git", words, &run.Error{Verb: "ls-remote", Stderr: words})
		rejected, is := errors.AsType[*outcome.Rejection](err)
		if !is || rejected.Told() != "the remote http://a/x.git: "+want || !mayPass(err) {
			t.Errorf("%q is told as %v,\nnot as %q", words, err, want)
		}
	}
}
