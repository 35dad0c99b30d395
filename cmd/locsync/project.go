package main

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

func projectCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "project", Short: "Create the project at the service, and keep its settings in step"}
	needsSubcommand(c)
	c.AddCommand(projectCreateCommand(a), projectPlanCommand(a, "plan", false), projectPlanCommand(a, "apply", true))
	return c
}

func projectCreateCommand(a *app) *cobra.Command {
	t := target{creates: true}
	var o createOptions
	c := &cobra.Command{
		Use:   "create",
		Short: "Create the configured project at the service and print its id",
		Long: "Creates a project with the configured name and languages and prints its id, for the line `id` of " +
			"[[project]]; --write puts it there.\nA project of this " +
			"account that has the name already is not created a second time: its id is printed.",
		Example: "  locsync project create --write\n\n  # one that translates documents, beside it\n  locsync project " +
			"create --project app --documents",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return createProject(ctx, a, d, o)
			})
		},
	}
	c.Flags().StringVar(&t.project, "project", "", "configured project `NAME`; needed where there are several")
	c.Flags().BoolVar(&o.documents, "documents", false, "create a project for documents instead, called NAME documents")
	c.Flags().BoolVar(&o.write, "write", false, "write the id into the configuration file, and change nothing else in it")
	refuses(c, func(*cobra.Command) error {
		if o.documents && o.write {
			return errors.New("--write is for the project of the configuration, which translates no documents; leave it out")
		}
		return nil
	})
	noArguments(c)
	return c
}

// createOptions are the flags of project create.
type createOptions struct{ documents, write bool }

// created is what project create prints with --json.
type created struct {
	ID      string `json:"id"`
	Name    string `json:"name"`
	Created bool   `json:"created"` // false: it was there
	Written bool   `json:"written"` // the id is in the configuration file now, and was not before
}

func createProject(ctx context.Context, a *app, d *session, o createOptions) error {
	p, documents := d.project, o.documents
	name := p.Name
	if documents {
		name += " documents"
	}
	// An answer that was lost once left a project behind; its name tells.
	same, err := d.client.Projects().List(ctx, service.ProjectFilter{Name: name})
	if err != nil {
		return err
	}
	result := created{Name: name}
	if i := slices.IndexFunc(same, func(s service.Project) bool { return s.Name == name }); i >= 0 {
		if result.ID = same[i].ID; !documents {
			if err := d.holdsKeys(ctx, same[i]); err != nil {
				return err
			}
		}
	} else {
		made, err := d.client.Projects().Create(ctx, service.NewProject{
			Name: name, SourceLanguage: p.SourceLanguage, TargetLanguages: p.TargetLanguages, Documents: documents,
			ProjectTasks: documents, UseTranslationMemory: documents,
		})
		if err != nil {
			return err
		}
		result.ID, result.Created = made.ID, true
	}
	if o.write && result.ID != p.ID {
		text, err := d.cfg.WithID(p, result.ID)
		if err != nil {
			return misuse(err)
		}
		err = intoFile(d.cfg.File, func(f *os.File) error {
			_, err := f.WriteString(text)
			return err
		})
		if err != nil {
			return fmt.Errorf("write the id %s: %w", result.ID, err)
		}
		result.Written = true
	}
	switch {
	case a.asJSON:
		return a.print(result)
	case result.Created:
		fmt.Fprintf(a.out, "created project %q: %s\n", result.Name, result.ID)
	default:
		fmt.Fprintf(a.out, "project %q is there already: %s\n", result.Name, result.ID)
	}
	switch {
	case result.Written:
		fmt.Fprintf(a.out, "wrote id = %q into %s\n", result.ID, d.cfg.File)
	case !documents && result.ID != p.ID:
		fmt.Fprintf(a.out, "write it into the configuration: id = %q\n", result.ID)
	}
	return nil
}

// holdsKeys refuses a project that translates documents. Its record does not tell; that it exports no keys does.
func (d *session) holdsKeys(ctx context.Context, p service.Project) error {
	_, err := d.client.Strings().StartExport(ctx, service.ExportRequest{
		Project: p.ID, Languages: []string{p.SourceLanguage},
		Collection: config.DefaultCollection, Format: "json"})
	if e, ok := errors.AsType[*service.Error](err); ok && e.Status == http.StatusForbidden {
		return misuse(fmt.Errorf("project %q is there already (%s), and translates documents; give one of the two "+
			"another name", p.Name, p.ID))
	}
	if errors.Is(err, service.ErrRefused) {
		return nil // a refusal of another kind: it has no such collection yet
	}
	return err
}

func projectPlanCommand(a *app, name string, apply bool) *cobra.Command {
	t := target{every: true}
	replace := false
	c := &cobra.Command{
		Use: name,
		Short: map[bool]string{false: "Show how the project's settings differ here and there",
			true: "Make the project's settings there what the configuration says"}[apply],
		Long: "Compares name, languages and, where daemon.public_url is set, the address that the service's notifications " +
			"go to. Target\n" +
			"languages are added, never taken away, and a source language stays as it is: the service cannot do that. There " +
			"is one address for\n" +
			"notifications in an account; one that another client registered is replaced with --replace only. What " +
			"cannot be made equal is named (3).",
		Example: "  locsync project " + name + "\n  locsync project " + name + " --project app --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return planProject(ctx, a, d, apply, replace)
			})
		},
	}
	c.Flags().StringVar(&t.project, "project", "", "only the project of this `NAME`")
	c.Flags().BoolVar(&replace, "replace", false,
		"also replace an address for notifications that another client registered")
	noArguments(c)
	return c
}

