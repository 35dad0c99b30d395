package service

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"mime/multipart"
	"net/http"
	"net/textproto"
	"net/url"
	"slices"
	"strconv"
	"strings"

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
}

// CreateProject creates a project and returns its record. It is not repeated when its answer is lost:
// look with ListProjects then.
func (c *Client) CreateProject(ctx context.Context, p NewProject) (Project, error) {
	const op = "create project"
	if p.Name == "" || p.SourceLanguage == "" || len(p.TargetLanguages) == 0 {
		return Project{}, fmt.Errorf("%s: it needs a name, a source language and at least one target language", op)
	}
	kind := wire.ProjectTypeLocalization
	if p.Documents {
		kind = wire.ProjectTypeDefault
	}
	model, err := json.Marshal(wire.ProjectCreate{
		Name: p.Name, SourceLanguage: p.SourceLanguage, TargetLanguages: p.TargetLanguages, AssignToVendor: &p.AssignToVendor,
		Type: kind, Description: p.Description, Deadline: p.Deadline, WorkflowStages: p.WorkflowStages, ExternalTag: p.ExternalTag,
	})
	if err != nil {
		return Project{}, fmt.Errorf("%s: %w", op, err)
	}
	var b bytes.Buffer
	w := multipart.NewWriter(&b)
	part, err := w.CreatePart(textproto.MIMEHeader{
		"Content-Disposition": {`form-data; name="` + wire.PartModel + `"`},
		"Content-Type":        {"application/json"},
	})
	if err == nil {
		_, err = part.Write(model)
	}
	if err = errors.Join(err, w.Close()); err != nil {
		return Project{}, fmt.Errorf("%s: %w", op, err)
	}
	var created Project
	err = c.do(ctx, call{
		op: op, method: http.MethodPost, path: wire.PathProjectCreate,
		body: b.Bytes(), bodyType: w.FormDataContentType(), changes: true, read: c.projectRecord(&created),
	})
	return created, err
}

// Project reads a project's record. A project of another account is ErrAuth, one that does not exist is
// ErrNotFound or, at some services, ErrAuth as well.
func (c *Client) Project(ctx context.Context, id string) (Project, error) {
	const op = "read project"
	if err := checkID(id); err != nil {
		return Project{}, fmt.Errorf("%s: project id: %w", op, err)
	}
	var p Project
	err := c.do(ctx, call{
		op: op, method: http.MethodGet, path: fill(wire.PathProject, id), repeatable: true, read: c.projectRecord(&p),
	})
	return p, err
}

// projectRecord reads a record, which must have an id.
func (c *Client) projectRecord(p *Project) func(*http.Response, io.Reader) error {
	read := c.record(p)
	return func(resp *http.Response, body io.Reader) error {
		if err := read(resp, body); err != nil {
			return err
		}
		if p.ID == "" {
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

// ListProjects reads the records of all projects of the account that match, page by page.
func (c *Client) ListProjects(ctx context.Context, f ProjectFilter) ([]Project, error) {
	var all []Project
	for {
		page, err := c.projectPage(ctx, f, len(all), wire.MaxProjectsPerPage)
		if err != nil {
			return nil, err
		}
		if len(page) == 0 || len(all) > 0 && page[0].ID == all[0].ID {
			return all, nil // the second: a service that knows no pages
		}
		all = append(all, page...)
		if len(page) < wire.MaxProjectsPerPage {
			return all, nil
		}
	}
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
	page := projectList{}
	err := c.do(ctx, call{
		op: "list projects", method: http.MethodGet, path: wire.PathProjectList, query: q, repeatable: true, read: c.record(&page),
	})
	return page, err
}

// projectList is a page of the list: an array, or an object that holds one. The published description has
// the array, the service interface shows nothing.
type projectList []Project

func (l *projectList) UnmarshalJSON(b []byte) error {
	var paged struct {
		Items *[]Project `json:"items"`
	}
	if json.Unmarshal(b, &paged) == nil && paged.Items != nil {
		*l = *paged.Items
		return nil
	}
	return json.Unmarshal(b, (*[]Project)(l))
}

// ProjectChange is what UpdateProject changes; nil fields stay as they are.
type ProjectChange struct {
	Name        *string
	Deadline    *string // ISO 8601; the empty text takes the deadline away
	Description *string
	ExternalTag *string
}

// UpdateProject changes a project's settings. What an update leaves out may be lost at the service, so the
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
		body: body, bodyType: "application/json", repeatable: true, changes: true,
	})
}

// DeleteProject deletes a project with everything in it.
func (c *Client) DeleteProject(ctx context.Context, id string) error {
	const op = "delete project"
	if err := checkID(id); err != nil {
		return fmt.Errorf("%s: project id: %w", op, err)
	}
	return c.do(ctx, call{
		op: op, method: http.MethodDelete, path: fill(wire.PathProject, id), repeatable: true, changes: true,
	})
}

// AddTargets adds target languages to a project. Those that it has already do no harm. A service without
// this operation gets them one by one.
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
		err := c.do(ctx, call{
			op: op + " (" + language + ")", method: http.MethodPost, path: wire.PathProjectLanguage, changes: true,
			query: url.Values{wire.QueryProjectID: {project}, wire.QueryTargetLanguage: {language}},
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// missing tells whether an error says that the service does not have the operation, as far as that can be
// told from an object that does not exist.
func missing(err error) bool {
	var e *Error
	return errors.As(err, &e) && (e.Status == http.StatusNotFound || e.Status == http.StatusMethodNotAllowed)
}

// Ping makes a cheap call that needs the credentials, and returns the account where the service shows it
// (the service interface has no operation for that).
func (c *Client) Ping(ctx context.Context) (Account, error) {
	const op = "reach the service"
	var a Account
	err := c.do(ctx, call{op: op, method: http.MethodGet, path: wire.PathAccount, repeatable: true, read: c.record(&a)})
	if !missing(err) {
		return a, err
	}
	var page json.RawMessage
	err = c.do(ctx, call{
		op: op, method: http.MethodGet, path: wire.PathProjectList, repeatable: true, read: c.record(&page),
		query: url.Values{wire.QueryOffset: {"0"}, wire.QueryLimit: {"1"}},
	})
	return Account{}, err
}

// Languages lists the languages that the service knows. A service without a directory is ErrNotFound.
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
