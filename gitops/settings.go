package gitops

import (
	"context"
	"errors"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/go-git/gcfg"
)

// settings are the repository's configuration with the user's and the system's below it: full key in git's spelling
// (section and last part in lower case) to all values, least specific first.
type settings map[string][]string

// readSettings asks the git program, which follows include and includeIf, and reads the files itself where there is none:
// the user's, the repository's and the worktree's, without includes.
func readSettings(ctx context.Context, p *program, gitDir, commonDir string) (settings, error) {
	set := settings{}
	if p != nil {
		out, err := p.run(ctx, call{dir: gitDir, env: []string{"GIT_DIR=" + gitDir}, args: []string{"config", "-l", "-z"}})
		if err != nil {
			return nil, err
		}
		for _, item := range strings.Split(string(out), "\x00") {
			key, value, given := strings.Cut(item, "\n")
			if !given {
				value = "true" // a key that stands alone
			}
			if key != "" {
				set[key] = append(set[key], value)
			}
		}
		return set, nil
	}
	for _, file := range append(userFiles(), filepath.Join(commonDir, "config")) {
		if err := set.readFile(file); err != nil {
			return nil, err
		}
	}
	if set.bool("extensions.worktreeconfig", false) {
		return set, set.readFile(filepath.Join(gitDir, "config.worktree"))
	}
	return set, nil
}

// userFiles are the configuration files of the system and the user.
func userFiles() (files []string) {
	if off, _ := strconv.ParseBool(os.Getenv("GIT_CONFIG_NOSYSTEM")); !off {
		files = append(files, or(os.Getenv("GIT_CONFIG_SYSTEM"), "/etc/gitconfig"))
	}
	if global, given := os.LookupEnv("GIT_CONFIG_GLOBAL"); given {
		return append(files, global)
	}
	if home, err := os.UserHomeDir(); err == nil {
		files = append(files, filepath.Join(or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "config"),
			filepath.Join(home, ".gitconfig"))
	}
	return files
}

func (s settings) readFile(name string) error {
	f, err := os.Open(name)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
			return nil
		}
		return err
	}
	defer f.Close()
	err = gcfg.ReadWithCallback(f, func(section, sub, key, value string, alone bool) error {
		if key == "" {
			return nil // a section's head
		}
		if alone {
			value = "true"
		}
		if sub != "" {
			sub += "."
		}
		full := strings.ToLower(section) + "." + sub + strings.ToLower(key)
		s[full] = append(s[full], value)
		return nil
	})
	if err != nil {
		return &fs.PathError{Op: "read git configuration", Path: name, Err: err}
	}
	return nil
}

