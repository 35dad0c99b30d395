package main

import (
	"cmp"
	"context"
	"os"
	"slices"
	"strings"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/process"
)

// What a shell offers while a command is typed. It comes from the configuration and the state on this machine; nothing
// is called, and where something cannot be read nothing is offered and nothing said.

// shells are those that there is a script for, and how to write it.
var shells = []struct {
	name  string
	write func(root *cobra.Command, a *app) error
}{
	{"bash", func(root *cobra.Command, a *app) error { return root.GenBashCompletionV2(a.out, true) }},
	{"zsh", func(root *cobra.Command, a *app) error { return root.GenZshCompletion(a.out) }},
	{"fish", func(root *cobra.Command, a *app) error { return root.GenFishCompletion(a.out, true) }},
	{"powershell", func(root *cobra.Command, a *app) error { return root.GenPowerShellCompletionWithDesc(a.out) }},
}

func completionCommand(a *app) *cobra.Command {
	var names []string
	for _, shell := range shells {
		names = append(names, shell.name)
	}
	return &cobra.Command{
		Use:   "completion SHELL",
		Short: "Print the script that completes commands in a shell",
		Long: `completion prints a script for bash, zsh, fish or powershell. With it the shell completes commands, flags, and
their values: the configuration's projects and languages, keys in conflict, files. The packages bring the
scripts along; without them, once:

  bash        locsync completion bash \
                > ~/.local/share/bash-completion/completions/locsync
              (it needs the package bash-completion)
  zsh         locsync completion zsh > "${fpath[1]}/_locsync"
              (where compinit is not called yet: echo 'autoload -U compinit;
              compinit' >> ~/.zshrc)
  fish        locsync completion fish > ~/.config/fish/completions/locsync.fish
  powershell  locsync completion powershell >> $PROFILE

It is there in every shell that is started from then on.`,
		Example:               "  source <(locsync completion bash)   # in this shell only",
		DisableFlagsInUseLine: true,
		ValidArgs:             names,
		Args:                  exactly(1, "a shell: "+spell.Either(names)),
		RunE: func(cmd *cobra.Command, args []string) error {
			for _, shell := range shells {
				if shell.name == args[0] {
					return shell.write(cmd.Root(), a)
				}
			}
			return misuse(noneOf("shell", args[0], names))
		},
	}
}

// completes says what is offered for the values of flags and for arguments, for every command below root.
func completes(a *app, root *cobra.Command) {
	completesFlags(a, root.PersistentFlags(), root)
	var walk func(c *cobra.Command)
	walk = func(c *cobra.Command) {
		completesFlags(a, c.LocalNonPersistentFlags(), c)
		if c.ValidArgsFunction == nil && c.ValidArgs == nil && !c.HasSubCommands() {
			c.ValidArgsFunction = arguments[strings.TrimPrefix(c.CommandPath(), "locsync ")]
			if c.ValidArgsFunction == nil {
				c.ValidArgsFunction = cobra.NoFileCompletions
			}
		}
		for _, sub := range c.Commands() {
			walk(sub)
		}
	}
	walk(root)
}

// arguments are what the arguments of commands can be, where there is something to offer.
var arguments = map[string]cobra.CompletionFunc{
	"glossary import": first("default", ofType("csv", "xlsx")),
	"glossary export": first("default", ofType("xlsx")),
	"glossary attach": cobra.FixedCompletions([]string{"default"}, cobra.ShellCompDirectiveNoFileComp),
	"memories import": first("", ofType("tmx")),
	"memories export": first("", ofType("tmx")),
}

func anyFile(*cobra.Command, []string, string) ([]string, cobra.ShellCompDirective) {
	return nil, cobra.ShellCompDirectiveDefault
}

func ofType(extensions ...string) cobra.CompletionFunc {
	return cobra.FixedCompletions(extensions, cobra.ShellCompDirectiveFilterFileExt)
}

// first offers a word, if any, as the first argument, and something else as the second.
func first(word string, second cobra.CompletionFunc) cobra.CompletionFunc {
	return func(c *cobra.Command, args []string, begun string) ([]string, cobra.ShellCompDirective) {
		switch {
		case len(args) == 0 && word != "":
			return []string{word}, cobra.ShellCompDirectiveNoFileComp
		case len(args) == 1:
			return second(c, args, begun)
		}
		return nil, cobra.ShellCompDirectiveNoFileComp
	}
}

