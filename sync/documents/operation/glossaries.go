package operation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/transfer"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/terminal"
)

// GlossaryExports are exports of glossaries that were not fetched.
type GlossaryExports struct {
	Exports []memories.GlossaryExport `json:"exports"`
}

// Table is what people see of them.
func (d GlossaryExports) Table() *terminal.Table {
	rows := terminal.NewTable("EXPORT", "GLOSSARY", "READY")
	for _, e := range d.Exports {
		rows.Row(e.ID, e.GlossaryID, fmt.Sprint(e.Completed))
	}
	return rows
}

func glossaryOperations() []*Operation {
	attached := false
	return []*Operation{
		{
			Name: "glossary", Of: account(&attached, Keys), Document: document.Glossaries{},
			Short:   "List, fill, fetch and attach glossaries",
			Example: "  locsync glossary\n  locsync glossary --attached --json",
			Flags:   []Flag{{Name: "attached", Usage: "only those that are attached to the project", Value: &attached}},
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				var list []memories.Glossary
				var err error
				if attached {
					list, err = memories.GlossariesOf(s.Client).Attached(ctx, s.ID)
				} else {
					list, err = memories.GlossariesOf(s.Client).List(ctx)
				}
				return Listed(document.Glossaries{Glossaries: append([]memories.Glossary{}, list...)},
					"there are no glossaries"), err
			},
		},
		glossaryImport(),
		{
			Name: "glossary export", Args: "GLOSSARY FILE", Least: 2, Most: 2, Wants: "a glossary and a file",
			Lists: "locsync glossary",
			Long: "export writes a glossary into a workbook (.xlsx). GLOSSARY is an id, as locsync glossary lists " +
				"them, or default.",
			Short:   "Write a glossary into a workbook",
			Example: "  locsync glossary export default terms.xlsx",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				id, err := s.glossary(ctx, args[0])
				if err != nil {
					return Result{}, err
				}
				s.Show(report.Doing{What: "waiting for the glossary"})
				job, err := memories.GlossariesOf(s.Client).StartExport(ctx, id)
				if err != nil {
					return Result{}, err
				}
				patient, cancel := s.Patient(ctx)
				defer cancel()
				return writeResult(args[1], func(f *os.File) (int64, error) {
					n, err := memories.GlossariesOf(s.Client).Download(patient, job, f)
					return n, ofJob(err)
				})
			},
		},
		{
			Name: "glossary attach", Args: "[GLOSSARY...]", Most: -1, Lists: "locsync glossary",
			Short:   "Attach exactly these glossaries to the project, and no others",
			Example: "  locsync glossary attach default\n\n  # none\n  locsync glossary attach",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				ids := []string{}
				for _, name := range args {
					id, err := s.glossary(ctx, name)
					if err != nil {
						return Result{}, err
					}
					ids = append(ids, id)
				}
				err := memories.GlossariesOf(s.Client).Attach(ctx, s.ID, ids)
				return Result{Document: document.Object{"project": s.ID, "glossaries": ids},
					Text: "attached: " + terminal.OrNone(strings.Join(ids, ", ")) + "\n"}, err
			},
		},
		{
			Name: "glossary pending", On: Account, Document: GlossaryExports{},
			Short:   "List exports of glossaries that were begun and not fetched",
			Example: "  locsync glossary pending\n  locsync glossary pending --json",
			Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
				list, err := memories.GlossariesOf(s.Client).PendingExports(ctx)
				return Listed(GlossaryExports{append([]memories.GlossaryExport{}, list...)}, "no export is pending"), err
			},
		},
	}
}

func glossaryImport() *Operation {
	clear := false
	return &Operation{
		Name: "glossary import", Args: "GLOSSARY FILE", Least: 2, Most: 2, Wants: "a glossary and a file",
		Lists: "locsync glossary",
		Long: "import brings the terms of a workbook (.xlsx) or CSV file into a glossary. GLOSSARY is an id, as locsync " +
			"glossary lists them, or default.",
		Short:   "Bring a workbook or CSV file of terms into a glossary",
		Example: "  locsync glossary import default terms.csv\n  locsync glossary import default terms.xlsx --clear",
		Flags:   []Flag{{Name: "clear", Usage: "empty the glossary first", Value: &clear}},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			id, err := s.glossary(ctx, args[0])
			if err != nil {
				return Result{}, err
			}
			content, f, err := transfer.Open(args[1], filepath.Base(args[1]))
			if err != nil {
				return Result{}, err
			}
			defer f.Close()
			s.Show(report.Doing{What: "bringing " + args[1] + " in"})
			job, err := memories.GlossariesOf(s.Client).StartImport(ctx, id, content, clear)
			if err != nil {
				return Result{}, err
			}
			patient, cancel := s.Patient(ctx)
			defer cancel()
			err = ofJob(memories.GlossariesOf(s.Client).WaitImport(patient, job))
			return Result{Document: document.Object{"glossary": id, "file": args[1]},
				Text: fmt.Sprintf("%s is in glossary %s\n", args[1], id)}, err
		},
	}
}

// glossary is the identifier of a glossary that may be called "default".
func (s *Session) glossary(ctx context.Context, named string) (string, error) {
	if named != "default" {
		return named, nil
	}
	g, err := memories.GlossariesOf(s.Client).Default(ctx)
	return g.ID, err
}
