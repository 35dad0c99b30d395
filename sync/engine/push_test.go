package engine

import "testing"

// Only what was added or changed travels; what is only laid out differently costs nothing.
func TestPushSendsWhatChanged(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	w.sends("locales/en/app.json (en): a b")
	for _, r := range w.imported(`app.json{ "a": "A", "b": "B" }`) {
		for name, want := range map[string]string{"collection": "main", "language": "en", "format": "json", "completion-state": "draft", "overwrite-conflicting-values": "true"} {
			if got := r.query.Get(name); got != want {
				t.Errorf("%s=%q, want %q in %s", name, got, want, r.query.Encode())
			}
		}
		if r.query.Has("path-separator") || r.query.Has("target-languages") || r.query.Has("labels") || len(r.query) != 5 {
			t.Errorf("query %s", r.query.Encode())
		}
	}
	w.sends()
	w.write("locales/en/app.json", "{\n\t\"b\": \"B\",\r\n\t\"a\": \"\\u0041\"\n}\n")
	w.sends()
	w.silent()
	w.write("locales/en/app.json", `{"b": "B!", "a": "A", "c": "C"}`)
	w.sends("locales/en/app.json (en): b c")
	w.imported(`app.json{ "b": "B!", "c": "C" }`)
	w.sends()
	w.silent()
	w.holds("main", "en", "a", "A", "b", "B!", "c", "C")
}
