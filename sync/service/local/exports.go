package local

import (
	"encoding/json"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// exportJob is what an export was asked for, and what came of it.
type exportJob struct {
	Languages   []string    `json:"languages"`
	Collections []string    `json:"collections"`
	Format      wire.Format `json:"format"`
	Separator   string      `json:"separator"`
	State       state       `json:"state"`
	Incomplete  incomplete  `json:"incomplete"`
	Template    string      `json:"template"`
	Zip         bool        `json:"zip,omitempty"`
	Since       int64       `json:"since,omitempty"` // Unix nanoseconds; 0: everything
	Labels      []string    `json:"labels,omitempty"`
	Keys        []string    `json:"keys,omitempty"`
	OnlyKeys    bool        `json:"onlyKeys,omitempty"` // Keys counts, also when it is empty
	Indent      string      `json:"indent"`
}

// incomplete says what stands for a key that has no translation of the wanted state. The words are stored.
type incomplete string

const (
	incompleteFallback incomplete = "fallback"
	incompleteBlank    incomplete = "blank"
	incompleteSkip     incomplete = "skip"
)

var exportFormats = []wire.Format{wire.FormatJSON, wire.FormatStructuredJSON, wire.FormatYAML, wire.FormatStructuredYAML,
	wire.FormatIOSStrings, wire.FormatAndroidXML}

// startExport answers POST /v2/project/{projectId}/export: everything in the query, and optionally {"keys": [...]} as the body.
func (s *keysService) startExport(c *call) error {
	p, err := s.store.localizationProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	b, err := exportBody(c)
	if err != nil {
		return err
	}
	return s.acceptExport(c, p, c.params, b)
}

// startExportV1 answers POST /v1/project/{projectId}/export, whose parameters are members of a JSON body. The published
// description has a model of that body with more members than the interface shows; those are taken, too, and the query parameters of the newer form.
func (s *keysService) startExportV1(c *call) error {
	p, err := s.store.localizationProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	b, err := exportBody(c)
	if err != nil {
		return err
	}
	q := make(params, len(c.params))
	for name, v := range c.params {
		q[name] = v
	}
	for _, m := range []struct{ name, parameter string }{
		{"format", wire.QueryFormat}, {"pathSeparator", wire.QueryPathSeparator}, {"outputFilePathTemplate", wire.QueryOutputTemplate},
		{"completionState", wire.QueryCompletionState}, {"collection", wire.QueryCollections},
	} {
		if b.has(m.name) {
			q[m.parameter] = []string{member[string](b, m.name)}
		}
	}
	if b.has("includeSourceLanguage") {
		q[wire.QueryIncludeDefault] = []string{strconv.FormatBool(member[bool](b, "includeSourceLanguage"))}
	}
	if b.has("languages") {
		q[wire.QueryLanguages] = member[[]string](b, "languages")
		if len(q[wire.QueryLanguages]) == 0 && b.err == nil {
			return invalid(wire.QueryLanguages, "the list is empty; leave it out for all target languages")
		}
	}
	if b.has("exportIncompleteTranslationsMode") {
		flag, ok := map[string]string{"fallbacktosourcelanguage": wire.QueryFallback, "exportblank": wire.QueryBlank, "skip": wire.QuerySkipIncomplete}[strings.ToLower(member[string](b, "exportIncompleteTranslationsMode"))]
		if !ok {
			return invalid("exportIncompleteTranslationsMode", "is none of fallbackToSourceLanguage, exportBlank, skip")
		}
		q[flag] = []string{"true"}
	}
	if b.err != nil {
		return b.err
	}
	return s.acceptExport(c, p, q, b)
}

// exportBody reads the optional JSON body.
func exportBody(c *call) (*members, error) {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return nil, err
	}
	if text := strings.TrimSpace(string(raw)); text == "" || text == "null" {
		return &members{raw: map[string]json.RawMessage{}}, nil
	}
	return readMembers("body", raw)
}

func (s *keysService) acceptExport(c *call, p *project, q params, body *members) error {
	x, err := exportRequest(q, p)
	if err != nil {
		return err
	}
	if body.has("keys") {
		x.OnlyKeys, x.Keys = true, member[[]string](body, "keys")
		if body.err != nil {
			return body.err
		}
	}
	include, err := q.flag(wire.QueryIncludeDefault)
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
		x.Languages = union(x.Languages, []string{p.Source})
	}
	t, err := readTemplate(x.Template)
	if err != nil {
		return err
	}
	if len(x.Languages) > 1 && !t.hasLanguage() {
		return invalid(wire.QueryOutputTemplate, "%q gives %d languages one file; put %s into it", x.Template, len(x.Languages), wire.PlaceholderLanguage)
	}
	j := &job{Project: p.ID, work: work{Export: x}}
	if err := s.jobs.start(j, nil, nil); err != nil {
		return err
	}
	return c.json(http.StatusOK, j.ID)
}

