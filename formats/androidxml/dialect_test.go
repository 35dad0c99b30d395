package androidxml

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

func composeFile(t testing.TB, src string) *resource.File {
	t.Helper()
	f, err := resource.Parse(Compose, resource.Keys{}, []byte(src))
	if err != nil {
		t.Fatalf("%v\n%s", err, src)
	}
	return f
}

// What Compose Multiplatform's build makes of values: as its function handleSpecialCharacters does, after XML.
func TestComposeDecodes(t *testing.T) {
	for raw, want := range map[string]string{
		`It's "x" @ ?`:               `It's "x" @ ?`,
		`It\'s \"x\" \@`:             `It\'s \"x\" \@`,
		`@string/other`:              `@string/other`,
		`  two  blanks `:             `  two  blanks `,
		"a\r\n  b\rc":                "a\n  b\nc",
		`a\nb\tc\u0041\u00e9`:        "a\nb\tcA\u00e9",
		`\uD83D\uDE00 \uD83D \uDE00`: `\uD83D \uDE00`,
		`a\\nb`:                      `a\nb`,
		`a\\\nb`:                     "a\\\nb",
		`a\\\\nb`:                    `a\\nb`,
		`\\u0041`:                    `\u0041`,
		`C:\dir\`:                    `C:\dir\`,
		`\u005C\u005C`:               `\`,
		`\u12`:                       `\u12`,
		`&lt;b&gt; &amp; &#39;`:      `<b> & '`,
		`<![CDATA[ <b>\n ]]>`:        " <b>\n ",
		`a<!-- c -->b`:               `ab`,
		`\<!-- c -->n`:               "\n",
		` <b> a </b> `:               ` <b> a </b> `,
	} {
		if strings.HasPrefix(raw, `\uD83D`) {
			want = "\U0001F600 " + want
		}
		f := composeFile(t, `<resources><string name="k">`+raw+`</string></resources>`)
		if e, ok := f.Lookup("k", ""); !ok || e.Kind != resource.Text || e.Text != want {
			t.Errorf("%s: %q, want %q", raw, e.Text, want)
		}
	}
}

// A new text is written with no more backslashes than it needs to be read as itself.
func TestComposeSpells(t *testing.T) {
	for _, c := range []struct{ old, text, want string }{
		{"x", `It's "x"`, `It's "x"`},
		{"x", "@home", "@home"},
		{"x", "?", "?"},
		{"x", "  a  b ", "  a  b "},
		{"x", "a\nb\tc", `a\nb\tc`},
		{"x", `C:\new`, `C:\\new`},
		{"x", `It\'s`, `It\\'s`},
		{"x", "a < b & c", "a &lt; b &amp; c"},
		{`"x"`, "y", "y"},
		{" x ", "y", "y"},
		{`\u00A0x`, "y\u00a0", `y\u00A0`},
		{"<![CDATA[x]]>", "a < b's", "<![CDATA[a < b's]]>"},
		{"<b>x</b>", "<b>it's</b>", "<b>it's</b>"},
	} {
		f := composeFile(t, `<resources><string name="k">`+c.old+`</string></resources>`)
		out := rewrite(t, f, nil, set("k", "", c.text))
		g := composeFile(t, out)
		e, _ := g.Lookup("k", "")
		if raw := g.Node(e.Node).Value.Of(out); raw != c.want || e.Text != c.text {
			t.Errorf("%q over %q: %s, want %s, read %q", c.text, c.old, raw, c.want, e.Text)
		}
	}
}

// The laws of all grammars hold for texts that XML, Android or Compose find hard to spell; a backslash that shows is
// named.
func TestComposeLaws(t *testing.T) {
	for _, v := range values {
		c := strict(document(v), append(slices.Clone(hard), `\`, `\\`, `\n`, `\u0041`, `a\'b`)...)
		c.Grammar = Compose
		resourcetest.Check(t, c)
	}
	f := composeFile(t,
		"<resources><string name=\"a\">It\\'s</string><string name=\"b\">It's \\\\'</string></resources>")
	if w := f.Warnings(); len(w) != 1 || !strings.HasPrefix(w[0].Msg, "the backslash before ' is shown") {
		t.Errorf("warnings %v", w)
	}
}

// What is sent to the service is in Android's spelling, with the comments of the file of the other dialect.
func TestComposedForAndroid(t *testing.T) {
	f := composeFile(t, `<resources>
    <!-- about -->
    <string name="a">It's  "x"</string>
    <string name="b">@home</string>
    <string name="c"> \u00A0\n</string>
</resources>`)
	out, err := resource.Compose(Grammar, resource.Keys{}, f, slices.Collect(f.Entries()))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"<!-- about -->", `>It\'s \u0020\"x\"<`, `>\@home<`, `>\u0020\u00A0\n<`} {
		if !strings.Contains(string(out), want) {
			t.Errorf("no %s in\n%s", want, out)
		}
	}
	for e := range parse(t, string(out)).Entries() {
		if was, _ := f.Lookup(e.Key, ""); was.Text != e.Text {
			t.Errorf("%s: %q, want %q", e.Key, e.Text, was.Text)
		}
	}
}
