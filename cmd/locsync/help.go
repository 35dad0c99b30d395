package main

import (
	"embed"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"path"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/setup/settings"
	"github.com/locsync/locsync/sync/terminal"
	"github.com/locsync/locsync/sync/terminal/manual"
)

// helpWidth is how wide help is: a terminal of 80 columns shows it without a break.
const helpWidth = 80

// groups of commands, in the order in which help shows them.
var groups = []struct {
	id, title string
	commands  []string
}{
	{"daily", "Daily work:", []string{"push", "pull", "sync", "status", "check", "doctor"}},
	{"daemon", "The daemon, and agents:", []string{"run", "hook", "mcp"}},
	{"setup", "Setting up and trying out:", []string{"init", "login", "logout", "project", "demo", "service"}},
	{"rest", "Translation service:", []string{"documents", "tasks", "stats", "translate", "engines", "glossary",
		"memories", "storage", "callbacks", "audit", "api"}},
	{"about", "Other:", []string{"help", "completion", "version"}},
}

// grouped puts the commands into their groups.
func grouped(root *cobra.Command) {
	for _, g := range groups {
		root.AddGroup(&cobra.Group{ID: g.id, Title: g.title})
		for _, name := range g.commands {
			if c := child(root, name); c != nil {
				c.GroupID = g.id
			}
		}
	}
}

// child is the command of that name below another; nil where there is none.
func child(of *cobra.Command, name string) *cobra.Command {
	for _, c := range of.Commands() {
		if c.Name() == name {
			return c
		}
	}
	return nil
}

// sayHelp prints what a command is for, how it is called, and what it takes.
func sayHelp(a *app, cmd *cobra.Command) {
	a.quiet = false
	w := a.out
	para := func(text string) { fmt.Fprintf(w, "%s\n", paragraphs(text, helpWidth)) }
	if cmd.IsAdditionalHelpTopicCommand() {
		fmt.Fprintln(w, manual.Text(cmd.Long, helpWidth, helpTopic))
		return
	}
	about := cmd.Long
	if about == "" {
		about = cmd.Short + "."
	}
	para(about)
	usage := cmd.UseLine()
	if cmd.HasAvailableSubCommands() {
		usage = cmd.CommandPath() + " COMMAND [flags]"
		if cmd.HasParent() && cmd.Runnable() && cmd.Example != "" { // it does something alone, too
			usage = cmd.UseLine() + "\n  " + usage
		}
	}
	fmt.Fprintf(w, "\nUsage:\n  %s\n", usage)
	if cmd.Example != "" {
		fmt.Fprintf(w, "\nExamples:\n%s\n", cmd.Example)
	}
	if cmd.HasAvailableSubCommands() {
		sayCommands(w, cmd)
	}
	sayFlags(w, "Flags:", cmd.LocalNonPersistentFlags())
	if cmd.HasParent() {
		sayFlags(w, "Global flags:", cmd.InheritedFlags())
		if cmd.HasAvailableSubCommands() {
			para("\n" + cmd.CommandPath() + " COMMAND --help says more about a command.")
		}
		return
	}
	sayFlags(w, "Global flags:", cmd.PersistentFlags())
	para("\nlocsync help COMMAND says more about a command; locsync help TOPIC about one of these: " +
		strings.Join(topicNames(cmd), ", ") + ".")
}

// sayCommands lists the commands below one, in their groups where there are any.
func sayCommands(w io.Writer, cmd *cobra.Command) {
	list := func(title string, commands []*cobra.Command) {
		fmt.Fprintf(w, "\n%s\n", title)
		for _, c := range commands {
			if c != nil && c.IsAvailableCommand() {
				fmt.Fprintln(w, hanging(fmt.Sprintf("  %-*s  ", nameWidth(cmd), c.Name()), c.Short, helpWidth))
			}
		}
	}
	if cmd.HasParent() {
		list("Commands:", cmd.Commands())
		return
	}
	for _, g := range groups {
		var commands []*cobra.Command
		for _, name := range g.commands {
			commands = append(commands, child(cmd, name))
		}
		list(g.title, commands)
	}
}

