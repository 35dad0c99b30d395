package config

import (
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config/secret"
)

// scpAddress is the short form of ssh addresses: user@host:path.
var scpAddress = regexp.MustCompile(`^[^/:@\s]+@[^/:@\s]+:[^:]`)

// Cloned reports whether Repository is the address of a repository elsewhere, of which a clone is kept.
func (p *Project) Cloned() bool {
	return strings.Contains(p.Repository, "://") || scpAddress.MatchString(p.Repository)
}

// Address is the address of a repository that is Cloned; where it has a password, without user and password, which
// then come beside it.
func (p *Project) Address() (address, user string, password secret.Value) {
	u, err := url.Parse(p.Repository)
	if err != nil || u.User == nil {
		return p.Repository, "", secret.Value{}
	}
	word, some := u.User.Password()
	if !some {
		return p.Repository, "", secret.Value{}
	}
	user = u.User.Username()
	u.User = nil
	return u.String(), user, secret.New(word)
}

var cloneSchemes = []string{"https", "http", "ssh", "git", "file"}

func (v *validator) repository(p *Project) {
	switch {
	case p.Repository == "":
		v.add("repository", `must be a folder on this machine, such as ".", or the address of a repository`)
		return
	case !p.Cloned():
		v.plain("repository", p.Repository)
		if p.Push.Source == "" {
			v.in(p.origin.at("push"))
			v.add("source", `must be "worktree" or the name of a branch`)
			v.in(p.origin)
		}
		return
	case strings.Contains(p.Repository, "://"):
		v.cloneAddress(p)
	default:
		v.plain("repository", p.Repository)
	}
	if p.Push.Source == Worktree {
		if _, said := p.origin.lines[p.origin.at("push").at("source").path]; said {
			v.in(p.origin.at("push"))
			v.add("source", `a repository that is cloned has no working tree; write the name of a branch, `+
				`or leave source out for the remote's default one`)
		}
		p.Push.Source = ""
	}
	v.in(p.origin.at("pull"))
	if p.Pull.Remote != "origin" {
		v.add("remote", `a repository that is cloned has one remote, "origin"; leave remote out`)
	}
	v.in(p.origin)
}

// cloneAddress checks an address with a scheme. It is not quoted: it may hold a password.
func (v *validator) cloneAddress(p *Project) {
	u, err := url.Parse(p.Repository)
	switch {
	case err != nil:
		v.add("repository", "this is not an address that can be read")
	case !slices.Contains(cloneSchemes, u.Scheme):
		v.add("repository", "%s:// is not a known kind of address of a repository; one of %s", u.Scheme,
			strings.Join(cloneSchemes, ", "))
	case u.Scheme == "file" && u.Host != "" && u.Host != "localhost",
		u.Scheme != "file" && u.Host == "", strings.Trim(u.Path, "/") == "":
		v.add("repository", "the address must have a host and a path, as in https://git.example.com/team/app.git")
	case u.RawQuery != "" || u.Fragment != "":
		v.add("repository", "must end with its path: no ? and no #")
	case !plainText(p.Repository):
		v.add("repository", "holds a control character")
	default:
		if _, _, password := p.Address(); !password.IsZero() {
			v.warn("repository", "the address holds a password; git's credential helpers, or ssh with a key, keep it out "+
				"of this file")
			if u.Scheme == "http" && !bound.Loopback(u.Hostname()) {
				v.warn("repository", "http sends the password unprotected to %s; https does not", u.Host)
			}
		}
	}
}

// webAddress checks an http address; nil when it is none.
func (v *validator) webAddress(key, text, or string) *url.URL {
	u, err := url.Parse(text)
	switch {
	case err != nil || u.Host == "" || u.Scheme != "http" && u.Scheme != "https":
		if err == nil && u.User != nil {
			text = "this" // whatever it is, it may hold a password
		} else {
			text = strconv.Quote(text)
		}
		v.add(key, "%s is not %san address with scheme and host, such as https://example.com", text, or)
	case u.User != nil:
		v.add(key, "must not hold a user or password; this file must not hold secrets")
	case u.RawQuery != "" || u.ForceQuery || u.Fragment != "":
		v.add(key, "must end with its path: no ? and no #")
	case !validPort(u.Port()):
		v.add(key, "%q is not a port", u.Port())
	default:
		return u
	}
	return nil
}

func validPort(port string) bool {
	n, err := strconv.Atoi(port)
	return port == "" || err == nil && n > 0 && n < 1<<16
}
