package memories

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Memories are the operations on translation memories.
type Memories struct{ client *service.Client }

// Of are the operations of a client on translation memories.
func Of(c *service.Client) Memories { return Memories{c} }

// Filter narrows List; empty fields do not. All of it is in the published description only.
type Filter struct {
	Name           string // a part of the name
	SourceLanguage string
	TargetLanguage string
}

// List lists the translation memories of the account that match, batch by batch: GET /v1/translationmemory with
// the query parameter batchSize (service interface, project configuration; the rest of it, and that 204 is an
// empty list, is the published description's).
func (m Memories) List(ctx context.Context, f Filter) ([]Memory, error) {
	var all []Memory
	seen := map[string]bool{}
	for {
		q := url.Values{wire.QueryBatchSize: {strconv.Itoa(wire.MaxMemoriesPerBatch)}}
		for name, value := range map[string]string{
			wire.QuerySearchName: f.Name, wire.QuerySourceLanguage: f.SourceLanguage, wire.QueryTargetLanguage: f.TargetLanguage,
		} {
			if value != "" {
				q.Set(name, value)
			}
		}
		if len(all) > 0 {
			q.Set(wire.QueryLastProcessedID, all[len(all)-1].ID)
		}
		var batch wire.List[Memory]
		err := m.client.Do(ctx, service.Call{
			Op: "list translation memories", Method: http.MethodGet, Path: wire.PathMemories, Query: q, Repeatable: true,
			Read: service.JSON(&batch).UnlessEmpty(),
		})
		if err != nil {
			return nil, err
		}
		for _, m := range batch {
			if seen[m.ID] {
				return all, nil // a service that knows no batches
			}
			seen[m.ID] = true
			all = append(all, m)
		}
		if len(batch) < wire.MaxMemoriesPerBatch {
			return all, nil
		}
	}
}

// Create makes an empty translation memory and returns its identifier: POST /v1/translationmemory (published
// description). It is not repeated when its answer is lost: look with List then. 400 (ErrRefused): the name is
// taken, or a language is wrong.
func (m Memories) Create(ctx context.Context, name, source string, targets []string) (string, error) {
	const op = "create translation memory"
	if name == "" || source == "" || len(targets) == 0 {
		return "", fmt.Errorf("%s: it needs a name, a source language and at least one target language", op)
	}
	var id service.JobID
	err := m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathMemories,
		Body: wire.MemoryCreate{Name: name, SourceLanguage: source, TargetLanguages: targets}, Changes: true,
		Read: service.Identifier(&id),
	})
	return string(id), err
}

// Import brings a TMX file into a translation memory, in place of all that is in it or in addition: POST
// /v1/translationmemory/{id} (published description). It is repeated only where it replaces everything. 400
// (ErrRefused): it is not a TMX file.
func (m Memories) Import(ctx context.Context, id string, file service.File, replaceAll bool) error {
	const op = "import into translation memory"
	if err := service.CheckID(id); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	body, err := service.NewForm(service.FilePart(wire.PartMemoryFile, &file))
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: service.PathOf(wire.PathMemory, id),
		Query: url.Values{wire.QueryReplaceAllContent: {strconv.FormatBool(replaceAll)}},
		Form:  body, Repeatable: replaceAll, Changes: true,
	})
}

// Export writes a translation memory into w, as TMX or as mode says, and returns how many bytes it has: GET
// /v1/translationmemory/{id}/file (published description). An answer that breaks off is not asked for again
// once something was written.
func (m Memories) Export(ctx context.Context, id, mode string, w io.Writer) (int64, error) {
	const op = "export translation memory"
	if err := service.CheckID(id); err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	if mode == "" {
		mode = wire.MemoryExportTMX
	}
	var written int64
	err := m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(wire.PathMemoryFile, id),
		Query: url.Values{wire.QueryMemoryExportMode: {mode}, wire.QueryWithTags: {"true"}}, Repeatable: true,
		Download: true, Read: service.Copy(w, &written).NoPage(),
	})
	return written, err
}

// Attached lists the translation memories that are attached to a project: GET
// /v1/project/{projectId}/translationmemories (service interface, project configuration; the answer is the
// published description's).
func (m Memories) Attached(ctx context.Context, project string) ([]ProjectMemory, error) {
	const op = "read the project's translation memories"
	if err := service.CheckID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var memories wire.List[ProjectMemory]
	err := m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(wire.PathProjectMemories, project), Repeatable: true,
		Read: service.JSON(&memories).UnlessEmpty(),
	})
	return memories, err
}

