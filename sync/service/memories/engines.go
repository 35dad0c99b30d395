package memories

import (
	"cmp"
	"context"
	"fmt"
	"net/http"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Engines are the operations on machine translation.
type Engines struct{ client *service.Client }

// EnginesOf are the operations of a client on machine translation.
func EnginesOf(c *service.Client) Engines { return Engines{c} }

// Available lists the machine translation engines that a project could use, with all the languages that they
// know: GET /v1/project/{projectId}/mt/available (service interface, project configuration, whose capital
// letters are read like the small ones of the published description). 403 is ErrAuth, 404 ErrNotFound.
func (e Engines) Available(ctx context.Context, project string) ([]Engine, error) {
	return e.list(ctx, "list available machine translation", wire.PathEnginesAvailable, project)
}

// Attached lists the machine translation engines that a project uses, each with the languages it is used for: GET
// /v1/project/{projectId}/mt (service interface, project configuration; the answer is the published description's).
func (e Engines) Attached(ctx context.Context, project string) ([]Engine, error) {
	return e.list(ctx, "read machine translation", wire.PathEngines, project)
}

func (e Engines) list(ctx context.Context, op, path, project string) ([]Engine, error) {
	return service.Get[wire.List[Engine]](ctx, e.client, service.Call{Op: op, Bad: service.Named("project", project),
		Path: service.PathOf(path, project)}, service.Reader.UnlessEmpty)
}

// Set sets which machine translation engine a project uses for which languages, in place of what was set: POST
// /v1/project/{projectId}/mt (service interface, project configuration). ID and Languages are sent. 400
// (ErrRefused): an unknown engine, or a language that it does not know.
func (e Engines) Set(ctx context.Context, project string, engines []Engine) error {
	bad := service.Named("project", project)
	sent := make([]Engine, len(engines))
	for i, engine := range engines {
		if engine.ID == "" || len(engine.Languages) == 0 {
			bad = cmp.Or(bad, fmt.Errorf("engine %q: it needs an id and languages", engine.ID))
		}
		sent[i] = Engine{ID: engine.ID, Languages: engine.Languages}
	}
	return e.client.Do(ctx, service.Call{
		Op: "set machine translation", Bad: bad, Method: http.MethodPost, Path: service.PathOf(wire.PathEngines, project),
		Body: sent, Repeatable: true, Changes: true,
	})
}
