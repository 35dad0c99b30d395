package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/documents/operation"
)

// addOperations adds the commands that make one operation of the service each.
func addOperations(a *app, root *cobra.Command) {
	for _, o := range operation.All() {
		words := strings.Fields(o.Name)
		parent := root
		for _, word := range words[:len(words)-1] {
			parent = child(parent, word)
		}
		parent.AddCommand(operationCommand(a, o))
	}
	for _, c := range root.Commands() { // what runs and has others below it, lists
		if c.HasSubCommands() && c.Args == nil {
			listsAlone(c)
		}
	}
}

func operationCommand(a *app, o *operation.Operation) *cobra.Command {
	words := strings.Fields(o.Name)
	c := &cobra.Command{Use: strings.TrimSpace(words[len(words)-1] + " " + o.Args), Short: o.Short, Long: o.Long,
		Example: o.Example}
	if o.Run == nil {
		needsSubcommand(c)
		return c
	}
	t := target{lists: o.Lists}
	c.RunE = func(cmd *cobra.Command, args []string) error {
		on := o.On
		if o.Of != nil {
			on = o.Of()
		}
		t.documents, t.every = on == operation.Documents, on == operation.Account || on == operation.Any
		if o.Check != nil {
			if err := o.Check(args); err != nil {
				return misuse(err)
			}
		}
		return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
			if o.On == operation.Any && d.id == "" && len(d.cfg.Projects) == 1 {
				d.project, d.id = &d.cfg.Projects[0], d.cfg.Projects[0].ID
			}
			r, err := o.Run(ctx, &operation.Session{Client: d.client, Project: d.project, ID: d.id, State: d.state, In: a.in,
				Show: d.line.Show, Patient: d.patient}, args)
			d.line.End()
			if err != nil {
				return err
			}
			return a.sayResult(r)
		})
	}
	switch o.On {
	case operation.Account:
		c.Flags().StringVarP(&t.project, "project", "p", "", "configured project `NAME`, whose account is meant")
	case operation.Configured:
		c.Flags().StringVarP(&t.project, "project", "p", "", "configured project `NAME`; needed where there are several")
	default:
		t.flags(c)
	}
	operationFlags(c, o.Flags)
	switch {
	case o.Most > 0:
		c.Args = func(cmd *cobra.Command, args []string) error {
			return wants(cmd, len(args) >= o.Least && len(args) <= o.Most && !slices.Contains(args, ""), o.Wants)
		}
	case o.Least > 0:
		c.Args = atLeast(o.Least, o.Wants)
	case o.Most < 0:
		c.Args = cobra.ArbitraryArgs
	case len(words) > 1:
		noArguments(c)
	}
	if o.Files {
		c.ValidArgsFunction = anyFile
	}
	return c
}

// operationFlags adds flags by the type of what they set.
func operationFlags(c *cobra.Command, flags []operation.Flag) {
	for _, f := range flags {
		switch value := f.Value.(type) {
		case *bool:
			c.Flags().BoolVarP(value, f.Name, f.Short, *value, f.Usage)
		case *int:
			c.Flags().IntVarP(value, f.Name, f.Short, *value, f.Usage)
		case *[]string:
			if f.Whole {
				c.Flags().StringArrayVarP(value, f.Name, f.Short, nil, f.Usage)
			} else {
				c.Flags().StringSliceVarP(value, f.Name, f.Short, nil, f.Usage)
			}
		case *string:
			if len(f.Words) > 0 {
				choose(c.Flags(), value, f.Name, f.Usage, f.Words...)
			} else {
				c.Flags().StringVarP(value, f.Name, f.Short, *value, f.Usage)
			}
		default:
			panic(fmt.Sprintf("%s --%s: no rule for a %T", c.Name(), f.Name, value))
		}
	}
}
