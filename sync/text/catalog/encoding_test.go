package catalog

import (
	"bytes"
	"crypto/sha256"
	"maps"
	"strings"
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
		if !bytes.Equal(marks.Pack().Encode(), content) {
			t.Fatal("packed marks have an encoding of their own")
		}
		cut := rapid.IntRange(0, len(content)-1).Draw(t, "cut")
		if _, err := DecodeMarks(content[:cut]); err == nil {
			t.Fatalf("the first %d of %d bytes are marks too", cut, len(content))
		}
	})
}

// Marks that are none are packed as such, and are written as marks without names.
func TestPackedNone(t *testing.T) {
	none := Marks(nil).Pack()
	if marks, err := none.Marks(); marks != nil || err != nil || none != (Packed{}) {
		t.Errorf("%v, %v", marks, err)
	}
	if !bytes.Equal(none.Encode(), Marks{}.Encode()) {
		t.Errorf("they are written as %x", none.Encode())
	}
}

// A mark is a part of the text's SHA-256, whatever its length.
func TestMarkOf(t *testing.T) {
	for _, n := range []int{0, 1, 31, 32, 255, 256, 257, 10_000} {
		text := strings.Repeat("\x00a", n)[:n]
		if sum := sha256.Sum256([]byte(text)); MarkOf(text) != Mark(sum[:16]) {
			t.Errorf("of %d bytes it is another one", n)
		}
	}
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
