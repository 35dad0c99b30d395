package segment

import (
	"context"
	"errors"
	"runtime"
	"strings"
	"testing"
)

// hostile are documents that were made to take much memory or time for what they have of bytes.
var hostile = []struct{ file, before, unit, behind string }{
	{"a.md", "", "*a ", ""}, {"a.md", "", "*a* ", ""}, {"a.md", "", "- a\n", ""}, {"a.md", "", "1) a\n", ""},
	{"a.md", "", "a  \n", ""}, {"a.md", "", "`a ", ""}, {"a.md", "", "~~a ", ""}, {"a.md", "", "[a] ", ""},
	{"a.html", "", "<b>a", ""}, {"a.html", "", "<p>a", ""}, {"a.html", "", "a. B", ""}, {"a.html", "", "&nbsp;", "a"},
	{"a.txt", "", "a\n", ""}, {"a.txt", "", "a. B", ""},
	{"a.json", "[", `"a",`, "1]"}, {"a.json", "[", "1,", "1]"}, {"a.json", "[", "[],", "1]"},
	{"a.yaml", "[", "a,", "a]"}, {"a.yaml", "", "- a\n", ""}, {"a.strings", "", "a=b;", ""},
	{"a.xml", "<resources><string-array name=\"a\">", "<item/>", "</string-array></resources>"},
	{"a.xlf", "<xliff><file><body>", "<trans-unit id=\"a\"><source>a</source></trans-unit>", "</body></file></xliff>"},
	{"a.xlf", "<xliff", " a=\"\"", "/>"},
	{"a.po", "", "msgid \"a\"\nmsgstr \"\"\n\n", ""}, {"a.po", "msgid \"a\"\nmsgstr \"\"\n", "\"a\"\n", ""},
}

// What is allocated for a document is, with all that is free again by then, a few times its weight.
func TestWeight(t *testing.T) {
	for _, c := range hostile {
		src := []byte(c.before + strings.Repeat(c.unit, 1<<17/len(c.unit)) + c.behind)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := Parse(t.Context(), c.file, src, Options{Source: "en"})
		runtime.ReadMemStats(&after)
		if took, weight := after.TotalAlloc-before.TotalAlloc, Weight(c.file, src); took > 4*uint64(weight) || err != nil {
			t.Errorf("%s of %q: %d bytes were allocated for a weight of %d, %v", c.file, c.unit, took, weight, err)
		}
	}
}

// A workbook may have large pictures: its bytes weigh nothing.
func TestWeightOfWorkbook(t *testing.T) {
	if weight := Weight("a.xlsx", make([]byte, MaxBytes)); weight > MaxWeight {
		t.Errorf("%d", weight)
	}
}

// A document that would take too much memory is refused with what it would take, and what it may.
func TestHeavyDocuments(t *testing.T) {
	for file, src := range map[string]string{
		"a.md": strings.Repeat("*a ", 1_000_000), "a.json": "[" + strings.Repeat("1,", 1_000_000) + "1]",
		"a.html": strings.Repeat("<b>", 1_000_000), "a.po": strings.Repeat("\n", 2_000_000),
	} {
		_, err := Parse(t.Context(), file, []byte(src), Options{Source: "en"})
		if err == nil || !strings.Contains(err.Error(), "of which it may take 192; cut it into") {
			t.Errorf("%s: %v", file, err)
		}
	}
}

// Marks that do not pair are refused with their line before the reader compares each of them with all others.
func TestStepsOfMarkdown(t *testing.T) {
	for _, unit := range []string{"*a_ ", "a_ *b ", "*a **b_ ", "***a _b** c*_ ", "~a* "} {
		src := "One.\n\n" + strings.Repeat(unit, 300_000/len(unit))
		_, err := Parse(t.Context(), "a.md", []byte(src), Options{Source: "en"})
		if err == nil || !strings.Contains(err.Error(), "line 3: pairing the marks * _ ~ ` up to it takes more than 100000000") {
			t.Errorf("%s: %v", unit, err)
		}
	}
	var code strings.Builder
	for i := 1; i < 600; i++ {
		code.WriteString(strings.Repeat("`", i) + strings.Repeat("a", 800))
	}
	if _, err := Parse(t.Context(), "a.md", []byte(code.String()), Options{}); err == nil ||
		!strings.Contains(err.Error(), "line 1: pairing") {
		t.Errorf("code: %v", err)
	}
	for _, unit := range []string{"*a* ", "a*b*", "**a *b* c** ", "_a_ `b` ~~c~~ ", "*a_\n\n", "- *a_\n", "a 2 * 3 "} {
		src := strings.Repeat(unit, 200_000/len(unit))
		if _, err := Parse(t.Context(), "a.md", []byte(src), Options{Source: "en"}); err != nil {
			t.Errorf("%s: %v", unit, err)
		}
	}
}

// Documents are not read on behind the end of their context.
func TestContextEndsParse(t *testing.T) {
	ended, end := context.WithCancel(t.Context())
	end()
	for _, c := range hostile {
		if strings.HasSuffix(c.file, ".json") || strings.HasSuffix(c.file, ".yaml") || strings.HasSuffix(c.file, ".xml") ||
			strings.HasSuffix(c.file, ".strings") || c.unit == "- a\n" || c.unit == "1) a\n" || c.unit == "a  \n" ||
			c.unit == "[a] " {
			continue // their readers take a second for the heaviest
		}
		src := []byte(c.before + strings.Repeat(c.unit, 100) + c.behind)
		if _, err := Parse(ended, c.file, src, Options{Source: "en"}); !errors.Is(err, context.Canceled) {
			t.Errorf("%s of %q: %v", c.file, c.unit, err)
		}
	}
}