// completesFlags finds by a flag's kind and name what its values are.
func completesFlags(a *app, flags *pflag.FlagSet, c *cobra.Command) {
	flags.VisitAll(func(f *pflag.Flag) {
		var offer cobra.CompletionFunc
		choices, isChoice := f.Value.(choice)
		switch {
		case isChoice:
			offer = cobra.FixedCompletions(choices.words, cobra.ShellCompDirectiveNoFileComp)
		case f.Name == "config":
			offer = ofType("toml")
		case f.Name == "project":
			offer = offerWords(a, func(cfg *config.Config, _ *cobra.Command) []string { return projectNames(cfg) })
		case f.Name == "from":
			offer = offerWords(a, languagesOf(func(p config.Project) []string { return []string{p.SourceLanguage} }))
		case f.Name == "key":
			offer = offerWords(a, inConflict("key", func(c report.Conflict) string { return c.Key }))
		case f.Name == "file":
			offer = offerWords(a, pushedFiles)
		case f.Name == "language" && c.Flags().Lookup("key") != nil:
			offer = offerWords(a, inConflict("language", func(c report.Conflict) string { return c.Language }))
		case f.Name == "to", f.Name == "language":
			offer = offerWords(a, languagesOf(func(p config.Project) []string { return p.TargetLanguages }))
		case f.Name == "dir", f.Name == "data":
			offer = cobra.FixedCompletions(nil, cobra.ShellCompDirectiveFilterDirs)
		case slices.Contains([]string{"api-key-file", "input", "part", "excel"}, f.Name):
			offer = anyFile
		case f.Value.Type() != "bool":
			offer = cobra.NoFileCompletions
		default:
			return
		}
		if _, taken := c.GetFlagCompletionFunc(f.Name); !taken {
			if err := c.RegisterFlagCompletionFunc(f.Name, offer); err != nil {
				panic(err)
			}
		}
	})
}

// offerWords completes with words of the configuration; a list of them, as --to takes it, at its last one.
func offerWords(a *app, words func(cfg *config.Config, c *cobra.Command) []string) cobra.CompletionFunc {
	return func(c *cobra.Command, _ []string, begun string) ([]string, cobra.ShellCompDirective) {
		cfg, err := quietly(a)
		if err != nil {
			return nil, cobra.ShellCompDirectiveNoFileComp
		}
		done := begun[:strings.LastIndex(begun, ",")+1]
		var offered []string
		for _, word := range words(cfg, c) {
			if !slices.Contains(strings.Split(done, ","), word) {
				offered = append(offered, done+word)
			}
		}
		return offered, cobra.ShellCompDirectiveNoFileComp
	}
}

// quietly reads the configuration and warns of nothing.
func quietly(a *app) (*config.Config, error) {
	if a.configFile != "" {
		return process.ReadConfig(a.configFile)
	}
	dir, err := os.Getwd()
	if err != nil {
		return nil, err
	}
	file, err := config.Find(dir)
	if err != nil {
		return nil, err
	}
	return process.ReadConfig(file)
}

// meantProjects are the configured projects that a command line is about.
func meantProjects(cfg *config.Config, c *cobra.Command) []config.Project {
	if f := c.Flags().Lookup("project"); f != nil {
		if p := cfg.Project(f.Value.String()); p != nil {
			return []config.Project{*p}
		}
	}
	return cfg.Projects
}

// languagesOf are languages of the projects that a command line is about.
func languagesOf(of func(config.Project) []string) func(*config.Config, *cobra.Command) []string {
	return func(cfg *config.Config, c *cobra.Command) (all []string) {
		for _, p := range meantProjects(cfg, c) {
			all = append(all, of(p)...)
		}
		slices.Sort(all)
		return slices.Compact(all)
	}
}

// inConflict offers what a flag of push --ours and --theirs can name: what the conflicts have that the other flags
// leave. They are read from a copy of the state, so that nothing waits for them.
func inConflict(flag string, named func(report.Conflict) string) func(*config.Config, *cobra.Command) []string {
	return func(cfg *config.Config, c *cobra.Command) []string {
		var words []string
		conflicts, _ := command.Conflicts(calling(c), cfg, oneProject(cfg, c)) // none where they cannot be read
		for _, conflict := range conflicts {
			if chosen(c, flag, "key", conflict.Key) && chosen(c, flag, "language", conflict.Language) &&
				chosen(c, flag, "file", conflict.File) {
				words = append(words, named(conflict))
			}
		}
		slices.Sort(words)
		return slices.Compact(words)
	}
}

// chosen reports whether a flag that was typed leaves a value; the one that is being completed leaves all.
func chosen(c *cobra.Command, completing, flag, value string) bool {
	if flag == completing || !c.Flags().Changed(flag) {
		return true
	}
	list, ok := c.Flags().Lookup(flag).Value.(pflag.SliceValue)
	return !ok || slices.Contains(list.GetSlice(), value)
}

// pushedFiles are those that push --file can name: in a conflict, or any that pushes are for.
func pushedFiles(cfg *config.Config, c *cobra.Command) []string {
	if c.Flags().Changed("ours") || c.Flags().Changed("theirs") {
		return inConflict("file", func(c report.Conflict) string { return c.File })(cfg, c)
	}
	return command.Files(calling(c), cfg, oneProject(cfg, c))
}

// calling is what ends with a command; cobra gives none while it completes one.
func calling(c *cobra.Command) context.Context {
	return cmp.Or(c.Context(), context.Background())
}

// oneProject is the project that a command line is about; "" for all.
func oneProject(cfg *config.Config, c *cobra.Command) string {
	if meant := meantProjects(cfg, c); len(meant) == 1 {
		return meant[0].Name
	}
	return ""
}
