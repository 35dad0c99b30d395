package document

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/terminal"
)

// Table is what people see of the invitations.
func (d Invitations) Table() *terminal.Table {
	rows := terminal.NewTable("ID", "FOR", "BY", "AS", "UNTIL")
	rows.Times(4)
	for _, i := range d.Invitations {
		var as []string
		if i.Manager {
			as = append(as, "manager of everything")
		}
		for _, r := range i.Roles {
			text := r.Role
			if len(r.Projects) > 0 {
				text += " of " + strings.Join(r.Projects, ", ")
			}
			if len(r.Languages) > 0 {
				text += " into " + strings.Join(r.Languages, ", ")
			}
			as = append(as, text)
		}
		rows.Row(i.ID, terminal.OrNone(i.Name), terminal.OrNone(i.By), terminal.OrNone(strings.Join(as, "; ")), i.Expires)
	}
	return rows
}

// Table is what people see of the glossaries.
func (d Glossaries) Table() *terminal.Table {
	rows := terminal.NewTable("NAME", "ID", "UNITS", "LANGUAGES", "DEFAULT")
	for _, g := range d.Glossaries {
		rows.Row(g.Name, g.ID, fmt.Sprint(g.Units), terminal.OrNone(strings.Join(g.Languages, ", ")), fmt.Sprint(g.IsDefault))
	}
	return rows
}

// Table is what people see of the memories.
func (d Memories) Table() *terminal.Table {
	rows := terminal.NewTable("NAME", "ID", "FROM", "TO", "UNITS")
	for _, m := range d.Memories {
		units := 0.0
		for _, n := range m.UnitCountByLanguageID {
			units += n
		}
		rows.Row(m.Name, m.ID, m.SourceLanguage, strings.Join(m.TargetLanguages, ", "), fmt.Sprintf("%.0f", units))
	}
	return rows
}

// Table is what people see of a project's memories.
func (d AttachedMemories) Table() *terminal.Table {
	rows := terminal.NewTable("ID", "THRESHOLD", "WRITABLE")
	for _, m := range d.Memories {
		rows.Row(m.ID, fmt.Sprintf("%.0f %%", m.MatchThreshold), fmt.Sprint(m.IsWritable))
	}
	return rows
}

// Table is what people see of the tasks.
func (d Tasks) Table() *terminal.Table {
	rows := terminal.NewTable("TASK", "ID", "LANGUAGE", "STAGE", "STATUS", "PROGRESS", "DEADLINE", "ASSIGNED")
	rows.Times(6)
	for _, t := range d.Tasks {
		var people []string
		for _, p := range t.IndividualAssignments {
			people = append(people, p.UserID)
		}
		for _, v := range t.VendorAssignments {
			people = append(people, v.Name)
		}
		rows.Row(t.Number, t.ID, t.TargetLanguage, string(t.StageType), string(t.Status),
			fmt.Sprintf("%.0f %%", t.ProgressPercentage),
			terminal.OrNone(t.Deadline), terminal.OrNone(strings.Join(people, ", ")))
	}
	return rows
}

// Table is what people see of a team.
func (d Team) Table() *terminal.Table {
	rows := terminal.NewTable("NAME", "EMAIL", "ID")
	for _, m := range d.Members {
		rows.Row(m.FirstName+" "+m.LastName, m.Email, m.ID)
	}
	return rows
}

// Table is what people see of the statistics: the rows that count something, and the totals.
func (d Statistics) Table() *terminal.Table {
	rows := terminal.NewTable("", "words", "segments", "percent")
	rows.Numbers(1, 2, 3)
	counted := func(title string, statistics []documents.StatisticsRow) {
		rows.Title(title)
		for _, r := range statistics {
			if r.Words > 0 || r.Segments > 0 || r.Name == "total" {
				rows.Row("  "+string(r.Name), fmt.Sprintf("%.0f", r.Words), fmt.Sprintf("%.0f", r.Segments),
					fmt.Sprintf("%.1f", r.Percent))
			}
		}
	}
	for _, language := range d.Languages {
		counted(language.Language, language.Statistics)
		for _, document := range language.Documents {
			counted(language.Language+" "+document.Name, document.Statistics)
		}
	}
	return rows
}
