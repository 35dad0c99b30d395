// Package own is what our own service does beside the interface, in this process or as a locsync service elsewhere:
// what translators ask, who wrote a text, and keys that are put aside.
//
// Its law: no other service sees a request of these. Ours says in its answers what it has (see service.Client.Offered),
// and where it does not know a call, it has nothing.
package own

import (
	"context"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// mostBytes is how much of keys a request has: the service takes 4 MB, in which JSON may spell a byte with six.
const mostBytes = 512 << 10

// Questions are what translators of a project ask its developers, by key.
func Questions(ctx context.Context, c *service.Client, project string) ([]wire.Question, error) {
	if !offers(c, project, wire.OffersQuestions) {
		return nil, nil
	}
	all, err := service.Get[[]wire.Question](ctx, c, service.Call{Op: "read the questions of translators",
		Path: service.PathOf(wire.PathOwnQuestions, project)})
	return all, known(err)
}

// Writers names the people who wrote the present translations of keys.
func Writers(ctx context.Context, c *service.Client, project string, of []wire.KeysOf) ([]string, error) {
	if !offers(c, project, wire.OffersWriters) {
		return nil, nil
	}
	names := make(map[string]bool)
	for _, body := range requests(of) {
		all, err := service.Get[[]string](ctx, c, service.Call{Op: "read who translated", Method: http.MethodPost,
			Path: service.PathOf(wire.PathOwnWriters, project), Body: body, Repeatable: true})
		if known(err) != nil {
			return nil, err
		}
		for _, name := range all {
			names[name] = true
		}
	}
	return slices.Sorted(maps.Keys(names)), nil
}

// Archive puts keys aside, and reports whether the service knows how. That it is ours is for the caller to know: a
// client that has made no call yet does not.
func Archive(ctx context.Context, c *service.Client, project string, of ...wire.KeysOf) (done bool, err error) {
	for _, body := range requests(of) {
		err := c.Do(ctx, service.Call{Op: "archive keys", Method: http.MethodPost,
			Path: service.PathOf(wire.PathOwnArchive, project), Body: body, Repeatable: true, Changes: true})
		if err != nil {
			return false, known(err)
		}
	}
	return true, nil
}

// Archived says how many keys of a project are archived. Another answer than before means that a key may be gone of
// which no export of changes tells.
func Archived(c *service.Client, project string) (count string) {
	if !c.Own() {
		return ""
	}
	all, _ := c.Offered(project)
	for _, word := range all {
		if number, is := strings.CutPrefix(word, wire.OffersArchived); is {
			count = number
		}
	}
	return count
}

// offers reports whether the service may have something for a project.
func offers(c *service.Client, project, what string) bool {
	if !c.Own() {
		return false
	}
	all, known := c.Offered(project)
	return !known || slices.Contains(all, what)
}

// known is an error of a call that the service has.
func known(err error) error {
	if service.Missing(err) {
		return nil
	}
	return err
}

// requests divides keys into what one request may have.
func requests(of []wire.KeysOf) (all [][]wire.KeysOf) {
	var body []wire.KeysOf
	size := 0
	for _, k := range of {
		from := 0
		for i, key := range k.Keys {
			if size += len(key) + 1; size > mostBytes && i > from {
				part := k
				part.Keys = k.Keys[from:i]
				all, body = append(all, append(body, part)), nil
				from, size = i, len(key)+1
			}
		}
		if k.Keys = k.Keys[from:]; len(k.Keys) > 0 {
			body = append(body, k)
		}
	}
	if len(body) > 0 {
		all = append(all, body)
	}
	return all
}
