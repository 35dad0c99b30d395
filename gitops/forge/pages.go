package forge

import (
	"net/url"
	"path"
	"slices"
	"strings"
)

// Pages are the web pages of a repository, for people. The zero value is of one whose pages are not known.
type Pages struct {
	root           string // of the repository, without a slash at the end
	commit, branch string // what precedes a commit's name and a branch's, in an address
	whole          bool   // a branch is one value: its slashes are escaped
}

// PagesOf finds the pages of the repository behind a git remote's address. kind, address and repository are those of
// Options, "" for what is not known: the forge is then told by its host's name (github.com, gitlab.example.org), the
// others by the remote. Nothing of what the remote's address holds beside host and path is in an address that comes
// out: no user, no password, no query.
func PagesOf(remote, kind, address, repository string) Pages {
	guessed, name, err := Locate(remote)
	if address == "" {
		address = guessed
	}
	if repository == "" {
		repository = name
	}
	u, uerr := url.Parse(address)
	if err != nil && (address == "" || repository == "") || uerr != nil || u.Host == "" ||
		u.Scheme != "https" && u.Scheme != "http" || !plainPath(repository) {
		return Pages{}
	}
	if u.Host == "api.github.com" {
		u.Host = "github.com"
	}
	folder := strings.TrimRight(u.Path, "/")
	for _, api := range []string{"/api/v1", "/api/v3", "/api/v4"} { // an address that ends so is its API's
		folder = strings.TrimSuffix(folder, api)
	}
	root := (&url.URL{Scheme: u.Scheme, Host: u.Host, Path: folder}).String() + "/" + repository
	if kind = kindOf(kind, u.Hostname()); kind == bitbucket && u.Hostname() != "bitbucket.org" {
		project, name, ok := strings.Cut(strings.TrimPrefix(repository, "scm/"), "/")
		if !ok || strings.Contains(name, "/") {
			return Pages{}
		}
		owner, is := "projects", strings.HasPrefix(project, "~")
		if is {
			owner, project = "users", project[1:]
		}
		root = strings.TrimSuffix(root, repository) + owner + "/" + project + "/repos/" + name
		return Pages{root, "/commits/", "/browse?at=refs%2Fheads%2F", true}
	}
	switch kind {
	case "github":
		return Pages{root, "/commit/", "/tree/", false}
	case "gitlab":
		return Pages{root, "/-/commit/", "/-/tree/", false}
	case "gitea":
		return Pages{root, "/commit/", "/src/branch/", false}
	case bitbucket:
		return Pages{root, "/commits/", "/branch/", false}
	case azureDevOps:
		project, name := path.Split(repository)
		return Pages{strings.TrimSuffix(root, repository) + project + "_git/" + name, "/commit/", "?version=GB", true}
	}
	return Pages{}
}

// kindOf is a forge's kind: as it is known, else as a part of its host's name tells.
func kindOf(kind, host string) string {
	if slices.Contains(Kinds, kind) {
		return kind
	}
	switch parts := strings.FieldsFunc(strings.ToLower(host), func(r rune) bool { return r == '.' || r == '-' }); {
	case slices.Contains(parts, "github"):
		return "github"
	case slices.Contains(parts, "gitlab"):
		return "gitlab"
	case slices.Contains(parts, "gitea"), slices.Contains(parts, "forgejo"), slices.Contains(parts, "codeberg"):
		return "gitea"
	case slices.Contains(parts, bitbucket):
		return bitbucket
	case slices.Contains(parts, azureDevOps):
		return azureDevOps
	}
	return ""
}

// plainPath reports whether a repository's path is one as forges give them, so that it can be in an address as it is.
func plainPath(name string) bool {
	return name != "" && !strings.Contains("/"+name+"/", "/../") && !strings.ContainsFunc(name, func(r rune) bool {
		return !(r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || strings.ContainsRune("._-~/", r))
	})
}

// Commit is the page that shows a commit; "" where it is not known.
func (p Pages) Commit(hash string) string {
	if p.root == "" || hash == "" {
		return ""
	}
	return p.root + p.commit + url.PathEscape(hash)
}

// Branch is the page that shows a branch; "" where it is not known.
func (p Pages) Branch(name string) string {
	if p.root == "" || name == "" {
		return ""
	}
	if p.whole {
		return p.root + p.branch + url.QueryEscape(name)
	}
	parts := strings.Split(name, "/")
	for i := range parts {
		parts[i] = url.PathEscape(parts[i])
	}
	return p.root + p.branch + strings.Join(parts, "/")
}
