package inspect

import (
	"fmt"
	"io/fs"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// Files are the source files of a project in a tree, and the files of translations, whether they are there or not.
func Files(fsys fs.FS, cfg *config.Project) (paths []string, _ error) {
	bundles, _, err := bundle.Find(fsys, cfg)
	if err != nil {
		return nil, err
	}
	targets, err := bundle.Existing(fsys, bundles, cfg.Targets())
	for _, b := range bundles {
		paths = append(paths, b.Path)
	}
	for _, t := range targets {
		paths = append(paths, t.Path)
	}
	return paths, err
}

// Unmatched refuses patterns that are none of the files and match none, and says which may be meant.
func Unmatched(patterns, files []string) error {
	for _, pattern := range patterns {
		if slices.Contains(files, pattern) || slices.ContainsFunc(files, config.Patterns{pattern}.Match) {
			continue
		}
		near := slices.DeleteFunc(slices.Clone(files), func(f string) bool { return !strings.HasSuffix(f, "/"+pattern) })
		if one := config.Nearest(pattern, files); one != "" && len(near) == 0 {
			near = []string{one}
		}
		hint := "choose from " + report.Some(files, 10)
		if len(near) > 0 {
			hint = fmt.Sprintf("did you mean %s?", report.Some(near, 3))
		}
		return &failure.UsageError{Err: fmt.Errorf("no project pushes a file %q; %s", pattern, hint)}
	}
	return nil
}