// difference is one setting that is not the same here and there.
type difference struct {
	Setting string `json:"setting"` // name, target_language, source_language, callback
	Here    string `json:"here"`
	There   string `json:"there"`
	Blocked string `json:"blocked,omitempty"` // why it stays so, and what to do
	Applied bool   `json:"applied"`

	make func(ctx context.Context) error
}

// plan is what project plan and apply print with --json.
type plan struct {
	Projects []projectPlan `json:"projects"`
	Account  []difference  `json:"account"` // what all projects of the account share
}

type projectPlan struct {
	Name        string       `json:"name"`
	ID          string       `json:"id"`
	Differences []difference `json:"differences"`
}

func planProject(ctx context.Context, a *app, d *session, apply, replace bool) error {
	result := plan{Projects: []projectPlan{}}
	for i := range d.cfg.Projects {
		p := &d.cfg.Projects[i]
		if d.project != nil && p != d.project {
			continue
		}
		there, err := d.client.Projects().Read(ctx, p.ID)
		if err != nil {
			return fmt.Errorf("%s: %w", p.Name, err)
		}
		result.Projects = append(result.Projects, projectPlan{p.Name, p.ID, d.settings(p, there)})
	}
	var err error
	if result.Account, err = d.callback(ctx, replace); err != nil {
		return err
	}
	if apply {
		err = result.apply(ctx)
	}
	// what failed is worse than what stays
	if said := sayPlan(a, result, apply); err == nil || !errors.Is(said, errPartial) {
		err = errors.Join(err, said)
	}
	return err
}

// apply makes what can be made, up to the first that fails.
func (p *plan) apply(ctx context.Context) error {
	groups := [][]difference{p.Account}
	for _, one := range p.Projects {
		groups = append(groups, one.Differences)
	}
	for _, group := range groups {
		for i := range group {
			if group[i].Blocked != "" {
				continue
			}
			if err := group[i].make(ctx); err != nil {
				return err
			}
			group[i].Applied = true
		}
	}
	return nil
}

// settings are the differences between a project's record and its configuration.
func (d *session) settings(p *config.Project, there service.Project) []difference {
	differences := []difference{}
	if there.Name != p.Name {
		differences = append(differences, difference{Setting: "name", Here: p.Name, There: there.Name,
			make: func(ctx context.Context) error {
				return d.client.Projects().Update(ctx, p.ID, service.ProjectChange{Name: &p.Name})
			}})
	}
	if !strings.EqualFold(there.SourceLanguage, p.SourceLanguage) {
		differences = append(differences, difference{Setting: "source_language", Here: p.SourceLanguage,
			There:   there.SourceLanguage,
			Blocked: "a source language cannot be changed: create another project, or correct source_language"})
	}
	for _, code := range p.TargetLanguages {
		if !slices.ContainsFunc(there.TargetLanguages, func(have string) bool { return strings.EqualFold(have, code) }) {
			differences = append(differences, difference{Setting: "target_language", Here: code,
				make: func(ctx context.Context) error {
					return d.client.Projects().AddTargets(ctx, p.ID, []string{code})
				}})
		}
	}
	for _, code := range there.TargetLanguages {
		if !slices.ContainsFunc(p.TargetLanguages, func(want string) bool { return strings.EqualFold(want, code) }) {
			differences = append(differences, difference{Setting: "target_language", There: code,
				Blocked: "a language cannot be taken away from a project: add it to target_languages, or let it be"})
		}
	}
	return differences
}

// callback is the difference between the registered address for notifications and the daemon's, if it is to have them.
func (d *session) callback(ctx context.Context, replace bool) ([]difference, error) {
	if d.cfg.Daemon.PublicURL == "" {
		return []difference{}, nil
	}
	want, err := process.Callback(d.cfg)
	if err != nil {
		return nil, err
	}
	have, err := d.client.Callbacks().Read(ctx)
	if err != nil && !errors.Is(err, service.ErrNotFound) {
		return nil, err
	}
	one := difference{Setting: "callback", Here: want.URL, There: have.URL, make: func(ctx context.Context) error {
		return d.client.Callbacks().Set(ctx, want)
	}}
	switch {
	case have.URL == want.URL && slices.Equal(have.AdditionalHeaders, want.AdditionalHeaders):
		return []difference{}, nil
	case have.URL == want.URL:
		one.Here, one.There = want.URL+" with the configured "+d.cfg.Daemon.CallbackHeader, have.URL+" with other headers"
	case have.URL != "" && !replace:
		one.Blocked = "another client has this account's address for notifications, and there can be one only: " +
			"--replace takes it over"
	}
	return []difference{one}, nil
}

func sayPlan(a *app, p plan, applied bool) error {
	if a.asJSON {
		if err := a.print(p); err != nil {
			return err
		}
	}
	blocked := sayDifferences(a, "account", p.Account, applied)
	for _, one := range p.Projects {
		if len(one.Differences) == 0 && !a.asJSON {
			fmt.Fprintf(a.out, "%s: nothing differs\n", one.Name)
		}
		blocked = sayDifferences(a, one.Name, one.Differences, applied) || blocked
	}
	if blocked {
		return errPartial
	}
	return nil
}

// sayDifferences prints them, unless they are in a JSON document, and tells whether one of them stays.
func sayDifferences(a *app, of string, differences []difference, applied bool) (blocked bool) {
	for _, d := range differences {
		blocked = blocked || d.Blocked != ""
		if a.asJSON {
			continue
		}
		what := "differs"
		switch {
		case d.Applied:
			what = "done"
		case applied:
			what = "not done"
		}
		fmt.Fprintf(a.out, "%s: %s %s: here %s, there %s", of, d.Setting, what, terminal.OrNone(d.Here),
			terminal.OrNone(d.There))
		if d.Blocked != "" {
			fmt.Fprintf(a.out, "; %s", d.Blocked)
		}
		fmt.Fprintln(a.out)
	}
	return blocked
}
