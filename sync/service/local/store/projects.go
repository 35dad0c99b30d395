package store

import (
	"encoding/json"
	"errors"
	"net/http"
	"slices"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/wire"
)

// Project is the stored record of a project. Its keys lie elsewhere (see collection).
type Project struct {
	ID      string   `json:"id"`
	Account string   `json:"account"`
	Type    string   `json:"type"`
	Name    string   `json:"name"`
	Source  string   `json:"source"`
	Targets []string `json:"targets"`
	Stages  []Stage  `json:"stages"`
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
	Memories          []AttachedMemory     `json:"memories,omitempty"`
	Engines           []AssignedEngine     `json:"engines,omitempty"`
	Rules             []PretranslationRule `json:"rules,omitempty"`
	FuzzyRepetitions  bool                 `json:"fuzzyRepetitions,omitempty"`
	DocumentsRevision int                  `json:"documentsRevision,omitempty"` // rises when documents come, change or go
}

// Stage is one step that a translation passes.
type Stage struct {
	ID   string `json:"id"`
	Type string `json:"type"`
}

// Speaks reports whether a language is the project's source or one of its targets.
func (p *Project) Speaks(code string) bool {
	return code == p.Source || slices.Contains(p.Targets, code)
}

// Level is a completion state as it counts in this project: with a single stage, what is confirmed on the first is
// confirmed on all.
func (p *Project) Level(s State) State {
	if s == Intermediate && len(p.Stages) == 1 {
		return Final
	}
	return s
}

func (p *Project) SetStatus(s wire.ProjectStatus, now int64) {
	if p.Status != s {
		p.Status, p.StatusAt = s, now
	}
}

// AddProject stores a new project; a localization project comes with its main collection.
func AddProject(tx *Tx, p *Project) error {
	now := tx.Now()
	p.Created, p.Modified, p.Status, p.StatusAt = now, now, wire.ProjectCreated, now
	err := errors.Join(PutProject(tx, p), PutNote(tx, NotedProjectCreated, "", Noted{Project: p.ID, Name: p.Name}))
	if err != nil {
		return err
	}
	if p.Type != wire.ProjectTypeLocalization {
		return nil
	}
	return MakeCollection(tx, p.ID, wire.DefaultCollection, p.Targets)
}

// CheckLanguages puts the codes into the spelling of the table, and refuses unknown ones and a target that is the
// source.
func (p *Project) CheckLanguages(sourceField, targetField string) (err error) {
	if p.Source == "" {
		return api.Invalid(sourceField, "is missing")
	}
	if p.Source, err = api.LanguageCode(sourceField, p.Source); err != nil {
		return err
	}
	if len(p.Targets) == 0 {
		return api.Invalid(targetField, "is missing or empty; name at least one")
	}
	p.Targets, err = api.TargetCodes(targetField, p.Targets, p.Source)
	return err
}

// LocalizationProject returns a project that keys can be imported into and exported from. As the interface wants it
// for these operations, one that is unknown is as forbidden as one of another account.
func (st *Store) LocalizationProject(id string) (*Project, error) {
	p, err := st.Project(id)
	var refused *api.Problem
	if errors.As(err, &refused) && refused.Status == http.StatusNotFound {
		return nil, api.Refuse(http.StatusForbidden, "there is no project %s in this account", id)
	}
	if err != nil {
		return nil, err
	}
	if p.Type != wire.ProjectTypeLocalization {
		return nil, api.Refuse(http.StatusForbidden,
			"the project %s translates documents; keys go into a project of type %s", id, wire.ProjectTypeLocalization)
	}
	return p, nil
}

// Project returns a project of this account: a malformed identifier gives a 400, an unknown one a 404, another
// account's a 403.
func (st *Store) Project(id string) (*Project, error) {
	return Read(st, func(tx *Tx) (*Project, error) { return ProjectIn(tx, id) })
}

func ProjectIn(tx *Tx, id string) (*Project, error) {
	id, err := ProjectID(id)
	if err != nil {
		return nil, err
	}
	p, err := ProjectOf(tx, id)
	switch {
	case err != nil:
		return nil, err
	case p == nil:
		return nil, api.Refuse(http.StatusNotFound, "there is no project %s", id)
	case p.Account != tx.Account():
		return nil, api.Refuse(http.StatusForbidden, "the project %s belongs to another account", id)
	}
	return p, nil
}

