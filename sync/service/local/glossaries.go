package local

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/service/wire"
)

const (
	defaultGlossaryName = "Default glossary"
	maxGlossaryName     = 250 // bytes
)

// glossaryService answers the calls about glossaries and does their jobs.
type glossaryService struct {
	store *store
	jobs  *runner
}

// newGlossaryService adds the jobs of glossaries to a runner, and makes the account's default glossary when there is none.
func newGlossaryService(st *store, jobs *runner, imports, exports *queue) (*glossaryService, error) {
	s := &glossaryService{st, jobs}
	jobs.handle(kindGlossaryImport, imports, s.runGlossaryImport, nil)
	jobs.handle(kindGlossaryExport, exports, s.runGlossaryExport, nil)
	return s, s.ensureDefault()
}

// routes are the calls that are answered here, by path.
func (s *glossaryService) routes() map[string]methods {
	return map[string]methods{
		wire.PathGlossaries:             {"GET": s.listGlossaries, "POST": s.createGlossary},
		wire.PathGlossariesDefault:      {"GET": s.defaultGlossary},
		wire.PathProjectGlossaries:      {"GET": s.projectGlossaries, "PUT": s.attachGlossaries},
		wire.PathGlossaryImport:         {"POST": s.startGlossaryImport},
		wire.PathGlossaryExport:         {"POST": s.startGlossaryExport},
		wire.PathProjectGlossaryDefault: {"GET": s.projectDefaultGlossary},
		wire.PathGlossaryImportState:    {"GET": s.glossaryImportState},
		wire.PathGlossaryExportPending:  {"GET": s.glossaryExports},
		wire.PathGlossaryExportResult:   {"GET": s.downloadGlossary},
	}
}

// glossaryWire is a glossary as the interface shows it.
func glossaryWire(g *glossary) wire.Glossary {
	return wire.Glossary{ID: g.ID, Name: g.Name, Description: g.Description, Languages: append([]string{}, g.Languages...), Units: g.Units, IsDefault: g.Default}
}

// ensureDefault makes the account's default glossary when there is none. Its identifier follows from the account's.
func (s *glossaryService) ensureDefault() error {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.store.account+"/glossary")).String()
	return s.store.update(func(tx *Tx) error {
		if hasGlossary(tx, id) {
			return nil
		}
		return addGlossary(tx, &glossary{ID: id, Name: defaultGlossaryName, Default: true})
	})
}

// listGlossaries answers GET /v1/glossaries.
func (s *glossaryService) listGlossaries(c *call) error {
	return s.answerGlossaries(c, glossariesOf)
}

// projectGlossaries answers GET /v1/project/{projectId}/glossaries: those that are attached, in the order they were attached.
func (s *glossaryService) projectGlossaries(c *call) error {
	return s.answerGlossaries(c, func(tx *Tx) ([]*glossary, error) { return attachedGlossaries(tx, c.pathValue(wire.ProjectID)) })
}

func (s *glossaryService) answerGlossaries(c *call, which func(tx *Tx) ([]*glossary, error)) error {
	out := []wire.Glossary{}
	err := s.store.view(func(tx *Tx) error {
		all, err := which(tx)
		for _, g := range all {
			out = append(out, glossaryWire(g))
		}
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// defaultGlossary answers GET /v1/glossaries/default.
func (s *glossaryService) defaultGlossary(c *call) error {
	return s.answerDefault(c, glossariesOf)
}

// projectDefaultGlossary answers GET /v1/project/{projectId}/glossaries/default: the default glossary if it is attached; with fallbackToAccount also if
// it is not.
func (s *glossaryService) projectDefaultGlossary(c *call) error {
	fallback, err := c.params.flag(wire.QueryFallbackToAccount)
	if err != nil {
		return err
	}
	return s.answerDefault(c, func(tx *Tx) ([]*glossary, error) {
		all, err := attachedGlossaries(tx, c.pathValue(wire.ProjectID))
		if err != nil || !fallback {
			return all, err
		}
		return glossariesOf(tx)
	})
}

func (s *glossaryService) answerDefault(c *call, among func(tx *Tx) ([]*glossary, error)) error {
	var found *glossary
	err := s.store.view(func(tx *Tx) error {
		all, err := among(tx)
		if i := slices.IndexFunc(all, func(g *glossary) bool { return g.Default }); i >= 0 {
			found = all[i]
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case found == nil:
		return refuse(http.StatusNotFound, "the default glossary is not attached to the project; attach it, or ask with %s=true", wire.QueryFallbackToAccount)
	}
	return c.json(http.StatusOK, glossaryWire(found))
}

// attachGlossaries answers PUT /v1/project/{projectId}/glossaries: an array of identifiers, which takes the place of what was attached.
func (s *glossaryService) attachGlossaries(c *call) error {
	const field = "glossaries"
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	if _, err := s.store.project(c.pathValue(wire.ProjectID)); err != nil {
		return err
	}
	var ids []string
	if err := json.Unmarshal(raw, &ids); err != nil || ids == nil {
		return invalid(field, "the body is not an array of identifiers: %s", clip(raw))
	}
	err = s.store.change(c.pathValue(wire.ProjectID), func(tx *Tx, p *project) error {
		p.Glossaries = nil
		for _, id := range ids {
			g, err := glossaryIn(tx, field, id)
			if err != nil {
				return err
			}
			p.Glossaries = union(p.Glossaries, []string{g.ID})
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// createGlossary answers POST /v1/glossaries with a name, and optionally a description and languages, by the new identifier. The service interface
// shows no way to make a glossary; without one an account would have the default one alone.
func (s *glossaryService) createGlossary(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	b, err := readMembers("body", raw)
	if err != nil {
		return err
	}
	g := &glossary{ID: uuid.NewString(), Name: strings.TrimSpace(member[string](b, "name")), Description: member[string](b, "description")}
	words := member[[]string](b, "languages")
	switch {
	case b.err != nil:
		return b.err
	case g.Name == "":
		return invalid("name", "is missing; a glossary has a name")
	case len(g.Name) > maxGlossaryName:
		return invalid("name", "has more than %d bytes", maxGlossaryName)
	}
	if g.Languages, err = targetCodes("languages", words, ""); err != nil {
		return err
	}
	if err := s.store.update(func(tx *Tx) error { return addGlossary(tx, g) }); err != nil {
		return err
	}
	return c.json(http.StatusOK, g.ID)
}
