package web

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
)

// ErrNoDaemon means that no daemon answers for a state folder: there is no daemon, or it ended before it had answered.
var ErrNoDaemon = errors.New("no daemon answers")

// ErrHangs means that a daemon is there and does not say anything.
var ErrHangs = errors.New("the daemon that has the state does not answer")

// silence is how long a daemon may say nothing; it says something every sayAgain.
const silence = 10 * sayAgain

// remoteError is an error that the daemon reported.
type remoteError struct{ text, code string }

func (e remoteError) Error() string { return e.text }

// ErrorCode is what the daemon called it.
func (e remoteError) ErrorCode() string { return cmp.Or(e.code, report.FailedInternal) }

// Ask has the daemon of a state folder do what a command wants, and tells progress, which may be nil, what it is doing.
// The error is the daemon's own, ErrNoDaemon, ErrHangs or a *Mismatch.
func Ask(ctx context.Context, dir string, want Request, progress func(report.Doing)) (Answer, error) {
	ticket, err := readTicket(filepath.Join(dir, controlFile))
	if err != nil {
		return Answer{}, err
	}
	body, err := json.Marshal(want)
	if err != nil {
		return Answer{}, err
	}
	asking, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	watchdog := time.AfterFunc(silence, func() { cancel(ErrHangs) })
	defer watchdog.Stop()
	answer, err := ask(asking, ticket, body, func(said line) {
		watchdog.Reset(silence)
		if said.Doing != nil && progress != nil {
			progress(*said.Doing)
		}
	})
	if err != nil && errors.Is(context.Cause(asking), ErrHangs) {
		return answer, ErrHangs
	}
	return answer, err
}

// ask asks once; heard is called with everything that the daemon says before its answer.
func ask(ctx context.Context, ticket controlTicket, body []byte, heard func(line)) (Answer, error) {
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+ticket.Address+"/do", bytes.NewReader(body))
	if err != nil {
		return Answer{}, err
	}
	introduce(req, ticket.Token)
	resp, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return Answer{}, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	defer resp.Body.Close()
	if !vouched(resp, req, ticket.Token) {
		// It is not a daemon, or not the one that wrote the file: another program has the address of one that was
		// killed.
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return Answer{}, fmt.Errorf("%w: %s: %s", ErrNoDaemon, resp.Status, bytes.TrimSpace(said))
	}
	if resp.StatusCode == http.StatusConflict {
		other := new(Mismatch)
		if err := json.NewDecoder(io.LimitReader(resp.Body, 1<<16)).Decode(other); err != nil {
			return Answer{}, fmt.Errorf("read the daemon's answer: %w", err)
		}
		return Answer{}, other
	}
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return Answer{}, fmt.Errorf("%w: %s: %s", ErrNoDaemon, resp.Status, bytes.TrimSpace(said))
	}
	for lines := json.NewDecoder(resp.Body); ; {
		var said line
		err := lines.Decode(&said)
		var syntax *json.SyntaxError
		var shape *json.UnmarshalTypeError
		switch {
		case errors.As(err, &syntax), errors.As(err, &shape):
			return Answer{}, fmt.Errorf("read the daemon's answer: %w", err)
		case err != nil:
			return Answer{}, fmt.Errorf("%w any more: its answer was cut off: %w", ErrNoDaemon, err)
		case said.Ending:
			return Answer{}, fmt.Errorf("%w: it is ending", ErrNoDaemon)
		case said.Answer != nil:
			return *said.Answer, said.Answer.err()
		}
		heard(said)
	}
}

// err is the error that the daemon met.
func (a *Answer) err() error {
	switch {
	case a.Error == "":
		return nil
	case a.Permanent:
		return &failure.UsageError{Err: remoteError{a.Error, a.ErrorCode}}
	}
	return remoteError{a.Error, a.ErrorCode}
}
