package catalog

import (
	"bytes"
	"maps"
	"testing"

	"pgregory.net/rapid"
)

func drawMarks(t *rapid.T) Marks {
	key := rapid.OneOf(rapid.StringMatching(`[ab/]{0,4}`), rapid.String())
	n := rapid.IntRange(0, 30).Draw(t, "n")
	marks := make(Marks)
	for range n {
		marks[Name{Key: key.Draw(t, "key"), Form: rapid.SampledFrom([]string{"", "one", "other", "0"}).Draw(t, "form")}] =
			MarkOf(rapid.String().Draw(t, "text"))
	}
	return marks
}

// What is encoded is decoded again, there is one encoding only, and no part of it is another one.
func TestEncodingLaws(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		marks := drawMarks(t)
		content := marks.Encode()
		got, err := DecodeMarks(content)
		if err != nil || !maps.Equal(got, marks) {
			t.Fatalf("%v came back as %v, %v", marks, got, err)
		}
		if !bytes.Equal(content, maps.Clone(marks).Encode()) {
			t.Fatal("two encodings of one set")
		}
		if packed, err := marks.Pack().Marks(); err != nil || !maps.Equal(packed, marks) {
			t.Fatalf("%v was packed as %v, %v", marks, packed, err)
		}
		cut := rapid.IntRange(0, len(content)-1).Draw(t, "cut")
		if _, err := DecodeMarks(content[:cut]); err == nil {
			t.Fatalf("the first %d of %d bytes are marks too", cut, len(content))
		}
	})
}

func FuzzDecodeMarks(f *testing.F) {
	f.Add(Marks(nil).Encode())
	f.Add(Marks{{Key: "a"}: {1}, {Key: "ab"}: {1}}.Encode())
	f.Add(Marks{{Key: "a", Form: "one"}: {1}, {Key: "a", Form: "other"}: {2}, {Key: ""}: {3}}.Encode())
	f.Fuzz(func(t *testing.T, content []byte) {
		marks, err := DecodeMarks(content)
		if err != nil {
			return
		}
		if !bytes.Equal(marks.Encode(), content) {
			t.Fatalf("%x is a second encoding of %v", content, marks)
		}
	})
}
