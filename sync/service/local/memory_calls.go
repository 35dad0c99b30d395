package local

import (
	"encoding/json"
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/service/wire"
)

// attachedMemory is a memory that a project uses, for one of its languages or for all.
type attachedMemory struct {
	ID        string `json:"id"`
	Threshold int    `json:"threshold"`
	Writable  bool   `json:"writable,omitempty"`
	Language  string `json:"language,omitempty"` // empty: all
}

func (a attachedMemory) serves(code string) bool { return a.Language == "" || a.Language == code }

// memoryService answers the calls about translation memories.
type memoryService struct{ store *store }

func newMemoryService(st *store) *memoryService { return &memoryService{st} }

// routes are the calls that are answered here, by path.
func (s *memoryService) routes() map[string]methods {
	return map[string]methods{
		wire.PathMemories:                  {"GET": s.listMemories, "POST": s.newMemory},
		wire.PathMemory:                    {"POST": s.importMemory, "DELETE": s.deleteMemory},
		wire.PathMemoryFile:                {"GET": s.exportMemory},
		wire.PathProjectMemories:           {"GET": s.getProjectMemories, "POST": s.setProjectMemories},
		wire.PathProjectMemoriesByLanguage: {"POST": s.setProjectMemoriesByLanguage},
	}
}

// memoryIn opens a memory of this account: one that is unknown gives a 404, another account's a 403. field is where its identifier stands.
func memoryIn(tx *Tx, field, id string) (*memory, error) {
	m, err := openMemory(tx, id)
	switch {
	case err != nil:
		return nil, err
	case m == nil:
		return nil, &problem{status: http.StatusNotFound, field: field, detail: field + ": there is no translation memory " + id}
	case m.record.Account != tx.account():
		return nil, &problem{status: http.StatusForbidden, field: field, detail: field + ": the translation memory " + id + " belongs to another account"}
	}
	return m, nil
}

// writableMemory is the memory that a project's confirmed translations into a language go to; nil where there is none.
func writableMemory(tx *Tx, p *project, code string) (*memory, error) {
	for _, a := range p.Memories {
		if a.Writable && a.serves(code) {
			return openMemory(tx, a.ID)
		}
	}
	return nil, nil
}

