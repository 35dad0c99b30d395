package web

import (
	"bytes"
	"cmp"
	"context"
	_ "embed"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"sync"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/web/share"
)

//go:embed page.html
var pageSource string

// pages are the status page and the form for its token. Every text of the repository, the service or an error passes
// `text` on its way into them, besides what package html/template does. They are read when the first is asked for: most
// runs of the program show none.
var pages = sync.OnceValue(func() *template.Template {
	return template.Must(template.New("pages").Funcs(pageFuncs).Parse(leaner(pageSource)))
})

var pageFuncs = template.FuncMap{
	"asset":        assetPath,
	"when":         func(t time.Time) string { return t.UTC().Format("2006-01-02 15:04 UTC") },
	"stamp":        func(t time.Time) string { return t.UTC().Format(time.RFC3339) },
	"text":         text,
	"quoted":       func(texts map[string]string) string { return text(report.InQuotes(texts)) },
	"count":        count,
	"number":       number,
	"short":        func(hash string) string { return text(hash[:min(len(hash), 10)]) },
	"at":           func(now, t time.Time) moment { return moment{now, t} },
	"eventSign":    eventSign,
	"fingerprint":  fingerprint,
	"languageName": func(code string) string { return text(share.Name(code)) },
	"of":           func(p *project, item any) part { return part{p, item} },
}

// moment is a time, and the one it is told from.
type moment struct{ Now, Time time.Time }

// Ago is how far away it is.
func (m moment) Ago() string { return ago(m.Now, m.Time) }

// part is one item of a project's list.
type part struct {
	Project *project
	Item    any
}

// leaner drops the indentation of the template's lines, which is for those who read it there.
func leaner(source string) string {
	var b strings.Builder
	for line := range strings.Lines(source) {
		b.WriteString(strings.TrimLeft(line, "\t"))
	}
	return b.String()
}

// statusPage makes the page for people.
type statusPage struct {
	engine   *engine.Engine
	statuses *statuses
	sessions *Sessions
	token    string // empty: the page has no buttons
	version  string
	editor   bool // there is a page for translators
	log      *zap.Logger
}

// serve answers with the page: whole without scripts, and kept up to date by its script where there is one.
func (s *statusPage) serve(w http.ResponseWriter, r *http.Request) {
	visit, _ := s.sessions.of(r, s.token)
	v := view{Version: s.version, Now: time.Now(), Still: r.URL.Query().Has("still"), Editor: s.editor,
		Buttons: s.token != "", Visit: visit}
	if err := s.engine.Ready(); err != nil {
		v.NotReady = list(strings.Split(failure.Text(err), "\n"), maxListed)
	}
	s.fill(r.Context(), &v, s.statuses.now(r.Context()).Projects, r.URL.Query())
	s.write(w, http.StatusOK, "page", v)
}

// fill puts the projects into the view. What their parts of the page show is worked out for those that are shown.
func (s *statusPage) fill(ctx context.Context, v *view, projects []report.ProjectStatus, asked url.Values) {
	for _, status := range projects {
		v.add(&project{ProjectStatus: status, Health: healthOf(status, v.Now)})
	}
	v.choose(asked)
	if engine.Many(s.engine) {
		for _, p := range v.Whole {
			if now := s.engine.Look(ctx, p.Name); now != nil {
				p.ProjectStatus = *now
			}
		}
	}
	shown := slices.Concat(v.FirstLines(), v.Whole)
	slices.SortFunc(shown, func(a, b *project) int { return strings.Compare(a.Name, b.Name) })
	for _, p := range slices.Compact(shown) {
		*p = *s.project(p.ProjectStatus, *v)
	}
}

// at is the address of a project on the page.
func (s *statusPage) at(name string) string {
	at := "./"
	if len(s.engine.Config.Projects) > wholeProjects {
		at += "?" + url.Values{"project": {name}}.Encode()
	}
	return at + "#" + url.PathEscape(anchor(name))
}

// project is a project's status as the page shows it.
func (s *statusPage) project(status report.ProjectStatus, v view) *project {
	p := &project{ProjectStatus: status, At: v.Now, Anchor: anchor(status.Name), Health: healthOf(status, v.Now),
		Sentence: stateOf(status),
		lists:    lists{list(status.OtherProblems(), atOnce), list(status.Conflicts, atOnce), list(status.Events, eventsNow)},
		schedule: schedule{Late: late(status, v.Now)}, translations: translations{Editor: v.Editor},
		Plot: plotOf(status.Activity)}
	if doing := s.engine.Doing(status.Name); doing.What != "" {
		p.Busy, p.Sentence = true, []span{{Text: sentence(doing.String())}}
	}
	p.languages(status)
	at := slices.IndexFunc(status.Events, func(e report.Event) bool { return e.Commit != "" })
	if at >= 0 && status.LastPull != nil && status.LastPull.Commit == "" {
		p.LastCommit = &status.Events[at]
	}
	files := slices.Clone(status.Files) // those to look at first
	slices.SortStableFunc(files, func(a, b report.FileStatus) int {
		return cmp.Or(strings.Compare(b.Error, a.Error), b.Pending-a.Pending)
	})
	p.Files = list(files, maxListed)
	s.configured(p, v)
	return p
}

// configured adds what the configuration says of a project: what wakes its passes, and which of them may be asked for.
func (s *statusPage) configured(p *project, v view) {
	projects := s.engine.Config.Projects
	at := 0
	for at < len(projects) && projects[at].Name != p.Name {
		at++
	}
	if at == len(projects) {
		return
	}
	c := &projects[at]
	switch source := c.Push.Source; {
	case !c.Push.Enabled:
		p.NextPush = "turned off in the configuration"
	case source == "worktree":
		p.NextPush = "as soon as a file changes"
	case source == "": // of a repository elsewhere
		p.NextPush = "as soon as its branch moves"
	default:
		p.NextPush = "as soon as branch " + text(source) + " moves"
	}
	if p.NoPull = "not scheduled; when the service notifies, or on request"; !c.Pull.Enabled {
		p.NoPull = "turned off in the configuration"
	}
	p.lacking(c.Pull.Enabled, c.Pull.CompletionState)
	p.Link = s.engine.Config.Service.Link.To
	if v.Unlocked() {
		p.Push, p.Pull, p.Nonce = c.Push.Enabled, c.Pull.Enabled, v.Visit.Nonce
		if v.Visit.Project == p.Name {
			p.Said = v.Visit.Said
		}
	}
}

// write answers with one of the pages.
func (s *statusPage) write(w http.ResponseWriter, code int, name string, data any) {
	var b bytes.Buffer
	if err := pages().ExecuteTemplate(&b, name, data); err != nil {
		s.log.Error("cannot make the page "+name, zap.Error(err))
		plain(w, http.StatusInternalServerError, "the page could not be made; the log says why")
		return
	}
	h := w.Header()
	h.Set("Content-Type", "text/html; charset=utf-8")
	h.Set("Content-Security-Policy", pagePolicy)
	w.WriteHeader(code)
	_, _ = w.Write(b.Bytes()) // the reader is gone when this fails
}

// pagePolicy lets a page use this address's own files and nothing else: whatever text got into it, as what it should
// not, would stay a text.
const pagePolicy = "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; " +
	"form-action 'self'; base-uri 'none'; frame-ancestors 'none'; " +
	"require-trusted-types-for 'script'; trusted-types 'none'"

func assetPath(name string) (string, error) {
	served, there := assetNames[name]
	if !there {
		return "", fmt.Errorf("no file is called %s", name)
	}
	return strings.TrimPrefix(served, "/"), nil // relative, so that a proxy may put the page below a path of its own
}
