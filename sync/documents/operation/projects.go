package operation

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

func projectOperations() []*Operation {
	return []*Operation{projectList(), projectShow(), projectSet(), projectExport(),
		projectStatus("complete", "Mark the project as completed, with all of its documents", service.Projects.Complete),
		projectStatus("cancel", "Cancel the project", service.Projects.Cancel),
		projectStatus("restore", "Take back that the project was cancelled", service.Projects.Restore)}
}

// Project is what commands tell of a project at the service.
type Project struct {
	ID              string   `json:"id"`
	Name            string   `json:"name"`
	Description     string   `json:"description,omitempty"`
	Status          string   `json:"status,omitempty"`
	Deadline        string   `json:"deadline,omitempty"`
	SourceLanguage  string   `json:"sourceLanguage"`
	TargetLanguages []string `json:"targetLanguages"`
	ExternalTag     string   `json:"externalTag,omitempty"`
	CreationDate    string   `json:"creationDate,omitempty"`
	Stages          []Stage  `json:"stages"`
}

// Stage is one stage of a project's workflow.
type Stage struct {
	ID       string  `json:"id"`
	Type     string  `json:"type"`
	Progress float64 `json:"progress"`
}

// Projects are projects of the account.
type Projects struct {
	Projects []Project `json:"projects"`
}

func projectsOf(records []service.Project) Projects {
	all := Projects{[]Project{}}
	for _, p := range records {
		one := Project{ID: p.ID, Name: p.Name, Description: p.Description, Status: string(p.Status), Deadline: p.Deadline,
			SourceLanguage: p.SourceLanguage, TargetLanguages: append([]string{}, p.TargetLanguages...),
			ExternalTag: p.ExternalTag, CreationDate: p.CreationDate, Stages: []Stage{}}
		for _, s := range p.WorkflowStages {
			one.Stages = append(one.Stages, Stage{s.ID, string(s.StageType), s.Progress})
		}
		all.Projects = append(all.Projects, one)
	}
	return all
}

// Table is what people see of them.
func (d Projects) Table() *terminal.Table {
	rows := terminal.NewTable("NAME", "ID", "STATUS", "FROM", "TO", "DEADLINE", "STAGES")
	for _, p := range d.Projects {
		var stages []string
		for _, s := range p.Stages {
			stages = append(stages, fmt.Sprintf("%s %.0f %%", s.Type, s.Progress))
		}
		rows.Row(p.Name, p.ID, terminal.OrNone(p.Status), p.SourceLanguage, strings.Join(p.TargetLanguages, ", "),
			terminal.OrNone(p.Deadline), terminal.OrNone(strings.Join(stages, ", ")))
	}
	return rows
}

func projectList() *Operation {
	var f service.ProjectFilter
	return &Operation{
		Name: "project list", On: Account, Document: Projects{},
		Short:   "List the projects of the account",
		Example: "  locsync project list\n  locsync project list --name app --json",
		Flags: []Flag{
			{Name: "name", Usage: "only those with this `TEXT` in their name", Value: &f.Name},
			{Name: "tag", Usage: "only those with this `TEXT` in their external tag", Value: &f.ExternalTag},
		},
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			all, err := s.Client.Projects().List(ctx, f)
			return Listed(projectsOf(all), "there is no such project: locsync project create makes one"), err
		},
	}
}

func projectShow() *Operation {
	return &Operation{
		Name: "project show", Document: Projects{},
		Short:   "Show the project's record at the service: status, deadline, stages",
		Example: "  locsync project show\n  locsync project show --id $ID --json",
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			p, err := s.Client.Projects().Read(ctx, s.ID)
			return Listed(projectsOf([]service.Project{p}), ""), err
		},
	}
}

