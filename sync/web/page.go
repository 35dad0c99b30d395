package web

import (
	"bytes"
	_ "embed"
	"html/template"
	"net/http"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/engine"
)

//go:embed page.html
var pageSource string

var pageTemplate = template.Must(template.New("page").Funcs(template.FuncMap{
	"when":   func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04:05 UTC") },
	"stamp":  func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"quoted": engine.InQuotes,
	"share": func(l engine.LanguageStatus) int {
		if l.Keys+l.Missing == 0 {
			return 100
		}
		return 100 * l.Keys / (l.Keys + l.Missing)
	},
}).Parse(pageSource))

// page is the status page: whole without scripts, made anew by the browser every few seconds.
func (s *server) page(w http.ResponseWriter, r *http.Request) {
	var b bytes.Buffer
	err := pageTemplate.Execute(&b, struct {
		engine.Status
		Version string
		Ready   error
		Now     time.Time
	}{s.now(r.Context()), s.Version, s.Engine.Ready(), time.Now()})
	if err != nil {
		s.Log.Error("make the status page", zap.Error(err))
		plain(w, http.StatusInternalServerError, "the page could not be made; the log says why")
		return
	}
	w.Header().Set("Content-Type", "text/html; charset=utf-8")
	_, _ = w.Write(b.Bytes()) // the reader is gone when this fails
}