// ProjectID checks that an identifier has the form of one.
func ProjectID(id string) (string, error) {
	parsed, err := uuid.Parse(id)
	if err != nil || len(id) != 36 {
		return "", api.Invalid(wire.ProjectID, "%q is not a project identifier: 36 characters like %s", id, uuid.Nil)
	}
	return parsed.String(), nil
}

// Change runs do on a project within a transaction and stores what it made of it.
func (st *Store) Change(id string, do func(tx *Tx, p *Project) error) error {
	return st.Update(func(tx *Tx) error {
		p, err := ProjectIn(tx, id)
		if err != nil {
			return err
		}
		if err := do(tx, p); err != nil {
			return err
		}
		p.Modified = tx.Now()
		return PutProject(tx, p)
	})
}

// ProjectOf returns a project of any account, nil where there is none.
func ProjectOf(tx *Tx, id string) (*Project, error) {
	p, _, err := getRecord[Project](tx.bucket(bucketProjects), id)
	return p, err
}

func PutProject(tx *Tx, p *Project) error { return putRecord(tx.bucket(bucketProjects), p.ID, p) }

// RemoveProject takes away a project with everything that belongs to it.
func RemoveProject(tx *Tx, p *Project) error {
	if collectionsOf(tx, p.ID) != nil {
		if err := tx.bucket(bucketKeys).DeleteBucket([]byte(p.ID)); err != nil {
			return err
		}
	}
	return errors.Join(PutNote(tx, NotedProjectDeleted, "", Noted{Project: p.ID, Name: p.Name}),
		removeDocuments(tx, p.ID), removeTasks(tx, p.ID), tx.bucket(bucketStatistics).Delete([]byte(p.ID)),
		tx.bucket(bucketProjects).Delete([]byte(p.ID)))
}

// ProjectNamed finds a project of this account by its name.
func ProjectNamed(tx *Tx, name string) (found *Project, err error) {
	err = EachProject(tx, func(p *Project) {
		if p.Name == name {
			found = p
		}
	})
	return found, err
}

// EachProject calls do with the projects of the account.
func EachProject(tx *Tx, do func(p *Project)) error {
	return tx.bucket(bucketProjects).ForEach(func(_, raw []byte) error {
		p := new(Project)
		if err := json.Unmarshal(raw, p); err != nil {
			return err
		}
		if p.Account == tx.Account() {
			do(p)
		}
		return nil
	})
}

// AssignedEngine is an engine of a project with the languages that it translates into.
type AssignedEngine struct {
	ID        string   `json:"id"`
	Languages []string `json:"languages"`
}

// Translates tells whether a project has an engine for a language.
func (p *Project) Translates(code string) bool {
	return slices.ContainsFunc(p.Engines, func(e AssignedEngine) bool { return slices.Contains(e.Languages, code) })
}

// EngineOf is the engine that translates into a language; empty where none does.
func (p *Project) EngineOf(code string) string {
	for _, e := range p.Engines {
		if slices.Contains(e.Languages, code) {
			return e.ID
		}
	}
	return ""
}

// PretranslationRule is a source of translations that a document's empty segments are filled from. Rules are followed
// in their order; the first that has something fills a segment.
type PretranslationRule struct {
	Type      wire.RuleType `json:"type"`
	Order     int           `json:"order"`
	Stage     string        `json:"stage,omitempty"`  // identifier of the stage that it is confirmed at; empty: it is not
	Memory    string        `json:"memory,omitempty"` // empty: any of the project
	Threshold int           `json:"threshold,omitempty"`
	MinWords  int           `json:"minWords,omitempty"`

	Quality   *int     `json:"quality,omitempty"`   // of wire.RuleQuality: the least score
	Assurance string   `json:"assurance,omitempty"` // of wire.RuleMemory: how sure units must be
	Profile   string   `json:"profile,omitempty"`   // of wire.RuleAssurance, as is
	Blocking  []string `json:"blocking,omitempty"`  // identifiers of kinds of errors
}

// PretranslationJob fills the segments of documents that have no translation.
type PretranslationJob struct {
	Documents []string `json:"documents"`
}

// StageNumber is the position of a stage, from 1; 0 when the project does not have it.
func (p *Project) StageNumber(id string) int {
	return slices.IndexFunc(p.Stages, func(st Stage) bool { return st.ID == id }) + 1
}

// PseudoRule is the machine without an engine that the project was given; it confirms at the last stage, so that a
// default export has it.
const PseudoRule wire.RuleType = "pseudo"