// nameWidth is the width of the longest name of the commands below one.
func nameWidth(cmd *cobra.Command) int {
	width := 0
	for _, c := range cmd.Commands() {
		if c.IsAvailableCommand() {
			width = max(width, len(c.Name()))
		}
	}
	return width
}

// sayFlags lists flags: how they are written, what they do, and what holds without them.
func sayFlags(w io.Writer, title string, flags *pflag.FlagSet) {
	if usages := flags.FlagUsagesWrapped(helpWidth); usages != "" {
		fmt.Fprintf(w, "\n%s\n%s", title, usages)
	}
}

// paragraphs breaks a text into lines of at most width columns. Lines that are indented stay as they are.
func paragraphs(text string, width int) string {
	var out []string
	for para := range strings.SplitSeq(text, "\n\n") {
		if strings.HasPrefix(para, " ") {
			out = append(out, para)
			continue
		}
		lead := len(para) - len(strings.TrimLeft(para, "\n"))
		out = append(out, para[:lead]+hanging("", para, width))
	}
	return strings.Join(out, "\n\n")
}

// hanging breaks a text into lines of at most width columns below each other, right of what the first one
// begins with.
func hanging(begin, text string, width int) string {
	lines := terminal.Wrapped(strings.Join(strings.Fields(text), " "), width-terminal.Columns(begin))
	return begin + strings.Join(lines, "\n"+strings.Repeat(" ", terminal.Columns(begin)))
}

// helpCommand shows help about a command or a topic; about one that there is not it is wrong usage.
func helpCommand(a *app, root *cobra.Command) *cobra.Command {
	schema, index, skill := false, false, false
	c := &cobra.Command{
		Use:     "help [COMMAND | TOPIC]",
		Short:   "Show help about a command or a topic",
		Example: "  locsync help push\n  locsync help project plan\n  locsync help exit-codes",
		Args:    cobra.ArbitraryArgs,
		RunE: func(_ *cobra.Command, args []string) error {
			about, rest, err := root.Find(args)
			switch {
			case err != nil:
				return misuse(err)
			case len(rest) > 0:
				return unknownCommand(about, rest[0])
			}
			about.InitDefaultHelpFlag()
			switch {
			case schema:
				return saySchema(a, root, about.Name())
			case skill && about.Name() == "agents":
				return sayAsItIs(a, manual.Skill(manual.Block(about.Long, agentsHeading)))
			case skill:
				return misuse(errors.New("--skill goes with locsync help agents"))
			case index:
				return sayAsItIs(a, llms(root))
			}
			sayHelp(a, about)
			return nil
		},
		ValidArgsFunction: func(_ *cobra.Command, args []string, _ string) ([]string, cobra.ShellCompDirective) {
			about, rest, err := root.Find(args)
			if err != nil || len(rest) > 0 {
				return nil, cobra.ShellCompDirectiveNoFileComp
			}
			var words []string
			for _, c := range about.Commands() {
				if c.IsAvailableCommand() || c.IsAdditionalHelpTopicCommand() {
					words = append(words, cobra.CompletionWithDesc(c.Name(), c.Short))
				}
			}
			return words, cobra.ShellCompDirectiveNoFileComp
		},
	}
	c.Flags().BoolVar(&schema, "schema", false, "of json and configuration: print the JSON Schema instead")
	c.Flags().BoolVar(&skill, "skill", false, "of agents: print a SKILL.md for coding agents instead")
	c.Flags().BoolVar(&index, "llms", false, "print the index of the manual for language models (llms.txt) instead")
	return c
}

// sayAsItIs prints a file that others read, also with --json.
func sayAsItIs(a *app, text string) error {
	out := a.out
	if to := outputOf(out); to != nil {
		out = to
	}
	a.document.printed = true
	_, err := io.WriteString(out, text)
	return err
}

// pagesURL is where the pages of the manual are, as they are.
const pagesURL = "https://github.com/locsync/locsync/raw/HEAD/cmd/locsync/docs/"

