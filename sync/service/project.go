package service

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/wire"
)

// Projects are the operations on projects.
type Projects struct{ client *Client }

// Projects are the operations on projects.
func (c *Client) Projects() Projects { return Projects{c} }

// NewProject is what a project is created from.
type NewProject struct {
	Name            string
	SourceLanguage  string
	TargetLanguages []string
	Description     string
	Deadline        string   // ISO 8601; empty: none
	WorkflowStages  []string // empty: the service's default
	ExternalTag     string
	Template        string // identifier of the template that the rest is from; empty: none
	Documents       bool   // a project for documents; the default is one for software localization

	// What follows is for projects for documents.
	Files                 []NewDocument // become documents at once; more can be added later
	UseMT                 bool
	Pretranslate          bool // apply the writable memory and, with UseMT, machine translation to new documents
	UseTranslationMemory  bool
	TranslationMemoryName string // of the memory that is read and written; empty: the service's choice
	ProjectTasks          bool   // work is given out by task (not shown in the service interface)
}

// NewDocument is a file that becomes a document, with what the service is to know about it. The zero model says
// nothing.
type NewDocument struct {
	File
	Model DocumentModel
}

// DocumentParts are the parts and the models of new documents, in their order.
func DocumentParts(documents []NewDocument) ([]Part, []DocumentModel) {
	parts := make([]Part, 0, len(documents))
	models := make([]DocumentModel, 0, len(documents))
	for i := range documents {
		parts = append(parts, FilePart(wire.PartFile, &documents[i].File))
		models = append(models, documents[i].Model)
	}
	return parts, models
}

// Create creates a project and returns its record: POST /v1/project/create (service interface, document-based
// projects), multipart, the model in one part without a file name and every file in one of its own. It is not
// repeated when its answer is lost: look with List then. 400 (ErrRefused): the model, named by its member; 403
// (ErrAuth): a personal account; 409 (ErrRefused): two documents of one name.
func (ps Projects) Create(ctx context.Context, p NewProject) (Project, error) {
	var bad error
	switch {
	case p.Name == "" || p.SourceLanguage == "" || len(p.TargetLanguages) == 0:
		bad = errors.New("it needs a name, a source language and at least one target language")
	case len(p.Files) > 0 && !p.Documents:
		bad = errors.New("a project for software localization is created without files; import them")
	}
	files, models := DocumentParts(p.Files)
	var created Project
	err := ps.client.Do(ctx, Call{
		Op: "create project", Bad: bad, Method: http.MethodPost, Path: wire.PathProjectCreate,
		Parts: append([]Part{ModelPart(wire.PartModel, p.model(models))}, files...), Changes: true,
		Read: projectRecord(&created, every),
	})
	return created, err
}

func (p *NewProject) model(documents []DocumentModel) wire.ProjectCreate {
	kind := wire.ProjectTypeLocalization
	if p.Documents {
		kind = wire.ProjectTypeDefault
	}
	m := wire.ProjectCreate{
		Name: p.Name, SourceLanguage: p.SourceLanguage, TargetLanguages: p.TargetLanguages, AssignToVendor: new(bool),
		Type: kind, Description: p.Description, Deadline: p.Deadline, WorkflowStages: p.WorkflowStages,
		ExternalTag: p.ExternalTag, TemplateID: p.Template,
		UseMT: ifTrue(p.UseMT), Pretranslate: ifTrue(p.Pretranslate),
		UseTranslationMemory:  ifTrue(p.UseTranslationMemory),
		TranslationMemoryName: p.TranslationMemoryName, EnableProjectTasks: ifTrue(p.ProjectTasks),
	}
	if p.ProjectTasks {
		m.AssignmentMode = "projectTask"
	}
	// The service interface has one object for all files, the published description one for each.
	same := func(d DocumentModel) bool { return reflect.DeepEqual(d, documents[0]) }
	switch {
	case len(documents) == 0 || all(documents, func(d DocumentModel) bool { return reflect.ValueOf(d).IsZero() }):
	case all(documents, same):
		m.DocumentProperties.ForAll = &documents[0]
	default:
		m.DocumentProperties.Each = documents
	}
	return m
}

func all[T any](items []T, is func(T) bool) bool {
	return !slices.ContainsFunc(items, func(i T) bool { return !is(i) })
}

func ifTrue(is bool) *bool {
	if is {
		return &is
	}
	return nil
}

// Read reads a project's record without its documents, see WithDocuments: GET /v1/project/{projectId} (service
// interface, document-based projects; the names of its members are the published description's). A project of another
// account is ErrAuth, one that does not exist is ErrNotFound or, at some services, ErrAuth as well.
func (ps Projects) Read(ctx context.Context, id string) (Project, error) {
	var p Project
	err := ps.record(ctx, id, projectRecord(&p, nil))
	return p, err
}

// WithDocuments is Read with the documents, which may be many: one for each file and language.
func (ps Projects) WithDocuments(ctx context.Context, id string) (Project, error) {
	var p Project
	err := ps.record(ctx, id, projectRecord(&p, every))
	return p, err
}

