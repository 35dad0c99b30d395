package documents

import (
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/pseudo"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// The machine translation engine that is built in: pseudo-translation, into every language.
const (
	PseudoEngineID   = "engine:Pseudo"
	pseudoEngineName = "Pseudo-translation"
)

// availableEngines answers GET /v1/project/{projectId}/mt/available.
func (s *Service) availableEngines(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, []wire.AvailableEngine{{ID: PseudoEngineID, Name: pseudoEngineName,
		Languages: p.Targets}})
}

// getEngines answers GET /v1/project/{projectId}/mt.
func (s *Service) getEngines(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.Engine{}
	for _, e := range p.Engines {
		out = append(out, wire.Engine{ID: e.ID, Name: pseudoEngineName, Languages: e.Languages})
	}
	return c.Answer(http.StatusOK, out)
}

// setEngines answers POST /v1/project/{projectId}/mt: an array that replaces what was set before. A language has one
// engine.
func (s *Service) setEngines(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := api.ReadList(c)
	if err != nil {
		return err
	}
	var engines []store.AssignedEngine
	var taken []string
	for _, raw := range list {
		b, err := api.ReadMembers("body", raw)
		if err != nil {
			return err
		}
		id, words := api.Member[string](b, "id"), api.Member[[]string](b, "languages")
		if b.Err != nil {
			return b.Err
		}
		if !strings.EqualFold(id, PseudoEngineID) {
			return api.Invalid("id", "%q is not an engine of this service, which has %s; GET %s lists them", id,
				PseudoEngineID, wire.Prefix+wire.PathEnginesAvailable)
		}
		codes, err := api.TargetCodes("languages", words, p.Source)
		if err != nil {
			return err
		}
		if len(codes) == 0 {
			return api.Invalid("languages", "is missing or empty; name target languages of the project")
		}
		for _, code := range codes {
			if !slices.Contains(p.Targets, code) {
				return api.Invalid("languages", "%s is not a target language of the project, which has %s", code,
					strings.Join(p.Targets, ", "))
			}
			if slices.Contains(taken, code) {
				return api.Invalid("languages", "%s has two engines", code)
			}
			taken = append(taken, code)
		}
		engines = append(engines, store.AssignedEngine{ID: PseudoEngineID, Languages: codes})
	}
	err = s.store.Change(p.ID, func(_ *store.Tx, p *store.Project) error {
		p.Engines = engines
		return nil
	})
	if err != nil {
		return err
	}
	return c.Empty(http.StatusNoContent)
}

var linkTarget = regexp.MustCompile(`\]\([^()]*\)`)

// machineTranslation is what the engine makes of a segment; ok is false when its document would not take that.
func machineTranslation(doc *segment.Document, i int, code string, terms *store.Terms) (text string, ok bool) {
	seg := doc.Segments()[i]
	text = withTerms(terms, seg.Text, func(text string) string { return pseudo.Text(text, code) })
	if seg.Markup == segment.Markdown { // where links lead is not translated
		leads := linkTarget.FindAllString(seg.Text, -1)
		text = linkTarget.ReplaceAllStringFunc(text, func(was string) string {
			if len(leads) == 0 {
				return was
			}
			lead := leads[0]
			leads = leads[1:]
			return lead
		})
	}
	return text, doc.Accepts(i, text) == nil
}
