// Package projects makes, lists, changes and removes the projects of the embedded service, and tells how far they are.
//
// Its law: a project's languages are added to, never taken away, and its name is its own in the account. What is in a
// project belongs to the packages keys and documents.
package projects

import (
	"bytes"
	"cmp"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/documents"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// stageTypes are the words that stages are made from.
var stageTypes = []string{"translation", "editing", "proofreading", "postediting", "finalPageProof", "notarization",
	"certifiedTranslation",
	"transcreation", "legalization", "preliminaryPageProof", "lQAReview", "subtitleReview", "voiceOverReview",
	"sourceReview"}

// Stages of a project that was made without a word on them. A localization project has two, so that the three
// completion states of the service interface are three.
var (
	stagesOfLocalization = []string{"translation", "editing"}
	StagesOfDocuments    = []string{"translation"}
)

// projectModel is the body that makes a project. Members of the wrong type are named one by one, so it is read member
// by member.
type projectModel struct {
	project    store.Project
	stageWords []string
	toVendor   *bool

	// Of a project of documents.
	properties                        json.RawMessage // the models of the files that came along
	useMachine, useMemory, translated bool
	memoryName                        string
}

// Service answers the calls about projects.
type Service struct {
	store     *store.Store
	documents *documents.Service
	trial     bool // pseudo-translations are drafts
	templates []template
}

// New takes the templates of projects from the service's folder. An error says what to change in their file.
func New(st *store.Store, documents *documents.Service, trial bool, dir string) (*Service, error) {
	templates, err := readTemplates(dir)
	return &Service{st, documents, trial, templates}, err
}

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
		wire.PathProjectCreate:   {"POST": s.createProject},
		wire.PathProjectList:     {"GET": s.listProjects},
		wire.PathProjectListV1:   {"GET": s.listProjectsV1},
		wire.PathProject:         {"GET": s.getProject, "PUT": s.updateProject, "DELETE": s.deleteProject},
		wire.PathProjectComplete: {"POST": s.completeProject},
		wire.PathProjectCancel:   {"POST": s.cancelProject},
		wire.PathProjectRestore:  {"POST": s.restoreProject},
		wire.PathProjectLanguage: {"POST": s.addLanguage, "DELETE": s.removeLanguage},
		wire.PathTargets:         {"POST": s.addTargets},
		wire.PathTemplates:       {"GET": s.listTemplates},
	}
}

// createProject answers POST /v1/project/create.
func (s *Service) createProject(c *api.Call) error {
	raw, sent, err := projectBody(c)
	if err != nil {
		return err
	}
	m, err := s.readProjectModel(raw)
	if err != nil {
		return err
	}
	if len(sent) > 0 && m.project.Type == wire.ProjectTypeLocalization {
		return api.Invalid(wire.PartFile, "a localization project is made without files; import them with POST %s",
			wire.Prefix+wire.PathImport)
	}
	p := m.project
	p.ID, p.Account = uuid.NewString(), s.store.Account
	models, err := documents.ReadDocumentModels("documentProperties", m.properties, len(sent))
	if err != nil {
		return err
	}
	for i := range models {
		if err := models[i].ReadSettings(""); err != nil {
			return err
		}
	}
	uploads, done, err := documents.ReadUploads(c, &p, sent, models)
	if err != nil {
		return err
	}
	defer done()
	var out *wire.Project
	err = s.store.Update(func(tx *store.Tx) error {
		if err := store.AddProject(tx, &p); err != nil {
			return err
		}
		if err := equip(tx, &p, m); err != nil {
			return err
		}
		if len(uploads) > 0 {
			if _, err := s.documents.AddUploads(tx, &p, uploads); err != nil {
				return err
			}
		}
		if err := store.PutProject(tx, &p); err != nil {
			return err
		}
		out, err = s.recordIn(tx, &p)
		return err
	})
	return c.Reply(out, err)
}

