package service

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"reflect"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/service/wire"
)

// NewProject is what a project is created from.
type NewProject struct {
	Name            string
	SourceLanguage  string
	TargetLanguages []string
	AssignToVendor  bool
	Description     string
	Deadline        string   // ISO 8601; empty: none
	WorkflowStages  []string // empty: the service's default
	ExternalTag     string
	Documents       bool // a project for documents; the default is one for software localization

	// What follows is for projects for documents.
	Files                 []NewDocument // become documents at once; more can be added with AddDocuments
	UseMT                 bool
	Pretranslate          bool // apply the writable memory and, with UseMT, machine translation to new documents
	UseTranslationMemory  bool
	TranslationMemoryName string // of the memory that is read and written; empty: the service's choice
	ProjectTasks          bool   // work is given out by task (not shown in the service interface)
}

// CreateProject creates a project and returns its record: POST /v1/project/create (service interface, document-based
// projects), multipart, the model in one part without a file name and every file in one of its own. It is not repeated when its
// answer is lost: look with ListProjects then. 400 (ErrRefused): the model, named by its member; 403 (ErrAuth): a personal
// account; 409 (ErrRefused): two documents of one name.
func (c *Client) CreateProject(ctx context.Context, p NewProject) (Project, error) {
	const op = "create project"
	switch {
	case p.Name == "" || p.SourceLanguage == "" || len(p.TargetLanguages) == 0:
		return Project{}, fmt.Errorf("%s: it needs a name, a source language and at least one target language", op)
	case len(p.Files) > 0 && !p.Documents:
		return Project{}, fmt.Errorf("%s: a project for software localization is created without files; import them", op)
	}
	files, models := documentFiles(p.Files)
	body, err := newForm(append([]formPart{modelPart(wire.PartModel, p.model(models))}, files...)...)
	if err != nil {
		return Project{}, fmt.Errorf("%s: %w", op, err)
	}
	var created Project
	err = c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathProjectCreate, form: body, changes: true,
		read: c.projectRecord(&created, true),
	})
	return created, err
}

func (p *NewProject) model(documents []DocumentModel) wire.ProjectCreate {
	kind := wire.ProjectTypeLocalization
	if p.Documents {
		kind = wire.ProjectTypeDefault
	}
	m := wire.ProjectCreate{
		Name: p.Name, SourceLanguage: p.SourceLanguage, TargetLanguages: p.TargetLanguages, AssignToVendor: &p.AssignToVendor,
		Type: kind, Description: p.Description, Deadline: p.Deadline, WorkflowStages: p.WorkflowStages, ExternalTag: p.ExternalTag,
		UseMT: ifTrue(p.UseMT), Pretranslate: ifTrue(p.Pretranslate), UseTranslationMemory: ifTrue(p.UseTranslationMemory),
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

// Project reads a project's record without its documents, see ProjectDocuments: GET /v1/project/{projectId} (service
// interface, document-based projects; the names of its members are the published description's). A project of another
// account is ErrAuth, one that does not exist is ErrNotFound or, at some services, ErrAuth as well.
func (c *Client) Project(ctx context.Context, id string) (Project, error) {
	var p Project
	err := readProject(ctx, c, id, c.projectRecord(&p, false))
	return p, err
}

// ProjectDocuments is Project with the documents, which may be many: one for each file and language.
func ProjectDocuments(ctx context.Context, c *Client, id string) (Project, error) {
	var p Project
	err := readProject(ctx, c, id, c.projectRecord(&p, true))
	return p, err
}

func readProject(ctx context.Context, c *Client, id string, read func(*http.Response, io.Reader) error) error {
	const op = "read project"
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathProject, id), repeatable: true, read: read,
	})
}

