package memory

import (
	"io/fs"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/bundle"
)

// LayoutOf is how the files of a project that some trees have are read.
func LayoutOf(p *config.Project, all ...fs.FS) (*Layout, error) {
	l := &Layout{make(map[fileOfMarks]*entry), make(map[string][]Reading)}
	for _, fsys := range all {
		if fsys == nil {
			continue
		}
		bundles, _, err := bundle.Find(fsys, p)
		if err != nil {
			return nil, err
		}
		targets, err := bundle.Existing(fsys, bundles, p.Targets())
		if err != nil {
			return nil, err
		}
		sources := make(map[*bundle.Bundle]Reading)
		for _, b := range bundles {
			r := readingOf(b, b.Path, b.Source)
			at := fileOfMarks{true, b.Path, b.Collection}
			sources[b] = r
			if l.targets[at] == nil {
				l.targets[at] = &entry{Reads: []Reading{r}}
				l.collections[b.Collection] = append(l.collections[b.Collection], r)
			}
		}
		for _, t := range targets {
			at := fileOfMarks{false, t.Path, t.Language.Code}
			if l.targets[at] != nil || len(t.Sources) == 0 {
				continue
			}
			e := &entry{Reads: []Reading{readingOf(t.Sources[0], t.Path, t.Language)}}
			for _, b := range t.Sources {
				e.Sources = append(e.Sources, sources[b])
			}
			l.targets[at] = e
		}
	}
	return l, nil
}
