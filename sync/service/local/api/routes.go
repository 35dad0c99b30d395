package api

import (
	"net/http"
	"strings"
)

// router finds the path of the table that a request is for. The standard one refuses tables in which two paths
// overlap without one being the narrower, as the interface's do (…/project/{projectId}/mt and
// …/project/import-result/{importId}); here a literal element comes before a placeholder, from left to right.
type router struct {
	literal   map[string]*router
	holder    *router
	name      string // of the holder
	handler   http.Handler
	everyTail http.Handler // of a path that ends with a slash: takes everything below
}

// handle adds a path: elements in braces are placeholders, a slash at the end takes everything below it.
func (t *router) handle(pattern string, h http.Handler) {
	below := strings.HasSuffix(pattern, "/")
	for element := range strings.SplitSeq(strings.Trim(pattern, "/"), "/") {
		if name, ok := strings.CutPrefix(element, "{"); ok {
			if t.holder == nil {
				t.holder = &router{}
			}
			t.name = strings.TrimSuffix(name, "}")
			t = t.holder
			continue
		}
		if t.literal == nil {
			t.literal = map[string]*router{}
		}
		if t.literal[element] == nil {
			t.literal[element] = &router{}
		}
		t = t.literal[element]
	}
	if below {
		t.everyTail = h
		return
	}
	t.handler = h
}

// find returns the handler of a path and sets the request's path values; nil where there is none.
func (t *router) find(r *http.Request, path string) http.Handler {
	path = strings.TrimPrefix(path, "/")
	if path == "" {
		if t.handler != nil {
			return t.handler
		}
		return t.everyTail
	}
	element, rest, _ := strings.Cut(path, "/")
	if next := t.literal[element]; next != nil {
		if h := next.find(r, rest); h != nil {
			return h
		}
	}
	if t.holder != nil {
		if h := t.holder.find(r, rest); h != nil {
			r.SetPathValue(t.name, element)
			return h
		}
	}
	return t.everyTail
}
