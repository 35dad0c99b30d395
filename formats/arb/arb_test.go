package arb

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// template is laid out as Flutter's documentation has it.
const template = `{
  "@@locale": "en",
  "@@last_modified": "2026-01-02T03:04:05Z",
  "hello": "Hello {userName}",
  "@hello": {
    "description": "A greeting \"with\" a name",
    "placeholders": {
      "userName": {"type": "String", "example": "Bob"}
    }
  },
  "wombats": "{count, plural, =0{no wombats} =1{1 wombat} other{{count} wombats}}",
  "@wombats": {"placeholders": {"count": {"type": "num", "format": "compact"}}},
  "plain": "It's ''quoted'' {'{'}",
  "last": "The end",
  "@last": {}
}
`

var examples = []string{
	template,
	strings.ReplaceAll(template, "\n", "\r\n"),
	"\ufeff" + strings.ReplaceAll(template, "  ", "\t"),
	"{}", "{\n}\n", `{"@@locale":"de"}`, `{"a":"x","@a":{"description":"d"}}`,
	`{"@a":{"description":"in front"},"a":"x","b":"y"}`,
	`{"@orphan":{"description":"of nothing"},"b":"y"}`,
	"{\n  // above\n  \"a\": \"x\", // behind\n  \"@a\": {}\n}\n",
	`{"a":"x","a":"y","@a":{},"@a":{"description":"second"}}`,
	`{"a":null,"@a":{"description":"no text"},"n":1,"@n":{}}`,
	`{"@mention":"no text","@m":{"message":"none"},"@l":["none"],"@@x":["global"]}`,
}

func laws(t testing.TB, src []byte, any bool) *resource.File {
	t.Helper()
	return resourcetest.Check(t, resourcetest.Case{
		Grammar: Grammar, Src: src, Any: any, NewTexts: []string{"", "\n", `"\`, "é 😀 \u2028"},
		Undone:  func(f *resource.File, _ string) bool { return f.Len() > 1 || f.Node(0).Value.Len() == 2 },
		Refuses: resourcetest.Rules("metadata", "half of a surrogate pair", "begins with @"),
	})
}

func TestLaws(t *testing.T) {
	for _, src := range examples {
		if laws(t, []byte(src), false) == nil {
			t.Errorf("%q is refused", src)
		}
	}
}

func FuzzLaws(f *testing.F) {
	resourcetest.Seeds(f)
	for _, src := range examples {
		f.Add([]byte(src))
	}
	f.Fuzz(resourcetest.Mutated(func(t *testing.T, src []byte) {
		if len(src) < 8<<10 {
			laws(t, src, true)
		}
	}))
}

func parse(t *testing.T, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatal(err)
	}
	return f
}

func TestEntries(t *testing.T) {
	var got []string
	for e := range parse(t, template).Entries() {
		if e.Kind == resource.Text {
			got = append(got, e.Key+" = "+e.Text+" # "+e.Note)
		}
	}
	want := []string{
		`hello = Hello {userName} # A greeting "with" a name`,
		`wombats = {count, plural, =0{no wombats} =1{1 wombat} other{{count} wombats}} # `,
		`plain = It's ''quoted'' {'{'} # `,
		`last = The end # `,
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}

// A message goes with what is said about it, and nothing else does.
func TestRemove(t *testing.T) {
	for _, c := range []struct{ src, key, want string }{
		{`{"a":"x","@a":{"description":"d"},"b":"y"}`, "a", `{"b":"y"}`},
		{`{"@a":{"description":"d"},"b":"y","a":"x"}`, "a", `{"b":"y"}`},
		{`{"a":"x","b":"y","@b":{}}`, "a", `{"b":"y","@b":{}}`},
		{`{"@@locale":"de","a":"x","@a":{}}`, "a", `{"@@locale":"de"}`},
	} {
		out, refused := parse(t, c.src).Rewrite([]resource.Edit{{Op: resource.Remove, Key: c.key}}, nil)
		if len(refused) > 0 || string(out) != c.want {
			t.Errorf("%s without %s: %s, %v", c.src, c.key, out, refused)
		}
	}
}

// A new file has the texts in the source's order and layout, and nothing that is said about the source.
func TestFresh(t *testing.T) {
	out, refused := parse(t, template).Fresh([]resource.Edit{
		{Op: resource.Set, Key: "last", Text: "Ende"}, {Op: resource.Set, Key: "hello", Text: "Hallo {userName}"},
	})
	want := "{\n  \"hello\": \"Hallo {userName}\",\n  \"last\": \"Ende\"\n}\n"
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%s%v", out, refused)
	}
}

// A new message comes behind the one before it in the source, and behind what is said about that one.
func TestInsert(t *testing.T) {
	target := "{\n  \"hello\": \"Hallo\",\n  \"@hello\": {},\n  \"last\": \"Ende\"\n}\n"
	out, refused := parse(t, target).Rewrite([]resource.Edit{{Op: resource.Set, Key: "wombats", Text: "viele"}},
		parse(t, template))
	want := strings.Replace(target, "  \"last\"", "  \"wombats\": \"viele\",\n  \"last\"", 1)
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%s%v", out, refused)
	}
}

// What the attributes behind a message declare for its arguments are its flags.
func TestTypes(t *testing.T) {
	f, err := resource.Parse(Grammar, resource.Keys{}, []byte(`{"a": "{n} of {who}", "@a": {"placeholders": {"who": {"type": "String"},
		"n": {"type": "int", "format": "compact"}, "x": {}}}, "b": "{n}", "c": "{n}", "@b": {"placeholders": {"n": {"type": "int"}}}}`))
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"a": "types=n:int who:String"}
	for e := range f.Entries() {
		if e.Flags != want[e.Key] {
			t.Errorf("%s: %q, want %q", e.Key, e.Flags, want[e.Key])
		}
	}
}
