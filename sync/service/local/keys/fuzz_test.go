package keys

import (
	"net/http"
	"net/url"
	"testing"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/projects"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// What clients send is taken, or refused in a way that says what was wrong: whatever the bytes.

func FuzzTemplate(f *testing.F) {
	for _, seed := range []string{"strings-{LANGUAGE}.json", "{LOCALE:IOS}.lproj/{LABEL:file}",
		"src/{LOCALE:ANDROID}/{LABEL:a}/{LABEL:b}", "../{LANGUAGE}", "{LANGUAGE}{", "a//b", "./x", "C:x",
		"{LABEL:{LANGUAGE}}"} {
		f.Add(seed, "pt-BR", "file:main.json", "a:../x")
	}
	f.Fuzz(func(t *testing.T, template, language, label, other string) {
		read, err := readTemplate(template)
		if err != nil {
			if p, ok := err.(*api.Problem); !ok || p.Field != wire.QueryOutputTemplate {
				t.Fatalf("not a refusal that names the parameter: %v", err)
			}
			return
		}
		for _, code := range []string{"de", "zh-Hans-CN"} {
			for _, p := range read.paths(code, []string{label, other}) {
				if len(read.prefixes()) == 0 && api.UnsafePath(p) != "" {
					t.Fatalf("%q gives the unsafe path %q", template, p)
				}
			}
		}
		if read.hasLanguage() && read.fill("de", func(string) string { return "x" }) == read.fill("fr",
			func(string) string { return "x" }) {
			t.Fatalf("%q: two languages in one file", template)
		}
	})
}

// Whatever stands in a query, it is taken, or refused with a 400 that names a parameter.
func FuzzParameters(f *testing.F) {
	f.Add("language=de&format=json&labels=a,b&target-languages=de&completion-state=final")
	f.Add("languages=de,fr&format=structured-json&path-separator=.&modified-since=2026-01-01T00:00:00Z&indent=4&zip")
	f.Add("language=en&target-languages=de%2Cxx&delete-missing-keys&auto-file-labels=1&collection=%00")
	f.Add("language[]=en&Language=en&output-file-path-template={LABEL:a}{LOCALE:IOS}")
	p := &store.Project{Source: "en", Targets: []string{"de", "pt-BR"},
		Stages: projects.NewStages(projects.StagesOfDocuments)}
	f.Fuzz(func(t *testing.T, raw string) {
		q, err := api.ReadParams(&http.Request{URL: &url.URL{RawQuery: raw}})
		if err != nil {
			return
		}
		refusals := make([]error, 4)
		var in *store.ImportJob
		var x *store.ExportJob
		in, _, refusals[0] = importRequest(q, p)
		x, refusals[1] = exportRequest(q, p)
		_, refusals[2] = formatParameter(q, importFormats)
		_, refusals[3] = q.Count("limit", 0)
		for _, err := range refusals {
			if refused, ok := err.(*api.Problem); err != nil && (!ok || refused.Status != 400 || refused.Field == "") {
				t.Fatalf("%q: %v", raw, err)
			}
		}
		if refusals[0] == nil && (!p.Speaks(in.Language) || in.Collection == "") {
			t.Fatalf("%q: %+v", raw, in)
		}
		if refusals[1] == nil && (x.Template == "" || x.Separator == "" || len(x.Collections) == 0) {
			t.Fatalf("%q: %+v", raw, x)
		}
	})
}
