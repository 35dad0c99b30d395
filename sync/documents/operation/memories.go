package operation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/transfer"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/memories"
)

func memoryOperations() []*Operation {
	return []*Operation{
		memoriesList(),
		{
			Name: "memories create", Args: "NAME", On: Configured, Least: 1, Most: 1, Wants: "a name",
			Short:   "Make an empty translation memory and print its id",
			Example: "  locsync memories create main\n  locsync memories create app --project app",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				p := s.Project
				id, err := memories.Of(s.Client).Create(ctx, args[0], p.SourceLanguage, p.TargetLanguages)
				return Result{Document: document.Object{"id": id, "name": args[0]}, Text: id + "\n"}, err
			},
		},
		memoriesImport(),
		{
			Name: "memories export", Args: "MEMORY FILE", Least: 2, Most: 2, Wants: "a memory and a file",
			Lists:   "locsync memories",
			Short:   "Write a translation memory into a TMX file",
			Example: "  locsync memories export $MEMORY units.tmx",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				s.Show(report.Doing{What: "waiting for the translation memory"})
				return writeResult(args[1], func(f *os.File) (int64, error) {
					return memories.Of(s.Client).Export(ctx, args[0], "", f)
				})
			},
		},
		memoriesAttach(),
	}
}

func memoriesList() *Operation {
	attached := false
	var filter memories.Filter
	return &Operation{
		Name: "memories", On: Documents, Of: account(&attached, Documents), Document: document.Object{},
		Short:   "List, make, fill, fetch and attach translation memories",
		Example: "  locsync memories\n  locsync memories --name app\n  locsync memories --attached --id $ID --json",
		Flags: []Flag{
			{Name: "attached", Usage: "only those that are attached to the project, with their thresholds", Value: &attached},
			{Name: "name", Usage: "only those with this `TEXT` in their name", Value: &filter.Name},
		},
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			var list []memories.Memory
			var err error
			if !attached || filter.Name != "" { // those that are attached tell no names
				list, err = memories.Of(s.Client).List(ctx, filter)
				if err != nil {
					return Result{}, err
				}
			}
			if !attached {
				empty := "there are no translation memories: locsync memories create makes one"
				if filter.Name != "" {
					empty = fmt.Sprintf("no translation memory has %q in its name", filter.Name)
				}
				return Listed(document.Memories{Memories: append([]memories.Memory{}, list...)}, empty), nil
			}
			those, err := memories.Of(s.Client).Attached(ctx, s.ID)
			if filter.Name == "" {
				return listedAttached(those, "no translation memory is attached"), err
			}
			those = slices.DeleteFunc(those, func(m memories.ProjectMemory) bool {
				return !slices.ContainsFunc(list, func(named memories.Memory) bool { return named.ID == m.ID })
			})
			return listedAttached(those, fmt.Sprintf("no translation memory with %q in its name is attached",
				filter.Name)), err
		},
	}
}

// account has an operation be about the account, unless what is attached to a project is asked for.
func account(attached *bool, project Subject) func() Subject {
	return func() Subject {
		if *attached {
			return project
		}
		return Account
	}
}

func listedAttached(list []memories.ProjectMemory, empty string) Result {
	return Listed(document.AttachedMemories{Memories: append([]memories.ProjectMemory{}, list...)}, empty)
}

func memoriesImport() *Operation {
	replace := false
	return &Operation{
		Name: "memories import", Args: "MEMORY FILE", Least: 2, Most: 2, Wants: "a memory and a file",
		Lists:   "locsync memories",
		Short:   "Bring a TMX file into a translation memory",
		Example: "  locsync memories import $MEMORY units.tmx\n  locsync memories import $MEMORY units.tmx --replace",
		Flags:   []Flag{{Name: "replace", Usage: "in place of everything that is in it", Value: &replace}},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			content, f, err := transfer.Open(args[1], filepath.Base(args[1]))
			if err != nil {
				return Result{}, err
			}
			defer f.Close()
			s.Show(report.Doing{What: "bringing " + args[1] + " in"})
			err = memories.Of(s.Client).Import(ctx, args[0], content, replace)
			return Result{Document: document.Object{"memory": args[0], "file": args[1]},
				Text: fmt.Sprintf("%s is in memory %s\n", args[1], args[0])}, err
		},
	}
}

func memoriesAttach() *Operation {
	writable := ""
	var list []memories.ProjectMemory
	return &Operation{
		Name: "memories attach", Args: "[MEMORY[:PERCENT]...]", On: Documents, Most: -1, Lists: "locsync memories",
		Short: "Attach exactly these memories to the project, and no others",
		Long: "Each memory is an id, with the least match in percent that is taken from it (50 to 100, 75 where none is " +
			"given). At most one of\nthem is written to.",
		Example: "  locsync memories attach $MEMORY --id $ID\n  locsync memories attach $MEMORY:80 $OTHER:95 --writable " +
			"$MEMORY --id $ID",
		Flags: []Flag{{Name: "writable", Usage: "`MEMORY` that confirmed translations are written to", Value: &writable}},
		Check: func(args []string) (err error) {
			list, err = attachments(args, writable)
			return err
		},
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			if err := memories.Of(s.Client).Attach(ctx, s.ID, list); err != nil {
				return Result{}, err
			}
			attached, err := memories.Of(s.Client).Attached(ctx, s.ID)
			return listedAttached(attached, "no translation memory is attached"), err
		},
	}
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
			threshold, err = strconv.Atoi(strings.TrimSuffix(percent, "%"))
			if err != nil || threshold < 50 || threshold > 100 {
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
