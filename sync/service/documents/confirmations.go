package documents

import (
	"context"
	"net/url"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Confirmations are the words that were confirmed in a project since a time, by whom or by the service itself: GET
// /v2/segment-confirmation-statistics/{projectId} (published description). The project may be one of keys, too.
func (s Statistics) Confirmations(
	ctx context.Context, project string, since time.Time,
) ([]service.Confirmation, error) {
	return service.Get[wire.List[service.Confirmation]](ctx, s.client, service.Call{
		Op: "read confirmations", Bad: service.Named("project", project),
		Path:  service.PathOf(wire.PathConfirmations, project),
		Query: url.Values{wire.QueryFrom: {since.UTC().Format(time.RFC3339)}},
	}, service.Reader.UnlessEmpty)
}
