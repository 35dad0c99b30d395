package bound

import (
	"strings"
	"testing"
	"text/template"

	"pgregory.net/rapid"
)

type data struct {
	Files []string
	Keys  int
}

func fill(text string) (string, error) {
	code := template.FuncMap{"code": func(s string) string { return "`" + s + "`" }}
	return Text("text", text, 1000, code, data{[]string{"a", "b"}, 7})
}

func TestText(t *testing.T) {
	for text, want := range map[string]string{
		"": "",
		" {{ .Keys }} in {{ join .Files \", \" }}\n":                                                               "7 in a, b",
		`{{ range $i, $f := .Files }}{{ $i }}{{ code $f }}{{ range $.Files }}{{ . }}{{ else }}-{{ end }}{{ end }}`: "0`a`ab1`b`ab",
		`{{ printf "%03d%%%-4s|%.2f" .Keys "x" 1.5 }}{{ print "a" 1 }}{{ html "<" }}`:                              "007%x   |1.50a1&lt;",
		`{{ with $x := "a" }}{{ if eq $x "a" }}{{ $x }}{{ end }}{{ end }}`:                                         "a",
	} {
		if got, err := fill(text); got != want || err != nil {
			t.Errorf("%s: %q, %v", text, got, err)
		}
	}
	double := `{{ $a = printf "%s%s" $a $a }}`
	for name, text := range map[string]string{
		"long":         strings.Repeat("x", 1001),
		"growing":      `{{ $a := "x" }}` + strings.Repeat(double, 25),
		"by print":     `{{ $a := "x" }}` + strings.Repeat(`{{ $a = print $a $a }}`, 30),
		"by dot":       strings.Repeat(`{{ with print . . }}`, 20) + strings.Repeat(`{{ end }}`, 20),
		"by html":      `{{ $a := "<" }}` + strings.Repeat(`{{ $a = html $a }}{{ $a = js $a }}`, 26),
		"joined":       `{{ join .Files (printf "%600s" "x") }}{{ join .Files (printf "%600s" "x") }}`,
		"wide":         `{{ printf "%99999999d" 1 }}`,
		"wide by hand": `{{ printf "%*d" 99999999 1 }}`,
		"wide part":    `{{ printf "%.9999d" 1 }}`,
		"again":        `{{ printf "%[1]s%[1]s" "x" }}`,
		"a number":     `{{ range 1000000000 }}{{ end }}`,
		"a field":      `{{ $n := 1000000000 }}{{ range $n }}{{ end }}`,
		"deep":         `{{ range .Files }}{{ range $.Files }}{{ range $.Files }}{{ end }}{{ end }}{{ end }}`,
		"in else":      `{{ if .Keys }}{{ else }}{{ range 9 }}{{ end }}{{ end }}`,
		"a definition": `{{ define "T" }}{{ template "T" }}{{ end }}{{ template "T" }}`,
		"a block":      `{{ block "T" . }}{{ end }}`,
		"unknown":      `{{ .Nothing }}`,
	} {
		if got, err := fill(text); err == nil {
			t.Errorf("%s: %q", name, got)
		} else if !strings.Contains(err.Error(), "1") {
			t.Errorf("%s: %v", name, err)
		}
	}
}

// Whatever a template says, it is filled in soon and is short.
func FuzzText(f *testing.F) {
	f.Add(`{{ range .Files }}{{ . }}{{ end }}`)
	f.Add(`{{ $a := "x" }}{{ $a = printf "%s%s" $a $a }}{{ $a }}`)
	f.Add(`{{ with print . . }}{{ html . | js | urlquery }}{{ end }}{{ break }}`)
	f.Fuzz(func(t *testing.T, text string) {
		if got, err := fill(text); err == nil && len(got) > 1000 {
			t.Fatalf("%d bytes", len(got))
		}
	})
}

// Whatever a text holds, in Markdown it is between two fences of its own that nothing in it can close.
func TestCode(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune("`` a\n@#<"))).Draw(t, "text")
		shown := Code(text)
		fence := shown[:len(shown)-len(strings.TrimLeft(shown, "`"))]
		inner, ok := strings.CutSuffix(strings.TrimPrefix(shown, fence), fence)
		if !ok || fence == "" || strings.Contains(inner, fence) || strings.HasSuffix(inner, "`") || strings.Contains(shown, "\n") {
			t.Fatalf("%q is shown as %q", text, shown)
		}
		if strings.Join(strings.Fields(inner), " ") != strings.Join(strings.Fields(text), " ") {
			t.Fatalf("%q is shown as %q", text, shown)
		}
	})
}
