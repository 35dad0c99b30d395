package memories

import (
	"cmp"
	"context"
	"errors"
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
		batch, err := service.Get[wire.List[Memory]](ctx, m.client, service.Call{Op: "list translation memories",
			Path: wire.PathMemories, Query: q}, service.Reader.UnlessEmpty)
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
	var bad error
	if name == "" || source == "" || len(targets) == 0 {
		bad = errors.New("it needs a name, a source language and at least one target language")
	}
	id, err := service.Start(ctx, m.client, service.Call{
		Op: "create translation memory", Bad: bad, Method: http.MethodPost, Path: wire.PathMemories,
		Body: wire.MemoryCreate{Name: name, SourceLanguage: source, TargetLanguages: targets}, Changes: true,
	})
	return string(id), err
}

// Import brings a TMX file into a translation memory, in place of all that is in it or in addition: POST
// /v1/translationmemory/{id} (published description). It is repeated only where it replaces everything. 400
// (ErrRefused): it is not a TMX file.
func (m Memories) Import(ctx context.Context, id string, file service.File, replaceAll bool) error {
	return m.client.Do(ctx, service.Call{
		Op: "import into translation memory", Bad: service.CheckID(id), Method: http.MethodPost,
		Path:  service.PathOf(wire.PathMemory, id),
		Query: url.Values{wire.QueryReplaceAllContent: {strconv.FormatBool(replaceAll)}},
		Parts: []service.Part{service.FilePart(wire.PartMemoryFile, &file)}, Repeatable: replaceAll, Changes: true,
	})
}

// Export writes a translation memory into w, as TMX or as mode says, and returns how many bytes it has: GET
// /v1/translationmemory/{id}/file (published description). An answer that breaks off is not asked for again
// once something was written.
func (m Memories) Export(ctx context.Context, id, mode string, w io.Writer) (int64, error) {
	if mode == "" {
		mode = wire.MemoryExportTMX
	}
	var written int64
	err := m.client.Do(ctx, service.Call{
		Op: "export translation memory", Bad: service.CheckID(id), Method: http.MethodGet,
		Path:  service.PathOf(wire.PathMemoryFile, id),
		Query: url.Values{wire.QueryMemoryExportMode: {mode}, wire.QueryWithTags: {"true"}}, Repeatable: true,
		Download: true, Read: service.Copy(w, &written).NoPage(),
	})
	return written, err
}

// Attached lists the translation memories that are attached to a project: GET
// /v1/project/{projectId}/translationmemories (service interface, project configuration; the answer is the
// published description's).
func (m Memories) Attached(ctx context.Context, project string) ([]ProjectMemory, error) {
	return service.Get[wire.List[ProjectMemory]](ctx, m.client, service.Call{
		Op: "read the project's translation memories", Bad: service.Named("project", project),
		Path: service.PathOf(wire.PathProjectMemories, project),
	}, service.Reader.UnlessEmpty)
}

// Attach attaches translation memories to a project in place of all that are attached: POST
// /v1/project/{projectId}/translationmemories (service interface, project configuration). To add one, give the
// ones of Attached as well. What the service would refuse is refused here: a threshold that is not a percentage
// from 50 on, a memory named twice, two writable ones. 400 (ErrRefused): the languages of a memory do not fit
// the project's.
func (m Memories) Attach(ctx context.Context, project string, memories []ProjectMemory) error {
	sent, bad := checkMemories(memories)
	return m.client.Do(ctx, service.Call{
		Op: "set the project's translation memories", Bad: cmp.Or(service.Named("project", project), bad),
		Method: http.MethodPost, Path: service.PathOf(wire.PathProjectMemories, project),
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
