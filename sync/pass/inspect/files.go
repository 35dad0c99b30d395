package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
)

// OfConfiguration are the problems of a configuration that an error is of; none where it is another error.
func OfConfiguration(err error) []report.Problem {
	all := []report.Problem{}
	var problems config.Problems
	if errors.As(err, &problems) {
		for _, p := range problems {
			all = append(all, report.Problem{Code: report.CodeConfiguration, Severity: report.Error,
				File: filepath.ToSlash(p.File), Line: p.Line, Column: p.Column, Key: p.Key, Problem: p.Message})
		}
	}
	return all
}

// Files are the source files of a project in a tree and, where translations count, their files, of this tree or another
// one, whether they are there or not.
func Files(cfg *config.Project, translations bool, fsys fs.FS, others ...fs.FS) (paths []string, _ error) {
	bundles, _, err := bundle.Find(fsys, cfg)
	if err != nil {
		return nil, err
	}
	listed := make(map[string]bool)
	for _, b := range bundles {
		paths = append(paths, b.Path)
	}
	if !translations {
		return paths, nil
	}
	for _, at := range append([]fs.FS{fsys}, others...) {
		targets, err := bundle.Existing(at, bundles, cfg.Targets())
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			if !listed[t.Path] {
				paths = append(paths, t.Path)
			}
			listed[t.Path] = true
		}
	}
	return paths, nil
}

// Listing is a project with the files that its pushes can be for, or why they cannot be listed.
type Listing struct {
	Project *config.Project
	Files   []string
	Err     error
}

// has reports whether a path is one of the files. Where not all are listed, it is one that may be a file.
func (l Listing) has(path string) bool {
	p := l.Project
	open := l.Err != nil || p.PerBranch() && p.Push.Source != config.Worktree // of which one branch is listed
	return slices.Contains(l.Files, path) || open && p.WatchPatterns().Match(path)
}

// Choose finds the projects that have a file for any of the patterns, and which patterns are globs: not the path of a
// file. One that is nothing to any project is refused. list lists the files, in the same order, as they were seen last,
// or as they are now, which takes longer and is asked for only where the first leaves something open.
func Choose(patterns []string, list func(now bool) []Listing) (meant []*config.Project, globs []string, err error) {
	for _, now := range []bool{false, true} {
		all, certain := list(now), true
		meant, globs, err = nil, nil, nil
		for _, pattern := range patterns {
			found := slices.DeleteFunc(slices.Clone(all), func(l Listing) bool { return !l.has(pattern) })
			if len(found) == 0 {
				globs = append(globs, pattern)
				found = slices.DeleteFunc(slices.Clone(all), func(l Listing) bool {
					return !slices.ContainsFunc(l.Files, config.Patterns{pattern}.Match) && (l.Err == nil || !l.Project.Cloned())
				})
				if !slices.ContainsFunc(found, func(l Listing) bool { return l.Err == nil }) && err == nil {
					err = unmatched(pattern, all)
				}
			}
			for _, l := range found {
				meant, certain = append(meant, l.Project), certain && l.Err == nil
			}
		}
		if err == nil && certain {
			break
		}
	}
	return meant, globs, err
}

// unmatched refuses a pattern that matches no file, and says which may be meant; where a project's files cannot be
// listed, it may be one of those.
func unmatched(pattern string, all []Listing) error {
	var files []string
	var unread error
	for _, l := range all {
		files, unread = append(files, l.Files...), errors.Join(unread, l.Err)
	}
	if unread != nil {
		return unread
	}
	near := slices.DeleteFunc(slices.Clone(files), func(f string) bool {
		return !strings.HasSuffix(f, "/"+pattern) && !strings.HasSuffix(pattern, "/"+f)
	})
	if slices.ContainsFunc(files, func(f string) bool { return strings.HasPrefix(f, pattern+"/") }) {
		near = []string{pattern + "/**"}
	} else if one := spell.Nearest(pattern, files); one != "" && len(near) == 0 {
		near = []string{one}
	}
	hint := "choose from " + report.Some(files, 10)
	switch {
	case len(near) > 0:
		hint = fmt.Sprintf("did you mean %s?", report.Some(near, 3))
	case len(files) == 0:
		hint = "none has files that it pushes; see push.enabled and the source patterns in the configuration"
	}
	if slices.ContainsFunc(all, func(l Listing) bool {
		return !l.Project.Push.Translations && l.Project.WatchPatterns().Match(pattern)
	}) {
		hint += " (translations are not pushed: push.translations is false)"
	}
	if path.IsAbs(pattern) || filepath.IsAbs(pattern) {
		hint = "paths are relative to the root of the repository; " + hint
	}
	return &failure.UsageError{Err: fmt.Errorf("no project pushes a file %q; %s", pattern, hint)}
}
