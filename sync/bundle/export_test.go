package bundle

import (
	"strings"
	"testing"
)

// An exported file that is not what was asked for is refused whole; a text that readers disagree on keeps itself out only.
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
		{"xml", "android-xml", "<resources><string name=\"a\">A</string><string name=\"b\">x&e;</string></resources>", ""},
	} {
		p := project(t, strings.NewReplacer("%s", c.ext, "%q", `"`+c.format+`"`).Replace(settings))
		b := Of(p, "en."+c.ext)
		kept := 0
		f, err := b.ParseExport([]byte(c.src), p.Targets()[0], &kept)
		var got []string
		for _, u := range Texts(f) {
			got = append(got, u.Key+"="+u.Text)
		}
		if strings.Join(got, " ") != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%s %q: %q, %v, want %q", c.format, c.src, got, err, c.want)
		}
	}
}
