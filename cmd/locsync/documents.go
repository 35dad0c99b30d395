package main

import (
	"context"
	"fmt"
	"slices"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/transfer"
)

func documentsCommand(a *app) *cobra.Command {
	c := &cobra.Command{Use: "documents", Short: "Send documents to be translated, and fetch their translations",
		Long: "documents works with a project that translates documents, which is another one than that of the keys: " +
			"locsync project create --documents makes one and prints the ID that --id takes."}
	needsSubcommand(c)
	c.AddCommand(documentsPushCommand(a), documentsPullCommand(a))
	return c
}

func documentsPushCommand(a *app) *cobra.Command {
	t := target{documents: true}
	c := &cobra.Command{
		Use:   "push FILE...",
		Short: "Add files as documents, or replace those of the same path that changed",
		Long: "A file that is a document of the project already, by its path below the current folder, is replaced where " +
			"it changed; its\n" +
			"translations stay. Others are added. A file that did not change costs no request of its own. Files that the " +
			"service refuses or\n" +
			"could not take apart are named (3).",
		Example: "  locsync documents push --id $ID docs/guide.md docs/faq.html\n  locsync documents push --id $ID docs/*.md",
		Args:    atLeast(1, "files"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				sent, err := d.transfer().Push(ctx, args, service.DocumentModel{})
				if err != nil {
					return err
				}
				d.line.End()
				return saySent(a, sent)
			})
		},
	}
	t.flags(c)
	return c
}

// saySent prints what became of the files of a push.
func saySent(a *app, sent transfer.DocumentsSent) error {
	if a.asJSON {
		if err := a.print(sent); err != nil {
			return err
		}
	} else {
		for _, r := range sent.Documents {
			fmt.Fprintf(a.out, "%s %s", r.Action, r.Path)
			if r.Error != "" {
				fmt.Fprintf(a.out, ": %s", r.Error)
			}
			fmt.Fprintln(a.out)
		}
	}
	if slices.ContainsFunc(sent.Documents, func(r transfer.SentDocument) bool { return r.Action == transfer.Failed }) {
		return errPartial
	}
	return nil
}

func documentsPullCommand(a *app) *cobra.Command {
	t := target{documents: true}
	var o transfer.Options
	c := &cobra.Command{
		Use:   "pull",
		Short: "Fetch the translations of all documents of a project",
		Long: "Writes the translation of every document below the current folder, at the path that --output makes of the " +
			"document's: {LANGUAGE},\n" +
			"{NAME} (without the extension), {EXT}, {DIR}, and {PATH} for all three. Files that did not change are not " +
			"written. What cannot be\n" +
			"fetched, or has no place below the current folder, is named (3).",
		Example: "  locsync documents pull --id $ID\n  locsync documents pull --id $ID --language de,fr --state draft\n  " +
			"locsync documents pull --id $ID --output 'docs/{LANGUAGE}/{NAME}.{EXT}'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := o.Check(); err != nil {
				return err
			}
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				fetched, err := d.transfer().Pull(ctx, o, d.project)
				if err != nil {
					return err
				}
				d.line.End()
				return sayFetched(a, fetched)
			})
		},
	}
	t.flags(c)
	c.Flags().StringVar(&o.Output, "output", "{LANGUAGE}/{PATH}", "`TEMPLATE` of the files' paths")
	o.State = service.Final
	choose(c.Flags(), (*string)(&o.State), "state", "what has not reached this state is written in the source language",
		string(service.Draft), string(service.Intermediate), string(service.Final))
	c.Flags().StringSliceVar(&o.Languages, "language", nil, "only these `CODES`")
	noArguments(c)
	return c
}

// sayFetched prints what became of the documents of a pull.
func sayFetched(a *app, fetched transfer.DocumentsFetched) error {
	if a.asJSON {
		if err := a.print(fetched); err != nil {
			return err
		}
	} else if len(fetched.Documents) == 0 {
		fmt.Fprintln(a.out, "the project has no documents: locsync documents push adds some, and --id names another project")
		return nil
	}
	changed, failed := 0, false
	for _, r := range fetched.Documents {
		failed = failed || r.Error != ""
		switch {
		case a.asJSON:
		case r.Error != "":
			fmt.Fprintf(a.out, "left out: %s (%s): %s\n", r.Path, r.Language, r.Error)
		case r.Changed:
			changed++
			fmt.Fprintf(a.out, "%s\n", r.File)
		}
	}
	if !a.asJSON {
		fmt.Fprintf(a.out, "%s, %d written\n", terminal.Count(len(fetched.Documents), "translation"), changed)
	}
	if failed {
		return errPartial
	}
	return nil
}
