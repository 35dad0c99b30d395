package main

import (
	"bytes"
	"strings"
	"testing"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/terminal"
)

// everyCommand calls f with every command and topic that people see.
func everyCommand(f func(c *cobra.Command)) {
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		f(c)
		for _, sub := range c.Commands() {
			if !sub.Hidden {
				walk(sub)
			}
		}
	}
	walk((&app{}).root())
}

func helpOf(c *cobra.Command) string {
	var out bytes.Buffer
	sayHelp(&app{out: &out}, c)
	return out.String()
}

// Help fits a terminal of 80 columns, says how each command is called, and shows every command in a group.
func TestHelpFits(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		text := helpOf(c)
		for line := range strings.Lines(text) {
			if line = strings.TrimSuffix(line, "\n"); terminal.Columns(line) > helpWidth ||
				strings.TrimRight(line, " ") != line {
				t.Errorf("help %s: the line is %d wide, or ends with blanks: %q", c.CommandPath(),
					terminal.Columns(line), line)
			}
		}
		if !c.IsAdditionalHelpTopicCommand() && !strings.Contains(text, "\nUsage:\n  "+c.CommandPath()) {
			t.Errorf("help %s does not say how it is called:\n%s", c.CommandPath(), text)
		}
		for _, sub := range c.Commands() {
			if sub.IsAvailableCommand() && !strings.Contains(text, "\n  "+sub.Name()+" ") {
				t.Errorf("help %s does not tell of %s: put it into one of the groups", c.CommandPath(), sub.Name())
			}
		}
		for _, name := range flagNames(c) {
			if !c.IsAdditionalHelpTopicCommand() && !strings.Contains(text, " --"+name) {
				t.Errorf("help %s does not tell of --%s", c.CommandPath(), name)
			}
		}
	})
}

// Every short description is a wish to the program, without a period, so that the list reads as one.
func TestHelpIsOfOneKind(t *testing.T) {
	everyCommand(func(c *cobra.Command) {
		if s := c.Short; s == "" || strings.HasSuffix(s, ".") || s[:1] != strings.ToUpper(s[:1]) ||
			strings.HasPrefix(s, "The ") {
			t.Errorf("%s: %q", c.CommandPath(), s)
		}
	})
}

func TestHanging(t *testing.T) {
	for _, c := range []struct{ begin, text, want string }{
		{"", "", ""},
		{"ab  ", "one two three", "ab  one two\n    three"},
		{"", "a-word-that-is-too-long for it", "a-word-that-is-too-long\nfor it"},
		{"", "größer als  zwölf", "größer als\nzwölf"},
	} {
		if got := hanging(c.begin, c.text, 12); got != c.want {
			t.Errorf("%q: %q, want %q", c.text, got, c.want)
		}
	}
}