// projectRecord reads a record, which must have an id, as a stream: its documents are many in large projects. They are
// kept where keep says so.
func (c *Client) projectRecord(p *Project, keep bool) func(*http.Response, io.Reader) error {
	return func(resp *http.Response, body io.Reader) error {
		*p = Project{}
		budget, each := bound.JSON{Bytes: c.limits.decoded, Element: c.limits.json / 8}, bound.Leave
		if keep {
			budget.Memory = 5 * c.limits.json
			each = func(d *json.Decoder) error {
				var one Document
				err := d.Decode(&one)
				p.Documents = append(p.Documents, one)
				return otherType(err)
			}
		}
		rest, err := budget.Object(body, "documents", each)
		if err == nil {
			documents := p.Documents
			err = otherType(json.Unmarshal(rest, p))
			p.Documents = documents
		}
		switch {
		case bound.Is(err):
			return local{fmt.Errorf("%w: %w", ErrUnusable, err)}
		case err != nil:
			return fmt.Errorf("%w: %w", ErrUnusable, err)
		case p.ID == "":
			return fmt.Errorf("%w: it is no project record", ErrUnusable)
		}
		return nil
	}
}

// ProjectFilter narrows ListProjects; empty fields do not.
type ProjectFilter struct {
	Name        string // a part of the name
	ExternalTag string // a part of the tag
}

// ListProjects reads the records of all projects of the account that match, page by page: GET /v2/project/list (service
// interface, methods named without detail; offset, limit and the filters are the published description's). GET /v1/project/list is
// deprecated and never called.
func (c *Client) ListProjects(ctx context.Context, f ProjectFilter) ([]Project, error) {
	return pages(wire.MaxProjectsPerPage, func(p Project) string { return p.ID }, func(skip int) ([]Project, error) {
		return c.projectPage(ctx, f, skip, wire.MaxProjectsPerPage)
	})
}

func (c *Client) projectPage(ctx context.Context, f ProjectFilter, offset, limit int) ([]Project, error) {
	q := url.Values{}
	q.Set(wire.QueryOffset, strconv.Itoa(offset))
	q.Set(wire.QueryLimit, strconv.Itoa(limit))
	if f.Name != "" {
		q.Set(wire.QueryProjectName, f.Name)
	}
	if f.ExternalTag != "" {
		q.Set(wire.QueryExternalTag, f.ExternalTag)
	}
	page := wire.List[Project]{}
	err := c.do(ctx, call{
		op: "list projects", method: http.MethodGet, path: wire.PathProjectList, query: q, repeatable: true, read: c.record(&page),
	})
	return page, err
}

// ProjectChange is what UpdateProject changes; nil fields stay as they are.
type ProjectChange struct {
	Name        *string
	Deadline    *string // ISO 8601; the empty text takes the deadline away
	Description *string
	ExternalTag *string
}

// UpdateProject changes a project's settings: PUT /v1/project/{projectId} (service interface, document-based projects). What an update leaves out may be lost at the service, so the
// record is read first, and name and deadline are sent in any case. A change that somebody makes between
// the two requests is overwritten.
func (c *Client) UpdateProject(ctx context.Context, id string, change ProjectChange) error {
	const op = "update project"
	p, err := c.Project(ctx, id)
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
	body, err := json.Marshal(update)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPut, path: fill(wire.PathProject, id),
		body: body, bodyType: jsonType, repeatable: true, changes: true,
	})
}

// DeleteProject deletes a project with everything in it: DELETE /v1/project/{projectId} (published description; the service
// interface speaks of it without a path).
func (c *Client) DeleteProject(ctx context.Context, id string) error {
	const op = "delete project"
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodDelete, path: fill(wire.PathProject, id), repeatable: true, changes: true,
	})
}

// CompleteProject completes a project by hand, with all of its documents: POST /v1/project/complete, whose parameter
// projectId is not shown in the service interface. Results can be exported without it. 404 is ErrNotFound, 409 (it is cancelled)
// ErrRefused.
func (c *Client) CompleteProject(ctx context.Context, id string) error {
	return c.projectStatus(ctx, "complete project", wire.PathProjectComplete, id)
}

// CancelProject cancels a project: POST /v1/project/cancel (published description).
func (c *Client) CancelProject(ctx context.Context, id string) error {
	return c.projectStatus(ctx, "cancel project", wire.PathProjectCancel, id)
}

