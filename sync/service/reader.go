package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/wire"
)

// Reader takes a 2xx answer. Its error counts as an answer that was lost on the way, so that a call that may be
// repeated is, but for one that has its cause on this side or that asking again will not change.
type Reader func(*Answer) error

// Answer is a 2xx answer on its way to a Reader.
type Answer struct {
	Status int
	Header http.Header
	Body   io.Reader // unpacked; it ends when the call takes too long

	length int64           // that was announced; -1: none
	ctx    context.Context // of the call
	limits *limits
	redact func(string) string
}

// within reads all of the body, at most limit bytes.
func within(body io.Reader, limit int64) ([]byte, error) {
	b, err := bound.Read(body, limit)
	switch {
	case bound.Is(err):
		return nil, beyond("%w", err)
	case err != nil:
		return nil, fmt.Errorf("read the answer: %w", err)
	}
	return bytes.TrimPrefix(b, []byte("\xef\xbb\xbf")), nil
}

// JSON reads a JSON answer into v. A member of another type than expected stays empty: a record has
// many members that are not needed here.
func JSON(v any) Reader {
	return func(a *Answer) error {
		b, err := within(a.Body, a.limits.json)
		if err != nil {
			return err
		}
		if _, bounded := v.(*wire.ImportAnswer); !bounded {
			if err := (bound.JSON{Memory: 5 * a.limits.json}).Weigh(b); err != nil {
				return beyond("%w", err)
			}
		}
		if err := otherType(json.Unmarshal(b, v)); err != nil {
			return fmt.Errorf("%w: %s (it begins %q)", ErrUnusable, a.redact(clean(err.Error())),
				a.redact(clean(string(b[:min(len(b), 80)]))))
		}
		return nil
	}
}

// otherType lets an error pass that says that a member has another type than expected.
func otherType(err error) error {
	if wrong, ok := errors.AsType[*json.UnmarshalTypeError](err); ok && wrong.Field != "" {
		return nil
	}
	return err
}

// Identifier reads the answer to a call that starts something: a JSON string, an object with id or
// taskId, or the bare text.
func Identifier(id *JobID) Reader {
	return func(a *Answer) error {
		b, err := within(a.Body, a.limits.problem)
		if err != nil {
			return err
		}
		var said wire.Identifier
		if json.Unmarshal(b, &said) != nil {
			said = wire.Identifier(strings.Trim(strings.TrimSpace(string(b)), `"`))
		}
		if err := CheckID(string(said)); err != nil {
			return fmt.Errorf("%w: no identifier in %q", ErrUnusable, a.redact(clean(string(b[:min(len(b), 80)]))))
		}
		*id = JobID(said)
		return nil
	}
}

// Word reads the state of a task: a JSON string, an object with status or state, or the bare text.
func Word(state *TaskState) Reader {
	return func(a *Answer) error {
		b, err := within(a.Body, a.limits.problem)
		if err != nil {
			return err
		}
		if !json.Valid(b) {
			b, _ = json.Marshal(string(bytes.TrimSpace(b))) // a string always marshals
		}
		*state = ""
		if err := json.Unmarshal(b, state); err != nil || *state == "" || strings.ContainsAny(string(*state), "<>") {
			return fmt.Errorf("%w: no state in %q", ErrUnusable, a.redact(clean(string(b[:min(len(b), 80)]))))
		}
		return nil
	}
}

// WhenReady reads an answer that is 202 or 204 while there is nothing to be had yet.
func (read Reader) WhenReady() Reader {
	return func(a *Answer) error {
		if a.Status == http.StatusNoContent || a.Status == http.StatusAccepted {
			return local{ErrNotReady}
		}
		return read(a)
	}
}

// UnlessEmpty reads an answer that is 204 where there is nothing in it.
func (read Reader) UnlessEmpty() Reader {
	return func(a *Answer) error {
		if a.Status == http.StatusNoContent {
			return nil
		}
		return read(a)
	}
}

// NoPage refuses a page of the web, which is what a proxy or a login answers instead of a file.
func (read Reader) NoPage() Reader {
	return func(a *Answer) error {
		if strings.HasPrefix(strings.ToLower(a.Header.Get("Content-Type")), "text/html") {
			return damaged("it is a web page")
		}
		return read(a)
	}
}

// Copy hands an answer on as it comes. What was begun is not begun again: a second copy would stand behind the
// first half.
func Copy(w io.Writer, written *int64) Reader {
	return func(a *Answer) error {
		n, err := io.Copy(&ownWriter{w}, a.Body)
		*written += n
		var own local
		if err != nil && n > 0 && !errors.As(err, &own) {
			return local{fmt.Errorf("cut off after %d bytes, which were handed on: %w (%w)", n, err, ErrTemporary)}
		}
		return err
	}
}

// Accepted reads an answer that is true or false; one without words counts as true.
func Accepted(a *Answer) error {
	b, err := within(a.Body, a.limits.problem)
	if err == nil && strings.EqualFold(strings.Trim(strings.TrimSpace(string(b)), `"`), "false") {
		err = local{fmt.Errorf("%w: it answers false", ErrRefused)}
	}
	return err
}

// ownWriter marks errors of writing as ours, so that a full disk is not taken for a bad line.
type ownWriter struct{ w io.Writer }

func (o *ownWriter) Write(p []byte) (int, error) {
	n, err := o.w.Write(p)
	if err != nil {
		err = local{fmt.Errorf("keep the download: %w", err)}
	}
	return n, err
}
