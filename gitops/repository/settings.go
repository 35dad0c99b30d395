package repository

import (
	"context"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/gitops/run"
)

// Settings are the repository's configuration with the user's and the system's below it: full key in git's spelling
// (section and last part in lower case) to all values, least specific first.
type Settings map[string][]string

// readSettings asks the git program for everything that counts in a repository.
func readSettings(ctx context.Context, git *run.Program, gitDir string) (Settings, error) {
	out, err := git.Run(ctx, run.Call{Dir: gitDir, Env: []string{"GIT_DIR=" + gitDir},
		Args: []string{"config", "-l", "-z"}})
	all := Settings{}
	for item := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		key, value, given := strings.Cut(item, "\n")
		if !given {
			value = "true" // a key without a value
		}
		all[key] = append(all[key], value)
	}
	return all, err
}

// Get is the last value, the one that counts for keys with one value.
func (s Settings) Get(key string) string {
	if values := s[key]; len(values) > 0 {
		return values[len(values)-1]
	}
	return ""
}

func (s Settings) Has(key string) bool { return len(s[key]) > 0 }

// Bool is a value as git reads it; what is none, git refuses wherever it needs it.
func (s Settings) Bool(key string, otherwise bool) bool {
	if !s.Has(key) {
		return otherwise
	}
	n, err := strconv.Atoi(s.Get(key))
	return (err != nil || n != 0) && !slices.Contains([]string{"false", "no", "off", ""}, strings.ToLower(s.Get(key)))
}

// HasFilters says whether any content filter is configured.
func (s Settings) HasFilters() bool {
	for key := range s {
		if strings.HasPrefix(key, "filter.") {
			return true
		}
	}
	return false
}

// File is a value that names a file, with ~ as the home folder.
func (s Settings) File(key string) string {
	v := s.Get(key)
	if rest, ok := strings.CutPrefix(v, "~/"); ok {
		if home, err := os.UserHomeDir(); err == nil {
			return filepath.Join(home, rest)
		}
	}
	return v
}

// HasRemote says whether there is an address for a remote.
func (s Settings) HasRemote(name string) bool { return s.Get("remote."+name+".url") != "" }

// insteadOf says whether some addresses stand for others.
func (s Settings) insteadOf() bool {
	for key := range s {
		part := key[strings.LastIndexByte(key, '.')+1:]
		if strings.HasPrefix(key, "url.") && (part == "insteadof" || part == "pushinsteadof") {
			return true
		}
	}
	return false
}

// tracking is the reference here for a branch of the remote, by the remote's fetch refspecs; "" when they
// have no place for it.
func (s Settings) tracking(remote, branch string) string {
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

// underSpec says whether a side of a refspec covers a reference, and what its star matches.
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

// Promisor is the remote that has what a partial clone left out; "" in a full one.
func (s Settings) Promisor() string {
	if name := s.Get("extensions.partialclone"); name != "" {
		return name
	}
	for _, key := range slices.Sorted(maps.Keys(s)) {
		if name, ok := strings.CutPrefix(key, "remote."); ok && s.Bool(key, false) {
			if name, ok := strings.CutSuffix(name, ".promisor"); ok {
				return name
			}
		}
	}
	return ""
}
