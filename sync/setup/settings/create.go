package settings

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// CreateOptions say which project is created.
type CreateOptions struct {
	Documents   bool // one for documents, beside the configured one
	Write       bool // put its identifier into the configuration file
	Deadline    string
	Description string
	Tag         string
	Stages      []string // of the workflow; none: the service's default
	Engine      bool     // machine translation of new documents
	Template    string   // identifier or name of the template that the rest is from
	Join        bool     // take over a project that has texts which this repository does not know

	// Unknown is a text that the project of an identifier has, and that this repository does not know; "" for none. It
	// compares the collections that are configured.
	Unknown func(ctx context.Context, id string) (text string, collections map[string]bool, err error)
}

// Created is a project that is at the service now.
type Created struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Created bool   `json:"created"` // false: it was there
	Written bool   `json:"written"` // the id is in the configuration file now, and was not before
}

// Create creates a configured project, unless the account has one of that name.
func Create(ctx context.Context, client *service.Client, cfg *config.Config, p *config.Project,
	o CreateOptions) (Created, error) {
	result := Created{Name: p.Name}
	if o.Documents {
		result.Name += " documents"
	}
	template, err := templateOf(ctx, client, o.Template)
	if err != nil {
		return result, err
	}
	// An answer that was lost once left a project behind; its name tells.
	same, err := client.Projects().List(ctx, service.ProjectFilter{Name: result.Name})
	if err != nil {
		return result, err
	}
	if i := slices.IndexFunc(same, func(s service.Project) bool { return s.Name == result.Name }); i >= 0 {
		if result.ID = same[i].ID; !o.Documents {
			if err := holdsKeys(ctx, client, same[i]); err != nil {
				return result, err
			}
			if !o.Join && result.ID != p.ID {
				if err := foreign(ctx, client, same[i], o); err != nil {
					return result, err
				}
			}
		}
	} else {
		made, err := client.Projects().Create(ctx, service.NewProject{
			Name: result.Name, SourceLanguage: p.SourceLanguage, TargetLanguages: p.TargetLanguages, Documents: o.Documents,
			ProjectTasks: o.Documents, UseTranslationMemory: o.Documents, Deadline: o.Deadline, Description: o.Description,
			ExternalTag: o.Tag, WorkflowStages: o.Stages, UseMT: o.Engine, Pretranslate: o.Engine, Template: template,
		})
		if err != nil {
			return result, err
		}
		result.ID, result.Created = made.ID, true
	}
	written := p.ID
	if o.Documents {
		written = p.Documents.ID
	}
	if !o.Write || result.ID == written {
		return result, nil
	}
	if err := writeID(ctx, cfg.File, p.Name, result.ID, o.Documents); err != nil {
		return result, fmt.Errorf("write the id %s: %w", result.ID, err)
	}
	result.Written = true
	return result, nil
}

// templateOf is the identifier of the template that is called by it, or by its name. Names need not be unique.
func templateOf(ctx context.Context, client *service.Client, called string) (string, error) {
	if called == "" {
		return "", nil
	}
	all, err := client.Projects().Templates(ctx)
	if service.Missing(err) {
		return "", failure.Usage(errors.New("this service has no templates; leave out --template"))
	}
	if err != nil {
		return "", err
	}
	var named, known []string
	for _, t := range all {
		if strings.EqualFold(t.ID, called) {
			return t.ID, nil
		}
		if t.Name == called {
			named = append(named, t.ID)
		}
		known = append(known, t.Name)
	}
	switch {
	case len(named) == 1:
		return named[0], nil
	case len(named) > 1:
		return "", failure.Usage(fmt.Errorf("%d templates are called %q; name one by its id: %s", len(named), called,
			spell.Either(named)))
	case len(known) == 0:
		return "", failure.Usage(fmt.Errorf("there is no template %q: the account has none", called))
	}
	return "", failure.Usage(fmt.Errorf("there is no template %q; %s", called, spell.Meant(called, known)))
}

// foreign refuses a project with texts that this repository does not know: it is another repository's, and the next
// push would replace its texts.
func foreign(ctx context.Context, client *service.Client, p service.Project, o CreateOptions) error {
	text, compared, err := o.Unknown(ctx, p.ID)
	if err == nil && text == "" && !compared[config.DefaultCollection] {
		text, err = sourceText(ctx, client, p, config.DefaultCollection)
	}
	if err != nil || text == "" {
		return err
	}
	return failure.Usage(fmt.Errorf("project %q is there already (%s), and has texts that this repository does not "+
		"know, such as %q: it may be another repository's, and the next push would replace them; give this project "+
		"another name, or take that one over with --join", p.Name, p.ID, text))
}

// sourceText is a text of a project's source language in a collection; "" where there is none.
func sourceText(ctx context.Context, client *service.Client, p service.Project, collection string) (string, error) {
	with := true
	id, err := client.Strings().StartExport(ctx, service.ExportRequest{Project: p.ID,
		Languages: []string{p.SourceLanguage}, Collection: collection, Format: wire.FormatJSON,
		CompletionState: service.Draft, IncludeDefaultLanguage: &with})
	if errors.Is(err, service.ErrRefused) {
		return "", nil
	}
	if err != nil {
		return "", err
	}
	archive, err := client.Strings().Download(ctx, id, "")
	if err != nil {
		return "", err
	}
	defer archive.Close()
	for _, e := range archive.Entries {
		data, err := e.ReadAll()
		if err != nil {
			return "", err
		}
		var content any
		if err := json.Unmarshal(data, &content); err != nil && len(data) > 0 {
			return "", fmt.Errorf("read the texts of project %s: %w", p.ID, err)
		}
		if text := textIn(content); text != "" {
			return text, nil
		}
	}
	return "", nil
}

// textIn is a text of a JSON file, at any depth.
func textIn(content any) string {
	switch c := content.(type) {
	case string:
		return c
	case []any:
		for _, member := range c {
			if text := textIn(member); text != "" {
				return text
			}
		}
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(c)) {
			if text := textIn(c[name]); text != "" {
				return text
			}
		}
	}
	return ""
}

// writeID puts a project's identifier into the configuration as it is now.
func writeID(ctx context.Context, file, project, id string, documents bool) error {
	unlock, err := files.Lock(ctx, file)
	if err != nil {
		return err
	}
	defer unlock()
	cfg, err := config.LoadForCreate(file, process.AcceptSafe())
	if err != nil {
		return failure.Usage(err)
	}
	p := cfg.Project(project)
	if p == nil {
		return failure.Usage(cfg.NoProject(project))
	}
	text, err := cfg.WithID(p, id, documents)
	if err != nil {
		return failure.Usage(err)
	}
	return files.Write(p.File(), func(f *os.File) error {
		_, err := f.WriteString(text)
		return err
	})
}

// holdsKeys refuses a project that translates documents. Its record does not tell; that it exports no keys does.
func holdsKeys(ctx context.Context, client *service.Client, p service.Project) error {
	_, err := client.Strings().StartExport(ctx, service.ExportRequest{Project: p.ID, Languages: []string{p.SourceLanguage},
		Collection: config.DefaultCollection, Format: wire.FormatJSON})
	if e, ok := errors.AsType[*service.Error](err); ok && e.Status == http.StatusForbidden {
		return failure.Usage(fmt.Errorf("project %q is there already (%s), and translates documents; give one of the two "+
			"another name", p.Name, p.ID))
	}
	if errors.Is(err, service.ErrRefused) {
		return nil // a refusal of another kind: it has no such collection yet
	}
	return err
}