// RestoreProject takes back CancelProject: POST /v1/project/restore (published description).
func (c *Client) RestoreProject(ctx context.Context, id string) error {
	return c.projectStatus(ctx, "restore project", wire.PathProjectRestore, id)
}

func (c *Client) projectStatus(ctx context.Context, op, path, id string) error {
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPost, path: path, query: url.Values{wire.QueryProjectID: {id}}, changes: true,
	})
}

// AddTargets adds target languages to a project: POST /v1/project/{projectId}/software-localization/targets (service
// interface, software localization). Those that it has already do no harm. A service without this operation gets them one by one,
// see AddLanguage. 400 (ErrRefused): a code that the service does not know.
func (c *Client) AddTargets(ctx context.Context, project string, languages []string) error {
	const op = "add target languages"
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	if len(languages) == 0 {
		return fmt.Errorf("%s: no languages", op)
	}
	if err := checkList("language", languages); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	err := c.do(ctx, call{
		op: op, method: http.MethodPost, path: fill(wire.PathTargets, project), repeatable: true, changes: true,
		query: url.Values{wire.QueryTargetLanguages: {strings.Join(languages, ",")}},
	})
	if !missing(err) {
		return err
	}
	p, err := c.Project(ctx, project)
	if err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	for _, language := range languages {
		has := func(l string) bool { return strings.EqualFold(l, language) }
		if slices.ContainsFunc(p.TargetLanguages, has) {
			continue
		}
		if err := c.AddLanguage(ctx, project, language, true); err != nil {
			return err
		}
	}
	return nil
}

// AddLanguage adds one target language to a project, and to its documents or not: POST /v1/project/language (published
// description). A language cannot be taken away again. 400 (ErrRefused): the source language, or an unknown code.
func (c *Client) AddLanguage(ctx context.Context, project, language string, toDocuments bool) error {
	op := "add target language " + language
	if err := checkID(project); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	if err := checkList("language", []string{language}); err != nil {
		return fmt.Errorf("%s: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathProjectLanguage, changes: true,
		query: url.Values{
			wire.QueryProjectID: {project}, wire.QueryTargetLanguage: {language}, wire.QueryAddToDocuments: {strconv.FormatBool(toDocuments)},
		},
	})
}

// missing tells whether an error says that the service does not have the operation, as far as that can be
// told from an object that does not exist.
func missing(err error) bool {
	var e *Error
	return errors.As(err, &e) && slices.Contains([]int{http.StatusNotFound, http.StatusGone, http.StatusMethodNotAllowed, http.StatusNotImplemented}, e.Status)
}

// Ping makes a cheap call that needs the credentials, and returns the account where the service shows it: GET /v1/account, or
// else the first project of ListProjects (the service interface has no operation for that).
func (c *Client) Ping(ctx context.Context) (Account, error) { return c.ping(ctx, false) }

func (c *Client) ping(ctx context.Context, once bool) (Account, error) {
	const op = "reach the service"
	var a Account
	err := c.do(ctx, call{op: op, method: http.MethodGet, path: wire.PathAccount, repeatable: true, once: once, read: c.record(&a)})
	if !missing(err) {
		return a, err
	}
	var page json.RawMessage
	err = c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathProjectList, repeatable: true, once: once, read: c.record(&page),
		query: url.Values{wire.QueryOffset: {"0"}, wire.QueryLimit: {"1"}},
	})
	return Account{}, err
}

// Languages lists the languages that the service knows: GET /v2/directory?type=language, or the first version of it (published
// description). A service without a directory is ErrNotFound.
func (c *Client) Languages(ctx context.Context) ([]Language, error) {
	var err error
	for _, p := range []string{wire.PathDirectory, wire.PathDirectoryV1} {
		var d wire.Directory
		err = c.do(ctx, call{
			op: "list languages", method: http.MethodGet, path: p, repeatable: true, read: c.record(&d),
			query: url.Values{wire.QueryDirectoryType: {wire.DirectoryTypeLanguage}},
		})
		if !missing(err) {
			return d.Items, err
		}
	}
	return nil, err
}