func projectSet() *Operation {
	var name, deadline, description, tag string
	return &Operation{
		Name:  "project set",
		Short: "Set the project's name, deadline, description or tag at the service",
		Long: "Sets what is given and keeps the rest. For a name that differs from the configuration's, project apply does " +
			"the same.",
		Example: "  locsync project set --deadline 2031-01-31T18:00:00Z\n  locsync project set --id $ID --deadline none",
		Flags: []Flag{
			{Name: "name", Usage: "`NAME`", Value: &name},
			{Name: "deadline", Usage: "`TIME` by which it is to be done, like 2031-01-31T18:00:00Z; none takes it away",
				Value: &deadline},
			{Name: "description", Usage: "`TEXT` for people", Value: &description},
			{Name: "tag", Usage: "`TEXT` of the external tag", Value: &tag},
		},
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			var change service.ProjectChange
			var told []string
			for _, one := range []struct {
				what  string
				value *string
				to    **string
			}{{"name", &name, &change.Name}, {"deadline", &deadline, &change.Deadline},
				{"description", &description, &change.Description}, {"tag", &tag, &change.ExternalTag}} {
				if *one.value != "" {
					*one.to, told = one.value, append(told, fmt.Sprintf("%s: %s", one.what, *one.value))
				}
			}
			if len(told) == 0 {
				return Result{}, misuse(errors.New("project set wants to know what: --name, --deadline, --description or --tag"))
			}
			at, err := Deadline(deadline)
			if err != nil {
				return Result{}, err
			}
			if deadline != "" {
				change.Deadline = &at
			}
			err = s.Client.Projects().Update(ctx, s.ID, change)
			return Result{Document: document.Object{"project": s.ID}, Text: Lines(told)}, err
		},
	}
}

// Deadline reads a time from the command line, in the service's form; none is the empty text.
func Deadline(text string) (string, error) {
	if text == "" || text == "none" {
		return "", nil
	}
	at, err := time.Parse(time.RFC3339, text)
	if err != nil {
		return "", misuse(fmt.Errorf("--deadline %q: want a time with its zone, like 2031-01-31T18:00:00Z, or none", text))
	}
	return at.UTC().Format(time.RFC3339), nil
}

func projectStatus(name, short string, do func(service.Projects, context.Context, string) error) *Operation {
	return &Operation{
		Name: "project " + name, Short: short,
		Example: "  locsync project " + name + "\n  locsync project " + name + " --id $ID",
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			err := do(s.Client.Projects(), ctx, s.ID)
			return Result{Document: document.Object{"project": s.ID}, Text: name + "d " + s.ID + "\n"}, err
		},
	}
}

func projectExport() *Operation {
	var languages []string
	return &Operation{
		Name: "project export", Args: "FILE", Least: 1, Most: 1, Wants: "a file", Files: true,
		Short: "Write the translations of the default collection into a file, as the service exports them",
		Long: "Asks for the older form of an export, which takes languages and nothing else: format, state and names are " +
			"the service's defaults. One language may be a file, several are a zip archive. locsync pull brings " +
			"translations into the repository.",
		Example: "  locsync project export strings.zip\n  locsync project export strings.json --language de",
		Flags:   []Flag{{Name: "language", Usage: "only these `CODES` (default: the project's)", Value: &languages}},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			if len(languages) == 0 {
				p, err := s.Client.Projects().Read(ctx, s.ID)
				if err != nil {
					return Result{}, err
				}
				languages = p.TargetLanguages
			}
			job, err := s.Client.Strings().StartExportV1(ctx, s.ID, languages)
			if err != nil {
				return Result{}, err
			}
			s.Show(report.Doing{What: "waiting for the export"})
			patient, cancel := s.Patient(ctx)
			defer cancel()
			return writeResult(args[0], func(f *os.File) (int64, error) {
				a, err := s.Client.Strings().Download(patient, job, "")
				if err != nil {
					return 0, err
				}
				defer a.Close()
				return io.Copy(f, a.Content())
			})
		},
	}
}

// writeResult writes a result into a file and tells its size.
func writeResult(path string, fetch func(f *os.File) (int64, error)) (Result, error) {
	var size int64
	err := files.Write(path, func(f *os.File) (err error) {
		size, err = fetch(f)
		return err
	})
	return Result{Document: document.Object{"file": path, "bytes": size},
		Text: fmt.Sprintf("%s, %d bytes\n", path, size)}, err
}

// orAll is a list of codes for people.
func orAll(languages []string) string { return cmp.Or(strings.Join(languages, ", "), "all") }
