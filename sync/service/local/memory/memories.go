// Package memory is the translation memories of the embedded service: the calls about them, the search for what is the
// same or much like a text (matching.go), and TMX files.
//
// Its law: the very text comes before a similar one, its context before both, and the later translation before the
// earlier. How units and their index are stored is in package store; who fills a memory is in package editor.
package memory

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Service answers the calls about translation memories.
type Service struct{ store *store.Store }

func New(st *store.Store) *Service { return &Service{st} }

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathMemories:                  {"GET": s.listMemories, "POST": s.newMemory},
		wire.PathMemory:                    {"POST": s.importMemory, "DELETE": s.deleteMemory},
		wire.PathMemoryFile:                {"GET": s.exportMemory},
		wire.PathProjectMemories:           {"GET": s.getProjectMemories, "POST": s.setProjectMemories},
		wire.PathProjectMemoriesByLanguage: {"POST": s.setProjectMemoriesByLanguage},
	}
}

// newMemory answers POST /v1/translationmemory with the identifier of a new memory.
func (s *Service) newMemory(c *api.Call) error {
	b, err := api.ReadObject(c)
	if err != nil {
		return err
	}
	r := store.MemoryRecord{
		ID: uuid.NewString(), Account: s.store.Account, Created: s.store.Now(),
		Name:        strings.TrimSpace(api.Member[string](b, "name")),
		Description: api.Member[string](b, "description"),
		ClientID:    api.Member[string](b, "clientId"),
		Source:      api.Member[string](b, "sourceLanguage"),
		Targets:     api.Member[[]string](b, "targetLanguages"),
	}
	if b.Err != nil {
		return b.Err
	}
	if r.Name == "" {
		return api.Invalid("name", "is missing; a translation memory has a name")
	}
	languages := store.Project{Source: r.Source, Targets: r.Targets}
	if err := languages.CheckLanguages("sourceLanguage", "targetLanguages"); err != nil {
		return err
	}
	r.Source, r.Targets = languages.Source, languages.Targets
	err = s.store.Update(func(tx *store.Tx) error {
		_, err := store.CreateMemory(tx, r)
		return err
	})
	if err != nil {
		return err
	}
	return c.Answer(http.StatusCreated, r.ID)
}

// listMemories answers GET /v1/translationmemory: the memories of the account in batches, in the order of their
// identifiers; 204 where there are none (left).
func (s *Service) listMemories(c *api.Call) error {
	limit, err := c.Params.Count(wire.QueryBatchSize, wire.MaxMemoriesPerBatch)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxMemoriesPerBatch {
		return api.Invalid(wire.QueryBatchSize, "%d is not from 1 to %d", limit, wire.MaxMemoriesPerBatch)
	}
	after, _, err := c.Params.Word(wire.QueryLastProcessedID)
	if err != nil {
		return err
	}
	for _, name := range []string{wire.QuerySourceLanguage, wire.QueryTargetLanguage} {
		if word, given, err := c.Params.Word(name); err != nil {
			return err
		} else if given {
			if _, err := api.LanguageCode(name, word); err != nil {
				return err
			}
		}
	}
	var out []wire.Memory
	err = s.store.View(func(tx *store.Tx) error {
		return store.EachMemory(tx, after, func(r *store.MemoryRecord) (more bool) {
			if memoryMatches(r, c.Params) {
				out = append(out, memoryWire(r))
			}
			return len(out) < limit
		})
	})
	switch {
	case err != nil:
		return err
	case len(out) == 0:
		return c.Empty(http.StatusNoContent)
	}
	return c.Answer(http.StatusOK, out)
}

// memoryMatches applies the filters of a list.
func memoryMatches(r *store.MemoryRecord, q api.Params) bool {
	given := func(name string) string {
		v, _ := q.Values(name)
		return strings.TrimSpace(strings.Join(v, ""))
	}
	source, target, client := given(wire.QuerySourceLanguage), given(wire.QueryTargetLanguage), given(wire.QueryClientID)
	return (source == "" || strings.EqualFold(source, r.Source)) &&
		(target == "" || slices.ContainsFunc(r.Targets, func(t string) bool { return strings.EqualFold(t, target) })) &&
		(client == "" || client == r.ClientID) &&
		strings.Contains(strings.ToLower(r.Name), strings.ToLower(given(wire.QuerySearchName)))
}

func memoryWire(r *store.MemoryRecord) wire.Memory {
	out := wire.Memory{ID: r.ID, AccountID: r.Account, ClientID: r.ClientID, Name: r.Name, Description: r.Description,
		SourceLanguage: r.Source, TargetLanguages: r.Targets,
		CreatedDate: api.Timestamp(r.Created), IsAutomaticallyCreated: r.Automatic,
		UnitCountByLanguageID: map[string]float64{}}
	for _, code := range r.Targets {
		out.UnitCountByLanguageID[api.LanguageNumber(code)] = float64(r.Counts[code])
	}
	return out
}

// deleteMemory answers DELETE /v1/translationmemory/{memoryId}; projects that use it lose it.
func (s *Service) deleteMemory(c *api.Call) error {
	err := s.store.Update(func(tx *store.Tx) error {
		m, err := store.MemoryIn(tx, wire.MemoryID, c.PathValue(wire.MemoryID))
		if err != nil {
			return err
		}
		return store.RemoveMemory(tx, m.Record.ID)
	})
	return c.Done(err)
}

