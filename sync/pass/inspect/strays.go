package inspect

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/bmatcuk/doublestar/v4"

	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
)

// strays finds files that look like translations and that no source file has.
func (x *inspection) strays(t *tree.Tree, targets []bundle.Target) error {
	known := make(map[string]bool, len(targets))
	for _, target := range targets {
		known[target.Path] = true
	}
	for _, s := range t.Sources {
		known[s.Path] = true
	}
	for _, p := range t.Problems {
		known[p.File] = true
	}
	below := make(map[string][]string)
	for i := range x.cfg.Files {
		files := &x.cfg.Files[i]
		if t := files.Template(); t.HasLabel() || t.IsZero() {
			continue // the service decides the names, or there are only source files
		}
		for _, l := range x.cfg.Targets() {
			matches, err := x.matching(files.Template().Glob(l), below)
			if err != nil {
				return fmt.Errorf("look for translations of %s: %w", files.Source, err)
			}
			for _, match := range matches {
				if known[match] || files.Excluded(match) || !strings.EqualFold(path.Ext(match), path.Ext(files.Source)) {
					continue
				}
				known[match] = true
				x.add(report.Warning, report.CodeStray, report.Problem{File: match, Language: l.Code,
					Problem: fmt.Sprintf("no source file that %q matches is the source of this translation",
						files.Source)},
					"bring the source file back, or remove this one; it is left alone")
			}
		}
	}
	return nil
}

// matching lists the files that match a pattern. Folders of any depth are read once for all patterns: below has their
// files.
func (x *inspection) matching(pattern string, below map[string][]string) ([]string, error) {
	if !strings.Contains(pattern, "**") {
		return bundle.Glob(x.fsys, pattern)
	}
	base, _ := doublestar.SplitPattern(pattern)
	all, read := below[base]
	if !read {
		var err error
		if all, err = x.translatable(base); err != nil {
			return nil, err
		}
		below[base] = all
	}
	var matches []string
	for _, file := range all {
		if ok, err := doublestar.Match(pattern, file); err != nil {
			return nil, err
		} else if ok {
			matches = append(matches, file)
		}
	}
	return matches, nil
}

// translatable lists the files below a folder whose names end as some source file's. What may not be read has none.
func (x *inspection) translatable(base string) (all []string, err error) {
	extensions := make(map[string]bool)
	for _, f := range x.cfg.Files {
		extensions[strings.ToLower(path.Ext(f.Source))] = true
	}
	err = fs.WalkDir(x.fsys, base, func(name string, d fs.DirEntry, err error) error {
		if err != nil && utf8.ValidString(name) && !errors.Is(err, fs.ErrNotExist) && !bundle.Closed(x.fsys, name, err) {
			return err
		}
		if err == nil && d.Type().IsRegular() && extensions[strings.ToLower(path.Ext(name))] {
			all = append(all, name)
		}
		return nil
	})
	slices.Sort(all)
	return all, err
}
