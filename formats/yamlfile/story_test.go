package yamlfile_test

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// edits reads "key=text" as a Set and "-key" as a Remove.
func edits(lines ...string) []resource.Edit {
	var out []resource.Edit
	for _, line := range lines {
		if key, ok := strings.CutPrefix(line, "-"); ok {
			out = append(out, resource.Edit{Op: resource.Remove, Key: key})
		} else {
			key, text, _ := strings.Cut(line, "=")
			out = append(out, resource.Edit{Op: resource.Set, Key: key, Text: text})
		}
	}
	return out
}

// story is one edit of a file, seen from outside.
type story struct {
	name   string
	before string
	like   string // what it is translated from; none when empty
	edits  []resource.Edit
	after  string // or refused
}

const refused = "refused"

func tell(t *testing.T, stories []story) {
	t.Helper()
	for _, s := range stories {
		t.Run(s.name, func(t *testing.T) {
			f := parse(t, []byte(s.before))
			var like *resource.File
			if s.like != "" {
				like = parse(t, []byte(s.like))
			}
			out, refusals := f.Rewrite(s.edits, like)
			if s.after == refused {
				if len(refusals) != len(s.edits) || string(out) != s.before {
					t.Fatalf("refused %v, wrote %q; want all refused", refusals, out)
				}
				return
			}
			if len(refusals) > 0 || string(out) != s.after {
				t.Fatalf("refused %v\n--- got\n%s--- want\n%s", refusals, out, s.after)
			}
			g := parse(t, out)
			agree(t, g)
			for _, e := range s.edits {
				at, ok := g.Lookup(e.Key, "")
				if ok != (e.Op == resource.Set) || e.Op == resource.Set && at.Text != e.Text {
					t.Errorf("%q reads %q, want %q", e.Key, at.Text, e.Text)
				}
			}
		})
	}
}