// newMemory answers POST /v1/translationmemory with the identifier of a new memory.
func (s *memoryService) newMemory(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	b, err := readMembers("body", raw)
	if err != nil {
		return err
	}
	r := memoryRecord{
		ID: uuid.NewString(), Account: s.store.account, Created: s.store.now(),
		Name:        strings.TrimSpace(member[string](b, "name")),
		Description: member[string](b, "description"),
		ClientID:    member[string](b, "clientId"),
		Source:      member[string](b, "sourceLanguage"),
		Targets:     member[[]string](b, "targetLanguages"),
	}
	if b.err != nil {
		return b.err
	}
	if r.Name == "" {
		return invalid("name", "is missing; a translation memory has a name")
	}
	languages := project{Source: r.Source, Targets: r.Targets}
	if err := languages.checkLanguages("sourceLanguage", "targetLanguages"); err != nil {
		return err
	}
	r.Source, r.Targets = languages.Source, languages.Targets
	err = s.store.update(func(tx *Tx) error {
		_, err := createMemory(tx, r)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusCreated, r.ID)
}

// listMemories answers GET /v1/translationmemory: the memories of the account in batches, in the order of their identifiers; 204 where there
// are none (left).
func (s *memoryService) listMemories(c *call) error {
	limit, err := c.params.count(wire.QueryBatchSize, wire.MaxMemoriesPerBatch)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxMemoriesPerBatch {
		return invalid(wire.QueryBatchSize, "%d is not from 1 to %d", limit, wire.MaxMemoriesPerBatch)
	}
	after, _, err := c.params.word(wire.QueryLastProcessedID)
	if err != nil {
		return err
	}
	for _, name := range []string{wire.QuerySourceLanguage, wire.QueryTargetLanguage} {
		if word, given, err := c.params.word(name); err != nil {
			return err
		} else if given {
			if _, err := languageCode(name, word); err != nil {
				return err
			}
		}
	}
	var out []wire.Memory
	err = s.store.view(func(tx *Tx) error {
		return eachMemory(tx, after, func(r *memoryRecord) (more bool) {
			if memoryMatches(r, c.params) {
				out = append(out, memoryWire(r))
			}
			return len(out) < limit
		})
	})
	switch {
	case err != nil:
		return err
	case len(out) == 0:
		return c.empty(http.StatusNoContent)
	}
	return c.json(http.StatusOK, out)
}

// memoryMatches applies the filters of a list.
func memoryMatches(r *memoryRecord, q params) bool {
	given := func(name string) string {
		v, _ := q.values(name)
		return strings.TrimSpace(strings.Join(v, ""))
	}
	source, target, client := given(wire.QuerySourceLanguage), given(wire.QueryTargetLanguage), given(wire.QueryClientID)
	return (source == "" || strings.EqualFold(source, r.Source)) &&
		(target == "" || slices.ContainsFunc(r.Targets, func(t string) bool { return strings.EqualFold(t, target) })) &&
		(client == "" || client == r.ClientID) &&
		strings.Contains(strings.ToLower(r.Name), strings.ToLower(given(wire.QuerySearchName)))
}

func memoryWire(r *memoryRecord) wire.Memory {
	out := wire.Memory{ID: r.ID, AccountID: r.Account, ClientID: r.ClientID, Name: r.Name, Description: r.Description, SourceLanguage: r.Source, TargetLanguages: r.Targets,
		CreatedDate: timestamp(r.Created), IsAutomaticallyCreated: r.Automatic, UnitCountByLanguageID: map[string]float64{}}
	for _, code := range r.Targets {
		out.UnitCountByLanguageID[languageNumber(code)] = float64(r.Counts[code])
	}
	return out
}

// deleteMemory answers DELETE /v1/translationmemory/{memoryId}; projects that use it lose it.
func (s *memoryService) deleteMemory(c *call) error {
	err := s.store.update(func(tx *Tx) error {
		m, err := memoryIn(tx, wire.MemoryID, c.pathValue(wire.MemoryID))
		if err != nil {
			return err
		}
		return removeMemory(tx, m.record.ID)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// getProjectMemories answers GET /v1/project/{projectId}/translationmemories.
func (s *memoryService) getProjectMemories(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.ProjectMemory{}
	for _, a := range p.Memories {
		w := wire.ProjectMemory{ID: a.ID, MatchThreshold: float64(a.Threshold), IsWritable: a.Writable}
		if l, ok := findLanguage(a.Language); ok {
			w.TargetLanguageID = &l.ID
		}
		out = append(out, w)
	}
	return c.json(http.StatusOK, out)
}

// setProjectMemories answers POST /v1/project/{projectId}/translationmemories: the array is the whole list from now on.
func (s *memoryService) setProjectMemories(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := readList(c)
	if err != nil {
		return err
	}
	attached, err := readAttached(list, "")
	if err != nil {
		return err
	}
	exact, err := exactLanguages(c.params, nil)
	if err != nil {
		return err
	}
	return s.attach(c, p.ID, attached, exact)
}

// setProjectMemoriesByLanguage answers POST …/translationmemories/bylanguages: a list for each language, which together are the whole list
// from now on.
func (s *memoryService) setProjectMemoriesByLanguage(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := readList(c)
	if err != nil {
		return err
	}
	var attached []attachedMemory
	var exact [2]bool
	for _, raw := range list {
		b, err := readMembers("body", raw)
		if err != nil {
			return err
		}
		word, memories := member[string](b, "language"), member[[]json.RawMessage](b, "translationMemories")
		if b.err != nil {
			return b.err
		}
		code, err := languageCode("language", word)
		if err != nil {
			return err
		}
		if !slices.Contains(p.Targets, code) {
			return invalid("language", "%s is not a target language of the project", code)
		}
		if exact, err = exactLanguages(c.params, b); err != nil {
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

// exactLanguages reads whether the source and the target language of a memory must be the project's to the letter, region and all.
func exactLanguages(q params, b *members) (exact [2]bool, err error) {
	for i, name := range []string{wire.QueryExactSource, wire.QueryExactTarget} {
		if exact[i], err = q.flag(name); err != nil {
			return exact, err
		}
		if b != nil && b.has(name) {
			exact[i] = member[bool](b, name)
		}
	}
	if b != nil {
		err = b.err
	}
	return exact, err
}

// readAttached reads a list of memories for a language; empty: for all. At most one of them is writable, and none stands there twice.
func readAttached(list []json.RawMessage, code string) ([]attachedMemory, error) {
	var out []attachedMemory
	for _, raw := range list {
		b, err := readMembers("body", raw)
		if err != nil {
			return nil, err
		}
		a := attachedMemory{ID: member[string](b, "id"), Writable: member[bool](b, "isWritable"), Language: code, Threshold: wire.MinMatchThreshold}
		if b.has("matchThreshold") {
			given := member[float64](b, "matchThreshold")
			if b.err == nil && given != math.Trunc(given) {
				return nil, invalid("matchThreshold", "%v is no whole percentage", given)
			}
			a.Threshold = int(given)
		}
		switch {
		case b.err != nil:
			return nil, b.err
		case a.ID == "":
			return nil, invalid("id", "is missing; GET %s lists the translation memories", wire.Prefix+wire.PathMemories)
		case a.Threshold < wire.MinMatchThreshold || a.Threshold > wire.MaxMatchThreshold:
			return nil, invalid("matchThreshold", "%d is not from %d to %d", a.Threshold, wire.MinMatchThreshold, wire.MaxMatchThreshold)
		case slices.ContainsFunc(out, func(o attachedMemory) bool { return o.ID == a.ID }):
			return nil, invalid("id", "%s is there twice", a.ID)
		case a.Writable && slices.ContainsFunc(out, func(o attachedMemory) bool { return o.Writable }):
			return nil, invalid("isWritable", "two translation memories are writable; a project writes to one")
		}
		out = append(out, a)
	}
	return out, nil
}

// attach gives a project its memories, when all of them are of this account and of its languages.
func (s *memoryService) attach(c *call, projectID string, attached []attachedMemory, exact [2]bool) error {
	err := s.store.change(projectID, func(tx *Tx, p *project) error {
		for _, a := range attached {
			m, err := memoryIn(tx, "id", a.ID)
			if err != nil {
				return err
			}
			if err := memoryFits(&m.record, p, a.Language, exact); err != nil {
				return err
			}
		}
		p.Memories = attached
		return nil
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// memoryFits checks that a memory is of a project's languages.
func memoryFits(r *memoryRecord, p *project, code string, exact [2]bool) error {
	if r.Source != p.Source && (exact[0] || !sameLanguage(r.Source, p.Source)) {
		return invalid("id", "the translation memory %s is from %s, the project from %s", r.ID, r.Source, p.Source)
	}
	wanted := p.Targets
	if code != "" {
		wanted = []string{code}
	}
	for _, target := range wanted {
		if slices.ContainsFunc(r.Targets, func(t string) bool { return t == target || !exact[1] && sameLanguage(t, target) }) {
			return nil
		}
	}
	return invalid("id", "the translation memory %s has none of the languages %s", r.ID, strings.Join(wanted, ", "))
}
