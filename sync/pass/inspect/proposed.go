package inspect

import (
	"fmt"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Proposed are the problems that a file of translations would have with other content: those that a check of the
// working tree would report after it is written. The tree's own files are only read.
func Proposed(cfg *config.Project, t *tree.Tree, target bundle.Target, content []byte) []report.Problem {
	x := inspection{cfg: cfg, fsys: t.FS, looked: newLooked(), shared: new(tree.Shared)} // of one file
	problem := func(what string) []report.Problem {
		return []report.Problem{{Code: report.CodeWrite, Severity: report.Error, File: target.Path,
			Language: target.Language.Code, Problem: what}}
	}
	if link := x.linkIn(target.Path); link != "" {
		return problem(link + " is a symbolic link; translations are written through none")
	}
	f, err := target.Sources[0].Parse(content, target.Language)
	if err != nil {
		return problem(fmt.Sprintf("the file could not be read after it: %v", err))
	}
	func() {
		defer tree.CatchIn(target.Path, target.Language.Code, x.faulty)
		x.texts(t, target, f, bundle.Texts(f))
	}()
	return x.report.Problems
}
