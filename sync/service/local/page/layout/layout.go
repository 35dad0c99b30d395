// Package layout is how the pages for translators look: their templates, in each language.
//
// Its law: every value is escaped where it is written, and the texts of a page are those of its language.
// It decides nothing about what is shown.
package layout

import (
	_ "embed"
	"html/template"
	"io"
	"net/http"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/service/local/findings"
	"github.com/locsync/locsync/sync/service/local/marks"
	"github.com/locsync/locsync/sync/service/local/page/assets"
	"github.com/locsync/locsync/sync/service/local/words"
)

// Source is all pages, in English.
//
//go:embed page.html
var Source string

// pages are the templates by the code of their language.
var pages = sync.OnceValue(func() map[string]*template.Template {
	all := make(map[string]*template.Template)
	for _, l := range words.All() {
		all[l.Code] = template.Must(template.New("pages").Funcs(template.FuncMap{
			"asset": assets.Path, "when": when, "stamp": stamp, "percent": percent, "rows": fieldRows,
			"text": marks.Shown, "inc": func(i int) int { return i + 1 },
			"t": l.Text, "named": l.Named, "language": func() string { return l.Code },
			"said": func(f findings.Finding) findings.Finding { return f.In(l) },
		}).Parse(l.Page(Source)))
	}
	return all
})

// Asset answers with a file of the pages' own.
func Asset(w http.ResponseWriter, r *http.Request) { assets.Serve(w, r) }

// Write writes a page in a language.
func Write(w io.Writer, l *words.Language, name string, data any) error {
	return pages()[l.Code].ExecuteTemplate(w, name, data)
}

func when(at int64) string  { return time.Unix(0, at).UTC().Format("2006-01-02 15:04 UTC") }
func stamp(at int64) string { return time.Unix(0, at).UTC().Format(time.RFC3339) }

// percent is rounded down: a hundred is all.
func percent(part, all int) int {
	if all == 0 {
		return 0
	}
	return part * 100 / all
}

// fieldRows is how many lines a field shows.
func fieldRows(text string) int {
	rows := 1
	for line := range strings.Lines(text) {
		rows += 1 + len(line)/60
	}
	return min(max(rows, 2), 12)
}