func TestSet(t *testing.T) {
	tell(t, []story{
		{"null in its places", "a:\nb: # c\nc: &x\nd: !!str\ne:\n  - \n  -\n", "", edits("a=1 a", "b=2 b", "c=3 c",
			"d=4 d", "e/0=5 e", "e/1=6 e"),
			"a: 1 a\nb: 2 b # c\nc: &x 3 c\nd: !!str 4 d\ne:\n  - 5 e \n  - 6 e\n"},
		{"null in a flow collection", "m: {a: , b, c: ~, \"d\":}\nl: [e: , f]\n", "", edits("m/a=1 a", "m/b=2, b",
			"m/c=3", "m/d=x", "l/0/e=4 e"),
			"m: {a: 1 a , b: \"2, b\", c: \"3\", \"d\": x}\nl: [e: 4 e , f]\n"},
		{"null under an explicit key", "g:\n  ? a # c\n  ? b\n  :\n", "", edits("g/a=x", "g/b=z"),
			"g:\n  ? a\n  : x # c\n  ? b\n  : z\n"},
		{"number and boolean become texts", "a: 5\nb: yes\n", "", edits("a=x", "b=no"), "a: x\nb: \"no\"\n"},
		{"a tag that says it is no text", "a: !!int 5\nb: !ruby/symbol c\nd: !!binary\n", "",
			edits("a=x", "b=x", "d=x"), refused},
		{"a text below its name", "a:\n  x\nb:\n  # c\n  'z'\n", "", edits("a=x: z", "b=it's"),
			"a:\n  \"x: z\"\nb:\n  # c\n  'it''s'\n"},
		{"a text over several lines becomes one", "a: one\n  two\n\n  three # c\nb: 'one\n\n  two'\n", "",
			edits("a=four", "b=five"), "a: four # c\nb: 'five'\n"},
		{"a block text in a list", "a:\n- |\n  x\n- - >-\n   z\n", "", edits("a/0=p\nq\n", "a/1/0=r"),
			"a:\n- |\n  p\n  q\n- - >-\n   r\n"},
		{"a block text keeps the comment of its header", "a: |- # why\n  x\n", "",
			edits("a=z\nw"), "a: |- # why\n  z\n  w\n"},
		{"a text that no block can hold", "a: | # why\n  x\nb: 1\n", "", edits("a=z\x00\n"),
			"a: \"z\\0\\n\" # why\nb: 1\n"},
		{"an empty block text", "a: |\nb:\n  c: >\n\nd: x\n", "", edits("a=x\nz\n", "b/c=x"),
			"a: |\n  x\n  z\nb:\n  c: >-\n    x\n\nd: x\n"},
		{"an empty text for a block", "a: |\n  x\nb: z\n", "", edits("a="), "a: \"\"\nb: z\n"},
		{"blank lines behind a block text stay its own", "a: |+\n  x\n\n\nb: z\n", "",
			edits("a=x\n\n"), "a: |+\n  x\n\nb: z\n"},
		{"blank lines behind a block text stay outside", "a: |\n  x\n\n\nb: z\n", "", edits("a=x\n\n"),
			"a: \"x\\n\\n\"\n\n\nb: z\n"},
		{"the last line without a line end", "a: |\n  x", "", edits("a=z"), "a: |\n  z"},
		{"a line end that the file has not", "a: |\n  x", "", edits("a=z\n"), "a: \"z\\n\""},
		{"leading blank lines and spaces", "a: |\n  x\n", "", edits("a=\n\n  z\n"), "a: |2\n\n\n    z\n"},
		{"an indicator far to the right", "a:\n            b: |\n                        x\n", "", edits("a/b= z\n"),
			"a:\n            b: |2\n               z\n"},
		{"escapes", "a: \"x\"\n", "", edits("a=\"\\\t\r\n\u0085\u2028\u2029\uFEFF\x00\x1b\u00a0é\U0001F600"),
			"a: \"\\\"\\\\\\t\\r\\n\\N\\L\\P\\uFEFF\\0\\x1B\u00a0é\U0001F600\"\n"},
		{"the alias, the anchor, both", "a: &b x\nc: *b\nd: [*b, *b]\n", "", edits("d/0=z"),
			"a: &b x\nc: *b\nd: [z, *b]\n"},
		{"an anchored text changes in one place only", "a: &b 'x'\nc: *b\nd: [*b]\n", "", edits("a=z"),
			"a: &b 'z'\nc: x\nd: [x]\n"},
		{"aliases that change alike stay", "a: &b x\nc: *b\nd: *b\n", "",
			edits("a=z", "c=z"), "a: &b z\nc: *b\nd: x\n"},
		{"an anchored block text", "a: &b |\n  x: z\nc: *b\n", "", edits("a=w\n"), "a: &b |\n  w\nc: \"x: z\\n\"\n"},
		{"an anchored null with aliases", "a: &b\nc: *b\n", "", edits("a=z"), refused},
		{"a duplicate: the last one counts", "a: x\na: z\n", "", edits("a=w"), "a: x\na: w\n"},
		{"comma, colon and brackets in a flow collection", "m: {a: x, b: z}\n", "", edits("m/a=a:b", "m/b=[c]"),
			"m: {a: \"a:b\", b: \"[c]\"}\n"},
	})
}

