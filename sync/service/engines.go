package service

import (
	"context"
	"fmt"
	"net/http"

	"github.com/locsync/locsync/sync/service/wire"
)

// AvailableEngines lists the machine translation engines that a project could use, with all the languages that they know: GET
// /v1/project/{projectId}/mt/available (service interface, project configuration, whose capital letters are read like the small ones
// of the published description). 403 is ErrAuth, 404 ErrNotFound.
func (c *Client) AvailableEngines(ctx context.Context, project string) ([]Engine, error) {
	return c.engines(ctx, "list available machine translation", wire.PathEnginesAvailable, project)
}

// Engines lists the machine translation engines that a project uses, each with the languages it is used for: GET
// /v1/project/{projectId}/mt (service interface, project configuration; the answer is the published description's).
func (c *Client) Engines(ctx context.Context, project string) ([]Engine, error) {
	return c.engines(ctx, "read machine translation", wire.PathEngines, project)
}

func (c *Client) engines(ctx context.Context, op, path, project string) ([]Engine, error) {
	if err := checkID(project); err != nil {
		return nil, fmt.Errorf("%s: project id: %w", op, err)
	}
	var engines wire.List[Engine]
	err := c.do(ctx, call{op: op, method: http.MethodGet, path: fill(path, project), repeatable: true, read: unlessEmpty(c.record(&engines))})
	return engines, err
}

// SetEngines sets which machine translation engine a project uses for which languages, in place of what was set: POST
// /v1/project/{projectId}/mt (service interface, project configuration). ID and Languages are sent. 400 (ErrRefused): an unknown engine,
// or a language that it does not know.
func (c *Client) SetEngines(ctx context.Context, project string, engines []Engine) error {
	const op = "set machine translation"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	sent := make([]Engine, len(engines))
	for i, e := range engines {
		if e.ID == "" || len(e.Languages) == 0 {
			return fmt.Errorf("%s: engine %q: it needs an id and languages", op, e.ID)
		}
		sent[i] = Engine{ID: e.ID, Languages: e.Languages}
	}
	return c.set(ctx, op, http.MethodPost, fill(wire.PathEngines, project), nil, sent)
}