// get is the last value, the one that counts for keys with one value.
func (s settings) get(key string) string {
	if values := s[key]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

func (s settings) has(key string) bool { return len(s[key]) > 0 }

func (s settings) bool(key string, otherwise bool) bool {
	if !s.has(key) {
		return otherwise
	}
	switch v := strings.ToLower(s.get(key)); v {
	case "true", "yes", "on":
		return true
	case "false", "no", "off", "":
		return false
	default:
		n, err := strconv.Atoi(v)
		if err != nil {
			return otherwise
		}
		return n != 0
	}
}

// hasFilters says whether any content filter is configured.
func (s settings) hasFilters() bool {
	for key := range s {
		if strings.HasPrefix(key, "filter.") {
			return true
		}
	}
	return false
}

// file is a value that names a file, with ~ as the home folder.
func (s settings) file(key string) string {
	v := s.get(key)
	if rest, ok := strings.CutPrefix(v, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return v
}

// remoteURL is where the remote is fetched from (or pushed to), after url.<base>.insteadOf (pushInsteadOf); "" when it is
// not configured.
func (s settings) remoteURL(remote string, push bool) string {
	raw, explicit := s.get("remote."+remote+".url"), ""
	if urls := s["remote."+remote+".url"]; len(urls) > 0 {
		raw = urls[0]
	}
	if push {
		explicit = s.get("remote." + remote + ".pushurl")
	}
	if explicit != "" {
		return s.rewrite(explicit, ".insteadof")
	}
	if push && raw != "" {
		if to := s.rewrite(raw, ".pushinsteadof"); to != raw {
			return to
		}
	}
	return s.rewrite(raw, ".insteadof")
}

// rewrite replaces the longest prefix that a url section names.
func (s settings) rewrite(raw, rule string) string {
	best, base := "", ""
	for key, values := range s {
		to, ok := strings.CutPrefix(key, "url.")
		if !ok || !strings.HasSuffix(to, rule) {
			continue
		}
		for _, prefix := range values {
			if strings.HasPrefix(raw, prefix) && len(prefix) > len(best) {
				best, base = prefix, strings.TrimSuffix(to, rule)
			}
		}
	}
	return base + raw[len(best):]
}

// forURL gives all values of http.<key> and of http.<pattern>.<key> whose pattern covers the address: scheme, host and
// port equal, path a prefix at a slash. More specific patterns come later.
func (s settings) forURL(address, key string) []string {
	values := append([]string(nil), s["http."+key]...)
	u, err := url.Parse(address)
	if err != nil {
		return values
	}
	type found struct {
		length int
		values []string
	}
	var specific []found
	for full, v := range s {
		pattern, ok := strings.CutPrefix(full, "http.")
		if !ok || !strings.HasSuffix(pattern, "."+key) {
			continue
		}
		p, err := url.Parse(strings.TrimSuffix(pattern, "."+key))
		if err != nil || p.Scheme != u.Scheme || !strings.EqualFold(p.Host, u.Host) {
			continue
		}
		path := strings.TrimSuffix(p.Path, "/")
		if u.Path == path || strings.HasPrefix(u.Path, path+"/") {
			specific = append(specific, found{len(path), v})
		}
	}
	for len(specific) > 0 { // shortest first
		least := 0
		for i := range specific {
			if specific[i].length < specific[least].length {
				least = i
			}
		}
		values = append(values, specific[least].values...)
		specific = append(specific[:least], specific[least+1:]...)
	}
	return values
}

// tracking is the reference that stands here for a branch of the remote, by the remote's fetch refspecs; "" when they
// have no place for it.
func (s settings) tracking(remote, branch string) string {
	ref := "refs/heads/" + branch
	specs := s["remote."+remote+".fetch"]
	for _, spec := range specs {
		if not, ok := strings.CutPrefix(spec, "^"); ok {
			if _, ok := underSpec(not, ref); ok {
				return ""
			}
		}
	}
	for _, spec := range specs {
		from, to, _ := strings.Cut(strings.TrimPrefix(spec, "+"), ":")
		if star, ok := underSpec(from, ref); ok && to != "" {
			return strings.Replace(to, "*", star, 1)
		}
	}
	return ""
}

// underSpec says whether a side of a refspec covers a reference, and what its star stands for.
func underSpec(side, ref string) (star string, ok bool) {
	before, after, glob := strings.Cut(side, "*")
	if !glob {
		return "", side == ref
	}
	ok = len(ref) >= len(before)+len(after) && strings.HasPrefix(ref, before) && strings.HasSuffix(ref, after)
	if ok {
		star = ref[len(before) : len(ref)-len(after)]
	}
	return star, ok
}

// redact takes the user's part out of an address, for messages.
func redact(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.User == nil || u.Scheme == "" {
		if at := strings.LastIndex(address, "@"); at >= 0 && strings.Contains(address, "://") {
			scheme, _, _ := strings.Cut(address, "://")
			return scheme + "://" + address[at+1:]
		}
		return address
	}
	if u.Scheme == "ssh" {
		u.User = url.User(u.User.Username())
	} else {
		u.User = nil
	}
	return u.String()
}