func TestInsert(t *testing.T) {
	tell(t, []story{
		{"in the source's order", "a: x\nd: z\n", "a: 1 a\nb: 1 b\nc: 1 c\nd: 1 d\n", edits("c=3", "b=2 b"),
			"a: x\nb: 2 b\nc: \"3\"\nd: z\n"},
		{"before the first, above its comment", "# head\n\n# on b\nb: z\n", "a: x\nb: x\n", edits("a=w"),
			"# head\n\na: w\n# on b\nb: z\n"},
		{"its name as quoted as its neighbours", "'a': 'x'\n\"b\": \"z\"\n", "a: x\nc: it's\nb: x\nd: 'x'\n",
			edits("c=it's", "d=w"), "'a': 'x'\n'c': it's\n\"b\": \"z\"\n\"d\": 'w'\n"},
		{"as quoted as its neighbours, without a model", "a: 'x'\n", "", edits("b=it's"), "a: 'x'\nb: 'it''s'\n"},
		{"as plain as its model", "a: \"x: y\"\nc: z\n", "a: \"x: z\"\nb: x\nc: z\n", edits("b=w"),
			"a: \"x: y\"\nb: w\nc: z\n"},
		{"behind a nested neighbour and its comments", "g:\n    a: x\n    # about g\nz: w\n",
			"g:\n  a: x\nh: x\nz: x\n", edits("h=w"), "g:\n    a: x\n    # about g\nh: w\nz: w\n"},
		{"plural forms that the source lacks, as CLDR orders them", "n:\n  one: x\n  other: z\nb: w\n",
			"n:\n  one: x\n  other: z\nb: w\n", edits("n/few=f", "n/many=m"),
			"n:\n  one: x\n  few: f\n  many: m\n  other: z\nb: w\n"},
		{"all plural forms", "n: {one: x, other: z}\n", "n:\n  one: x\n  other: z\n", edits("n/zero=a", "n/two=b",
			"n/few=f", "n/many=m"), "n: {zero: a, one: x, two: b, few: f, many: m, other: z}\n"},
		{"plural forms in a map of their own", "a: x\n", "a: x\nn:\n  one: x\n  other: z\n",
			edits("n/one=1 a", "n/other=2 b"), "a: x\nn:\n  one: 1 a\n  other: 2 b\n"},
		{"with new parents, indented as the file", "g:\n    a: x\n", "g:\n  a: x\nh:\n  i:\n    j: x\n  k: x\n",
			edits("h/i/j=w", "h/k=v"), "g:\n    a: x\nh:\n    i:\n        j: w\n    k: v\n"},
		{"with new parents, indented as the source", "a: x\n", "a: x\nh:\n   i: x\n",
			edits("h/i=w"), "a: x\nh:\n   i: w\n"},
		{"a new list, indented as the file", "l:\n- x\n", "l:\n  - x\nm:\n  - x\n  - 5\n  - z\n",
			edits("m/0=a", "m/2=b"), "l:\n- x\nm:\n- a\n- 5\n- b\n"},
		{"a new list, indented as the source", "a: x\n", "a: x\nm:\n- x\n- - z\n- k: w\n  v: ~\n",
			edits("m/0=a", "m/1/0=b", "m/2/k=c"), "a: x\nm:\n- a\n- - b\n- k: c\n  v: ~\n"},
		{"an item more", "l:\n  -   x\n", "", edits("l/1=z"), "l:\n  -   x\n  - z\n"},
		{"into a map inside a list", "l:\n  - a: x\n", "l:\n  - b: x\n    a: x\n    c: x\n",
			edits("l/0/b=z", "l/0/c=w"), "l:\n  - b: z\n    a: x\n    c: w\n"},
		{"into an empty file", "", "a:\n    b: 'x'\n", edits("a/b=z"), "a:\n    b: 'z'\n"},
		{"into a file of comments", "# head\n", "", edits("a=z"), "# head\n\na: z\n"},
		{"into a file of comments without a last line end", "---\r\n# head", "", edits("a=z"),
			"---\r\n# head\r\n\r\na: z"},
		{"before the document end", "---\n...\n", "", edits("a=z"), "---\na: z\n...\n"},
		{"into an empty mapping", "{}\n", "", edits("a=z", "b/c=w"), "a: z\nb:\n  c: w\n"},
		{"into an empty mapping behind the document start", "--- {} # c\n", "", edits("a=z"), "--- # c\na: z\n"},
		{"into an empty mapping with a comment", "{} # c\n", "", edits("a=z"), "# c\na: z\n"},
		{"into an empty mapping that is a value", "g: &a {} # c\nh: x\n", "", edits("g/a=z", "g/b=w"),
			"g: &a # c\n  a: z\n  b: w\nh: x\n"},
		{"into an empty mapping below its name", "g:\n      {}\n", "", edits("g/a=z", "g/b=w"),
			"g:\n      a: z\n      b: w\n"},
		{"into an empty mapping in a list", "l:\n- {}\n- &a {} # c\n", "", edits("l/0/a=z", "l/0/b=w", "l/1/a=v"),
			"l:\n- a: z\n  b: w\n- &a # c\n  a: v\n"},
		{"into an empty list", "l: []\nm:\n- x\n", "", edits("l/0=a", "l/1=b"), "l:\n- a\n- b\nm:\n- x\n"},
		{"into an empty mapping that holds a comment", "g: { # c\n  }\n", "", edits("g/a=z"), "g: {a: z # c\n  }\n"},
		{"into a flow mapping", "m: {a: x, c: y}\n", "m: {a: x, b: z, c: y, d: {e: x}}\n", edits("m/b=1, 2", "m/d/e=w"),
			"m: {a: x, b: \"1, 2\", c: y, d: {e: w}}\n"},
		{"before the first of a flow mapping", "m: { c: 'y'}\n", "m: {a: x, c: y}\n",
			edits("m/a=w"), "m: { a: w, c: 'y'}\n"},
		{"into an empty flow mapping inside another", "m: {a: {}}\n", "",
			edits("m/a/b=z", "m/a/c=w"), "m: {a: {b: z, c: w}}\n"},
		{"behind a trailing comma", "{a: x,}\n", "", edits("b=z"), "{a: x, b: z,}\n"},
		{"into a flow mapping over lines", "m: {\n  a: x,\n  c: y # c\n}\n", "m: {a: x, b: z, c: y, d: w}\n",
			edits("m/b=z", "m/d=w"), "m: {\n  a: x,\n  b: z,\n  c: y,\n  d: w # c\n}\n"},
		{"at the end without a line end", "a: x", "", edits("b=z", "c=w"), "a: x\nb: z\nc: w"},
		{"behind a block text without a last line end", "a: |\n  x", "", edits("b=z"), refused},
		{"behind a stripped block text without a last line end", "a: |-\n  x", "", edits("b=z"), "a: |-\n  x\nb: z"},
		{"a block text, as the source has it", "a: x\n", "a: x\nb: |\n  One\n  two\nc: >-\n  z\nd: |+\n  w\n\n",
			edits("b=Eins\nzwei\n", "c=drei", "d=vier\n\n"),
			"a: x\nb: |\n  Eins\n  zwei\nc: >-\n  drei\nd: \"vier\\n\\n\"\n"},
		{"no block text where it would take in a comment below", "a: x\n\n    # b: y\n", "a: x\nb: |\n  One\n",
			edits("b=Eins\n"), "a: x\nb: \"Eins\\n\"\n\n    # b: y\n"},
		{"no block text where it would take in spaces below", "a: x\n     \nc: w\n", "a: x\nb: |\n  One\n",
			edits("b=Eins\n"), "a: x\nb: \"Eins\\n\"\n     \nc: w\n"},
		{"several lines that the source has quoted", "a: x\n", "a: x\nb: \"One\\ntwo\"\n", edits("b=Eins\nzwei"),
			"a: x\nb: \"Eins\\nzwei\"\n"},
		{"names that readers misread", "a: x\n", "", edits("yes=z", "404=w", "a b=v", ": =u", "=t"),
			"a: x\n\"yes\": z\n\"404\": w\na b: v\n\": \": u\n\"\": t\n"},
		{"names as the source has them", "a: x\n", "a: x\n404: x\nno: x\n'? b': x\n", edits("404=w", "no=v", "? b=u"),
			"a: x\n404: w\nno: v\n'? b': u\n"},
		{"into the first of two documents", "a: x\n---\nc: y\n", "a: x\nb: x\nc: x\n",
			edits("b=z"), "a: x\nb: z\n---\nc: y\n"},
		{"where an alias stands", "a: &b\n  c: x\nd: *b\n", "", edits("d/c=z"), refused},
		{"a new list that has an alias of a mapping", "a: x\n", "b: &b\n  c: x\nl:\n- x\n- *b\n", edits("l/0=z"),
			refused},
		{"a new list that has an empty mapping and a tagged number", "a: x\n",
			"a: x\nl:\n- x\n- {}\n- &b !!float 5\n- *b\n- []\n", edits("l/0=z"),
			"a: x\nl:\n- z\n- {}\n- !!float 5\n- !!float 5\n- []\n"},
		{"where a merge key stands", "a: &b\n  c: x\nd:\n  <<: *b\n", "", edits("d/<</c=z"), refused},
		{"into a mapping with a merge key", "a: &b\n  c: x\nd:\n  <<: *b\n", "", edits("d/e=z"),
			"a: &b\n  c: x\nd:\n  <<: *b\n  e: z\n"},
		{"below a text", "a: x\n", "", edits("a/b=z"), refused},
		{"into a pair without braces", "l: [a: x]\n", "", edits("l/0/b=z"), refused},
		{"tabs around", "a:\tx\nb: y\t# c\n", "", edits("d=w"), "a:\tx\nb: y\t# c\nd: w\n"},
		{"a byte order mark and CRLF", "\uFEFF'a': 'x'\r\n", "", edits("b=z"), "\uFEFF'a': 'x'\r\n'b': 'z'\r\n"},
		{"nothing but a byte order mark", "\uFEFF", "", edits("a=z"), "\uFEFFa: z\n"},
	})
}