// llms is the llms.txt of the manual.
func llms(root *cobra.Command) string {
	about, _, _ := strings.Cut(root.Long, "\n\n")
	var texts, commands []manual.Page
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			texts = append(texts, manual.Page{Topic: c.Name(), Title: c.Short, Text: c.Long, URL: pagesURL + c.Name() + ".md"})
		} else if c.IsAvailableCommand() {
			commands = append(commands, manual.Page{Topic: c.Name(), Title: c.Short})
		}
	}
	return manual.Index(about, texts, commands)
}

// saySchema prints the schema of what a topic is about.
func saySchema(a *app, root *cobra.Command, topic string) error {
	of, is := schemas[topic]
	if !is {
		return misuse(errors.New("--schema goes with locsync help json and locsync help configuration"))
	}
	var out strings.Builder
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	enc.SetIndent("", "  ")
	if err := enc.Encode(of(root)); err != nil {
		return err
	}
	return sayAsItIs(a, out.String())
}

// pages are the texts of the topics, one each.
//
//go:embed docs/*.md
var pages embed.FS

// topics are what help tells besides the commands.
func topics() []*cobra.Command {
	files, err := fs.Glob(pages, "docs/*.md")
	if err != nil {
		panic(err) // of the pattern
	}
	var topics []*cobra.Command
	for _, file := range files {
		page, err := pages.ReadFile(file)
		if err != nil {
			panic(err) // it is part of the program
		}
		name := strings.TrimSuffix(path.Base(file), ".md")
		topics = append(topics, &cobra.Command{Use: name, Short: manual.Title(string(page)), Long: string(page)})
	}
	return topics
}

// helpTopic is how to read another page of the manual; "" where there is none of that name.
func helpTopic(name string) string {
	if _, err := fs.Stat(pages, "docs/"+name+".md"); err != nil {
		return ""
	}
	return "locsync help " + name
}

func topicNames(root *cobra.Command) []string {
	var names []string
	for _, c := range root.Commands() {
		if c.IsAdditionalHelpTopicCommand() {
			names = append(names, c.Name())
		}
	}
	return names
}

func init() { maps.Copy(jsonDocuments, operation.JSONDocuments()) }

// jsonDocuments are what commands print with --json, by the words of the command; of others it is an object.
var jsonDocuments = map[string]any{
	"push": report.PushReport{}, "pull": report.PullReport{}, "sync": report.SyncReport{},
	"status": report.Status{}, "check": report.CheckReport{}, "doctor": report.Diagnosis{}, "init": initialized{},
	"login": loggedIn{}, "logout": loggedIn{},
	"project create": settings.Created{}, "project plan": settings.Plan{}, "project apply": settings.Plan{},
	"hook install": hooked{}, "hook uninstall": hooked{},
	"translate": translations{},
	"stats":     document.Statistics{},
	"version":   report.Build{}, "service": document.Listening{}, "service invite": document.Invitation{},
	"service invitations": document.Invitations{}, "service invitations revoke": document.Revoked{},
	"service audit":  operation.Audit{},
	"service backup": document.Backup{}, "service restore": document.Restored{}, "service move": document.Restored{},
	"run": document.Spoken{}, "demo": document.Spoken{}, "help": document.Spoken{}, "completion": document.Spoken{},
	"mcp": document.Spoken{},
}

// schemas are what locsync help TOPIC --schema prints.
var schemas = map[string]func(root *cobra.Command) any{
	"json":          func(root *cobra.Command) any { return document.Schemas(allDocuments(root)) },
	"configuration": func(*cobra.Command) any { return document.Configuration() },
}

// allDocuments are documents, and of commands that are not among them an object.
func allDocuments(of *cobra.Command) map[string]any {
	all := make(map[string]any)
	for _, c := range of.Commands() {
		name := strings.TrimPrefix(c.CommandPath(), "locsync ")
		if known, is := jsonDocuments[name]; is {
			all[name] = known
		} else if c.Runnable() && !c.Hidden {
			all[name] = document.Object{}
		}
		maps.Copy(all, allDocuments(c))
	}
	return all
}
