package keys

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

var exportFormats = []wire.Format{wire.FormatJSON, wire.FormatStructuredJSON, wire.FormatYAML,
	wire.FormatStructuredYAML,
	wire.FormatIOSStrings, wire.FormatAndroidXML}

// startExport answers POST /v2/project/{projectId}/export: everything in the query, and optionally {"keys": [...]} as
// the body.
func (s *Service) startExport(c *api.Call) error {
	p, err := s.store.LocalizationProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	b, err := exportBody(c)
	if err != nil {
		return err
	}
	return s.acceptExport(c, p, c.Params, b)
}

// startExportV1 answers POST /v1/project/{projectId}/export, whose parameters are members of a JSON body. The
// published description has a model of that body with more members than the interface shows; those are taken, too,
// and the query parameters of the newer form.
func (s *Service) startExportV1(c *api.Call) error {
	p, err := s.store.LocalizationProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	b, err := exportBody(c)
	if err != nil {
		return err
	}
	q := maps.Clone(c.Params)
	for _, m := range []struct{ name, parameter string }{
		{"format", wire.QueryFormat}, {"pathSeparator", wire.QueryPathSeparator}, {"outputFilePathTemplate",
			wire.QueryOutputTemplate},
		{"completionState", wire.QueryCompletionState}, {"collection", wire.QueryCollections},
	} {
		if b.Has(m.name) {
			q.Set(m.parameter, api.Member[string](b, m.name))
		}
	}
	if b.Has("includeSourceLanguage") {
		q.Set(wire.QueryIncludeDefault, strconv.FormatBool(api.Member[bool](b, "includeSourceLanguage")))
	}
	if b.Has("languages") {
		languages := api.Member[[]string](b, "languages")
		q.Set(wire.QueryLanguages, languages...)
		if len(languages) == 0 && b.Err == nil {
			return api.Invalid(wire.QueryLanguages, "the list is empty; leave it out for all target languages")
		}
	}
	if b.Has("exportIncompleteTranslationsMode") {
		flag, ok := map[string]string{"fallbacktosourcelanguage": wire.QueryFallback, "exportblank": wire.QueryBlank,
			"skip": wire.QuerySkipIncomplete}[strings.ToLower(api.Member[string](b, "exportIncompleteTranslationsMode"))]
		if !ok {
			return api.Invalid("exportIncompleteTranslationsMode", "is none of fallbackToSourceLanguage, exportBlank, skip")
		}
		q.Set(flag, "true")
	}
	if b.Err != nil {
		return b.Err
	}
	return s.acceptExport(c, p, q, b)
}

// exportBody reads the optional JSON body.
func exportBody(c *api.Call) (*api.Members, error) {
	raw, err := api.ReadBody(c, api.MaxModel)
	if err != nil {
		return nil, err
	}
	if text := strings.TrimSpace(string(raw)); text == "" || text == "null" {
		return &api.Members{Raw: map[string]json.RawMessage{}}, nil
	}
	return api.ReadMembers("body", raw)
}

func (s *Service) acceptExport(c *api.Call, p *store.Project, q api.Params, body *api.Members) error {
	x, err := exportRequest(q, p)
	if err != nil {
		return err
	}
	if body.Has("keys") {
		x.OnlyKeys, x.Keys = true, api.Member[[]string](body, "keys")
		if body.Err != nil {
			return body.Err
		}
	}
	include, err := q.Flag(wire.QueryIncludeDefault)
	if err != nil {
		return err
	}
	targets, err := s.targetsOf(p, x.Collections)
	if err != nil {
		return err
	}
	if x.Languages == nil {
		x.Languages = targets
	}
	if include {
		x.Languages = api.Union(x.Languages, []string{p.Source})
	}
	t, err := readTemplate(x.Template)
	if err != nil {
		return err
	}
	if len(x.Languages) > 1 && !t.hasLanguage() {
		return api.Invalid(wire.QueryOutputTemplate, "%q gives %d languages one file; put %s into it", x.Template,
			len(x.Languages), wire.PlaceholderLanguage)
	}
	j := &store.Job{Project: p.ID, Work: store.Work{Export: x}}
	if err := s.jobs.Start(j, nil, nil); err != nil {
		return err
	}
	return c.Answer(http.StatusOK, j.ID)
}