func TestRemove(t *testing.T) {
	tell(t, []story{
		{"with the comment above", "# head\n\n# on a\n# more\na: x # tail\nb: z\n", "",
			edits("-a"), "# head\n\nb: z\n"},
		{"not with a comment of another column", "g:\n# b: old\n  a: x\n  b: z\n", "",
			edits("-g/a"), "g:\n# b: old\n  b: z\n"},
		{"with all its lines", "a: one\n  two\nb: |\n  x\n\n  z\n\nc: 'q\n\n  r'\nd: {e: x,\n  f: y}\ng: w\n", "",
			edits("-a", "-b", "-c", "-d/e", "-d/f"), "\ng: w\n"},
		{"the last one, without a last line end", "a: x\nb: z", "", edits("-b"), "a: x"},
		{"the last ones, with CRLF", "a: x\r\nb: z\r\nc: w", "", edits("-b", "-c"), "a: x"},
		{"all of them", "a: x\nb: z\n", "", edits("-a", "-b"), ""},
		{"the last one of a mapping", "g:\n  # on a\n  a: x\n  # inside\n# on h\nh: z\n", "",
			edits("-g/a"), "# on h\nh: z\n"},
		{"the first of a compact mapping", "l:\n  - a: x # c\n    # on b\n    b: z\n  - c: w\n", "", edits("-l/0/a"),
			"l:\n  - # on b\n    b: z\n  - c: w\n"},
		{"the first of a compact mapping next to another", "- a: x\n  b: z\n", "", edits("-0/a"), "- b: z\n"},
		{"items from the end", "l:\n  - a\n  - b\n  - c\n", "", edits("-l/1", "-l/2"), "l:\n  - a\n"},
		{"an item from the middle takes the list", "l:\n  - a\n  - b\nk: x\n", "", edits("-l/0"), "k: x\n"},
		{"in a flow mapping", "{a: x, b: y, c: z}\n", "", edits("-b"), "{a: x, c: z}\n"},
		{"the first in a flow mapping", "{ a: x, b: y}\n", "", edits("-a"), "{ b: y}\n"},
		{"the last in a flow mapping", "{a: x, b: y }\n", "", edits("-b"), "{a: x }\n"},
		{"the last in a flow mapping with a trailing comma", "{a: x, b: y,}\n", "", edits("-b"), "{a: x,}\n"},
		{"all but one of a flow mapping", "{a: x, b: y, c: z, d: w}\n", "", edits("-a", "-b", "-d"), "{c: z}\n"},
		{"all of a flow mapping at the top", "{a: x, b: y,}\n", "", edits("-a", "-b"), "{}\n"},
		{"comments in a flow mapping stay", "{a: x, # on a\n b: y, # on b\n c: z # on c\n}\n", "", edits("-a", "-c"),
			"{ # on a\n b: y, # on b\n  # on c\n}\n"},
		{"what is replaced at once", "g:\n  a: x\nh: z\n", "g:\n  b: x\nh: x\n",
			edits("-g/a", "g/b=w"), "g:\n  b: w\nh: z\n"},
		{"what is replaced at once, under a comment", "g: &x # c\n  # on a\n  a: x\nh: z\n", "g:\n  b: x\nh: x\n",
			edits("-g/a", "g/b=w"), "g: &x # c\n  b: w\nh: z\n"},
		{"what is replaced at once, in a list", "l:\n- a: x\n  b: z\n", "l:\n- c: x\n",
			edits("-l/0/a", "-l/0/b", "l/0/c=w"), "l:\n- c: w\n"},
		{"an anchored text", "a: &b x\nc: *b\nd: *b\n", "", edits("-a"), "c: x\nd: x\n"},
		{"an anchored text and an alias of it", "a: &b x\nc: *b\nd: *b\n", "", edits("-a", "-c", "d=z"), "d: z\n"},
		{"an anchored mapping", "a: &b\n  c: x\nd:\n  <<: *b\n  e: z\nf: *b\n", "", edits("-a/c"),
			"d:\n  <<: {}\n  e: z\nf: {}\n"},
		{"an anchored number and null", "a: &b 5\nb: &c\nc: *b\nd: [*c, x]\n", "",
			edits("-a", "-b"), "c: 5\nd: [~, x]\n"},
		{"an anchored number, its alias set", "a: &b 5\nc: *b\n", "", edits("-a", "c=x"), "c: x\n"},
		{"next to a block text that keeps blank lines", "a: |+\n  x\nb: z\n\nc: w\n", "",
			edits("-b"), "a: |+\n  x\nc: w\n"},
		{"next to a block text that does not", "a: |\n  x\nb: z\n\nc: w\n", "", edits("-b"), "a: |\n  x\n\nc: w\n"},
		{"the last one behind a block text", "a: |\n  x\nb: z", "", edits("-b"), "a: |\n  x\n"},
		{"in all its copies", "a: x\nb: y\na: z\n", "", edits("-a"), "b: y\n"},
		{"the last beside a merge key", "a: &b\n  c: x\nd:\n  <<: *b\n  e: z\n", "", edits("-d/e"),
			"a: &b\n  c: x\nd:\n  <<: *b\n"},
		{"an explicit key", "? a\n: x\n? b\n: z\n", "", edits("-a"), "? b\n: z\n"},
	})
	t.Run("all of a Rails root", func(t *testing.T) {
		f, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Roots: []string{"en"}},
			[]byte("en:\n  a: x\n"))
		if err != nil {
			t.Fatal(err)
		}
		out, refused := f.Rewrite(edits("-a"), nil)
		if len(refused) > 0 || string(out) != "en: {}\n" {
			t.Errorf("%q %v", out, refused)
		}
	})
}