// getProjectMemories answers GET /v1/project/{projectId}/translationmemories.
func (s *Service) getProjectMemories(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.ProjectMemory{}
	for _, a := range p.Memories {
		w := wire.ProjectMemory{ID: a.ID, MatchThreshold: float64(a.Threshold), IsWritable: a.Writable}
		if l, ok := api.FindLanguage(a.Language); ok {
			w.TargetLanguageID = &l.ID
		}
		out = append(out, w)
	}
	return c.Answer(http.StatusOK, out)
}

// setProjectMemories answers POST /v1/project/{projectId}/translationmemories: the array is the whole list from now on.
func (s *Service) setProjectMemories(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := api.ReadList(c)
	if err != nil {
		return err
	}
	attached, err := readAttached(list, "")
	if err != nil {
		return err
	}
	exact, err := exactLanguages(c.Params, nil)
	if err != nil {
		return err
	}
	return s.attach(c, p.ID, attached, exact)
}

// setProjectMemoriesByLanguage answers POST …/translationmemories/bylanguages: a list for each language, which
// together are the whole list from now on.
func (s *Service) setProjectMemoriesByLanguage(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := api.ReadList(c)
	if err != nil {
		return err
	}
	var attached []store.AttachedMemory
	var exact [2]bool
	for _, raw := range list {
		b, err := api.ReadMembers("body", raw)
		if err != nil {
			return err
		}
		word, memories := api.Member[string](b, "language"), api.Member[[]json.RawMessage](b, "translationMemories")
		if b.Err != nil {
			return b.Err
		}
		code, err := api.LanguageCode("language", word)
		if err != nil {
			return err
		}
		if !slices.Contains(p.Targets, code) {
			return api.Invalid("language", "%s is not a target language of the project", code)
		}
		if exact, err = exactLanguages(c.Params, b); err != nil {
			return err
		}
		some, err := readAttached(memories, code)
		if err != nil {
			return err
		}
		attached = append(attached, some...)
	}
	return s.attach(c, p.ID, attached, exact)
}

// exactLanguages reads whether the source and the target language of a memory must be the project's to the letter,
// region and all.
func exactLanguages(q api.Params, b *api.Members) (exact [2]bool, err error) {
	for i, name := range []string{wire.QueryExactSource, wire.QueryExactTarget} {
		if exact[i], err = q.Flag(name); err != nil {
			return exact, err
		}
		if b != nil && b.Has(name) {
			exact[i] = api.Member[bool](b, name)
		}
	}
	if b != nil {
		err = b.Err
	}
	return exact, err
}

// readAttached reads a list of memories for a language; empty: for all. At most one of them is writable, and none is
// listed twice.
func readAttached(list []json.RawMessage, code string) ([]store.AttachedMemory, error) {
	var out []store.AttachedMemory
	for _, raw := range list {
		b, err := api.ReadMembers("body", raw)
		if err != nil {
			return nil, err
		}
		a := store.AttachedMemory{ID: api.Member[string](b, "id"), Writable: api.Member[bool](b, "isWritable"),
			Language: code, Threshold: wire.MinMatchThreshold}
		if b.Has("matchThreshold") {
			given := api.Member[float64](b, "matchThreshold")
			if b.Err == nil && given != math.Trunc(given) {
				return nil, api.Invalid("matchThreshold", "%v is not a whole percentage", given)
			}
			a.Threshold = int(given)
		}
		switch {
		case b.Err != nil:
			return nil, b.Err
		case a.ID == "":
			return nil, api.Invalid("id", "is missing; GET %s lists the translation memories", wire.Prefix+wire.PathMemories)
		case a.Threshold < wire.MinMatchThreshold || a.Threshold > wire.MaxMatchThreshold:
			return nil, api.Invalid("matchThreshold", "%d is not from %d to %d", a.Threshold, wire.MinMatchThreshold,
				wire.MaxMatchThreshold)
		case slices.ContainsFunc(out, func(o store.AttachedMemory) bool { return o.ID == a.ID }):
			return nil, api.Invalid("id", "%s is there twice", a.ID)
		case a.Writable && slices.ContainsFunc(out, func(o store.AttachedMemory) bool { return o.Writable }):
			return nil, api.Invalid("isWritable", "two translation memories are writable; a project writes to one")
		}
		out = append(out, a)
	}
	return out, nil
}

// attach gives a project its memories, when all of them are of this account and of its languages.
func (s *Service) attach(c *api.Call, projectID string, attached []store.AttachedMemory, exact [2]bool) error {
	err := s.store.Change(projectID, func(tx *store.Tx, p *store.Project) error {
		for _, a := range attached {
			m, err := store.MemoryIn(tx, "id", a.ID)
			if err != nil {
				return err
			}
			if err := memoryFits(&m.Record, p, a.Language, exact); err != nil {
				return err
			}
		}
		p.Memories = attached
		return nil
	})
	return c.Done(err)
}

// memoryFits checks that a memory is of a project's languages.
func memoryFits(r *store.MemoryRecord, p *store.Project, code string, exact [2]bool) error {
	if r.Source != p.Source && (exact[0] || !api.SameLanguage(r.Source, p.Source)) {
		return api.Invalid("id", "the translation memory %s is from %s, the project from %s", r.ID, r.Source, p.Source)
	}
	wanted := p.Targets
	if code != "" {
		wanted = []string{code}
	}
	for _, target := range wanted {
		if slices.ContainsFunc(r.Targets, func(t string) bool {
			return t == target || !exact[1] &&
				api.SameLanguage(t, target)
		}) {
			return nil
		}
	}
	return api.Invalid("id", "the translation memory %s has none of the languages %s", r.ID, strings.Join(wanted, ", "))
}
