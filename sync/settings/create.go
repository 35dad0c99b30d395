package settings

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/process"
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
		}
	} else {
		made, err := client.Projects().Create(ctx, service.NewProject{
			Name: result.Name, SourceLanguage: p.SourceLanguage, TargetLanguages: p.TargetLanguages, Documents: o.Documents,
			ProjectTasks: o.Documents, UseTranslationMemory: o.Documents, Deadline: o.Deadline, Description: o.Description,
			ExternalTag: o.Tag, WorkflowStages: o.Stages, UseMT: o.Engine, Pretranslate: o.Engine,
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
