package forge

import (
	"fmt"
	"net/url"
	"strings"
)

// Locate guesses the forge and the repository from a git remote's address: https://host/owner/name.git,
// git@host:owner/name.git, ssh://git@host:2222/owner/name. A forge below a folder of its host cannot be guessed, nor
// can one that answers git under another name.
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
	} else if before, after, ok := strings.Cut(remote, ":"); ok && !strings.Contains(before, "/") &&
		!strings.HasPrefix(after, "/"+"/") {
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
	host, path = locateAzure(host, path)
	if host == "" || !strings.Contains(path, "/") {
		return "", "", fmt.Errorf("the remote %s does not tell which forge has the repository; "+
			"set url and repository in [project.pull.request]", remote)
	}
	return scheme + "://" + host, path, nil
}

// locateAzure turns the addresses of Azure DevOps into organisation/project/repository at one host: dev.azure.com with
// _git before the repository, its ssh with v3 before all, NAME.visualstudio.com for an organisation. Azure DevOps
// Server has folders instead of an organisation. A repository called like its project may stand without it.
func locateAzure(host, path string) (string, string) {
	const azureHost = "dev.azure.com"
	switch organisation, is := strings.CutSuffix(host, ".visualstudio.com"); {
	case host == "ssh.dev.azure.com", host == "vs-ssh.visualstudio.com":
		if plain, err := url.PathUnescape(path); err == nil { // blanks in a project's name
			path = plain
		}
		return azureHost, strings.TrimPrefix(path, "v3/")
	case is:
		host, path = azureHost, organisation+"/"+strings.TrimPrefix(path, "DefaultCollection/")
	}
	before, repository, is := strings.Cut(path, "/_git/")
	if !is || strings.Contains(repository, "/") {
		return host, path
	}
	if host == azureHost && !strings.Contains(strings.Trim(before, "/"), "/") {
		before += "/" + repository
	}
	return host, before + "/" + repository
}
