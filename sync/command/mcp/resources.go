package mcp

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"strings"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/report"
)

const (
	filesURI    = "locsync://files"
	problemsURI = "locsync://problems"
	fileURI     = "locsync://file/" // and the path of a source file
)

// listing is a resource: a list of bounded size, and how to get what follows.
type listing[T any] struct {
	list[T]
	Rest string `json:"rest,omitempty"`
}

func listed[T any](all []T, cursor string, by sorted[T], rest string) (listing[T], error) {
	part, err := paged(all, page{Limit: mostItems, Cursor: cursor}, by)
	if part.Next == "" {
		rest = ""
	}
	return listing[T]{part, rest}, err
}

// resources are the files and the problems of the working tree.
func (s *server) resources(to *sdk.Server) {
	const kind = "application/json"
	serve := func(read func(ctx context.Context, uri string) (any, error)) sdk.ResourceHandler {
		return func(ctx context.Context, r *sdk.ReadResourceRequest) (*sdk.ReadResourceResult, error) {
			answer, err := read(ctx, r.Params.URI)
			if err != nil {
				return nil, failed(err)
			}
			doc, err := document(answer)
			if err != nil {
				return nil, err
			}
			return &sdk.ReadResourceResult{Contents: []*sdk.ResourceContents{{URI: r.Params.URI, MIMEType: kind,
				Text: string(doc)}}}, nil
		}
	}
	to.AddResource(&sdk.Resource{URI: filesURI, Name: "files", MIMEType: kind,
		Description: "The resource files: path, language, format, keys, errors and warnings."}, serve(s.files))
	to.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: filesURI + "{?cursor}", Name: "more files", MIMEType: kind,
		Description: "The resource files after a page of them: cursor is its next."}, serve(s.files))
	to.AddResource(&sdk.Resource{URI: problemsURI, Name: "problems", MIMEType: kind,
		Description: "The problems of all files, as check reports them."}, serve(s.problems))
	to.AddResourceTemplate(&sdk.ResourceTemplate{URITemplate: fileURI + "{+path}", Name: "file", MIMEType: kind,
		Description: "The texts of one source file in all languages, by its path in the repository."}, serve(s.file))
}

func (s *server) files(ctx context.Context, uri string) (any, error) {
	u, err := url.Parse(uri)
	if err != nil {
		return nil, err
	}
	var all []report.CheckedFile
	err = s.eachCheck(ctx, func(p report.ProjectCheck) { all = append(all, p.Files...) })
	if err != nil {
		return nil, err
	}
	of := func(f report.CheckedFile) position { return at(f.Path, f.Language) }
	return listed(all, u.Query().Get("cursor"), sorted[report.CheckedFile]{"files", of, nil},
		"read "+filesURI+"?cursor= and next")
}

func (s *server) problems(ctx context.Context, _ string) (any, error) {
	var all []projectProblem
	err := s.eachCheck(ctx, func(p report.ProjectCheck) {
		for _, problem := range p.Problems {
			all = append(all, projectProblem{p.Name, forAgent(problem)})
		}
	})
	if err != nil {
		return nil, err
	}
	return listed(all, "", byProblem, "call check with next as cursor")
}

func (s *server) file(ctx context.Context, uri string) (any, error) {
	path := strings.TrimPrefix(uri, fileURI)
	spelled, err := url.PathUnescape(path)
	if err == nil { // as clients fill in the template
		path = spelled
	}
	c, err := s.begin(ctx, nil, "")
	if err != nil {
		return nil, err
	}
	var all []keyTexts
	sources := make(order)
	for _, p := range c.projects("") {
		err = errors.Join(err, c.inWorktree(ctx, p, func(w *worktree) error {
			found, err := w.keys(ctx, c, textsIn{File: path}, sources)
			all = append(all, found...)
			return err
		}))
	}
	if err == nil && len(all) == 0 {
		err = noFile(path)
	}
	if err != nil {
		return nil, err
	}
	return listed(all, "", byKey(sources), "call texts with this file, and next as cursor")
}

func noFile(path string) error {
	return failure.Usage(fmt.Errorf("no source file of the configuration that can be read is called %q; %s has all", path,
		filesURI))
}

// eachCheck calls do with the check of each project's working tree.
func (s *server) eachCheck(ctx context.Context, do func(report.ProjectCheck)) error {
	c, err := s.begin(ctx, nil, "")
	if err != nil {
		return err
	}
	for _, p := range c.projects("") {
		err = errors.Join(err, c.inWorktree(ctx, p, func(w *worktree) error {
			found, err := w.inspects(ctx, c, inspect.Options{})
			do(found)
			return err
		}))
	}
	return err
}