// equip gives a new project what its model asks for: a memory of its own, the engine for all languages, and the rules
// that fill documents from them.
func equip(tx *store.Tx, p *store.Project, m *projectModel) error {
	if p.Type == wire.ProjectTypeLocalization {
		return nil
	}
	if m.useMemory {
		r := store.MemoryRecord{ID: uuid.NewString(), Account: p.Account, Name: cmp.Or(m.memoryName, p.Name),
			Source: p.Source, Targets: p.Targets, Created: tx.Now(), Automatic: true}
		if _, err := store.CreateMemory(tx, r); err != nil {
			return err
		}
		p.Memories = []store.AttachedMemory{{ID: r.ID, Threshold: wire.MinMatchThreshold, Writable: true}}
		if m.translated {
			p.Rules = append(p.Rules, store.PretranslationRule{Type: wire.RuleMemory, Order: 1, Threshold: 100})
		}
	}
	if m.useMachine {
		p.Engines = []store.AssignedEngine{{ID: documents.PseudoEngineID, Languages: p.Targets}}
		if m.translated {
			p.Rules = append(p.Rules, store.PretranslationRule{Type: wire.RuleMachine, Order: len(p.Rules) + 1})
		}
	}
	return nil
}

// projectBody finds the project's JSON in the body, whichever way it came: one part of a multipart body, with a file
// name or without; a form field; or the body itself. sent are the files beside it.
func projectBody(c *api.Call) (model []byte, sent []api.Part, err error) {
	kind := strings.ToLower(c.Request.Header.Get("Content-Type"))
	switch {
	case strings.HasPrefix(kind, "multipart/"):
		if err := c.Bound(api.MaxImport, true); err != nil {
			return nil, nil, err
		}
		parts, err := api.ReadParts(c.Request)
		if err != nil {
			return nil, nil, err
		}
		return modelPart(parts)
	case strings.HasPrefix(kind, "application/x-www-form-urlencoded"):
		if err := c.Bound(api.MaxModel, true); err != nil {
			return nil, nil, err
		}
		if err := c.Request.ParseForm(); err != nil {
			return nil, nil, api.Refuse(http.StatusBadRequest, "the form cannot be read: %v", err)
		}
		for name, v := range c.Request.PostForm {
			if api.IsModelName(name) && len(v) > 0 {
				return []byte(v[0]), nil, nil
			}
		}
		return nil, nil, api.Invalid(wire.PartModel, "the form has no field %q or \"value\" with the project", wire.PartModel)
	}
	model, err = api.ReadBody(c, api.MaxModel)
	return model, nil, err
}

// modelPart tells the model from the files: what has a model's name, else what has no file name, else a .json file that
// holds a project. A body with two of the same rank is refused.
func modelPart(parts []api.Part) (model []byte, sent []api.Part, err error) {
	ranks := []func(p api.Part) bool{
		func(p api.Part) bool { return api.IsModelName(p.Name) },
		func(p api.Part) bool { return !p.IsFile },
		func(p api.Part) bool {
			return strings.HasSuffix(strings.ToLower(p.File), ".json") && projectShape.Match(p.Body)
		},
	}
	for _, is := range ranks {
		found := slices.IndexFunc(parts, is)
		if found < 0 {
			continue
		}
		for i, p := range parts {
			if i != found && (is(p) || !p.IsFile) {
				return nil, nil, api.Invalid(wire.PartModel, "the body has two parts with a project, %q and %q; send one",
					parts[found].Name, p.Name)
			}
		}
		return parts[found].Body, slices.Delete(slices.Clone(parts), found, found+1), nil
	}
	return nil, nil, api.Invalid(wire.PartModel,
		"the body has no part with the project; send its JSON in a part without a file name")
}

// projectShape is how a file with a project begins, rather than one that is to be translated.
var projectShape = regexp.MustCompile(`^\s*(?:\x{FEFF})?\s*\[?\s*\{(?s:.*)"(?i:sourceLanguage|targetLanguages)"\s*:`)