// exportRequest reads what does not depend on what is stored. Languages is nil when none are named.
func exportRequest(q api.Params, p *store.Project) (*store.ExportJob, error) {
	format, err := formatParameter(q, exportFormats)
	if format == "" {
		format = wire.FormatJSON
	}
	x := &store.ExportJob{Format: format}
	var since time.Time
	api.Into(&x.Separator, &err)(separatorParameter(q, format))
	api.Into(&x.Languages, &err)(languagesParameter(q, p))
	api.Into(&x.Collections, &err)(collectionsParameter(q))
	api.Into(&x.State, &err)(stateParameter(q, store.Final))
	api.Into(&x.Incomplete, &err)(incompleteParameter(q, format))
	api.Into(&x.Labels, &err)(labelsParameter(q))
	api.Into(&x.Zip, &err)(q.Flag(wire.QueryZip))
	api.Into(&x.Indent, &err)(indentParameter(q))
	api.Into(&x.Template, &err)(templateParameter(q, format))
	api.Into(&since, &err)(q.Time(wire.QueryModifiedSince))
	if err != nil {
		return nil, err
	}
	x.State = p.Level(x.State)
	if !since.IsZero() {
		x.Since = max(since.UnixNano(), 1)
	}
	return x, nil
}

// languagesParameter reads the languages of an export; "language" is an alias, for the interface's error table has it
// so.
func languagesParameter(q api.Params, p *store.Project) ([]string, error) {
	field := wire.QueryLanguages
	words, given := q.List(field)
	if !given {
		field = wire.QueryLanguage
		if words, given = q.List(field); !given {
			return nil, nil
		}
	}
	if len(words) == 0 || len(words) == 1 && words[0] == "" {
		return nil, api.Invalid(field, "the list is empty; leave it out for all target languages")
	}
	var codes []string
	for _, word := range words {
		code, err := api.LanguageCode(field, word)
		if err != nil {
			return nil, err
		}
		if !p.Speaks(code) {
			return nil, api.Invalid(field, "%q is neither the source language %q nor a target language of the project", code,
				p.Source)
		}
		codes = api.Union(codes, []string{code})
	}
	return codes, nil
}

func collectionsParameter(q api.Params) ([]string, error) {
	names, given := q.List(wire.QueryCollections)
	if !given {
		if names, given = q.List(wire.QueryCollection); !given {
			return []string{wire.DefaultCollection}, nil
		}
	}
	if slices.Contains(names, "") {
		return nil, api.Invalid(wire.QueryCollections, "a name is empty; leave the parameter out for %q",
			wire.DefaultCollection)
	}
	return api.Union(nil, names), nil
}

// incompleteParameter reads the three flags, of which one may be true.
func incompleteParameter(q api.Params, format wire.Format) (store.Incomplete, error) {
	mode := store.IncompleteFallback
	if format == wire.FormatAndroidXML {
		mode = store.IncompleteSkip
	}
	first := ""
	for _, f := range []struct {
		name string
		mode store.Incomplete
	}{{wire.QueryFallback, store.IncompleteFallback}, {wire.QueryBlank, store.IncompleteBlank},
		{wire.QuerySkipIncomplete, store.IncompleteSkip}} {
		on, err := q.Flag(f.name)
		if err != nil {
			return "", err
		}
		if !on {
			continue
		}
		if first != "" {
			return "", api.Invalid(f.name, "cannot be together with %s", first)
		}
		first, mode = f.name, f.mode
	}
	return mode, nil
}

// indentParameter reads the indentation of JSON and YAML files: a number of spaces, or the white space itself.
func indentParameter(q api.Params) (string, error) {
	const absent = "  "
	v, given, err := q.Raw(wire.QueryIndent)
	if err != nil || !given {
		return absent, err
	}
	if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && n >= 0 && n <= maxIndent {
		return strings.Repeat(" ", n), nil
	}
	if len(v) <= maxIndent && strings.Trim(v, " \t") == "" {
		return v, nil
	}
	return "", api.Invalid(wire.QueryIndent, "%q is neither a number of spaces from 0 to %d nor white space", v, maxIndent)
}

const maxIndent = 16

func templateParameter(q api.Params, format wire.Format) (string, error) {
	t, given, err := q.Raw(wire.QueryOutputTemplate)
	if err != nil {
		return "", err
	}
	if !given {
		t = wire.DefaultTemplates[format]
	}
	_, err = readTemplate(t)
	return t, err
}

// targetsOf are the target languages of collections, all of which must be there.
func (s *Service) targetsOf(p *store.Project, names []string) (targets []string, err error) {
	err = s.store.View(func(tx *store.Tx) error {
		for _, name := range names {
			k, err := store.OpenCollection(tx, p.ID, name)
			if err != nil {
				return err
			}
			if k == nil {
				return api.Invalid(wire.QueryCollections, "the project has no collection %q; there are: %s", name,
					strings.Join(store.CollectionNames(tx, p.ID), ", "))
			}
			targets = api.Union(targets, k.Targets)
		}
		return nil
	})
	return targets, err
}
