package push

import (
	"maps"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass/accepted"
	"github.com/locsync/locsync/sync/pass/imports"
	"github.com/locsync/locsync/sync/pass/renames"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What a push does for the source files: which keys are sent, which are renamed, gone, or stay at the service as they
// are there.

// compared is a source file beside what the service accepted of it.
type compared struct {
	source  *tree.Source
	others  bool // is a file that the push is not for
	pending map[string]bool
	stays   map[string]bool // keys of which the service keeps its own text
	renames *renames.Search
	unmet   map[string]bool            // keys that are about to be sent of which the service may have another text
	shared  map[string]bool            // those of them of which it should have the one that it accepted from here
	unknown bool                       // what the service has of those could not be read
	theirs  catalog.Catalog            // what it has, where that was asked for
	differ  []past.Differing           // unmet texts that it has otherwise
	known   map[string]catalog.Outcome // what becomes of them, by key
}

// sourceSituation is what is known of all source files. found is, by collection, what pulls found at the service.
type sourceSituation struct {
	project  *config.Project
	options  Options
	files    []*compared
	accepted *accepted.Sources
	found    map[string]catalog.Marks
	ahead    string // the branch that has texts later than the tree
}

// sourcePlan is what a push does for the source files. Renames are those whose translations have to follow.
type sourcePlan struct {
	imports.Batch
	files    []*compared
	verdicts []verdict
	orphans  []orphan
	doubts   []report.Problem
	renames  []ledger.Rename
	waits    bool // files that the push is not for have something to send
}

// planSources decides what is sent of the source files, and what is told and remembered.
func planSources(of *sourceSituation) (*sourcePlan, error) {
	plan, found := &sourcePlan{files: of.files}, maps.Clone(of.found)
	for _, s := range of.files {
		s.stays = make(map[string]bool)
		if s.unknown {
			s.stays = s.unmet
		}
		at := s.source.Collection
		v := s.judge(of.ahead, of.project.Push.Conflicts, found[at])
		if v.found != nil {
			found[at] = v.found
		}
		plan.verdicts = append(plan.verdicts, v)
	}
	var all []*renames.Search
	for _, s := range of.files {
		all = append(all, s.renames)
	}
	renames.FindFar(all)
	for _, s := range of.files {
		lost := s.orphans()
		s.renames.Fresh = nil // no more is found in them
		if s.others {
			plan.waits = plan.waits || len(s.pending) > 0
			s.tellLater(lost)
			continue
		}
		plan.orphans, plan.doubts = append(plan.orphans, lost...), append(plan.doubts, s.renames.Doubts()...)
		plan.renames = append(append(plan.renames, s.renames.Found...), s.renames.Pending...)
		if len(s.pending) == 0 && !of.options.All {
			continue
		}
		wanted, before := s.wanted(of.accepted.NotSent(s.source), of.options), of.accepted.Texts[s.source.Collection]
		if of.project.Push.Conflicts != string(service.Overwrite) {
			before = nil
		}
		if err := addSource(of.project, &plan.Batch, s.source, before, wanted); err != nil {
			return nil, err
		}
	}
	return plan, nil
}

// orphan is a key that a file lost since the last push.
type orphan struct {
	at  ledger.Source
	key string
}

// orphans are the keys that a file lost since the last push.
func orphans(at ledger.Source, before, now catalog.Marks, living map[string]bool) (all []orphan) {
	told := make(map[string]bool)
	for _, n := range now.Names() {
		if _, old := before[n]; old || living[n.Key] || told[n.Key] {
			continue
		}
		told[n.Key] = true
		all = append(all, orphan{at: at, key: n.Key})
	}
	return all
}

// orphans are those of a file that is there. A key that was renamed, or is in another file now, is none.
func (s *compared) orphans() []orphan {
	lost := maps.Clone(s.renames.Gone)
	for _, m := range s.renames.Found {
		if m.Left == nil {
			delete(lost, m.From)
		}
	}
	for n := range s.renames.Moved {
		delete(lost, n)
	}
	return orphans(s.source.ID(), s.renames.Before, lost, s.source.TextKeys())
}

// tellLater leaves lost keys to a push that is for the file: what is remembered as gone is not told again.
func (s *compared) tellLater(lost []orphan) {
	for _, o := range lost {
		for n := range s.renames.Gone {
			if _, told := s.renames.Before[n]; n.Key == o.key && !told {
				delete(s.renames.Gone, n)
			}
		}
	}
}

// wanted tells which keys are sent; not are those that are not sent even with all.
func (s *compared) wanted(not map[string]bool, o Options) func(key string) bool {
	return func(key string) bool { return !s.stays[key] && (s.pending[key] || o.All && (o.Force || !not[key])) }
}

// findUnmet finds the keys that are about to be sent, and of which nothing is remembered or a pull found another text;
// with --all, all of them.
func (s *compared) findUnmet(accepted, found catalog.Marks, all bool) {
	s.unmet, s.shared = make(map[string]bool), make(map[string]bool)
	for _, u := range s.source.Texts {
		_, known := accepted[u.Name]
		_, other := found[u.Name]
		if all || s.pending[u.Key] && (!known || other) {
			s.unmet[u.Key] = true
		}
	}
}

// reworded are the texts that are about to be sent over others that the service accepted.
func (s *compared) reworded(accepted catalog.Marks) (texts catalog.Catalog) {
	for _, u := range s.source.Texts {
		if _, known := accepted[u.Name]; known && !s.others && s.pending[u.Key] && !accepted.Has(u.Name, u.Text) {
			texts = append(texts, u)
		}
	}
	return texts
}

// verdict is what becomes of the texts of a file that the service has otherwise.
type verdict struct {
	of       ledger.Source
	told     []past.Decided
	accepted catalog.Catalog // texts of the tree that count as accepted
	found    catalog.Marks   // what is left of what pulls found; nil where that stays
}

// judge decides about them, each key once.
func (s *compared) judge(ahead, conflicts string, found catalog.Marks) verdict {
	v := verdict{of: s.source.ID()}
	accepted, kept, met := make(map[string]bool), make(map[string]bool), make(map[string]bool)
	for _, u := range s.differ {
		at, known := s.known[u.Key]
		if !known || met[u.Key] {
			continue
		}
		met[u.Key], kept[u.Key] = true, at != catalog.Replaces
		d := past.Conclude(s.source.Bundle, u, at, ahead, conflicts)
		s.stays[u.Key], accepted[u.Key] = d.Stays, d.Accepted
		v.told = append(v.told, d)
	}
	v.accepted = s.source.Texts.Restrict(accepted)
	has, left := s.theirs.Index(), maps.Clone(found)
	maps.DeleteFunc(left, func(n catalog.Name, _ catalog.Mark) bool {
		_, there := has[n]
		return s.unmet[n.Key] && there && !kept[n.Key]
	})
	if len(left) < len(found) {
		v.found = left
	}
	return v
}

// addSource adds keys of a source file to the imports. before are the texts that the service had.
func addSource(
	project *config.Project, ship *imports.Batch, s *tree.Source, before catalog.Marks, wanted func(key string) bool,
) error {
	texts := s.Texts.Index()
	up, err := bundle.Compose(s.Bundle, s.File, s.Path, func(n catalog.Name) bool {
		_, there := texts[n]
		return there && wanted(n.Key)
	})
	if err == nil && len(up.Units) > 0 {
		req := imports.Request(project, s.Bundle, s.Source.Code, s.Format.Sent().Name, project.Push.CompletionState)
		ship.Add(req, up, ledger.Destination{Path: s.Path, Collection: s.Collection}, up.Units,
			imports.Over{Service: before})
	}
	return err
}