// WithSome is WithDocuments of a project of any size: it has the documents that keep wants, as keep leaves them. The
// others are forgotten as they come. Hundreds of thousands have room that keep leaves nothing but names of.
func (ps Projects) WithSome(ctx context.Context, id string, keep func(*wire.Document) bool) (Project, error) {
	var p Project
	err := ps.record(ctx, id, projectRecord(&p, keep))
	return p, err
}

func (ps Projects) record(ctx context.Context, id string, read Reader) error {
	return ps.client.Do(ctx, Call{
		Op: "read project", Bad: Named("project", id), Method: http.MethodGet, Path: PathOf(wire.PathProject, id),
		Repeatable: true, Read: read,
	})
}

// every keeps all documents of a record.
func every(*wire.Document) bool { return true }

// keptDocument is what a document takes that is kept, beside its texts.
const keptDocument = 400

// projectRecord reads a record, which must have an id, as a stream: its documents are many in large projects. Those are
// kept that keep wants; none where it is nil.
func projectRecord(p *Project, keep func(*wire.Document) bool) Reader {
	return func(a *Answer) error {
		*p = Project{}
		var kept int64
		budget, each := bound.JSON{Bytes: a.limits.decoded, Element: a.limits.json / 8}, bound.Leave
		if keep != nil {
			each = func(d *json.Decoder) error {
				var one wire.Document
				from := d.InputOffset()
				if err := otherType(d.Decode(&one)); err != nil || !keep(&one) {
					return err
				}
				p.Documents = append(p.Documents, one)
				if one.WorkflowStages == nil {
					kept += keptDocument + int64(len(one.ID)+len(one.Name)+len(one.FullPath)+len(one.Filename)+
						len(one.ExternalID)+len(one.MetaInfo)+len(one.RevisionLabel))
				} else {
					kept += keptDocument + d.InputOffset() - from
				}
				if most := 10 * a.limits.json; kept > most {
					return fmt.Errorf("too many documents: %w", &bound.Exceeded{What: "bytes", Most: most})
				}
				return nil
			}
		}
		rest, err := budget.Object(a.Body, "documents", each)
		if err == nil {
			documents := p.Documents
			if err = otherType(json.Unmarshal(rest, p)); err != nil {
				err = errors.New(a.redact(clean(err.Error())))
			}
			p.Documents = documents
		}
		switch {
		case bound.Is(err):
			return local{fmt.Errorf("%w: %w", ErrUnusable, err)}
		case err != nil:
			return fmt.Errorf("%w: %w", ErrUnusable, err)
		case p.ID == "":
			return fmt.Errorf("%w: it is not a project record", ErrUnusable)
		}
		return nil
	}
}

// ProjectFilter narrows List; empty fields do not.
type ProjectFilter struct {
	Name        string // a part of the name
	ExternalTag string // a part of the tag
}

// List reads the records of all projects of the account that match, page by page: GET /v2/project/list (service
// interface, methods named without detail; offset, limit and the filters are the published description's).
func (ps Projects) List(ctx context.Context, f ProjectFilter) ([]Project, error) {
	return Pages(wire.MaxProjectsPerPage, func(p Project) string { return p.ID }, func(skip int) ([]Project, error) {
		return ps.page(ctx, f, skip, wire.MaxProjectsPerPage)
	})
}

func (ps Projects) page(ctx context.Context, f ProjectFilter, offset, limit int) ([]Project, error) {
	q := url.Values{}
	q.Set(wire.QueryOffset, strconv.Itoa(offset))
	q.Set(wire.QueryLimit, strconv.Itoa(limit))
	if f.Name != "" {
		q.Set(wire.QueryProjectName, f.Name)
	}
	if f.ExternalTag != "" {
		q.Set(wire.QueryExternalTag, f.ExternalTag)
	}
	return Get[wire.List[Project]](ctx, ps.client, Call{Op: "list projects", Path: wire.PathProjectList, Query: q})
}

// ForDocuments reports whether a project translates documents, not keys, as far as that can be known: its record does
// not tell, and of the lists that of v1 alone has a filter, projectType (published description). A service without it
// lists the project either way. It is not repeated: what cannot be known now is not worth waiting for.
func (ps Projects) ForDocuments(ctx context.Context, p Project) (bool, error) {
	for _, kind := range []string{wire.ProjectTypeLocalization, wire.ProjectTypeOthers} {
		found, err := Get[wire.List[Project]](ctx, ps.client, Call{Op: "list projects by type",
			Path: wire.PathProjectListV1, Query: url.Values{wire.QueryProjectType: {kind}, wire.QueryProjectName: {p.Name},
				wire.QueryWithDocuments: {"false"}, wire.QueryLimit: {strconv.Itoa(wire.MaxProjectsPerPage)}}, once: true},
			Reader.UnlessEmpty)
		if err != nil || slices.ContainsFunc(found, func(f Project) bool { return f.ID == p.ID }) {
			return err == nil && kind == wire.ProjectTypeOthers, err
		}
	}
	return false, nil
}

