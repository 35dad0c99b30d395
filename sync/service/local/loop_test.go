package local

import (
	"testing"
)

// The interface's example of label files: keys with the labels file:main.json and file:errors.json.
func TestLabelsNameTheFiles(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, query("language", "en", "labels", "file:main.json"), file{"a.json", `{"title":"Title"}`})
	s.completed(p, query("language", "en", "labels", "file:errors.json"), file{"b.json", `{"failed":"Failed"}`})
	s.completed(p, query("language", "de", "completion-state", "final"),
		file{"de.json", `{"title":"Titel","failed":"Fehler"}`})
	got := s.many(p, query("languages", "de", "output-file-path-template", "resources/{LABEL:file}"))
	if len(got) != 2 {
		t.Fatalf("%v", got)
	}
	sameJSON(t, got["resources/main.json"], `{"title":"Titel"}`)
	sameJSON(t, got["resources/errors.json"], `{"failed":"Fehler"}`)
}

// The interface's example of nested keys: my-key inside object is object/my-key, and comes back nested.
func TestNestedKeys(t *testing.T) {
	s := serve(t, Options{})
	p := s.create("en", "de")
	s.completed(p, query("language", "en", "format", "structured-json"),
		file{"en.json", `{"object":{"my-key":"Text","list":["a","b"]},"top":"Top"}`})
	sameJSON(t, s.one(p, query("languages", "en")),
		`{"object/my-key":"Text","object/list/0":"a","object/list/1":"b","top":"Top"}`)
	s.completed(p, query("language", "de", "completion-state", "final"),
		file{"de.json", `{"object/my-key":"Wort","object/list/0":"A","object/list/1":"B","top":"Oben"}`})
	sameJSON(t, s.one(p, query("languages", "de", "format", "structured-json")),
		`{"object":{"my-key":"Wort","list":["A","B"]},"top":"Oben"}`)
	sameJSON(t, s.one(p, query("languages", "de", "format", "structured-json", "path-separator", ".")),
		`{"object/my-key":"Wort","object/list/0":"A","object/list/1":"B","top":"Oben"}`)
	const yaml = "object:\n  my-key: Wort\n  list:\n    - A\n    - B\ntop: Oben\n"
	if got := s.one(p, query("languages", "de", "format", "structured-yaml")); got != yaml {
		t.Errorf("got %q, want %q", got, yaml)
	}
	// With a separator of one's own, given alike at both ends, the file mirrors what was imported, also keys that hold
	// the default one.
	const nested = `{"a/b":{"c":"C"},"d":"D"}`
	s.completed(p, query("language", "en", "format", "structured-json", "path-separator", "::", "collection", "own"),
		file{"en.json", nested})
	sameJSON(t, s.one(p, query("languages", "en", "collections", "own")), `{"a/b::c":"C","d":"D"}`)
	sameJSON(t, s.one(p, query("languages", "en", "collections", "own", "format", "structured-json", "path-separator",
		"::")), nested)
}
