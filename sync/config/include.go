package config

import (
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"reflect"
	"runtime"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/config/pattern"
)

// A configuration may have its projects in several files, which the main file includes by patterns. They are read at
// once, by as many goroutines as there are processors, and checked together with the main file.

// The most that may be included. All keys and their lines are kept, for the problems that show later.
const (
	mostIncluded      = 20_000    // files
	mostIncludedParts = 1_000_000 // parts of keys, in all of them
)

// included is what an included file may say.
type included struct {
	Projects []Project `toml:"project"`
}

// reading is an included file that was read.
type reading struct {
	included
	size     int // parts of keys
	problems Problems
	meant    Problems
	err      error // ErrOwner
}

// include reads the files that the main one includes, and adds their projects.
func (l *loading) include(c *Config) (Problems, error) {
	paths, problems := l.included(c)
	parts := make([]reading, len(paths))
	fault.Each(len(paths), func(i int) { parts[i] = l.part(c, paths[i]) })
	size := 0
	for i, p := range parts {
		if p.err != nil {
			return nil, p.err
		}
		if size += p.size; size > mostIncludedParts {
			return nil, Problems{c.origin.at("include").problem("the included files, up to %s, have more than %d keys: divide "+
				"the projects among several configurations", paths[i], mostIncludedParts)}
		}
		problems = append(problems, p.problems...)
		l.meant = append(l.meant, p.meant...)
		c.Projects = append(c.Projects, p.Projects...)
	}
	return problems, nil
}

// included are the files that the patterns of include match, each once, and what is wrong with the patterns.
func (l *loading) included(c *Config) ([]string, Problems) {
	var problems Problems
	found := make(map[string]bool)
	for i, pattern := range c.Include {
		at := c.origin.at("include").index(i)
		matched, err := matchFiles(c.File, pattern)
		for path, text := range l.instead {
			if ok, merr := filepath.Match(wholePattern(c.File, pattern), path); ok && merr == nil && path != c.File {
				matched.Paths = slices.DeleteFunc(matched.Paths, func(m string) bool { return m == path })
				if text != nil {
					matched.Paths = append(matched.Paths, path)
				}
			}
		}
		switch {
		case pattern == "" || errors.Is(err, filepath.ErrBadPattern) || strings.Contains(pattern, "**"):
			problems = append(problems, at.problem(`%q is not a pattern for files, such as "projects/*.toml"; allowed are *, `+
				`? and [a-z], in one folder at a time`, pattern))
		case err != nil:
			problems = append(problems, at.problem("%q cannot be read: %v; let the user that runs this read the "+
				"folder, or take the pattern out", pattern, err))
		case len(matched.Paths) > 0:
		case matched.Other != "":
			problems = append(problems, at.problem("%q matches no file, also not %s: correct the pattern, or take it out",
				pattern, matched.Other))
		case !matched.Folder:
			problems = append(problems, at.problem("%q matches no file in a folder that is there: write the first one "+
				"(locsync project add does), or take the pattern out", pattern))
		}
		for _, path := range matched.Paths {
			found[path] = true
		}
	}
	if len(found) > mostIncluded {
		problems = append(problems, c.origin.at("include").problem("%d files are more than %d: divide the projects among "+
			"several configurations", len(found), mostIncluded))
		return nil, problems
	}
	return slices.Sorted(maps.Keys(found)), problems
}

// matchFiles are the files that a pattern in a configuration file matches. Hidden ones are not meant by a pattern, as
// in a shell: editors keep locks and copies in them.
func matchFiles(file, text string) (pattern.Found, error) {
	found, err := pattern.Find(wholePattern(file, text))
	found.Paths = slices.DeleteFunc(found.Paths, func(path string) bool {
		return strings.HasPrefix(filepath.Base(path), ".") || filepath.Clean(path) == filepath.Clean(file)
	})
	return found, err
}

// wholePattern is a pattern in a configuration file, from the folder of that on.
func wholePattern(file, pattern string) string {
	dir := filepath.Dir(file)
	if filepath.IsAbs(pattern) {
		return pattern
	}
	if runtime.GOOS == "windows" { // where a backslash separates folders, nothing is escaped
		return filepath.Join(dir, pattern)
	}
	return filepath.Join(strings.NewReplacer(`\`, `\\`, `*`, `\*`, `?`, `\?`, `[`, `\[`).Replace(dir), pattern)
}

// part reads one included file.
func (l *loading) part(c *Config, path string) (p reading) {
	data, err := l.read(path)
	switch {
	case errors.Is(err, ErrOwner):
		p.err = err
		return p
	case errors.As(err, &p.problems):
		return p
	case err != nil:
		p.problems = Problems{origin{file: path}.problem("cannot be read: %v; it is included by %s", err, c.File)}
		return p
	}
	whole, tree, size, problems := document(path, data)
	if problems != nil {
		p.problems = problems
		return p
	}
	d := &decoder{}
	for key := range fieldsOf(reflect.TypeFor[Config]()) {
		if _, there := tree[key]; there && key != "project" {
			d.add(whole.at(key), "belongs to %s: an included file has [[project]] tables only", c.File)
			delete(tree, key)
		}
	}
	d.table(whole, tree, reflect.ValueOf(&p.included).Elem())
	for i := range p.Projects {
		p.Projects[i].relocate(filepath.Dir(path), filepath.Dir(c.File))
	}
	if len(p.Projects) == 0 && len(d.problems) == 0 {
		d.add(whole.at("project"), "there is no [[project]] in this file; write one, or remove the file")
	}
	p.size, p.problems, p.meant = size, d.problems, d.meant
	return p
}

// relocate makes the paths of a project, which are relative to the folder of its file, relative to another folder.
func (p *Project) relocate(from, to string) {
	between, err := filepath.Rel(to, from)
	if err != nil {
		between = from
	}
	for _, path := range []*string{&p.Pull.SigningKeyFile, &p.Pull.Request.TokenFile, &p.Repository} {
		if *path != "" && !filepath.IsAbs(*path) && (path != &p.Repository || !p.Cloned()) {
			*path = filepath.Join(between, *path)
		}
	}
}

// File is the file that has the project's table.
func (p *Project) File() string { return p.origin.file }

// Watched notices when the files of a configuration change: also those that come and go.
type Watched struct {
	file    string
	main    string   // the main file's stamp, when include was read
	include []string // its patterns
	last    string
}

// Watch begins to watch a configuration: Changed compares with the files as they are now.
func Watch(file string) *Watched {
	w := &Watched{file: file}
	w.Changed()
	return w
}

// Changed reports whether a file of the configuration was written, came or went since the last call.
func (w *Watched) Changed() bool {
	if main := stamp(w.file); main != w.main {
		w.main = main
		if file, err := os.Open(w.file); err == nil {
			if text, err := bound.Read(file, maxSize); err == nil {
				w.include = includes(text)
			}
			_ = file.Close() // it was read only
		}
	}
	all := []string{w.main}
	for _, pattern := range w.include {
		matched, err := matchFiles(w.file, pattern)
		all = append(all, fmt.Sprint(err))
		for _, path := range matched.Paths {
			all = append(all, stamp(path))
		}
	}
	now := strings.Join(all, "\n")
	changed := now != w.last
	w.last = now
	return changed
}

// stamp is another text whenever a file is another one, or was written.
func stamp(path string) string {
	info, err := os.Stat(path)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return path + " is not there"
		}
		return fmt.Sprint(path, " ", err)
	}
	return fmt.Sprintf("%s %d %d %v", path, info.Size(), info.ModTime().UnixNano(), info.Mode())
}
