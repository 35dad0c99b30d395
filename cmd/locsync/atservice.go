package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

// session is what a command works with that calls the service only: no repository, no state.
type session struct {
	client  *service.Client
	cfg     *config.Config
	project *config.Project    // the one that is meant; nil where an identifier was given instead
	id      string             // of the project at the service
	state   string             // the folder of the state
	line    *terminal.Progress // what is going on; to be ended before a result is printed
}

// target says which project a command is about.
type target struct {
	project, id string
	creates     bool // it need not be at the service yet
	documents   bool // it must be one that translates documents, which the configured ones are not
	every       bool // without a name all configured projects are meant; session.project is nil then
	// the command that shows the names of what else is named on the command line; "" where there is nothing else
	lists string
}

// flags adds the flags that name it.
func (t *target) flags(c *cobra.Command) {
	c.Flags().StringVarP(&t.project, "project", "p", "", "configured project `NAME`; needed where there are several")
	c.Flags().StringVar(&t.id, "id", "", "`ID` of another project at the service, like one that translates documents")
	eitherFlag(c, "project", "id")
}

// atService runs a command with a client of the configured service.
func (a *app) atService(ctx context.Context, t target, do func(ctx context.Context, d *session) error) error {
	read := config.Load
	if t.creates {
		read = config.LoadForCreate
	}
	cfg, err := a.find(read)
	if err != nil {
		return err
	}
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return err
	}
	d := &session{cfg: cfg, id: t.id, line: a.progress()}
	defer d.line.End()
	if t.id == "" && !(t.every && t.project == "") {
		if d.project, err = theProject(cfg, t.project); err != nil {
			return err
		}
		if d.id = d.project.ID; t.documents && d.project.Documents.ID != "" {
			d.id = d.project.Documents.ID
		}
	}
	dir, err := process.StateDir(ctx, cfg)
	if err != nil {
		return err
	}
	d.state = dir
	p := process.New(cfg, dir, a.options(log))
	if d.client, err = p.Reach(ctx); err == nil {
		err = t.hint(d.project, do(service.As(ctx, service.Asked), d))
	}
	return errors.Join(err, p.Close())
}

// hint adds to a refusal what to do where the configured project is of the other kind, or what was named is not there:
// that does not pass by waiting.
func (t target) hint(p *config.Project, err error) error {
	var e *service.Error
	var l operation.Lost
	switch {
	case !errors.As(err, &e), errors.As(err, &l):
		return err
	case t.documents && t.id == "" && e.Status == http.StatusForbidden && p != nil && p.Documents.ID == "":
		return misuse(fmt.Errorf("this is about projects that translate documents, and %q has none: locsync project create "+
			"--documents --write makes one, and --id names another one (%s)", p.Name, cmp.Or(e.Detail, "403")))
	case t.documents && e.Status == http.StatusForbidden:
		return fmt.Errorf("%w; or name a project that translates documents in [project.documents], or with --id: "+
			"locsync project create --documents --write makes one", err)
	case !e.Is(service.ErrNotFound):
		return err
	case t.lists != "":
		return misuse(fmt.Errorf("%w; %s lists those that are", err, t.lists))
	case t.id != "":
		return misuse(fmt.Errorf("%w; check --id: it is part of the project's address in the service's user interface", err))
	}
	return misuse(fmt.Errorf("%w; locsync check --online tells whether the configuration is right", err))
}

// patient is a context for waiting at the service: a job that is not done within service.job_timeout counts as failed
// for now.
func (d *session) patient(ctx context.Context) (context.Context, context.CancelFunc) {
	return context.WithTimeoutCause(ctx, d.cfg.Service.JobTimeout,
		fmt.Errorf("it took longer than service.job_timeout, %v", d.cfg.Service.JobTimeout))
}

// theProject is the configured project of that name, or the only one.
func theProject(cfg *config.Config, name string) (*config.Project, error) {
	switch p := cfg.Project(name); {
	case name == "" && len(cfg.Projects) == 1:
		return &cfg.Projects[0], nil
	case name == "" && len(cfg.Projects) > 1:
		return nil, misuse(fmt.Errorf("which project? Name one with --project: %s", strings.Join(projectNames(cfg), ", ")))
	case p == nil:
		return nil, misuse(cfg.NoProject(name))
	default:
		return p, nil
	}
}

// projectNames are the configured projects' names, in their order.
func projectNames(cfg *config.Config) []string {
	var names []string
	for i := range cfg.Projects {
		names = append(names, cfg.Projects[i].Name)
	}
	return names
}
