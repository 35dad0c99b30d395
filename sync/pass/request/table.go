package request

import (
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
)

// table is the counts of the languages as a table in Markdown, or as a list for a text that becomes one line. Names
// come from outside, and are shown as code, which has no markup and no mentions.
func table(data config.RequestData, oneLine bool) string {
	var b strings.Builder
	if oneLine {
		for _, c := range data.Counts {
			fmt.Fprintf(&b, "\n- %s: %d added, %d changed, %d removed", bound.Code(c.Language), c.Added, c.Changed, c.Removed)
		}
		return strings.TrimPrefix(b.String(), "\n")
	}
	credited := slices.ContainsFunc(data.Counts, func(c config.RequestCount) bool {
		return len(c.Translators)+c.Others+c.Machine > 0
	})
	row := func(first string, numbers []any, names ...any) {
		b.WriteString("| " + first)
		for _, cell := range numbers {
			fmt.Fprintf(&b, " | %v", cell)
		}
		if credited {
			fmt.Fprintf(&b, " | %v | %v", names...)
		}
		b.WriteString(" |\n")
	}
	row("language", []any{"new", "changed", "complete"}, "who translated", "machine-made, not reviewed")
	row("---", []any{"---:", "---:", "---:"}, "---", "---:")
	for _, c := range data.Counts {
		machine := ""
		if c.Machine > 0 {
			machine = fmt.Sprintf("%d words", c.Machine)
		}
		row(cell(c.Language), []any{c.Added, c.Changed, fmt.Sprintf("%d %%", c.Complete)}, translators(c), machine)
	}
	return strings.TrimSuffix(b.String(), "\n")
}

// translators are who translated, in a cell.
func translators(c config.RequestCount) string {
	var all []string
	for _, name := range c.Translators {
		all = append(all, cell(name))
	}
	switch {
	case c.Others > 0 && len(all) > 0:
		all = append(all, fmt.Sprintf("%d more", c.Others))
	case c.Others == 1:
		return "1 person"
	case c.Others > 1:
		return fmt.Sprintf("%d people", c.Others)
	}
	return strings.Join(all, ", ")
}

// cell is a text as code in a cell of a table, which a bar would end there, too.
func cell(text string) string { return bound.Code(strings.ReplaceAll(text, "|", "¦")) }
