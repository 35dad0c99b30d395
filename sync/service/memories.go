package service

import (
	"context"
	"fmt"
	"io"
	"math"
	"net/http"
	"net/url"
	"strconv"

	"github.com/locsync/locsync/sync/service/wire"
)

// MemoryFilter narrows Memories; empty fields do not. All of it is in the published description only.
type MemoryFilter struct {
	Name           string // a part of the name
	SourceLanguage string
	TargetLanguage string
}

// Memories lists the translation memories of the account that match, batch by batch: GET /v1/translationmemory with the query
// parameter batchSize (service interface, project configuration; the rest of it, and that 204 is an empty list, is the published
// description's).
func (c *Client) Memories(ctx context.Context, f MemoryFilter) ([]Memory, error) {
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
		err := c.do(ctx, call{
			op: "list translation memories", method: http.MethodGet, path: wire.PathMemories, query: q, repeatable: true,
			read: unlessEmpty(c.record(&batch)),
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

// CreateMemory makes an empty translation memory and returns its identifier: POST /v1/translationmemory (published description). It is
// not repeated when its answer is lost: look with Memories then. 400 (ErrRefused): the name is taken, or a language is wrong.
func (c *Client) CreateMemory(ctx context.Context, name, source string, targets []string) (string, error) {
	const op = "create translation memory"
	if name == "" || source == "" || len(targets) == 0 {
		return "", fmt.Errorf("%s: it needs a name, a source language and at least one target language", op)
	}
	var id JobID
	err := c.post(ctx, op, wire.PathMemories, wire.MemoryCreate{Name: name, SourceLanguage: source, TargetLanguages: targets}, c.identifier(&id))
	return string(id), err
}

// ImportMemory brings a TMX file into a translation memory, in place of all that is in it or in addition: POST
// /v1/translationmemory/{id} (published description). It is repeated only where it replaces everything. 400 (ErrRefused): it is no
// TMX file.
func (c *Client) ImportMemory(ctx context.Context, id string, file File, replaceAll bool) error {
	const op = "import into translation memory"
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	body, err := newForm(formPart{name: wire.PartMemoryFile, kind: anyFile, file: &file})
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPost, path: fill(wire.PathMemory, id), query: url.Values{wire.QueryReplaceAllContent: {strconv.FormatBool(replaceAll)}},
		form: body, repeatable: replaceAll, changes: true,
	})
}

// ExportMemory writes a translation memory into w, as TMX or as mode says, and returns how many bytes it has: GET
// /v1/translationmemory/{id}/file (published description). An answer that breaks off is not asked for again once something was
// written.
func (c *Client) ExportMemory(ctx context.Context, id, mode string, w io.Writer) (int64, error) {
	const op = "export translation memory"
	if err := checkID(id); err != nil {
		return 0, fmt.Errorf("%s: %w", op, err)
	}
	if mode == "" {
		mode = wire.MemoryExportTMX
	}
	var written int64
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathMemoryFile, id),
		query: url.Values{wire.QueryMemoryExportMode: {mode}, wire.QueryWithTags: {"true"}}, repeatable: true, read: noPage(c.copyTo(w, &written)),
	})
	return written, err
}

// ProjectMemories lists the translation memories that are attached to a project: GET
// /v1/project/{projectId}/translationmemories (service interface, project configuration; the answer is the published description's).
func (c *Client) ProjectMemories(ctx context.Context, project string) ([]ProjectMemory, error) {
	const op = "read the project's translation memories"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var memories wire.List[ProjectMemory]
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathProjectMemories, project), repeatable: true, read: unlessEmpty(c.record(&memories)),
	})
	return memories, err
}

// SetProjectMemories attaches translation memories to a project in place of all that are attached: POST
// /v1/project/{projectId}/translationmemories (service interface, project configuration). To add one, give the ones of ProjectMemories
// as well. What the service would refuse is refused here: a threshold that is no percentage from 50 on, a memory named twice, two writable ones.
// 400 (ErrRefused): the languages of a memory do not fit the project's.
func (c *Client) SetProjectMemories(ctx context.Context, project string, memories []ProjectMemory) error {
	const op = "set the project's translation memories"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	sent, err := checkMemories(memories)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.set(ctx, op, http.MethodPost, fill(wire.PathProjectMemories, project), nil, sent)
}

// SetProjectMemoriesByLanguage is SetProjectMemories with memories of its own for every target language: POST
// /v1/project/{projectId}/translationmemories/bylanguages (published description).
func (c *Client) SetProjectMemoriesByLanguage(ctx context.Context, project string, memories []MemoriesOfLanguage) error {
	const op = "set the project's translation memories by language"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	sent := make([]MemoriesOfLanguage, len(memories))
	for i, m := range memories {
		attached, err := checkMemories(m.TranslationMemories)
		if err == nil {
			err = checkList("language", []string{m.Language})
		}
		if err != nil {
			return fmt.Errorf("%s: %s: %w", op, m.Language, err)
		}
		sent[i], sent[i].TranslationMemories = m, attached
	}
	return c.set(ctx, op, http.MethodPost, fill(wire.PathProjectMemoriesByLanguage, project), nil, sent)
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
		case m.MatchThreshold != math.Trunc(m.MatchThreshold) || m.MatchThreshold < wire.MinMatchThreshold || m.MatchThreshold > wire.MaxMatchThreshold:
			return nil, fmt.Errorf("memory %s: match threshold %v: want a whole percentage from %d to %d", m.ID, m.MatchThreshold, wire.MinMatchThreshold, wire.MaxMatchThreshold)
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
// /v1/project/{projectId}/pretranslation-rules (published description; the service interface leaves them to the user interface).
func (c *Client) PretranslationRules(ctx context.Context, project string) ([]PretranslationRule, error) {
	const op = "read pretranslation rules"
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var rules wire.List[PretranslationRule]
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathPretranslationRules, project), repeatable: true, read: unlessEmpty(c.record(&rules)),
	})
	return rules, err
}

// SetPretranslationRules replaces those rules and, with start, pretranslates by them at once: PUT
// /v1/project/{projectId}/pretranslation-rules (published description).
func (c *Client) SetPretranslationRules(ctx context.Context, project string, rules []PretranslationRule, start bool) error {
	const op = "set pretranslation rules"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	if rules == nil {
		rules = []PretranslationRule{}
	}
	q := url.Values{wire.QueryStartPretranslate: {strconv.FormatBool(start)}}
	return c.set(ctx, op, http.MethodPut, fill(wire.PathPretranslationRules, project), q, rules)
}
