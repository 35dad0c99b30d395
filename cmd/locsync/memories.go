package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/document"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/transfer"
)

func memoriesCommand(a *app) *cobra.Command {
	var t target
	var f memories.Filter
	attached := false
	c := &cobra.Command{
		Use:     "memories",
		Short:   "List, make, fill, fetch and attach translation memories",
		Example: "  locsync memories\n  locsync memories --name app\n  locsync memories --attached --id $ID --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.every, t.documents = !attached, attached // else they are the account's
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				var list []memories.Memory
				var err error
				if !attached || f.Name != "" { // those that are attached tell no names
					if list, err = memories.Of(d.client).List(ctx, f); err != nil {
						return err
					}
				}
				if !attached {
					return sayMemories(a, list, f.Name)
				}
				those, err := memories.Of(d.client).Attached(ctx, d.id)
				if err != nil {
					return err
				}
				if f.Name != "" {
					those = slices.DeleteFunc(those, func(m memories.ProjectMemory) bool {
						return !slices.ContainsFunc(list, func(named memories.Memory) bool { return named.ID == m.ID })
					})
				}
				return sayAttached(a, those, f.Name)
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&attached, "attached", false, "only those that are attached to the project, with their thresholds")
	c.Flags().StringVar(&f.Name, "name", "", "only those with this `TEXT` in their name")
	listsAlone(c)
	c.AddCommand(memoriesCreateCommand(a), memoriesImportCommand(a), memoriesExportCommand(a), memoriesAttachCommand(a))
	return c
}

// sayMemories prints those that were found by a part of their name, "" for all.
func sayMemories(a *app, list []memories.Memory, named string) error {
	empty := "there are no translation memories: locsync memories create makes one"
	if named != "" {
		empty = fmt.Sprintf("no translation memory has %q in its name", named)
	}
	return a.sayList(document.Memories{Memories: append([]memories.Memory{}, list...)}, empty)
}

func sayAttached(a *app, list []memories.ProjectMemory, named string) error {
	empty := "no translation memory is attached"
	if named != "" {
		empty = fmt.Sprintf("no translation memory with %q in its name is attached", named)
	}
	return a.sayList(document.AttachedMemories{Memories: append([]memories.ProjectMemory{}, list...)}, empty)
}

func memoriesCreateCommand(a *app) *cobra.Command {
	var t target
	c := &cobra.Command{
		Use:     "create NAME",
		Short:   "Make an empty translation memory and print its id",
		Example: "  locsync memories create main\n  locsync memories create app --project app",
		Args:    exactly(1, "a name"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				id, err := memories.Of(d.client).Create(ctx, args[0], d.project.SourceLanguage, d.project.TargetLanguages)
				if err != nil {
					return err
				}
				return a.sayDone(document.Object{"id": id, "name": args[0]}, "%s\n", id)
			})
		},
	}
	c.Flags().StringVarP(&t.project, "project", "p", "", "configured project `NAME` whose languages it has; needed where "+
		"there are several")
	return c
}

func memoriesImportCommand(a *app) *cobra.Command {
	t := target{lists: "locsync memories"}
	replace := false
	c := &cobra.Command{
		Use:     "import MEMORY FILE",
		Short:   "Bring a TMX file into a translation memory",
		Example: "  locsync memories import $MEMORY units.tmx\n  locsync memories import $MEMORY units.tmx --replace",
		Args:    exactly(2, "a memory and a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				content, f, err := transfer.Open(args[1], filepath.Base(args[1]))
				if err != nil {
					return err
				}
				defer f.Close()
				d.line.Show(report.Doing{What: "bringing " + args[1] + " in"})
				if err := memories.Of(d.client).Import(ctx, args[0], content, replace); err != nil {
					return err
				}
				d.line.End()
				return a.sayDone(document.Object{"memory": args[0], "file": args[1]}, "%s is in memory %s\n", args[1], args[0])
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&replace, "replace", false, "in place of everything that is in it")
	return c
}

func memoriesExportCommand(a *app) *cobra.Command {
	t := target{lists: "locsync memories"}
	c := &cobra.Command{
		Use:     "export MEMORY FILE",
		Short:   "Write a translation memory into a TMX file",
		Example: "  locsync memories export $MEMORY units.tmx",
		Args:    exactly(2, "a memory and a file"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				d.line.Show(report.Doing{What: "waiting for the translation memory"})
				return a.intoFile(args[1], func(f *os.File) (int64, error) {
					defer d.line.End()
					return memories.Of(d.client).Export(ctx, args[0], "", f)
				})
			})
		},
	}
	t.flags(c)
	return c
}

func memoriesAttachCommand(a *app) *cobra.Command {
	t := target{documents: true, lists: "locsync memories"}
	writable := ""
	c := &cobra.Command{
		Use:   "attach [MEMORY[:PERCENT]...]",
		Short: "Attach exactly these memories to the project, and no others",
		Long: "Each memory is an id, with the least match in percent that is taken from it (50 to 100, 75 where none is " +
			"given). At most one of\nthem is written to.",
		Example: "  locsync memories attach $MEMORY --id $ID\n  locsync memories attach $MEMORY:80 $OTHER:95 --writable " +
			"$MEMORY --id $ID",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			list, err := attachments(args, writable)
			if err != nil {
				return misuse(err)
			}
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				if err := memories.Of(d.client).Attach(ctx, d.id, list); err != nil {
					return err
				}
				attached, err := memories.Of(d.client).Attached(ctx, d.id)
				if err != nil {
					return err
				}
				return sayAttached(a, attached, "")
			})
		},
	}
	t.flags(c)
	c.Flags().StringVar(&writable, "writable", "", "`MEMORY` that confirmed translations are written to")
	return c
}

// attachments reads "ID:PERCENT" and "ID".
func attachments(args []string, writable string) ([]memories.ProjectMemory, error) {
	list := []memories.ProjectMemory{}
	found := writable == ""
	for _, arg := range args {
		id, percent, given := strings.Cut(arg, ":")
		if id == "" {
			return nil, fmt.Errorf("%q names no memory; locsync memories lists them", arg)
		}
		threshold := 75
		if given {
			var err error
			if threshold, err = strconv.Atoi(strings.TrimSuffix(percent, "%")); err != nil || threshold < 50 || threshold > 100 {
				return nil, fmt.Errorf("%s: invalid threshold %q; use a whole number from 50 to 100", id, percent)
			}
		}
		if slices.ContainsFunc(list, func(m memories.ProjectMemory) bool { return m.ID == id }) {
			return nil, fmt.Errorf("%s is named twice", id)
		}
		found = found || id == writable
		list = append(list, memories.ProjectMemory{ID: id, MatchThreshold: float64(threshold), IsWritable: id == writable})
	}
	if !found {
		return nil, fmt.Errorf("--writable %s is none of the memories that are to be attached", writable)
	}
	return list, nil
}

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
				return a.sayList(document.Glossaries{Glossaries: append([]memories.Glossary{}, glossaries...)},
					"there are no glossaries")
			})
		},
	}
	t.flags(c)
	c.Flags().BoolVar(&attached, "attached", false, "only those that are attached to the project")
	listsAlone(c)
	c.AddCommand(glossaryImportCommand(a), glossaryExportCommand(a), glossaryAttachCommand(a))
	return c
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
				content, f, err := transfer.Open(args[1], filepath.Base(args[1]))
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
				return a.intoFile(args[1], func(f *os.File) (int64, error) {
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