// Attach attaches translation memories to a project in place of all that are attached: POST
// /v1/project/{projectId}/translationmemories (service interface, project configuration). To add one, give the
// ones of Attached as well. What the service would refuse is refused here: a threshold that is not a percentage
// from 50 on, a memory named twice, two writable ones. 400 (ErrRefused): the languages of a memory do not fit
// the project's.
func (m Memories) Attach(ctx context.Context, project string, memories []ProjectMemory) error {
	const op = "set the project's translation memories"
	if err := service.CheckID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	sent, err := checkMemories(memories)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: service.PathOf(wire.PathProjectMemories, project),
		Body: sent, Repeatable: true, Changes: true,
	})
}

// AttachByLanguage is Attach with memories of its own for every target language: POST
// /v1/project/{projectId}/translationmemories/bylanguages (published description).
func (m Memories) AttachByLanguage(ctx context.Context, project string, memories []MemoriesOfLanguage) error {
	const op = "set the project's translation memories by language"
	if err := service.CheckID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	sent := make([]MemoriesOfLanguage, len(memories))
	for i, m := range memories {
		attached, err := checkMemories(m.TranslationMemories)
		if err == nil {
			err = service.CheckList("language", []string{m.Language})
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", op, m.Language, err)
		}
		sent[i], sent[i].TranslationMemories = m, attached
	}
	return m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPost, Path: service.PathOf(wire.PathProjectMemoriesByLanguage, project),
		Body: sent, Repeatable: true, Changes: true,
	})
}

// checkMemories refuses what the service would, and leaves what it takes.
func checkMemories(memories []ProjectMemory) ([]ProjectMemory, error) {
	sent := make([]ProjectMemory, len(memories))
	seen := map[string]bool{}
	writable := ""
	for i, m := range memories {
		switch {
		case m.ID == "":
			return nil, fmt.Errorf("memory %d has no id", i+1)
		case seen[m.ID]:
			return nil, fmt.Errorf("memory %s is named twice", m.ID)
		case m.MatchThreshold != math.Trunc(m.MatchThreshold) || m.MatchThreshold < wire.MinMatchThreshold ||
			m.MatchThreshold > wire.MaxMatchThreshold:
			return nil, fmt.Errorf("memory %s: match threshold %v: want a whole percentage from %d to %d", m.ID,
				m.MatchThreshold, wire.MinMatchThreshold, wire.MaxMatchThreshold)
		case m.IsWritable && writable != "":
			return nil, fmt.Errorf("memories %s and %s are both writable; one may be", writable, m.ID)
		case m.IsWritable:
			writable = m.ID
		}
		seen[m.ID] = true
		sent[i] = ProjectMemory{ID: m.ID, MatchThreshold: m.MatchThreshold, IsWritable: m.IsWritable}
	}
	return sent, nil
}

// PretranslationRules reads the rules that new documents of a project are pretranslated by: GET
// /v1/project/{projectId}/pretranslation-rules (published description; the service interface leaves them to the
// user interface).
func (m Memories) PretranslationRules(ctx context.Context, project string) ([]PretranslationRule, error) {
	const op = "read pretranslation rules"
	if err := service.CheckID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var rules wire.List[PretranslationRule]
	err := m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodGet, Path: service.PathOf(wire.PathPretranslationRules, project), Repeatable: true,
		Read: service.JSON(&rules).UnlessEmpty(),
	})
	return rules, err
}

// SetPretranslationRules replaces those rules and, with start, pretranslates by them at once: PUT
// /v1/project/{projectId}/pretranslation-rules (published description).
func (m Memories) SetPretranslationRules(ctx context.Context, project string, rules []PretranslationRule,
	start bool) error {
	const op = "set pretranslation rules"
	if err := service.CheckID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	if rules == nil {
		rules = []PretranslationRule{}
	}
	q := url.Values{wire.QueryStartPretranslate: {strconv.FormatBool(start)}}
	return m.client.Do(ctx, service.Call{
		Op: op, Method: http.MethodPut, Path: service.PathOf(wire.PathPretranslationRules, project), Query: q,
		Body: rules, Repeatable: true, Changes: true,
	})
}
