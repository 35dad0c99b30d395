package forge

import (
	"fmt"
	"net/url"
	"strings"
)

// Locate guesses the forge and the repository from a git remote's address: https://host/owner/name.git, git@host:owner/name.git,
// ssh://git@host:2222/owner/name. A forge below a folder of its host cannot be guessed, nor can one that answers git under another name.
func Locate(remote string) (forge, repository string, err error) {
	scheme, host, path := "https", "", ""
	if u, perr := url.Parse(remote); perr == nil && u.Host != "" {
		host, path = u.Hostname(), u.Path
		switch u.Scheme {
		case "http", "https":
			scheme, host = u.Scheme, u.Host
		case "ssh", "git", "git+ssh": // their port is not the forge's
		default:
			host = ""
		}
	} else if before, after, ok := strings.Cut(remote, ":"); ok && !strings.Contains(before, "/") && !strings.HasPrefix(after, "/"+"/") {
		host, path = before[strings.LastIndex(before, "@")+1:], after // git's short form for ssh
	}
	// Addresses for ssh through the port of https, which both forges document.
	switch host {
	case "ssh.github.com":
		host = "github.com"
	case "altssh.gitlab.com":
		host = "gitlab.com"
	}
	path = strings.TrimSuffix(strings.Trim(path, "/"), ".git")
	if host == "" || !strings.Contains(path, "/") {
		return "", "", fmt.Errorf("the remote %s does not tell which forge has the repository; set url and repository in [project.pull.request]", remote)
	}
	return scheme + "://" + host, path, nil
}
