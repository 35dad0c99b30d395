package forge

import (
	"net/url"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

func TestPages(t *testing.T) {
	const commit = "0123456789abcdef0123456789abcdef01234567"
	for _, c := range []struct{ remote, kind, address, repository, commit, branch string }{
		{"https://github.com/team/app.git", "", "", "", "https://github.com/team/app/commit/",
			"https://github.com/team/app/tree/l10n/main"},
		{"git@github.com:team/app.git", "", "", "", "https://github.com/team/app/commit/",
			"https://github.com/team/app/tree/l10n/main"},
		{"ssh://git@ssh.github.com:443/team/app.git", "", "", "", "https://github.com/team/app/commit/",
			"https://github.com/team/app/tree/l10n/main"},
		{"https://me:secret@github.example.org:8443/team/app", "", "", "",
			"https://github.example.org:8443/team/app/commit/",
			"https://github.example.org:8443/team/app/tree/l10n/main"},
		{"https://oauth2:secret@gitlab.com/group/sub/app.git", "", "", "", "https://gitlab.com/group/sub/app/-/commit/",
			"https://gitlab.com/group/sub/app/-/tree/l10n/main"},
		{"git@codeberg.org:team/app.git", "", "", "", "https://codeberg.org/team/app/commit/",
			"https://codeberg.org/team/app/src/branch/l10n/main"},
		{"https://git.example.org/team/app.git", "gitea", "", "", "https://git.example.org/team/app/commit/",
			"https://git.example.org/team/app/src/branch/l10n/main"},
		{"https://git.example.org/team/app.git", "gitlab", "https://git.example.org/gitlab", "team/app",
			"https://git.example.org/gitlab/team/app/-/commit/",
			"https://git.example.org/gitlab/team/app/-/tree/l10n/main"},
		{"/srv/git/app.git", "github", "https://api.github.com", "team/app", "https://github.com/team/app/commit/",
			"https://github.com/team/app/tree/l10n/main"},
		{"/srv/git/app.git", "github", "https://ghe.example.org/api/v3/", "team/app",
			"https://ghe.example.org/team/app/commit/", "https://ghe.example.org/team/app/tree/l10n/main"},
		{"git@bitbucket.org:team/app.git", "", "", "", "https://bitbucket.org/team/app/commits/",
			"https://bitbucket.org/team/app/branch/l10n/main"},
		{"https://bitbucket.example.org/scm/prj/app.git", "", "", "",
			"https://bitbucket.example.org/projects/prj/repos/app/commits/",
			"https://bitbucket.example.org/projects/prj/repos/app/browse?at=refs%2Fheads%2Fl10n%2Fmain"},
		{"ssh://git@bitbucket.example.org:7999/~ada/app.git", "", "", "",
			"https://bitbucket.example.org/users/ada/repos/app/commits/",
			"https://bitbucket.example.org/users/ada/repos/app/browse?at=refs%2Fheads%2Fl10n%2Fmain"},
		{"https://me@dev.azure.com/acme/web/_git/app", "", "", "", "https://dev.azure.com/acme/web/_git/app/commit/",
			"https://dev.azure.com/acme/web/_git/app?version=GBl10n%2Fmain"},
		{"git@ssh.dev.azure.com:v3/acme/web/app", "", "", "", "https://dev.azure.com/acme/web/_git/app/commit/",
			"https://dev.azure.com/acme/web/_git/app?version=GBl10n%2Fmain"},
		{"https://git.example.org/team/app.git", "", "", "", "", ""},
		{"https://git.example.org/team/app.git", "none", "", "", "", ""},
		{"https://notgithub.org/team/app.git", "", "", "", "", ""},
		{"/srv/git/app.git", "", "", "", "", ""},
		{"file:///srv/git/github.com/app.git", "", "", "", "", ""},
		{"", "", "", "", "", ""},
		{"git@github.com:team/../app.git", "", "", "", "", ""},
		{"git@github.com:team/app.git?token=secret", "", "", "", "", ""},
		{"git@github.com:team/<script>.git", "", "", "", "", ""},
		{"/srv/git/app.git", "github", "javascript:alert(1)", "team/app", "", ""},
	} {
		p := PagesOf(c.remote, c.kind, c.address, c.repository)
		want := c.commit
		if want != "" {
			want += commit
		}
		if got := p.Commit(commit); got != want {
			t.Errorf("%s: the commit is at %q, want %q", c.remote, got, want)
		}
		if got := p.Branch("l10n/main"); got != c.branch {
			t.Errorf("%s: the branch is at %q, want %q", c.remote, got, c.branch)
		}
		if p.Commit("") != "" || p.Branch("") != "" {
			t.Errorf("%s: pages of nothing", c.remote)
		}
	}
}

// Whatever a remote's address holds: what comes out is an address of the web, of that host, without user, password, and
// query of the remote's.
func TestPagesLaw(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		word := rapid.StringMatching(`[a-z0-9.~_<>"' %-]{1,8}`)
		secret := rapid.StringMatching(`hush[a-z0-9]{6}`).Draw(t, "secret")
		host := rapid.SampledFrom([]string{"github.com", "gitlab.org", "gitea.example", "bitbucket.org",
			"bitbucket.example"}).Draw(t, "host")
		path := word.Draw(t, "owner") + "/" + word.Draw(t, "name")
		remote := rapid.SampledFrom([]string{"https://u:" + secret + "@" + host + "/" + path, "https://" + secret +
			"@" + host + "/" + path, "ssh://" + secret + "@" + host + "/" + path,
			secret + "@" + host + ":" + path, "https://" + host + "/" + path + "?t=" + secret, "https://" + host + "/" +
				path + "#" + secret, host + ":" + path + "?" + secret}).Draw(t, "remote")
		p := PagesOf(remote, "", "", "")
		for _, address := range []string{p.Commit(word.Draw(t, "commit")),
			p.Branch(word.Draw(t, "branch") + "/" + word.Draw(t, "branch"))} {
			if address == "" {
				continue
			}
			u, err := url.Parse(address)
			if err != nil || u.Scheme != "https" || u.Host != host || u.User != nil || strings.Contains(address,
				"hush") || strings.ContainsAny(address, `<>"' `) {
				t.Fatalf("%s: %s, %v", remote, address, err)
			}
		}
	})
}
