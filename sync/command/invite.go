package command

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/service/local/page"
	"github.com/locsync/locsync/sync/web"
)

// Invitation is what a link is for: a person, and what that person may do. What is empty is as it was, or the usual.
type Invitation struct {
	Name, Role          string
	Manager             bool // of everything
	Projects, Languages []string
}

// Invite has the embedded service whose process works in a folder make an invitation, and returns its address.
func Invite(ctx context.Context, dir string, of Invitation) (string, error) {
	through, err := web.ServiceTransport(ctx, dir)
	if errors.Is(err, web.ErrNoDaemon) {
		return "", failure.Usage(errors.New("the embedded service is not running; start locsync run or locsync service, " +
			"then invite people"))
	}
	if err != nil {
		return "", err
	}
	query := url.Values{"name": {of.Name}, "role": {of.Role}, "project": of.Projects, "language": of.Languages}
	if of.Manager {
		query.Set("manager", "true")
	}
	call, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://embedded.invalid"+page.InvitePath+"?"+
		query.Encode(), nil)
	if err != nil {
		return "", err
	}
	answer, err := (&http.Client{Transport: through}).Do(call)
	if err != nil {
		return "", fmt.Errorf("ask the embedded service for an invitation: %w", err)
	}
	defer answer.Body.Close()
	body, err := io.ReadAll(io.LimitReader(answer.Body, 1<<16))
	if err != nil {
		return "", fmt.Errorf("ask the embedded service for an invitation: %w", err)
	}
	if answer.StatusCode != http.StatusOK {
		return "", failure.Usage(errors.New(strings.TrimSpace(string(body))))
	}
	var made page.Invited
	if err := json.Unmarshal(body, &made); err != nil {
		return "", fmt.Errorf("ask the embedded service for an invitation: %w", err)
	}
	return made.URL, nil
}