// Templates lists what projects of the account can be made from: GET /v1/template (published description).
func (ps Projects) Templates(ctx context.Context) ([]wire.Template, error) {
	all, err := Get[wire.Templates](ctx, ps.client, Call{Op: "list templates", Path: wire.PathTemplates})
	return all.Templates, err
}

// ProjectChange is what Update changes; nil fields stay as they are.
type ProjectChange struct {
	Name        *string
	Deadline    *string // ISO 8601; the empty text takes the deadline away
	Description *string
	ExternalTag *string
}

// Update changes a project's settings: PUT /v1/project/{projectId} (service interface, document-based
// projects). What an update leaves out may be lost at the service, so the record is read first, and name and
// deadline are sent in any case. A change that is made between the two requests is overwritten.
func (ps Projects) Update(ctx context.Context, id string, change ProjectChange) error {
	const op = "update project"
	p, err := ps.Read(ctx, id)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	update := wire.ProjectUpdate{Name: &p.Name, Description: change.Description, ExternalTag: change.ExternalTag}
	if change.Name != nil {
		update.Name = change.Name
	}
	if change.Deadline != nil {
		p.Deadline = *change.Deadline
	}
	if p.Deadline != "" {
		update.Deadline = &p.Deadline
	}
	return ps.client.Do(ctx, Call{
		Op: op, Method: http.MethodPut, Path: PathOf(wire.PathProject, id),
		Body: update, Repeatable: true, Changes: true,
	})
}

// Delete deletes a project with everything in it: DELETE /v1/project/{projectId} (published description; the service
// interface speaks of it without a path).
func (ps Projects) Delete(ctx context.Context, id string) error {
	return ps.client.Do(ctx, Call{
		Op: "delete project", Bad: Named("project", id), Method: http.MethodDelete, Path: PathOf(wire.PathProject, id),
		Repeatable: true, Changes: true,
	})
}

// Complete completes a project by hand, with all of its documents: POST /v1/project/complete, whose parameter
// projectId is not shown in the service interface. Results can be exported without it. 404 is ErrNotFound, 409
// (it is cancelled) ErrRefused.
func (ps Projects) Complete(ctx context.Context, id string) error {
	return ps.status(ctx, "complete project", wire.PathProjectComplete, id)
}

// Cancel cancels a project: POST /v1/project/cancel (published description).
func (ps Projects) Cancel(ctx context.Context, id string) error {
	return ps.status(ctx, "cancel project", wire.PathProjectCancel, id)
}

// Restore takes back Cancel: POST /v1/project/restore (published description).
func (ps Projects) Restore(ctx context.Context, id string) error {
	return ps.status(ctx, "restore project", wire.PathProjectRestore, id)
}

func (ps Projects) status(ctx context.Context, op, path, id string) error {
	return ps.client.Do(ctx, Call{
		Op: op, Bad: Named("project", id), Method: http.MethodPost, Path: path,
		Query: url.Values{wire.QueryProjectID: {id}}, Changes: true,
	})
}

// AddTargets adds target languages to a project: POST /v1/project/{projectId}/software-localization/targets
// (service interface, software localization). Those that it has already do no harm. A service without this
// operation gets them one by one, see AddLanguage. 400 (ErrRefused): a code that the service does not know.
func (ps Projects) AddTargets(ctx context.Context, project string, languages []string) error {
	const op = "add target languages"
	bad := cmp.Or(Named("project", project), CheckList("language", languages))
	if len(languages) == 0 {
		bad = errors.New("no languages")
	}
	err := ps.client.Do(ctx, Call{
		Op: op, Bad: bad, Method: http.MethodPost, Path: PathOf(wire.PathTargets, project), Repeatable: true, Changes: true,
		Query: url.Values{wire.QueryTargetLanguages: {strings.Join(languages, ",")}},
	})
	if !Missing(err) {
		return err
	}
	p, err := ps.Read(ctx, project)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for _, language := range languages {
		has := func(l string) bool { return strings.EqualFold(l, language) }
		if slices.ContainsFunc(p.TargetLanguages, has) {
			continue
		}
		if err := ps.AddLanguage(ctx, project, language, true); err != nil {
			return err
		}
	}
	return nil
}

// AddLanguage adds one target language to a project, and to its documents or not: POST /v1/project/language (published
// description). A language cannot be taken away again. 400 (ErrRefused): the source language, or an unknown code.
func (ps Projects) AddLanguage(ctx context.Context, project, language string, toDocuments bool) error {
	return ps.client.Do(ctx, Call{
		Op:     "add target language " + language,
		Bad:    cmp.Or(Named("project", project), CheckList("language", []string{language})),
		Method: http.MethodPost, Path: wire.PathProjectLanguage, Changes: true,
		Query: url.Values{
			wire.QueryProjectID: {project}, wire.QueryTargetLanguage: {language},
			wire.QueryAddToDocuments: {strconv.FormatBool(toDocuments)},
		},
	})
}
