package projects

import (
	"cmp"
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strings"

	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/folder"
	"github.com/locsync/locsync/sync/service/wire"
)

// TemplatesFile is the name of the file that names the templates of projects, in the folder of the service.
const TemplatesFile = "templates.json"

const mostTemplates = 1 << 20 // bytes of the file

// template is what a project is made with where its own model does not say it, as the file has it.
type template struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	Stages       []string `json:"workflowStages,omitempty"`
	Memory       bool     `json:"useTranslationMemory,omitempty"`
	Machine      bool     `json:"useMT,omitempty"`
	Pretranslate bool     `json:"pretranslate,omitempty"`
}

// readTemplates reads the templates of a folder; a folder without the file has none.
func readTemplates(dir string) (all []template, err error) {
	file := filepath.Join(dir, TemplatesFile)
	if _, err := folder.Settings(file, mostTemplates, "an array of templates", &all); err != nil {
		return nil, err
	}
	known := make(map[string]bool)
	for i, t := range all {
		id := strings.ToLower(t.ID)
		if uuid.Validate(t.ID) != nil || t.Name == "" || known[id] {
			return nil, fmt.Errorf("%s: template %d: want an id of its own (a UUID) and a name", file, i+1)
		}
		if known[id] = true; unknownStage(t.Stages) != "" {
			return nil, fmt.Errorf("%s: template %d: the stage %q is none of %s", file, i+1, unknownStage(t.Stages),
				strings.Join(stageTypes, ", "))
		}
	}
	return all, nil
}

// unknownStage is the first word that is not a stage; "" where all are.
func unknownStage(words []string) string {
	for _, word := range words {
		if !slices.ContainsFunc(stageTypes, func(known string) bool { return strings.EqualFold(known, word) }) {
			return word
		}
	}
	return ""
}

// listTemplates answers GET /v1/template.
func (s *Service) listTemplates(c *api.Call) error {
	out := wire.Templates{Templates: []wire.Template{}}
	for _, t := range s.templates {
		out.Templates = append(out.Templates, wire.Template{ID: t.ID, Name: t.Name})
	}
	return c.Answer(http.StatusOK, out)
}

// follow fills in what a model leaves to its template.
func (s *Service) follow(id string, m *projectModel) error {
	if id == "" {
		return nil
	}
	i := slices.IndexFunc(s.templates, func(t template) bool { return strings.EqualFold(t.ID, id) })
	if i < 0 {
		return api.Invalid("templateId", "there is no template %s; GET %s lists them", id, wire.Prefix+wire.PathTemplates)
	}
	t := s.templates[i]
	m.project.Description = cmp.Or(m.project.Description, t.Description)
	if len(m.stageWords) == 0 {
		m.stageWords = t.Stages
	}
	m.useMemory, m.useMachine = m.useMemory || t.Memory, m.useMachine || t.Machine
	m.translated = m.translated || t.Pretranslate
	return nil
}
