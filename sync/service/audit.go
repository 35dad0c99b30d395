package service

import (
	"context"
	"net/url"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// mostAuditPages bounds what is read of a log that goes on and on.
const mostAuditPages = 20

// Balance reads how many words the account has left for machine translation: GET /v1/smartwords/balance (published
// description). It is not repeated: who asks now and then can wait for the next time.
func (c *Client) Balance(ctx context.Context) (float64, error) {
	b, err := Get[wire.Balance](ctx, c, Call{Op: "read balance", Path: wire.PathBalance, once: true})
	return b.Balance, err
}

// Audit lists what was done in the account since a time, in the service's order: GET /v1/audit/logs (published
// description). Of a longer log it is what mostAuditPages pages have. 403 (ErrAuth): the key may not see it.
func (c *Client) Audit(ctx context.Context, since time.Time) ([]AuditEntry, error) {
	same := func(e AuditEntry) string { return e.Time + "\n" + e.Type + "\n" + e.UserID + "\n" + string(e.Payload) }
	return Pages(wire.MaxAuditPerPage, same, func(skip int) ([]AuditEntry, error) {
		page := skip/wire.MaxAuditPerPage + 1
		if page > mostAuditPages {
			return nil, nil
		}
		return Get[wire.List[AuditEntry]](ctx, c, Call{Op: "read audit log", Path: wire.PathAudit, Query: url.Values{
			wire.QueryStartTime:  {since.UTC().Format(time.RFC3339)},
			wire.QueryPageNumber: {strconv.Itoa(page)},
			wire.QueryPageSize:   {strconv.Itoa(wire.MaxAuditPerPage)},
		}}, Reader.UnlessEmpty)
	})
}
