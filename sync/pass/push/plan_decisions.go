package push

import (
	"maps"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Conflicts that a push decides for the repository (--ours): which of them, and what is sent.

// resolution is a conflict that is decided for the repository, its file, and what the service has of its key now.
type resolution struct {
	conflict pass.Conflict
	to       bundle.Target
	theirs   catalog.Catalog
	format   string
	branch   catalog.Marks // what the branch has of the file
}

// insisted takes the conflicts of target files out of wanted. languages are theirs.
func resolved(
	targets []bundle.Target, wanted map[string]pass.Conflict,
) (mine []resolution, languages []config.Language) {
	for _, c := range pass.InOrder(wanted) {
		at := slices.IndexFunc(targets, func(t bundle.Target) bool {
			return t.Path == c.Path && t.Language.Code == c.Language
		})
		if at < 0 {
			continue
		}
		mine = append(mine, resolution{conflict: c, to: targets[at]})
		delete(wanted, c.ID())
		if l := targets[at].Language; !slices.Contains(languages, l) {
			languages = append(languages, l)
		}
	}
	return mine, languages
}

// insists reports whether the repository's text of a decided conflict replaces one of the service's: the person who
// decided has had what was shown.
func insists(c pass.Conflict, theirs catalog.Unit) bool {
	claim := catalog.Claim{New: c.Ours.Texts()[theirs.Name], Present: theirs.Text, Past: c.HadShown(theirs.Name)}
	return catalog.Decide(claim.Youngest()) <= catalog.Replaces
}

// settlement is what is sent, of each file in one upload. Where the service has another text by now than the one that
// was shown, the decision is not about that: such a conflict is told anew.
type settlement struct {
	imports.Batch
	sent  []resolution
	newer []pass.Conflict
}

// planResolutions decides what is sent.
func planResolutions(project *config.Project, all []resolution) (of settlement, err error) {
	units, present := make(map[string]catalog.Catalog), make(map[string]catalog.Marks) // by ledger.TargetID
	var files []resolution
	for _, one := range all {
		c := one.conflict
		if slices.ContainsFunc(one.theirs, func(u catalog.Unit) bool { return !insists(c, u) }) {
			c.Theirs = one.theirs
			of.newer = append(of.newer, c)
			continue
		}
		id := ledger.TargetID(c.Path, c.Language)
		if units[id] == nil {
			files, present[id] = append(files, one), make(catalog.Marks)
		}
		maps.Copy(present[id], one.theirs.Marks())
		units[id] = append(units[id], c.Ours...)
		of.sent = append(of.sent, one)
	}
	for _, one := range files {
		c := one.conflict
		all := units[ledger.TargetID(c.Path, c.Language)]
		up, err := bundle.ComposeUnits(one.to.Sources[0], c.Path, all)
		if err != nil {
			return of, err
		}
		req := imports.Request(project, one.to.Sources[0], c.Language, one.format, project.Push.CompletionState)
		req.Conflicts = service.Overwrite
		kinds := []ledger.TargetMarks{ledger.Known, ledger.Delivered}
		of.Add(req, up, ledger.Destination{Path: c.Path, Language: c.Language, Kinds: kinds}, all,
			imports.Over{Service: present[ledger.TargetID(c.Path, c.Language)], Branch: one.branch})
	}
	return of, nil
}
