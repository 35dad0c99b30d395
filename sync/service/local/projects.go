package local

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/service/wire"
)

// project is the stored record of a project. Its keys lie elsewhere (see collection).
type project struct {
	ID      string   `json:"id"`
	Account string   `json:"account"`
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Targets []string `json:"targets"`
	Stages  []stage  `json:"stages"`
	details
	resources

	Created  int64              `json:"created"`
	Modified int64              `json:"modified"`
	Status   wire.ProjectStatus `json:"status"`
	StatusAt int64              `json:"statusAt"`
	Before   wire.ProjectStatus `json:"before,omitempty"` // what a cancelled project goes back to
}

// details are what people say about a project.
type details struct {
	Description string `json:"description,omitempty"`
	Deadline    string `json:"deadline,omitempty"`
	ExternalTag string `json:"externalTag,omitempty"`
	ClientID    string `json:"clientId,omitempty"`
	DomainID    int    `json:"domainId,omitempty"`
	ToVendor    bool   `json:"assignToVendor,omitempty"`
	ForTesting  bool   `json:"isForTesting,omitempty"`
}

// resources are what a project is translated with; all but glossaries are of projects of documents.
type resources struct {
	Glossaries        []string             `json:"glossaries,omitempty"` // identifiers, in the order they were attached
	Memories          []attachedMemory     `json:"memories,omitempty"`
	Engines           []assignedEngine     `json:"engines,omitempty"`
	Rules             []pretranslationRule `json:"rules,omitempty"`
	FuzzyRepetitions  bool                 `json:"fuzzyRepetitions,omitempty"`
	DocumentsRevision int                  `json:"documentsRevision,omitempty"` // rises when documents come, change or go
}

// stage is one step that a translation passes.
type stage struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// stageTypes are the words that stages are made from.
var stageTypes = []string{"translation", "editing", "proofreading", "postediting", "finalPageProof", "notarization", "certifiedTranslation",
	"transcreation", "legalization", "preliminaryPageProof", "lQAReview", "subtitleReview", "voiceOverReview", "sourceReview"}

// Stages of a project that was made without a word on them. A localization project has two, so that the three completion
// states of the service interface are three.
var (
	stagesOfLocalization = []string{"translation", "editing"}
	stagesOfDocuments    = []string{"translation"}
)

// speaks reports whether a language is the project's source or one of its targets.
func (p *project) speaks(code string) bool {
	return code == p.Source || slices.Contains(p.Targets, code)
}

// level is a completion state as it counts in this project: with a single stage, what is confirmed on the first is confirmed on all.
func (p *project) level(s state) state {
	if s == intermediate && len(p.Stages) == 1 {
		return final
	}
	return s
}

func (p *project) setStatus(s wire.ProjectStatus, now int64) {
	if p.Status != s {
		p.Status, p.StatusAt = s, now
	}
}

// projectModel is the body that makes a project. Members that are no strings, booleans or lists where they should be are named
// one by one, so it is read member by member.
type projectModel struct {
	project    project
	stageWords []string
	toVendor   *bool

	// Of a project of documents.
	properties                        json.RawMessage // the models of the files that came along
	useMachine, useMemory, translated bool
	memoryName                        string
}

// projectsService answers the calls about projects.
type projectsService struct {
	store     *store
	documents *documentsService
	trial     bool // pseudo-translations are drafts
}

func newProjectsService(st *store, documents *documentsService, trial bool) *projectsService {
	return &projectsService{st, documents, trial}
}

// routes are the calls that are answered here, by path.
func (s *projectsService) routes() map[string]methods {
	return map[string]methods{
		wire.PathProjectCreate:   {"POST": s.createProject},
		wire.PathProjectList:     {"GET": s.listProjects},
		wire.PathProjectListV1:   {"GET": s.listProjectsV1},
		wire.PathProject:         {"GET": s.getProject, "PUT": s.updateProject, "DELETE": s.deleteProject},
		wire.PathProjectComplete: {"POST": s.completeProject},
		wire.PathProjectCancel:   {"POST": s.cancelProject},
		wire.PathProjectRestore:  {"POST": s.restoreProject},
		wire.PathProjectLanguage: {"POST": s.addLanguage, "DELETE": s.removeLanguage},
		wire.PathTargets:         {"POST": s.addTargets},
	}
}