// exportRequest reads what does not depend on what is stored. Languages is nil when none are named.
func exportRequest(q params, p *project) (*exportJob, error) {
	format, err := formatParameter(q, exportFormats)
	if err != nil {
		return nil, err
	}
	if format == "" {
		format = wire.FormatJSON
	}
	x := &exportJob{Format: format}
	if x.Separator, err = separatorParameter(q, format); err != nil {
		return nil, err
	}
	if x.Languages, err = languagesParameter(q, p); err != nil {
		return nil, err
	}
	if x.Collections, err = collectionsParameter(q); err != nil {
		return nil, err
	}
	if x.State, err = stateParameter(q, final); err != nil {
		return nil, err
	}
	x.State = p.level(x.State)
	if x.Incomplete, err = incompleteParameter(q, format); err != nil {
		return nil, err
	}
	if x.Labels, err = labelsParameter(q); err != nil {
		return nil, err
	}
	if x.Zip, err = q.flag(wire.QueryZip); err != nil {
		return nil, err
	}
	if x.Indent, err = indentParameter(q); err != nil {
		return nil, err
	}
	if x.Template, err = templateParameter(q, format); err != nil {
		return nil, err
	}
	since, given, err := q.word(wire.QueryModifiedSince)
	if err != nil {
		return nil, err
	}
	if given {
		t, err := readTime(since)
		if err != nil {
			return nil, invalid(wire.QueryModifiedSince, "%q is not an ISO 8601 timestamp like 2026-11-30T12:00:00Z", since)
		}
		x.Since = max(t.UnixNano(), 1)
	}
	return x, nil
}

// languagesParameter reads the languages of an export; "language" is an alias, for the interface's error table has it so.
func languagesParameter(q params, p *project) ([]string, error) {
	field := wire.QueryLanguages
	words, given := q.list(field)
	if !given {
		field = wire.QueryLanguage
		if words, given = q.list(field); !given {
			return nil, nil
		}
	}
	if len(words) == 0 || len(words) == 1 && words[0] == "" {
		return nil, invalid(field, "the list is empty; leave it out for all target languages")
	}
	var codes []string
	for _, word := range words {
		code, err := languageCode(field, word)
		if err != nil {
			return nil, err
		}
		if !p.speaks(code) {
			return nil, invalid(field, "%s is neither the source language %s nor a target language of the project", code, p.Source)
		}
		codes = union(codes, []string{code})
	}
	return codes, nil
}

func collectionsParameter(q params) ([]string, error) {
	names, given := q.list(wire.QueryCollections)
	if !given {
		if names, given = q.list(wire.QueryCollection); !given {
			return []string{wire.DefaultCollection}, nil
		}
	}
	if slices.Contains(names, "") {
		return nil, invalid(wire.QueryCollections, "a name is empty; leave the parameter out for %q", wire.DefaultCollection)
	}
	return union(nil, names), nil
}

// incompleteParameter reads the three flags, of which one may be true.
func incompleteParameter(q params, format wire.Format) (incomplete, error) {
	mode := incompleteFallback
	if format == wire.FormatAndroidXML {
		mode = incompleteSkip
	}
	first := ""
	for _, f := range []struct {
		name string
		mode incomplete
	}{{wire.QueryFallback, incompleteFallback}, {wire.QueryBlank, incompleteBlank}, {wire.QuerySkipIncomplete, incompleteSkip}} {
		on, err := q.flag(f.name)
		if err != nil {
			return "", err
		}
		if !on {
			continue
		}
		if first != "" {
			return "", invalid(f.name, "cannot be together with %s", first)
		}
		first, mode = f.name, f.mode
	}
	return mode, nil
}

// indentParameter reads the indentation of JSON and YAML files: a number of spaces, or the white space itself.
func indentParameter(q params) (string, error) {
	const absent = "  "
	v, given, err := q.raw(wire.QueryIndent)
	if err != nil || !given {
		return absent, err
	}
	if n, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && n >= 0 && n <= maxIndent {
		return strings.Repeat(" ", n), nil
	}
	if len(v) <= maxIndent && strings.Trim(v, " \t") == "" {
		return v, nil
	}
	return "", invalid(wire.QueryIndent, "%q is neither a number of spaces from 0 to %d nor white space", v, maxIndent)
}

const maxIndent = 16

func templateParameter(q params, format wire.Format) (string, error) {
	t, given, err := q.raw(wire.QueryOutputTemplate)
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
func (s *keysService) targetsOf(p *project, names []string) (targets []string, err error) {
	err = s.store.view(func(tx *Tx) error {
		for _, name := range names {
			k, err := openCollection(tx, p.ID, name)
			if err != nil {
				return err
			}
			if k == nil {
				return invalid(wire.QueryCollections, "the project has no collection %q; there are: %s", name, strings.Join(collectionNames(tx, p.ID), ", "))
			}
			targets = union(targets, k.Targets)
		}
		return nil
	})
	return targets, err
}
