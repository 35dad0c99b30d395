package mcp

import (
	"encoding/json"
	"fmt"
	"testing"
)

// BenchmarkSetTexts sets five texts in each of many files of a hundred, which is to be linear in the files. Beside it,
// of the same files: a check.
func BenchmarkSetTexts(b *testing.B) {
	for _, n := range []int{50, 200, 800} {
		files := map[string]string{"locsync.toml": settings}
		var texts []wire
		for file := range n {
			keys := make(map[string]string)
			for i := range 100 {
				keys[fmt.Sprintf("f%d.key%d", file, i)] = fmt.Sprint("text ", file, i)
			}
			text, err := json.Marshal(keys)
			if err != nil {
				b.Fatal(err)
			}
			files[fmt.Sprintf("web/en/f%d.json", file)] = string(text)
			for i := range 5 {
				texts = append(texts, wire{"key": fmt.Sprintf("f%d.key%d", file, i), "language": "de", "text": "neu"})
			}
		}
		a := newAgent(b, files)
		b.Run(fmt.Sprint(n, " files/set_texts"), func(b *testing.B) {
			for b.Loop() {
				var out setOut
				a.asks("set_texts", wire{"texts": texts, "dry_run": true}, &out)
				if out.Written != len(texts) {
					b.Fatalf("%d written: %+v", out.Written, out.Refused)
				}
			}
		})
		b.Run(fmt.Sprint(n, " files/check"), func(b *testing.B) {
			for b.Loop() {
				a.asks("check", wire{}, new(json.RawMessage))
			}
		})
	}
}
