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

// Callback reads where the service posts this account's notifications: GET /v1/callback (published description; the service
// interface says that notifications are enabled through it and does not show how). ErrNotFound: nowhere.
func (c *Client) Callback(ctx context.Context) (Callback, error) {
	var registered Callback
	err := c.do(ctx, call{op: "read callback", method: http.MethodGet, path: wire.PathCallback, repeatable: true, read: c.record(&registered)})
	return registered, err
}

// SetCallback has notifications of this account posted to an address from now on: POST /v1/callback (published description;
// additionalHeaders are the service interface's). There is one for the whole account: look with Callback first whether
// somebody else relies on it. 400 (ErrRefused): the address, or a header.
func (c *Client) SetCallback(ctx context.Context, callback Callback) error {
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
	return c.set(ctx, op, http.MethodPost, wire.PathCallback, nil, callback)
}

// DeleteCallback ends the notifications of this account: DELETE /v1/callback (published description).
func (c *Client) DeleteCallback(ctx context.Context) error {
	return c.do(ctx, call{op: "delete callback", method: http.MethodDelete, path: wire.PathCallback, repeatable: true, changes: true})
}

// CallbackErrors lists the latest notifications that could not be delivered, at most limit of them (1 to 100): GET
// /v1/callback/lastErrors (published description).
func (c *Client) CallbackErrors(ctx context.Context, limit int) ([]CallbackError, error) {
	const op = "list callback errors"
	if limit < 1 || limit > wire.MaxCallbackErrors {
		return nil, fmt.Errorf("%s: limit %d: want 1 to %d", op, limit, wire.MaxCallbackErrors)
	}
	var failures wire.List[CallbackError]
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathCallbackLastErrors, query: url.Values{wire.QueryLimit: {strconv.Itoa(limit)}},
		repeatable: true, read: unlessEmpty(c.record(&failures)),
	})
	return failures, err
}
