package bundle

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/bound"
)

func opens(src string) func() (io.ReadCloser, error) {
	return func() (io.ReadCloser, error) { return io.NopCloser(strings.NewReader(src)), nil }
}

// An exported file that is not what was asked for is refused whole; a text that readers disagree on keeps itself out
// only.
func TestExportsAreWhatWasAskedFor(t *testing.T) {
	t.Parallel()
	const settings = "[[project.files]]\nsource = \"en.%s\"\noutput = \"{LANGUAGE}.%s\"\nformat = %q\n"
	for _, c := range []struct{ ext, format, src, want string }{
		{"json", "json", `{"a":"A"}`, "a=A"},
		{"json", "json", `["A"]`, ""},
		{"json", "structured-json", `["A"]`, ""},
		{"json", "locjson", `["A"]`, ""},
		{"yaml", "yaml", "- A\n", ""},
		{"yaml", "yaml", "a: A\nb: 'x\u2028 y'\nc: C\n", "a=A c=C"},
		{"yaml", "yaml", "a: A\nb: x\u2028y\nc: C\n", "a=A c=C"},
		{"yaml", "yaml", "a: A\nb: \"x\u0085 y\"\nc: C\n", "a=A c=C"},
		{"yaml", "yaml", "a: A\nb\u2028: x\nc: C\n", ""},
		{"xml", "android-xml", "<resources><string name=\"a\">A</string></resources>", "a=A"},
		{"xml", "android-xml", "<?xml version=\"1.0\"?>\n<!DOCTYPE resources [<!ENTITY e \"x\">]>\n" +
			"<resources><string name=\"a\">A</string></resources>", ""},
		{"xml", "android-xml", "<!DOCTYPE resources><resources><string name=\"a\">A</string></resources>", ""},
		{"xml", "android-xml", "<resources><string name=\"a\">&lt;!DOCTYPE A</string></resources>", "a=<!DOCTYPE A"},
		{"xml", "android-xml", "<resources><string name=\"a\">A</string><string name=\"b\">x&e;</string></resources>",
			""},
	} {
		p := project(t, strings.NewReplacer("%s", c.ext, "%q", `"`+c.format+`"`).Replace(settings))
		b := Of(p, "en."+c.ext)
		texts, _, err := b.ReadExport(opens(c.src), p.Targets()[0], new(Kept))
		var got []string
		for _, u := range texts {
			got = append(got, u.Key+"="+u.Text)
		}
		if strings.Join(got, " ") != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s %q: %q, %v, want %q", c.format, c.src, got, err, c.want)
		}
	}
}

// A long JSON file says the same, however it is divided; more than may be kept is not.
func TestLongExports(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	p := project(t,
		"[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\nformat = \"structured-json\"\n")
	b, l := Of(p, "en.json"), p.Targets()[0]
	var long strings.Builder
	long.WriteString(`{"twice":"first","@@locale":"de","de":{"a":"in a map of the root's name"}`)
	n := 3 * pieceSize / 64
	for i := range n {
		fmt.Fprintf(&long, `,"key %d":{"a":"text with , and { and \"quotes\" %d","b":["x",{"c":"d"}]}`, i, i)
	}
	long.WriteString("\n, \"twice\":\"second\"}")
	texts, there, err := b.ReadExport(opens(long.String()), l, new(Kept))
	if err != nil || !there || len(texts) != 2+3*n {
		t.Fatalf("%d texts of %d, %v, %v", len(texts), 2+3*n, there, err)
	}
	if texts[0].Key != "twice" || texts[0].Text != "second" || texts[1].Key != "de/a" ||
		texts[2].Text != `text with , and { and "quotes" 0` || texts[3*n+1].Key != fmt.Sprintf("key %d/b/1/c", n-1) {
		t.Errorf("%v %v %v %v", texts[0], texts[1], texts[2], texts[3*n+1])
	}
	only := &Kept{only: func(key string) bool { return key == "key 7/a" }}
	texts, _, err = b.ReadExport(opens(long.String()), l, only)
	if err != nil || len(texts) != 1 || texts[0].Key != "key 7/a" || only.texts != 1 || only.bytes > 200 {
		t.Errorf("%v %v %+v", texts, err, only)
	}
	if _, _, err := b.ReadExport(opens(`{"a":"`+strings.Repeat("long ", mostText/4)+`"}`),
		l, new(Kept)); !bound.Is(err) {
		t.Errorf("a long text: %v", err)
	}
	var many strings.Builder
	for i := range 8 {
		fmt.Fprintf(&many, `%c"%d":"%s"`, "{,"[min(i, 1)], i, strings.Repeat("long ", mostText/5))
	}
	many.WriteString("}")
	kept := new(Kept)
	for range mostKept / (17 * mostText) {
		if _, _, err := b.ReadExport(opens(many.String()), l, kept); err != nil {
			t.Fatal(err)
		}
	}
	once := func() (err error) {
		texts, _, err = b.ReadExport(opens(many.String()), l, kept)
		return err
	}
	if err := once(); !errors.Is(err, ErrTooMany) || !bound.Is(err) || kept.CanDrop() {
		t.Errorf("more than may be kept: %v", err)
	}
	*kept = Kept{bytes: mostKept - 5<<20}
	err = kept.Within(func(key string) bool { return key == "3" }, once)
	if err != nil || len(texts) != 1 || texts[0].Key != "3" {
		t.Errorf("what is wanted: %d texts, %v", len(texts), err)
	}
	for _, src := range []string{"", " \n", "\ufeff"} {
		if texts, there, err := b.ReadExport(opens(src), l, new(Kept)); texts != nil || there || err != nil {
			t.Errorf("%q: %v %v %v", src, texts, there, err)
		}
	}
	damaged := slices.Concat([]byte(long.String()), []byte(`,"x":1}`))
	if _, _, err := b.ReadExport(opens(string(damaged)), l, new(Kept)); err == nil {
		t.Error("what follows the object is passed over")
	}
}

// What could not be kept takes nothing from what is read after it.
func TestDroppedEntriesAreNotCounted(t *testing.T) {
	t.Parallel()
	p := project(t, "[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\nformat = \"json\"\n")
	b, l := Of(p, "en.json"), p.Targets()[0]
	kept := new(Kept)
	before := *kept
	for _, src := range []string{`{"a": "A", "b": "` + strings.Repeat("x", mostText+1) + `"}`, `{"a": "A"`} {
		if _, _, err := b.ReadExport(opens(src), l, kept); err == nil {
			t.Fatal("it is read")
		}
		if kept.texts != before.texts || kept.bytes != before.bytes {
			t.Errorf("%d texts of %d bytes are counted", kept.texts, kept.bytes)
		}
	}
}