func TestCompose(t *testing.T) {
	source := parse(t, []byte("# on a\na: x # c\nb:\n  - y\n  - 5\n  - z\nc/d: w\n"))
	for _, test := range []struct {
		entries []resource.Entry
		want    string
	}{
		{nil, "{}\n"},
		{[]resource.Entry{{Key: "a", Text: "it's", Note: "on a\nmore"}, {Key: "b/c/d", Text: "yes"},
			{Key: "b/c/e", Text: "a\nb"}, {Key: "b/f", Text: ""}},
			"# on a\n# more\na: it's\nb:\n  c:\n    d: \"yes\"\n    e: \"a\\nb\"\n  f: \"\"\n"},
		{[]resource.Entry{{Key: "a", Text: "x"}, {Key: "a/b", Text: "z"}}, "a: x\na/b: z\n"},
		{[]resource.Entry{{Key: "l/0", Text: "x", Item: true}, {Key: "l/1", Text: "z", Item: true}},
			"l:\n  - x\n  - z\n"},
		{[]resource.Entry{{Key: "l/1", Text: "z", Item: true}}, "l:\n  \"1\": z\n"},
		{[]resource.Entry{{Key: "m", Form: "one", Text: "x"}, {Key: "m", Form: "other", Text: "z"}},
			"m:\n  one: x\n  other: z\n"},
	} {
		out, err := resource.Compose(yamlfile.Grammar, structured, nil, test.entries)
		if err != nil || string(out) != test.want {
			t.Errorf("%v: %v\n--- got\n%s--- want\n%s", test.entries, err, out, test.want)
		}
		agree(t, parse(t, out))
	}
	list := source.Together(func(e resource.Entry) bool { return e.Key == "b/0" })
	out, err := resource.Compose(yamlfile.Grammar, structured, source, list)
	if err != nil || read(parse(t, out)) != "b/0=y; b/2=z" {
		t.Errorf("%q %v", out, err)
	}
}

