package accepted

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// findMoves finds the files that stand elsewhere now, of those that are not there. A file that could have become more
// than one is reported when it matters: when keys of it are lost.
func (a *Sources) findMoves(lost map[ledger.Source]map[string]bool) {
	places := make(map[string]ledger.Source)
	went, came := make(map[string]catalog.Marks), make(map[string]catalog.Marks)
	here := make(map[ledger.Source]bool)
	for _, s := range a.Tree.Sources {
		here[s.ID()] = true
		if !s.Broken() && len(a.Files[s.ID()]) == 0 && len(s.Texts) > 0 {
			came[s.ID().ID()] = s.Texts.Marks()
			places[s.ID().ID()] = s.ID()
		}
	}
	if len(came) == 0 {
		return
	}
	for at, marks := range a.Files {
		if !here[at] && len(marks) > 0 {
			went[at.ID()] = marks
			places[at.ID()] = at
		}
	}
	moves, doubt := catalog.Moves(went, came)
	for _, m := range moves {
		x := ledger.Move{From: places[m.From], To: places[m.To], Sent: places[m.From].Collection == places[m.To].Collection}
		for _, s := range a.Tree.Sources {
			if before := went[m.From]; s.ID() == x.To {
				x.Renamed = catalog.Whole(catalog.Renames(before, s.Texts, catalog.Diff(before, s.Texts)), before, s.Texts)
			}
		}
		a.Moves = append(a.Moves, x)
	}
	for _, at := range a.All() {
		candidates := doubt[at.ID()]
		if len(candidates) == 0 || len(lost[at]) == 0 {
			continue
		}
		var paths []string
		for _, id := range candidates {
			paths = append(paths, places[id].Path)
		}
		a.Problems = append(a.Problems, report.Problem{Code: report.CodeRename, File: at.Path,
			Language: a.Tree.Sources[0].Source.Code,
			Problem: fmt.Sprintf("is gone, and its texts stand in more than one new file or come from more than one (%s); "+
				"which has become which is not guessed, and its translations stay where they are. Move one file at a time, with a "+
				"push after each, to take them along", strings.Join(paths, ", "))})
	}
}
