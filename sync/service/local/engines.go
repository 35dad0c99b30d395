package local

import (
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/wire"
)

// The machine translation engine that is built in: pseudo-translation, into every language.
const (
	pseudoEngineID   = "engine:Pseudo"
	pseudoEngineName = "Pseudo-translation"
)

// assignedEngine is an engine of a project with the languages that it translates into.
type assignedEngine struct {
	ID        string   `json:"id"`
	Languages []string `json:"languages"`
}

// availableEngines answers GET /v1/project/{projectId}/mt/available.
func (s *documentsService) availableEngines(c *call) error {
	p, err := s.store.project(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, []wire.AvailableEngine{{ID: pseudoEngineID, Name: pseudoEngineName, Languages: p.Targets}})
}

// getEngines answers GET /v1/project/{projectId}/mt.
func (s *documentsService) getEngines(c *call) error {
	p, err := s.store.project(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.Engine{}
	for _, e := range p.Engines {
		out = append(out, wire.Engine{ID: e.ID, Name: pseudoEngineName, Languages: e.Languages})
	}
	return c.json(http.StatusOK, out)
}

// setEngines answers POST /v1/project/{projectId}/mt: an array that replaces what was set before. A language has one engine.
func (s *documentsService) setEngines(c *call) error {
	p, err := s.store.project(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := readList(c)
	if err != nil {
		return err
	}
	var engines []assignedEngine
	var taken []string
	for _, raw := range list {
		b, err := readMembers("body", raw)
		if err != nil {
			return err
		}
		id, words := member[string](b, "id"), member[[]string](b, "languages")
		if b.err != nil {
			return b.err
		}
		if !strings.EqualFold(id, pseudoEngineID) {
			return invalid("id", "%q is no engine of this service, which has %s; GET %s lists them", id, pseudoEngineID, wire.Prefix+wire.PathEnginesAvailable)
		}
		codes, err := targetCodes("languages", words, p.Source)
		if err != nil {
			return err
		}
		if len(codes) == 0 {
			return invalid("languages", "is missing or empty; name target languages of the project")
		}
		for _, code := range codes {
			if !slices.Contains(p.Targets, code) {
				return invalid("languages", "%s is not a target language of the project, which has %s", code, strings.Join(p.Targets, ", "))
			}
			if slices.Contains(taken, code) {
				return invalid("languages", "%s has two engines", code)
			}
			taken = append(taken, code)
		}
		engines = append(engines, assignedEngine{ID: pseudoEngineID, Languages: codes})
	}
	err = s.store.change(p.ID, func(_ *Tx, p *project) error {
		p.Engines = engines
		return nil
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// readList reads a body that is a JSON array.
func readList(c *call) ([]json.RawMessage, error) {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, invalid("body", "is not a JSON array: %v", err)
	}
	return list, nil
}

// translates tells whether a project has an engine for a language.
func (p *project) translates(code string) bool {
	return slices.ContainsFunc(p.Engines, func(e assignedEngine) bool { return slices.Contains(e.Languages, code) })
}

var linkTarget = regexp.MustCompile(`\]\([^()]*\)`)

// machineTranslation is what the engine makes of a segment; ok is false when its document would not take that.
func machineTranslation(doc *segment.Document, i int, code string) (text string, ok bool) {
	seg := doc.Segments()[i]
	text = pseudo(seg.Text, code)
	if seg.Markup == segment.Markdown { // where links lead is no text
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
