package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/document"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/terminal"
)

func glossaryCommand(a *app) *cobra.Command {
	var t target
	attached := false
	c := &cobra.Command{
		Use:     "glossary",
		Short:   "List, fill, fetch and attach glossaries",
		Example: "  locsync glossary\n  locsync glossary --attached --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.every = !attached // else they are the account's
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				list := memories.GlossariesOf(d.client).List
				if attached {
					list = func(ctx context.Context) ([]memories.Glossary, error) {
						return memories.GlossariesOf(d.client).Attached(ctx, d.id)
					}
				}
				glossaries, err := list(ctx)
				if err != nil {
					return err
				}
				return sayGlossaries(a, glossaries)
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&attached, "attached", false, "only those that are attached to the project")
	listsAlone(c)
	c.AddCommand(glossaryImportCommand(a), glossaryExportCommand(a), glossaryAttachCommand(a))
	return c
}

func sayGlossaries(a *app, glossaries []memories.Glossary) error {
	if a.asJSON {
		return a.print(document.Glossaries{Glossaries: append([]memories.Glossary{}, glossaries...)})
	}
	if len(glossaries) == 0 {
		return a.sayNothing("there are no glossaries")
	}
	rows := terminal.NewTable("NAME", "ID", "UNITS", "LANGUAGES", "DEFAULT")
	for _, g := range glossaries {
		rows.Row(g.Name, g.ID, fmt.Sprint(g.Units), terminal.OrNone(strings.Join(g.Languages, ", ")), fmt.Sprint(g.IsDefault))
	}
	return a.sayList(rows)
}

func glossaryImportCommand(a *app) *cobra.Command {
	t := target{lists: "locsync glossary"}
	clear := false
	c := &cobra.Command{
		Use: "import GLOSSARY FILE",
		Long: "import brings the terms of a workbook (.xlsx) or CSV file into a glossary. GLOSSARY is an id, as locsync " +
			"glossary lists them, or default.",
		Short:   "Bring a workbook or CSV file of terms into a glossary",
		Example: "  locsync glossary import default terms.csv\n  locsync glossary import default terms.xlsx --clear",
		Args:    exactly(2, "a glossary and a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				id, err := d.glossary(ctx, args[0])
				if err != nil {
					return err
				}
				content, f, err := openFile(args[1], filepath.Base(args[1]))
				if err != nil {
					return err
				}
				defer f.Close()
				d.line.Show(report.Doing{What: "bringing " + args[1] + " in"})
				job, err := memories.GlossariesOf(d.client).StartImport(ctx, id, content, clear)
				if err == nil {
					patient, cancel := d.patient(ctx)
					defer cancel()
					err = ofJob(memories.GlossariesOf(d.client).WaitImport(patient, job))
				}
				if err != nil {
					return err
				}
				d.line.End()
				return a.sayDone(document.Object{"glossary": id, "file": args[1]}, "%s is in glossary %s\n", args[1], id)
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&clear, "clear", false, "empty the glossary first")
	return c
}

// glossary is the identifier of a glossary that may be called "default".
func (d *session) glossary(ctx context.Context, named string) (string, error) {
	if named != "default" {
		return named, nil
	}
	g, err := memories.GlossariesOf(d.client).Default(ctx)
	return g.ID, err
}

func glossaryExportCommand(a *app) *cobra.Command {
	t := target{lists: "locsync glossary"}
	c := &cobra.Command{
		Use: "export GLOSSARY FILE",
		Long: "export writes a glossary into a workbook (.xlsx). GLOSSARY is an id, as locsync glossary lists " +
			"them, or default.",
		Short:   "Write a glossary into a workbook",
		Example: "  locsync glossary export default terms.xlsx",
		Args:    exactly(2, "a glossary and a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				id, err := d.glossary(ctx, args[0])
				if err != nil {
					return err
				}
				d.line.Show(report.Doing{What: "waiting for the glossary"})
				job, err := memories.GlossariesOf(d.client).StartExport(ctx, id)
				if err != nil {
					return err
				}
				patient, cancel := d.patient(ctx)
				defer cancel()
				return fetchInto(a, args[1], func(f *os.File) (int64, error) {
					defer d.line.End()
					n, err := memories.GlossariesOf(d.client).Download(patient, job, f)
					return n, ofJob(err)
				})
			})
		},
	}
	t.flags(c)
	return c
}

// fetchInto writes a result into a file and says so.
func fetchInto(a *app, path string, fetch func(f *os.File) (int64, error)) error {
	var size int64
	err := intoFile(path, func(f *os.File) (err error) {
		size, err = fetch(f)
		return err
	})
	if err != nil {
		return err
	}
	return a.sayDone(document.Object{"file": path, "bytes": size}, "%s, %d bytes\n", path, size)
}

func glossaryAttachCommand(a *app) *cobra.Command {
	t := target{lists: "locsync glossary"}
	c := &cobra.Command{
		Use:     "attach [GLOSSARY...]",
		Short:   "Attach exactly these glossaries to the project, and no others",
		Example: "  locsync glossary attach default\n\n  # none\n  locsync glossary attach",
		Args:    cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				ids := []string{}
				for _, name := range args {
					id, err := d.glossary(ctx, name)
					if err != nil {
						return err
					}
					ids = append(ids, id)
				}
				if err := memories.GlossariesOf(d.client).Attach(ctx, d.id, ids); err != nil {
					return err
				}
				return a.sayDone(document.Object{"project": d.id, "glossaries": ids}, "attached: %s\n",
					terminal.OrNone(strings.Join(ids, ", ")))
			})
		},
	}
	t.flags(c)
	return c
}
