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
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/transfer"
)

func memoriesCommand(a *app) *cobra.Command {
	var t target
	var f service.MemoryFilter
	attached := false
	c := &cobra.Command{
		Use:     "memories",
		Short:   "List, make, fill, fetch and attach translation memories",
		Example: "  locsync memories\n  locsync memories --name app\n  locsync memories --attached --id $ID --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			t.every, t.documents = !attached, attached // else they are the account's
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				var memories []service.Memory
				var err error
				if !attached || f.Name != "" { // those that are attached tell no names
					if memories, err = d.client.Memories(ctx, f); err != nil {
						return err
					}
				}
				if !attached {
					return sayMemories(a, memories, f.Name)
				}
				those, err := d.client.ProjectMemories(ctx, d.id)
				if err != nil {
					return err
				}
				if f.Name != "" {
					those = slices.DeleteFunc(those, func(m service.ProjectMemory) bool {
						return !slices.ContainsFunc(memories, func(named service.Memory) bool { return named.ID == m.ID })
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
	c.AddCommand(memoriesCreateCommand(a), memoriesImportCommand(a), memoriesExportCommand(a),
		memoriesAttachCommand(a))
	return c
}

// sayMemories prints those that were found by a part of their name, "" for all.
func sayMemories(a *app, memories []service.Memory, named string) error {
	empty := "there are no translation memories: locsync memories create makes one"
	if named != "" {
		empty = fmt.Sprintf("no translation memory has %q in its name", named)
	}
	return a.sayList(document.Memories{Memories: append([]service.Memory{}, memories...)}, empty)
}

func sayAttached(a *app, memories []service.ProjectMemory, named string) error {
	empty := "no translation memory is attached"
	if named != "" {
		empty = fmt.Sprintf("no translation memory with %q in its name is attached", named)
	}
	return a.sayList(document.AttachedMemories{Memories: append([]service.ProjectMemory{}, memories...)}, empty)
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
				id, err := d.client.CreateMemory(ctx, args[0], d.project.SourceLanguage, d.project.TargetLanguages)
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
				if err := d.client.ImportMemory(ctx, args[0], content, replace); err != nil {
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
					return d.client.ExportMemory(ctx, args[0], "", f)
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
			"given). At most one of\n" +
			"them is written to.",
		Example: "  locsync memories attach $MEMORY --id $ID\n  locsync memories attach $MEMORY:80 $OTHER:95 --writable " +
			"$MEMORY --id $ID",
		Args: cobra.ArbitraryArgs,
		RunE: func(cmd *cobra.Command, args []string) error {
			memories, err := attachments(args, writable)
			if err != nil {
				return misuse(err)
			}
			return a.atService(cmd.Context(), t, func(ctx context.Context, d *session) error {
				if err := d.client.SetProjectMemories(ctx, d.id, memories); err != nil {
					return err
				}
				attached, err := d.client.ProjectMemories(ctx, d.id)
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
func attachments(args []string, writable string) ([]service.ProjectMemory, error) {
	memories := []service.ProjectMemory{}
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
				return nil, fmt.Errorf("%s: %q is not a whole percentage from 50 to 100", id, percent)
			}
		}
		if slices.ContainsFunc(memories, func(m service.ProjectMemory) bool { return m.ID == id }) {
			return nil, fmt.Errorf("%s is named twice", id)
		}
		found = found || id == writable
		memories = append(memories, service.ProjectMemory{ID: id, MatchThreshold: float64(threshold),
			IsWritable: id == writable})
	}
	if !found {
		return nil, fmt.Errorf("--writable %s is none of the memories that are to be attached", writable)
	}
	return memories, nil
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
				list := d.client.Glossaries
				if attached {
					list = func(ctx context.Context) ([]service.Glossary, error) { return d.client.ProjectGlossaries(ctx, d.id) }
				}
				glossaries, err := list(ctx)
				if err != nil {
					return err
				}
				return a.sayList(document.Glossaries{Glossaries: append([]service.Glossary{}, glossaries...)},
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
				job, err := d.client.StartGlossaryImport(ctx, id, content, clear)
				if err == nil {
					patient, cancel := d.patient(ctx)
					defer cancel()
					err = ofJob(d.client.WaitGlossaryImport(patient, job))
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
	g, err := d.client.DefaultGlossary(ctx)
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
				job, err := d.client.StartGlossaryExport(ctx, id)
				if err != nil {
					return err
				}
				patient, cancel := d.patient(ctx)
				defer cancel()
				return a.intoFile(args[1], func(f *os.File) (int64, error) {
					defer d.line.End()
					n, err := d.client.DownloadGlossary(patient, job, f)
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
				if err := d.client.SetProjectGlossaries(ctx, d.id, ids); err != nil {
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
