package tree

import (
	"io/fs"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/config"
)

// Written are the files that pulls may write, by path: the target files that any of the trees has or could have, and
// the source files where pulls write those.
func Written[T fs.FS](cfg *config.Project, trees ...T) (map[string]bundle.Target, error) {
	written := make(map[string]bundle.Target)
	for _, fsys := range trees {
		bundles, _, err := bundle.Find(fsys, cfg)
		if err != nil {
			return nil, err
		}
		targets, err := bundle.Existing(fsys, bundles, cfg.Targets())
		if err != nil {
			return nil, err
		}
		for _, t := range targets {
			written[t.Path] = t
		}
		for _, b := range bundles {
			if cfg.Pull.Source { // else no pull writes it
				written[b.Path] = bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}}
			}
		}
	}
	return written, nil
}
