package service

import (
	"context"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// Callbacks are the operations on the notifications of the account.
type Callbacks struct{ client *Client }

// Callbacks are the operations on the notifications of the account.
func (c *Client) Callbacks() Callbacks { return Callbacks{c} }

// Read reads where the service posts this account's notifications: GET /v1/callback (published description; the service
// interface says that notifications are enabled through it and does not show how). ErrNotFound: nowhere.
func (cs Callbacks) Read(ctx context.Context) (Callback, error) {
	return Get[Callback](ctx, cs.client, Call{Op: "read callback", Path: wire.PathCallback})
}

// Set has notifications of this account posted to an address from now on: POST /v1/callback (published description;
// additionalHeaders are the service interface's). There is one for the whole account: see with Read first whether
// another program relies on it. 400 (ErrRefused): the address, or a header.
func (cs Callbacks) Set(ctx context.Context, callback Callback) error {
	const op = "set callback"
	u, err := url.Parse(callback.URL)
	if err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Host == "" {
		return fmt.Errorf("%s: address %q: want http(s)://host/path", op, callback.URL)
	}
	for _, h := range callback.AdditionalHeaders {
		if strings.TrimSpace(h.Name) == "" || strings.ContainsAny(h.Name+h.Value, "\r\n") {
			return fmt.Errorf("%s: header %q: want a name, and no line breaks", op, h.Name)
		}
	}
	if callback.AdditionalHeaders == nil {
		callback.AdditionalHeaders = []wire.CallbackHeader{}
	}
	return cs.client.Do(ctx, Call{
		Op: op, Method: http.MethodPost, Path: wire.PathCallback,
		Body: callback, Repeatable: true, Changes: true,
	})
}

// Delete ends the notifications of this account: DELETE /v1/callback (published description).
func (cs Callbacks) Delete(ctx context.Context) error {
	return cs.client.Do(ctx, Call{Op: "delete callback", Method: http.MethodDelete, Path: wire.PathCallback,
		Repeatable: true, Changes: true})
}

// Errors lists the latest notifications that could not be delivered, at most limit of them (1 to 100): GET
// /v1/callback/lastErrors (published description).
func (cs Callbacks) Errors(ctx context.Context, limit int) ([]CallbackError, error) {
	var bad error
	if limit < 1 || limit > wire.MaxCallbackErrors {
		bad = fmt.Errorf("limit %d: want 1 to %d", limit, wire.MaxCallbackErrors)
	}
	return Get[wire.List[CallbackError]](ctx, cs.client, Call{
		Op: "list callback errors", Bad: bad, Path: wire.PathCallbackLastErrors,
		Query: url.Values{wire.QueryLimit: {strconv.Itoa(limit)}},
	}, Reader.UnlessEmpty)
}
