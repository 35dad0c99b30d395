// Package glossary is the glossaries of the embedded service: the calls about them, and their files, workbooks or
// CSV.
//
// Its law: what is wrong with a file is said when it is sent, with its line, and nothing of it is stored; every term
// that is taken comes out of an export as it went in. Package terms finds them in a text; machines and memories
// translate documents with them.
package glossary

import (
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/jobs"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

const (
	defaultGlossaryName = "Default glossary"
	maxGlossaryName     = 250 // bytes
)

// Service answers the calls about glossaries and does their jobs.
type Service struct {
	store *store.Store
	jobs  *jobs.Runner
}

// New adds the jobs of glossaries to a runner, and makes the account's default glossary when there is
// none.
func New(st *store.Store, jobs *jobs.Runner, imports, exports *jobs.Queue) (*Service, error) {
	s := &Service{st, jobs}
	jobs.Handle(store.KindGlossaryImport, imports, s.runGlossaryImport, nil)
	jobs.Handle(store.KindGlossaryExport, exports, s.runGlossaryExport, nil)
	return s, s.ensureDefault()
}

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
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
func glossaryWire(g *store.Glossary) wire.Glossary {
	return wire.Glossary{ID: g.ID, Name: g.Name, Description: g.Description, Languages: append([]string{},
		g.Languages...), Units: g.Units, IsDefault: g.Default}
}

// ensureDefault makes the account's default glossary when there is none. Its identifier follows from the account's.
func (s *Service) ensureDefault() error {
	id := uuid.NewSHA1(uuid.NameSpaceOID, []byte(s.store.Account+"/glossary")).String()
	return s.store.Update(func(tx *store.Tx) error {
		if store.HasGlossary(tx, id) {
			return nil
		}
		return store.AddGlossary(tx, &store.Glossary{ID: id, Name: defaultGlossaryName, Default: true})
	})
}

// listGlossaries answers GET /v1/glossaries.
func (s *Service) listGlossaries(c *api.Call) error {
	return s.answerGlossaries(c, store.GlossariesOf)
}

// projectGlossaries answers GET /v1/project/{projectId}/glossaries: those that are attached, in the order they were
// attached.
func (s *Service) projectGlossaries(c *api.Call) error {
	return s.answerGlossaries(c, func(tx *store.Tx) ([]*store.Glossary, error) {
		return store.AttachedGlossaries(tx, c.PathValue(wire.ProjectID))
	})
}

func (s *Service) answerGlossaries(c *api.Call, which func(tx *store.Tx) ([]*store.Glossary, error)) error {
	out := []wire.Glossary{}
	err := s.store.View(func(tx *store.Tx) error {
		all, err := which(tx)
		for _, g := range all {
			out = append(out, glossaryWire(g))
		}
		return err
	})
	return c.Reply(out, err)
}

// defaultGlossary answers GET /v1/glossaries/default.
func (s *Service) defaultGlossary(c *api.Call) error {
	return s.answerDefault(c, store.GlossariesOf)
}

// projectDefaultGlossary answers GET /v1/project/{projectId}/glossaries/default: the default glossary if it is
// attached; with fallbackToAccount also if it is not.
func (s *Service) projectDefaultGlossary(c *api.Call) error {
	fallback, err := c.Params.Flag(wire.QueryFallbackToAccount)
	if err != nil {
		return err
	}
	return s.answerDefault(c, func(tx *store.Tx) ([]*store.Glossary, error) {
		all, err := store.AttachedGlossaries(tx, c.PathValue(wire.ProjectID))
		if err != nil || !fallback {
			return all, err
		}
		return store.GlossariesOf(tx)
	})
}

func (s *Service) answerDefault(c *api.Call, among func(tx *store.Tx) ([]*store.Glossary, error)) error {
	var found *store.Glossary
	err := s.store.View(func(tx *store.Tx) error {
		all, err := among(tx)
		if i := slices.IndexFunc(all, func(g *store.Glossary) bool { return g.Default }); i >= 0 {
			found = all[i]
		}
		return err
	})
	switch {
	case err != nil:
		return err
	case found == nil:
		return api.Refuse(http.StatusNotFound,
			"the default glossary is not attached to the project; attach it, or ask with %s=true", wire.QueryFallbackToAccount)
	}
	return c.Answer(http.StatusOK, glossaryWire(found))
}

// attachGlossaries answers PUT /v1/project/{projectId}/glossaries: an array of identifiers, which replaces what was
// attached.
func (s *Service) attachGlossaries(c *api.Call) error {
	const field = "glossaries"
	raw, err := api.ReadBody(c, api.MaxModel)
	if err != nil {
		return err
	}
	if _, err := s.store.Project(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	var ids []string
	if err := json.Unmarshal(raw, &ids); err != nil || ids == nil {
		return api.Invalid(field, "the body is not an array of identifiers: %s", api.Clip(raw))
	}
	err = s.store.Change(c.PathValue(wire.ProjectID), func(tx *store.Tx, p *store.Project) error {
		p.Glossaries = nil
		for _, id := range ids {
			g, err := store.GlossaryIn(tx, field, id)
			if err != nil {
				return err
			}
			p.Glossaries = api.Union(p.Glossaries, []string{g.ID})
		}
		return nil
	})
	return c.Done(err)
}

// createGlossary answers POST /v1/glossaries with a name, and optionally a description and languages, by the new
// identifier. The service interface shows no way to make a glossary; without one an account would have the default
// one alone.
func (s *Service) createGlossary(c *api.Call) error {
	b, err := api.ReadObject(c)
	if err != nil {
		return err
	}
	g := &store.Glossary{ID: uuid.NewString(), Name: strings.TrimSpace(api.Member[string](b, "name")),
		Description: api.Member[string](b, "description")}
	words := api.Member[[]string](b, "languages")
	switch {
	case b.Err != nil:
		return b.Err
	case g.Name == "":
		return api.Invalid("name", "is missing; a glossary has a name")
	case len(g.Name) > maxGlossaryName:
		return api.Invalid("name", "has more than %d bytes", maxGlossaryName)
	}
	if g.Languages, err = api.TargetCodes("languages", words, ""); err != nil {
		return err
	}
	if err := s.store.Update(func(tx *store.Tx) error { return store.AddGlossary(tx, g) }); err != nil {
		return err
	}
	return c.Answer(http.StatusOK, g.ID)
}