// createProject answers POST /v1/project/create.
func (s *projectsService) createProject(c *call) error {
	raw, sent, err := projectBody(c)
	if err != nil {
		return err
	}
	m, err := readProjectModel(raw)
	if err != nil {
		return err
	}
	if len(sent) > 0 && m.project.Type == wire.ProjectTypeLocalization {
		return invalid(wire.PartFile, "a localization project is made without files; import them with POST %s", wire.Prefix+wire.PathImport)
	}
	p := m.project
	p.ID, p.Account = uuid.NewString(), s.store.account
	models, err := readDocumentModels("documentProperties", m.properties, len(sent))
	if err != nil {
		return err
	}
	for i := range models {
		if err := models[i].readSettings(""); err != nil {
			return err
		}
	}
	uploads, err := readUploads(&p, sent, models)
	if err != nil {
		return err
	}
	var out *wire.Project
	err = s.store.update(func(tx *Tx) error {
		if err := addProject(tx, &p); err != nil {
			return err
		}
		if err := equip(tx, &p, m); err != nil {
			return err
		}
		if len(uploads) > 0 {
			if _, err := s.documents.addUploads(tx, &p, uploads); err != nil {
				return err
			}
		}
		if err := putProject(tx, &p); err != nil {
			return err
		}
		out, err = s.recordIn(tx, &p)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// equip gives a new project what its model asks for: a memory of its own, the engine for all languages, and the rules that fill documents from
// them.
func equip(tx *Tx, p *project, m *projectModel) error {
	if p.Type == wire.ProjectTypeLocalization {
		return nil
	}
	if m.useMemory {
		r := memoryRecord{ID: uuid.NewString(), Account: p.Account, Name: cmp.Or(m.memoryName, p.Name), Source: p.Source, Targets: p.Targets, Created: tx.now(), Automatic: true}
		if _, err := createMemory(tx, r); err != nil {
			return err
		}
		p.Memories = []attachedMemory{{ID: r.ID, Threshold: wire.MinMatchThreshold, Writable: true}}
		if m.translated {
			p.Rules = append(p.Rules, pretranslationRule{Type: wire.RuleMemory, Order: 1, Threshold: 100})
		}
	}
	if m.useMachine {
		p.Engines = []assignedEngine{{ID: pseudoEngineID, Languages: p.Targets}}
		if m.translated {
			p.Rules = append(p.Rules, pretranslationRule{Type: wire.RuleMachine, Order: len(p.Rules) + 1})
		}
	}
	return nil
}

// addProject stores a new project; a localization project comes with its main collection.
func addProject(tx *Tx, p *project) error {
	now := tx.now()
	p.Created, p.Modified, p.Status, p.StatusAt = now, now, wire.ProjectCreated, now
	if err := putProject(tx, p); err != nil {
		return err
	}
	if p.Type != wire.ProjectTypeLocalization {
		return nil
	}
	return makeCollection(tx, p.ID, wire.DefaultCollection, p.Targets)
}

// projectBody finds the project's JSON in the body, whichever way it came: one part of a multipart body, with a file name or without; a
// form field; or the body itself. sent are the files beside it.
func projectBody(c *call) (model []byte, sent []part, err error) {
	kind := strings.ToLower(c.Request.Header.Get("Content-Type"))
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		if err := c.bound(maxImport, true); err != nil {
			return nil, nil, err
		}
		parts, err := readParts(c.Request)
		if err != nil {
			return nil, nil, err
		}
		return modelPart(parts)
	case strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		if err := c.bound(maxModel, true); err != nil {
			return nil, nil, err
		}
		if err := c.Request.ParseForm(); err != nil {
			return nil, nil, refuse(http.StatusBadRequest, "the form cannot be read: %v", err)
		}
		for name, v := range c.Request.PostForm {
			if isModelName(name) && len(v) > 0 {
				return []byte(v[0]), nil, nil
			}
		}
		return nil, nil, invalid(wire.PartModel, "the form has no field %q or \"value\" with the project", wire.PartModel)
	}
	model, err = readBody(c, maxModel)
	return model, nil, err
}

func isModelName(name string) bool {
	return slices.Contains([]string{wire.PartModel, "projectmodel", "value", "documentmodel", "updatedocumentmodel"}, strings.ToLower(name))
}

// modelPart tells the model from the files: what has a model's name, else what has no file name, else a .json file that
// holds a project. A body with two of the same rank is refused.
func modelPart(parts []part) (model []byte, sent []part, err error) {
	ranks := []func(p part) bool{
		func(p part) bool { return isModelName(p.name) },
		func(p part) bool { return !p.isFile },
		func(p part) bool {
			return strings.HasSuffix(strings.ToLower(p.file), ".json") && projectShape.Match(p.body)
		},
	}
	for _, is := range ranks {
		found := slices.IndexFunc(parts, is)
		if found < 0 {
			continue
		}
		for i, p := range parts {
			if i != found && (is(p) || !p.isFile) {
				return nil, nil, invalid(wire.PartModel, "the body has two parts with a project, %q and %q; send one", parts[found].name, p.name)
			}
		}
		return parts[found].body, slices.Delete(slices.Clone(parts), found, found+1), nil
	}
	return nil, nil, invalid(wire.PartModel, "the body has no part with the project; send its JSON in a part without a file name")
}

// projectShape is how a file with a project begins, rather than one that is to be translated.
var projectShape = regexp.MustCompile(`^\s*(?:\x{FEFF})?\s*\[?\s*\{(?s:.*)"(?i:sourceLanguage|targetLanguages)"\s*:`)

// readProjectModel reads and checks the JSON of a new project: an object, or an array of one.
func readProjectModel(raw []byte) (*projectModel, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	if len(raw) == 0 {
		return nil, invalid(wire.PartModel, "is empty; send the project as JSON")
	}
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, invalid(wire.PartModel, "is not JSON: %v", err)
		}
		if len(list) != 1 {
			return nil, invalid(wire.PartModel, "holds %d projects; send one", len(list))
		}
		raw = list[0]
	}
	b, err := readMembers(wire.PartModel, raw)
	if err != nil {
		return nil, err
	}
	m := &projectModel{}
	m.project.Name = strings.TrimSpace(member[string](b, "name"))
	m.project.Type = member[string](b, "type")
	m.project.Source = member[string](b, "sourceLanguage")
	m.project.Targets = member[[]string](b, "targetLanguages")
	m.toVendor = member[*bool](b, "assignToVendor")
	m.stageWords = member[[]string](b, "workflowStages")
	m.project.Description = member[string](b, "description")
	m.project.Deadline = member[string](b, "deadline")
	m.project.ExternalTag = member[string](b, "externalTag")
	m.project.ClientID = member[string](b, "clientId")
	m.project.DomainID = member[int](b, "domainId")
	m.project.ForTesting = member[bool](b, "isForTesting")
	m.properties = member[json.RawMessage](b, "documentProperties")
	m.useMachine, m.translated = member[bool](b, "useMT"), member[bool](b, "pretranslate")
	m.memoryName = strings.TrimSpace(member[string](b, "translationMemoryName"))
	m.useMemory = member[bool](b, "useTranslationMemory") || m.memoryName != ""
	if b.err != nil {
		return nil, b.err
	}
	return m, m.check()
}

