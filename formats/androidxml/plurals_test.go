package androidxml

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"pgregory.net/rapid"
)

// TestPluralsOfALanguage makes a copy of the source's plurals into those of a language that has other quantities, as a
// new target file gets them: what is missing comes in CLDR's order, laid out as its neighbours are; what the language
// does not have goes, with its comment.
func TestPluralsOfALanguage(t *testing.T) {
	const source = `<resources>
    <!-- How many files were found. -->
    <plurals name="files" tools:ignore="x">
        <!-- exactly one -->
        <item quantity="one">%d file</item> <!-- singular -->
        <item quantity="other">"%d files"</item>
    </plurals>
    <plurals name="odd">
	<item quantity="other">%d odds</item>
	<item quantity="one">%d odd</item>
    </plurals>
    <plurals name="line"><item quantity="one">a</item> <item quantity="other">b</item></plurals>
</resources>
`
	russian := []string{"one", "few", "many", "other"}
	arabic := []string{"zero", "one", "two", "few", "many", "other"}
	for _, c := range []struct {
		language string
		has      []string
		want     string
	}{
		{"ru", russian, `<resources>
    <!-- How many files were found. -->
    <plurals name="files" tools:ignore="x">
        <!-- exactly one -->
        <item quantity="one">one 0</item> <!-- singular -->
        <item quantity="few">few 0</item>
        <item quantity="many">many 0</item>
        <item quantity="other">"other 0"</item>
    </plurals>
    <plurals name="odd">
	<item quantity="other">other 1</item>
	<item quantity="one">one 1</item>
	<item quantity="few">few 1</item>
	<item quantity="many">many 1</item>
    </plurals>
    <plurals name="line"><item quantity="one">one 2</item> <item quantity="few">few 2</item> <item quantity="many">many 2</item> <item quantity="other">other 2</item></plurals>
</resources>
`},
		{"ja", []string{"other"}, `<resources>
    <!-- How many files were found. -->
    <plurals name="files" tools:ignore="x">
        <item quantity="other">"other 0"</item>
    </plurals>
    <plurals name="odd">
	<item quantity="other">other 1</item>
    </plurals>
    <plurals name="line"> <item quantity="other">other 2</item></plurals>
</resources>
`},
		{"ar", arabic, `<resources>
    <!-- How many files were found. -->
    <plurals name="files" tools:ignore="x">
        <item quantity="zero">zero 0</item>
        <!-- exactly one -->
        <item quantity="one">one 0</item> <!-- singular -->
        <item quantity="two">two 0</item>
        <item quantity="few">few 0</item>
        <item quantity="many">many 0</item>
        <item quantity="other">"other 0"</item>
    </plurals>
    <plurals name="odd">
	<item quantity="zero">zero 1</item>
	<item quantity="other">other 1</item>
	<item quantity="one">one 1</item>
	<item quantity="two">two 1</item>
	<item quantity="few">few 1</item>
	<item quantity="many">many 1</item>
    </plurals>
    <plurals name="line"><item quantity="zero">zero 2</item><item quantity="one">one 2</item> <item quantity="two">two 2</item> <item quantity="few">few 2</item> <item quantity="many">many 2</item> <item quantity="other">other 2</item></plurals>
</resources>
`},
	} {
		for _, nl := range []string{"\n", "\r\n"} {
			t.Run(fmt.Sprintf("%s %q", c.language, nl), func(t *testing.T) {
				f := parse(t, strings.ReplaceAll(source, "\n", nl))
				var edits []resource.Edit
				for k, key := range []string{"files", "odd", "line"} {
					for _, q := range []string{"one", "other"} {
						edits = append(edits, remove(key, q))
					}
					for _, q := range c.has {
						edits = append(edits, set(key, q, fmt.Sprint(q, " ", k)))
					}
				}
				out := rewrite(t, f, f, edits...)
				if want := strings.ReplaceAll(c.want, "\n", nl); out != want {
					t.Errorf("have\n%s\nwant\n%s", out, want)
				}
				agree(t, []byte(out))
			})
		}
	}
}

// TestPluralsAnyLayout gives plurals in CLDR's order and any layout the quantities of another language: they stand in
// that order again, and nothing else changes.
func TestPluralsAnyLayout(t *testing.T) {
	sets := [][]string{{"other"}, {"one", "other"}, {"one", "many", "other"}, {"one", "few", "many", "other"},
		{"one", "two", "few", "other"}, quantities}
	rapid.Check(t, func(r *rapid.T) {
		from, to := rapid.SampledFrom(sets).Draw(r, "from"), rapid.SampledFrom(sets).Draw(r, "to")
		gap := rapid.SampledFrom([]string{"\n        ", "\n\n\t", "", " ",
			"\n  <!-- note -->\n  ", " <!-- tail -->\n  "})
		var b strings.Builder
		b.WriteString("<resources>\n    <string name=\"a\">x</string>\n    <plurals name=\"p\">")
		for _, q := range from {
			b.WriteString(gap.Draw(r, "gap") + `<item quantity="` + q + `">old ` + q + `</item>`)
		}
		b.WriteString(gap.Draw(r, "gap") + "</plurals>" + gap.Draw(r, "gap") +
			"<string name=\"z\">x</string>\n</resources>\n")
		f := parse(t, b.String())
		var edits []resource.Edit
		for _, q := range from {
			edits = append(edits, remove("p", q))
		}
		for _, q := range to {
			edits = append(edits, set("p", q, "new "+q))
		}
		out, refused := f.Rewrite(edits, nil)
		if len(refused) > 0 {
			r.Fatalf("%v\n%s", refused, b.String())
		}
		g := parse(t, string(out))
		agree(t, out)
		var want, have []string
		for _, q := range to {
			want = append(want, "p "+q+" new "+q)
		}
		want = append(append([]string{"a  x"}, want...), "z  x")
		for e := range g.Entries() {
			have = append(have, e.Key+" "+e.Form+" "+e.Text)
		}
		if strings.Join(have, "|") != strings.Join(want, "|") {
			r.Fatalf("have %q\nwant %q\n--- before\n%s\n--- after\n%s", have, want, b.String(), out)
		}
	})
}