func TestRefusals(t *testing.T) {
	for src, at := range map[string][2]int{
		"a: b: c\n":                             {1, 5},
		"a: b\n c: d\n":                         {2, 3},
		"a: 'b\n":                               {1, 4},
		"a: \"b\\q\"\n":                         {1, 6},
		"a: \"\\ud83d\\ude00\"\n":               {1, 5},
		"a: [b\n":                               {2, 1},
		"a: [b,,c]\n":                           {1, 7},
		"a: {b:c, d:}\n":                        {1, 11},
		"a: {b}: c\n":                           {1, 7},
		"a\n":                                   {1, 1},
		"just a text\n":                         {1, 1},
		"a: *b\n":                               {1, 4},
		"&a b: c\nd: *a\n":                      {2, 4},
		"a: &b &c d\n":                          {1, 7},
		"a: &b\n  - c\nd: &b *b\n":              {3, 7},
		"a: !e!x b\n":                           {1, 4},
		"a: @b\n":                               {1, 4},
		"a: %b\n":                               {1, 4},
		"a: - b\n":                              {1, 4},
		"a:\n- b\n  c: d\n":                     {3, 4},
		"a: |x\n":                               {1, 5},
		"a: |\n    \n  b\n":                     {3, 3},
		"a:\n  b: c\n d: e\n":                   {3, 2},
		"  a: b\nc: d\n":                        {2, 1},
		"a: b\n...\nc\n":                        {3, 1},
		"a: b\n%YAML 1.1\n---\n":                {2, 1},
		"%YAML 1.1\na: b\n":                     {1, 1},
		"%YAML 2.0\n---\na: b\n":                {1, 1},
		"%TAG ! x\n---\na: b\n":                 {1, 1},
		"- a\n---\nb: c\n":                      {3, 1},
		"a: b\n--- c\n":                         {2, 5},
		"a: b\x01\n":                            {1, 5},
		"a: b\rc: d\n":                          {1, 5},
		"a: |\n  b\u0085c\n":                    {2, 4},
		"a\u2028: 'b'\n":                        {1, 2},
		"# a\u2028b\n":                          {1, 4},
		"\uFEFF\uFEFFa: b\n":                    {1, 2},
		"a: 'b'#c\n":                            {1, 7},
		"a: 'b\n---\n'\n":                       {2, 1},
		"a: {b: c\n---\n}\n":                    {2, 1},
		"? - a\n: b\n":                          {1, 3},
		"a: [? b]\n":                            {1, 5},
		"a:\n\t- b\n":                           {2, 1},
		"a: b\n\tc\n":                           {2, 1},
		"- &a b\n- ? [*a]\n  : c\n":             {2, 6},
		": a\n":                                 {1, 1},
		"*a : b\n":                              {1, 1},
		"a: b\xff\n":                            {1, 5},
		"é: ü\nö: ä: b\n":                       {2, 5},
		strings.Repeat("[", 1001) + "\n":        {1, 1001},
		strings.Repeat("- ", 1001) + "a":        {1, 2001},
		strings.Repeat("a", 64<<10+1) + ": b\n": {1, 1},
	} {
		_, err := resource.Parse(yamlfile.Grammar, structured, []byte(src))
		e, ok := err.(*resource.SyntaxError)
		if !ok || e.Line != at[0] || e.Col != at[1] || e.Msg == "" {
			t.Errorf("%.40q: %v, want it refused at %v", src, err, at)
		}
	}
}