func (m *projectModel) check() error {
	if m.project.Name == "" {
		return invalid("name", "is missing; a project has a name")
	}
	if m.toVendor == nil {
		return invalid("assignToVendor", "is missing; give true or false")
	}
	m.project.ToVendor = *m.toVendor
	switch {
	case m.project.Type == "" || strings.EqualFold(m.project.Type, wire.ProjectTypeDefault):
		m.project.Type = wire.ProjectTypeDefault
	case strings.EqualFold(m.project.Type, wire.ProjectTypeLocalization):
		m.project.Type = wire.ProjectTypeLocalization
	default:
		return invalid("type", "%q is neither %s nor %s", m.project.Type, wire.ProjectTypeDefault, wire.ProjectTypeLocalization)
	}
	if err := m.project.checkLanguages("sourceLanguage", "targetLanguages"); err != nil {
		return err
	}
	if err := checkDeadline(m.project.Deadline); err != nil {
		return err
	}
	words := slices.Clone(m.stageWords)
	if len(words) == 0 {
		words = slices.Clone(stagesOfDocuments)
		if m.project.Type == wire.ProjectTypeLocalization {
			words = slices.Clone(stagesOfLocalization)
		}
	}
	for i, word := range words {
		at := slices.IndexFunc(stageTypes, func(known string) bool { return strings.EqualFold(known, word) })
		if at < 0 {
			return invalid("workflowStages", "%q is none of %s", word, strings.Join(stageTypes, ", "))
		}
		words[i] = stageTypes[at]
	}
	m.project.Stages = newStages(words)
	return nil
}

