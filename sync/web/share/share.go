// Package share draws what pages and programs elsewhere show of the status: a badge for a README, a table for a
// spreadsheet.
//
// Its law: it says what the status says, and names no project or language that the status does not have.
//
// It does not read repositories and decides nothing.
package share

import (
	"cmp"
	"context"
	"encoding/csv"
	"fmt"
	"html/template"
	"net/http"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/config/languages"
	"github.com/locsync/locsync/sync/report"
)

// badgeOf is a picture of two words beside each other, in the shape that READMEs have them.
var badgeOf = template.Must(template.New("badge").Parse(`<svg xmlns="http://www.w3.org/2000/svg" ` +
	`width="{{.Width}}" height="20" role="img" aria-label="{{.Label}}: {{.Value}}"><title>{{.Label}}: {{.Value}}</title>` +
	`<clipPath id="r"><rect width="{{.Width}}" height="20" rx="3"/></clipPath><g clip-path="url(#r)">` +
	`<rect width="{{.LabelWidth}}" height="20" fill="#555"/>` +
	`<rect x="{{.LabelWidth}}" width="{{.ValueWidth}}" height="20" fill="{{.Colour}}"/></g>` +
	`<g fill="#fff" text-anchor="middle" font-family="Verdana,DejaVu Sans,sans-serif" font-size="11">` +
	`<text x="{{.LabelMiddle}}" y="14">{{.Label}}</text><text x="{{.ValueMiddle}}" y="14">{{.Value}}</text></g></svg>
`))

// badge is what the template draws, in pixels.
type badge struct {
	Label, Value, Colour     string
	LabelWidth, ValueWidth   int
	Width                    int
	LabelMiddle, ValueMiddle int
}

func newBadge(label, value, colour string) badge {
	width := func(text string) int { return 7*utf8.RuneCountInString(text) + 12 }
	b := badge{Label: label, Value: value, Colour: colour, LabelWidth: width(label), ValueWidth: width(value)}
	b.Width = b.LabelWidth + b.ValueWidth
	b.LabelMiddle, b.ValueMiddle = b.LabelWidth/2, b.LabelWidth+b.ValueWidth/2
	return b
}

// Badge answers with how much of a project a language has, as a picture that pages elsewhere may show. The request's
// path has {project}, and {language} with ".svg" behind it.
func Badge(now func(context.Context) report.Status) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		code, drawn := strings.CutSuffix(r.PathValue("language"), ".svg")
		l, known := find(now(r.Context()), r.PathValue("project"), code)
		if !drawn || !known {
			http.Error(w, "no badge: its address is /badge/PROJECT/LANGUAGE.svg, as the configuration names them",
				http.StatusNotFound)
			return
		}
		h := w.Header()
		h.Set("Content-Type", "image/svg+xml")
		h.Set("Cross-Origin-Resource-Policy", "cross-origin")
		h.Set("Cache-Control", "max-age=300")
		// the reader is gone when this fails
		_ = badgeOf.Execute(w, newBadge(Name(code), strconv.Itoa(l.Percent())+" %", colour(l.Percent())))
	}
}

func colour(percent int) string {
	switch {
	case percent == 100:
		return "#2e7d32"
	case percent < 50:
		return "#b3261e"
	}
	return "#b35900"
}

// find is how much of a project's language there is.
func find(status report.Status, project, code string) (report.LanguageStatus, bool) {
	for _, p := range status.Projects {
		for _, l := range p.Languages {
			if p.Name == project && l.Language == code {
				return l, true
			}
		}
	}
	return report.LanguageStatus{}, false
}

// Name is a language's name in English, with its code; the code alone where it has none.
func Name(code string) string {
	if l, known := languages.Find(code); known {
		return fmt.Sprintf("%s (%s)", l.Name, code)
	}
	return code
}

// Table answers with a line for each project and language, as a spreadsheet reads it.
func Table(now func(context.Context) report.Status) http.HandlerFunc {
	return func(w http.ResponseWriter, r *http.Request) {
		h := w.Header()
		h.Set("Content-Type", "text/csv; charset=utf-8")
		h.Set("Content-Disposition", `attachment; filename="translations.csv"`)
		out := csv.NewWriter(w)
		_ = out.Write([]string{"project", "language", "name", "keys", "missing", "held back", "to push", "percent"})
		for _, p := range now(r.Context()).Projects {
			for _, l := range p.Languages {
				known, _ := languages.Find(l.Language)
				line := []string{p.Name, l.Language, cmp.Or(known.Name, l.Language)}
				for _, n := range []int{l.Keys, l.Missing, l.Held, l.Pending, l.Percent()} {
					line = append(line, strconv.Itoa(n))
				}
				_ = out.Write(line)
			}
		}
		out.Flush() // the reader is gone when this fails
	}
}