// A name with nothing behind it, or null, can become a mapping.
func TestInsertIntoNothing(t *testing.T) {
	four := parse(t, []byte("x:\n    a: 'y'\n"))
	add := []resource.New{{Kind: resource.Text, Name: "a", Text: "z", Like: &resource.Model{File: four, Node: 2}},
		{Kind: resource.Text, Name: "no", Text: "w"}}
	for src, want := range map[string]string{
		"en:":                "en:\n    a: 'z'\n    \"no\": w",
		"en: # c\r\n# d\r\n": "en: # c\r\n    a: 'z'\r\n    \"no\": w\r\n# d\r\n",
		"'en': \n":           "'en': \n    'a': 'z'\n    'no': w\n",
		"? en\n":             "? en\n:\n    a: 'z'\n    \"no\": w\n",
		"{en: }\n":           "{en: {a: 'z', \"no\": w} }\n",
		"{en}\n":             "{en: {a: 'z', \"no\": w}}\n",
		"en: &a\n---\nb:\n":  "en: &a\n    a: 'z'\n    \"no\": w\n---\nb:\n",
		"en: ~\n":            "en:\n    a: 'z'\n    \"no\": w\n",
		"en: &a null # c\n":  "en: &a # c\n    a: 'z'\n    \"no\": w\n",
		"en:\n  ~":           "en:\n    a: 'z'\n    \"no\": w",
		"{en: ~}\n":          "{en: {a: 'z', \"no\": w}}\n",
	} {
		f := parse(t, []byte(src))
		s, err := yamlfile.Grammar.Insert(f, resource.Gap{In: 1, After: -1}, add)
		if err != nil {
			t.Errorf("%q: %v", src, err)
			continue
		}
		got := src[:s.At.Start] + s.Text + src[s.At.End:]
		if got != want {
			t.Errorf("%q: %q, want %q", src, got, want)
		}
		agree(t, parse(t, []byte(got)))
	}
}