func newStages(types []string) []stage {
	out := make([]stage, len(types))
	for i, t := range types {
		out[i] = stage{ID: uuid.NewString(), Type: t}
	}
	return out
}

// checkLanguages puts the codes into the spelling of the table, and refuses unknown ones and a target that is the source.
func (p *project) checkLanguages(sourceField, targetField string) (err error) {
	if p.Source == "" {
		return invalid(sourceField, "is missing")
	}
	if p.Source, err = languageCode(sourceField, p.Source); err != nil {
		return err
	}
	if len(p.Targets) == 0 {
		return invalid(targetField, "is missing or empty; name at least one")
	}
	p.Targets, err = targetCodes(targetField, p.Targets, p.Source)
	return err
}

// targetCodes reads a list of target languages; none of them may be the source language.
func targetCodes(field string, words []string, source string) ([]string, error) {
	var codes []string
	for _, word := range words {
		code, err := languageCode(field, word)
		if err != nil {
			return nil, err
		}
		if code == source {
			return nil, invalid(field, "%s is the source language", code)
		}
		codes = union(codes, []string{code})
	}
	return codes, nil
}

func checkDeadline(text string) error {
	if text == "" {
		return nil
	}
	if _, err := readTime(text); err != nil {
		return invalid("deadline", "%q is not an ISO 8601 timestamp like 2026-11-30T12:00:00Z", text)
	}
	return nil
}

// localizationProject returns a project that keys can be imported into and exported from. As the interface wants it for these
// operations, one that is unknown is as forbidden as one of another account.
func (st *store) localizationProject(id string) (*project, error) {
	p, err := st.project(id)
	var refused *problem
	if errors.As(err, &refused) && refused.status == http.StatusNotFound {
		return nil, refuse(http.StatusForbidden, "there is no project %s in this account", id)
	}
	if err != nil {
		return nil, err
	}
	if p.Type != wire.ProjectTypeLocalization {
		return nil, refuse(http.StatusForbidden, "the project %s translates documents; keys go into a project of type %s", id, wire.ProjectTypeLocalization)
	}
	return p, nil
}

// project returns a project of this account: a malformed identifier gives a 400, an unknown one a 404, another account's a 403.
func (st *store) project(id string) (*project, error) {
	var p *project
	err := st.view(func(tx *Tx) error {
		var err error
		p, err = projectIn(tx, id)
		return err
	})
	return p, err
}

func projectIn(tx *Tx, id string) (*project, error) {
	id, err := projectID(id)
	if err != nil {
		return nil, err
	}
	p, err := projectOf(tx, id)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, refuse(http.StatusNotFound, "there is no project %s", id)
	case p.Account != tx.account():
		return nil, refuse(http.StatusForbidden, "the project %s belongs to another account", id)
	}
	return p, nil
}

// projectID checks that an identifier has the form of one.
func projectID(id string) (string, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return "", invalid(wire.ProjectID, "%q is not a project identifier: 36 characters like %s", id, uuid.Nil)
	}
	return parsed.String(), nil
}

// change runs do on a project within a transaction and stores what it made of it.
func (st *store) change(id string, do func(tx *Tx, p *project) error) error {
	return st.update(func(tx *Tx) error {
		p, err := projectIn(tx, id)
		if err != nil {
			return err
		}
		if err := do(tx, p); err != nil {
			return err
		}
		p.Modified = tx.now()
		return putProject(tx, p)
	})
}

// readTime reads an ISO 8601 timestamp in the forms that clients send: with zone or without (UTC), with or without seconds, or a date. A
// space stands for the plus sign that a query decodes away.
func readTime(s string) (time.Time, error) {
	s = strings.TrimSpace(s)
	if at := len(s) - 6; at > 10 && s[at] == ' ' {
		s = s[:at] + "+" + s[at+1:]
	}
	var err error
	for _, layout := range []string{time.RFC3339Nano, "2006-01-02T15:04Z07:00", "2006-01-02T15:04:05.999999999", "2006-01-02T15:04", "2006-01-02 15:04:05", time.DateOnly,
		"2006-01-02T15:04:05.999999999Z0700", "20060102T150405Z"} {
		var t time.Time
		if t, err = time.Parse(layout, s); err == nil {
			return t, nil
		}
	}
	return time.Time{}, err
}
