package page_test

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkList is a page of a list of 100,000 keys: the first; one for which all keys are searched; one for which all
// are checked.
func BenchmarkList(b *testing.B) {
	w := newWorld(b)
	texts := map[string]string{}
	for i := range 100_000 {
		texts[fmt.Sprintf("section%02d.key%06d", i%50, i)] = fmt.Sprintf("This is text number %d of {name}", i)
	}
	data, err := json.Marshal(texts)
	w.check(err)
	w.imports("language=en&format=json", "app.json", string(data))
	w.imports("language=de&format=json", "app.json", string(data))
	for name, query := range map[string]string{"first": "&show=all", "search": "&show=all&q=nowhere",
		"failing": "&show=failing"} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				w.get("list?" + inGerman + query)
			}
		})
	}
	b.Run("key", func(b *testing.B) {
		for b.Loop() {
			w.get("key?" + inGerman + "&show=draft&q=key099999")
		}
	})
}
