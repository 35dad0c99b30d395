package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/setup/settings"
)

func projectCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "project", Short: "Projects of the configuration, and at the service"}
	needsSubcommand(c)
	c.AddCommand(projectCreateCommand(a), projectPlanCommand(a, "plan", false), projectPlanCommand(a, "apply", true),
		projectAddCommand(a), projectRemoveCommand(a))
	return c
}

func projectCreateCommand(a *app) *cobra.Command {
	t := target{creates: true}
	var o settings.CreateOptions
	c := &cobra.Command{
		Use:   "create",
		Short: "Create the configured project at the service and print its id",
		Long: "Creates a project with the configured name and languages and prints its id, for the line `id` of " +
			"[[project]]; --write puts it there, of --documents into [project.documents].\nA project of this " +
			"account that has the name already is not created a second time: its id is printed. One that has texts which " +
			"this repository does not know is taken over with --join only.",
		Example: "  locsync project create --write\n\n  # one that translates documents, beside it\n  locsync project " +
			"create --project app --documents --write",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return createProject(ctx, a, d, o)
			})
		},
	}
	c.Flags().StringVarP(&t.project, "project", "p", "", "configured project `NAME`; needed where there are several")
	c.Flags().BoolVar(&o.Documents, "documents", false, "create a project for documents instead, called NAME documents")
	c.Flags().BoolVar(&o.Write, "write", false, "write the id into the configuration file, and change nothing else in it")
	c.Flags().BoolVar(&o.Join, "join", false, "take over a project of that name that has texts which this repository "+
		"does not know")
	c.Flags().StringVar(&o.Deadline, "deadline", "", "`TIME` by which it is to be done, like 2031-01-31T18:00:00Z")
	c.Flags().StringVar(&o.Description, "description", "", "`TEXT` for people")
	c.Flags().StringVar(&o.Tag, "tag", "", "`TEXT` of the external tag")
	c.Flags().StringSliceVar(&o.Stages, "stage", nil, "`STAGES` of the workflow, like translation,editing (default: the "+
		"service's)")
	c.Flags().StringVar(&o.Template, "template", "", "`ID` or name of the template at the service to make it from")
	c.Flags().BoolVar(&o.Engine, "engine", false, "have new documents translated by machine")
	refuses(c, func(*cobra.Command) (err error) {
		o.Deadline, err = operation.Deadline(o.Deadline)
		return err
	})
	noArguments(c)
	return c
}

// createProject creates the project and prints its id.
func createProject(ctx context.Context, a *app, d *session, o settings.CreateOptions) error {
	o.Unknown = func(ctx context.Context, id string) (string, map[string]bool, error) {
		parts := engine.Parts{Config: d.cfg, Service: d.client, Log: zap.NewNop(), Clones: process.Clones(d.state)}
		return engine.New(parts).Unknown(ctx, d.project.Name, id)
	}
	result, err := settings.Create(ctx, d.client, d.cfg, d.project, o)
	switch {
	case err != nil:
		return err
	case a.asJSON:
		return a.print(result)
	}
	sayCreated(a, result)
	switch {
	case result.Written:
		fmt.Fprintf(a.out, "wrote id = %q into %s\n", result.ID, d.project.File())
	case !o.Documents && result.ID != d.project.ID:
		fmt.Fprintf(a.out, "add it to the configuration, or run this again with --write: id = %q\n", result.ID)
	}
	return nil
}

func sayCreated(a *app, c settings.Created) {
	if c.Created {
		fmt.Fprintf(a.out, "created project %q: %s\n", c.Name, c.ID)
	} else {
		fmt.Fprintf(a.out, "project %q is there already: %s\n", c.Name, c.ID)
	}
}

func projectPlanCommand(a *app, name string, apply bool) *cobra.Command {
	t := target{every: true}
	var o settings.Options
	c := &cobra.Command{
		Use: name,
		Short: map[bool]string{false: "Show how the project's settings differ here and there",
			true: "Make the project's settings there what the configuration says"}[apply],
		Long: "Compares name, languages and, where the configuration has them, rules of pretranslation, the account's " +
			"placeholders and (daemon.public_url) the address that the service's notifications go to. Target\n" +
			"languages are added, never taken away, and a source language stays as it is: the service cannot do that. There " +
			"is one address for\n" +
			"notifications in an account; one that another client registered is replaced with --replace only. Placeholders " +
			"are added, and others that the account has stay. What cannot be made equal is named (3).",
		Example: "  locsync project " + name + "\n  locsync project " + name + " --project app --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				return planProject(ctx, a, d, apply, o)
			})
		},
	}
	c.Flags().StringVarP(&t.project, "project", "p", "", "only the project of this `NAME`")
	c.Flags().BoolVar(&o.Replace, "replace", false,
		"also replace an address for notifications that another client registered")
	if apply {
		c.Flags().BoolVar(&o.Pretranslate, "pretranslate", false, "also have new rules of pretranslation followed at once "+
			"for texts without a translation, which may cost money")
	}
	noArguments(c)
	return c
}

// planProject shows the plan, or applies it and shows what was done.
func planProject(ctx context.Context, a *app, d *session, apply bool, o settings.Options) error {
	plan, err := settings.Find(ctx, d.client, d.cfg, d.project, o)
	if err != nil {
		return err
	}
	if apply {
		err = plan.Apply(ctx)
	}
	if perr := sayPlan(a, plan, apply); perr != nil {
		return errors.Join(err, perr)
	}
	if err == nil && plan.Stays() { // what failed is worse than what stays
		return errPartial
	}
	return err
}

func sayPlan(a *app, p settings.Plan, applied bool) error {
	return a.sayResult(operation.Result{Document: p, Text: operation.Lines(p.Lines(applied))})
}