// readProjectModel reads and checks the JSON of a new project: an object, or an array of one.
func (s *Service) readProjectModel(raw []byte) (*projectModel, error) {
	raw = bytes.TrimSpace(bytes.TrimPrefix(raw, []byte("\xef\xbb\xbf")))
	if len(raw) == 0 {
		return nil, api.Invalid(wire.PartModel, "is empty; send the project as JSON")
	}
	if raw[0] == '[' {
		var list []json.RawMessage
		if err := json.Unmarshal(raw, &list); err != nil {
			return nil, api.Invalid(wire.PartModel, "is not JSON: %v", err)
		}
		if len(list) != 1 {
			return nil, api.Invalid(wire.PartModel, "holds %d projects; send one", len(list))
		}
		raw = list[0]
	}
	b, err := api.ReadMembers(wire.PartModel, raw)
	if err != nil {
		return nil, err
	}
	m := &projectModel{}
	m.project.Name = strings.TrimSpace(api.Member[string](b, "name"))
	m.project.Type = api.Member[string](b, "type")
	m.project.Source = api.Member[string](b, "sourceLanguage")
	m.project.Targets = api.Member[[]string](b, "targetLanguages")
	m.toVendor = api.Member[*bool](b, "assignToVendor")
	m.stageWords = api.Member[[]string](b, "workflowStages")
	m.project.Description = api.Member[string](b, "description")
	m.project.Deadline = api.Member[string](b, "deadline")
	m.project.ExternalTag = api.Member[string](b, "externalTag")
	m.project.ClientID = api.Member[string](b, "clientId")
	m.project.DomainID = api.Member[int](b, "domainId")
	m.project.ForTesting = api.Member[bool](b, "isForTesting")
	m.properties = api.Member[json.RawMessage](b, "documentProperties")
	m.useMachine, m.translated = api.Member[bool](b, "useMT"), api.Member[bool](b, "pretranslate")
	m.memoryName = strings.TrimSpace(api.Member[string](b, "translationMemoryName"))
	m.useMemory = api.Member[bool](b, "useTranslationMemory") || m.memoryName != ""
	id := api.Member[string](b, "templateId")
	if b.Err != nil {
		return nil, b.Err
	}
	if err := s.follow(id, m); err != nil {
		return nil, err
	}
	return m, m.check()
}

func (m *projectModel) check() error {
	if m.project.Name == "" {
		return api.Invalid("name", "is missing; a project has a name")
	}
	if m.toVendor == nil {
		return api.Invalid("assignToVendor", "is missing; give true or false")
	}
	m.project.ToVendor = *m.toVendor
	switch {
	case m.project.Type == "" || strings.EqualFold(m.project.Type, wire.ProjectTypeDefault):
		m.project.Type = wire.ProjectTypeDefault
	case strings.EqualFold(m.project.Type, wire.ProjectTypeLocalization):
		m.project.Type = wire.ProjectTypeLocalization
	default:
		return api.Invalid("type", "%q is neither %s nor %s", m.project.Type, wire.ProjectTypeDefault,
			wire.ProjectTypeLocalization)
	}
	if err := m.project.CheckLanguages("sourceLanguage", "targetLanguages"); err != nil {
		return err
	}
	if err := api.CheckDeadline(m.project.Deadline); err != nil {
		return err
	}
	words := slices.Clone(m.stageWords)
	if len(words) == 0 {
		words = slices.Clone(StagesOfDocuments)
		if m.project.Type == wire.ProjectTypeLocalization {
			words = slices.Clone(stagesOfLocalization)
		}
	}
	for i, word := range words {
		at := slices.IndexFunc(stageTypes, func(known string) bool { return strings.EqualFold(known, word) })
		if at < 0 {
			return api.Invalid("workflowStages", "%q is none of %s", word, strings.Join(stageTypes, ", "))
		}
		words[i] = stageTypes[at]
	}
	m.project.Stages = NewStages(words)
	return nil
}

func NewStages(types []string) []store.Stage {
	out := make([]store.Stage, len(types))
	for i, t := range types {
		out[i] = store.Stage{ID: uuid.NewString(), Type: t}
	}
	return out
}
