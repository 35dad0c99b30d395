package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"slices"
	"strings"
	"syscall"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
)

// Exit codes (the contract, section 1).
const (
	exitDone    = 0
	exitLater   = 1 // failed, may work later
	exitWrong   = 2 // usage, configuration or credentials: will not work until they are changed
	exitPartial = 3 // done, but something was left out
)

// errPartial ends a command whose result is printed and that left something out.
var errPartial = errors.New("some keys or files were left out")

// errMisconfigured is the same where the configuration is the reason, as the files showed.
var errMisconfigured = errors.New("the configuration does not fit the files")

// app is one call of the program.
type app struct {
	out, err io.Writer
	in       io.Reader

	configFile string
	asJSON     bool
	logLevel   string
	logFormat  string
}

// Main runs the program with the process's arguments and returns its exit code. The first SIGINT or SIGTERM ends work in order; the second
// ends the process at once.
func Main() int {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from here on the signals do what they do by default
	a := &app{out: printable{os.Stdout}, err: os.Stderr, in: os.Stdin}
	root := a.root()
	root.SetArgs(os.Args[1:])
	return a.exit(root.ExecuteContext(ctx))
}

// exit says what went wrong, once, and turns it into the exit code.
func (a *app) exit(err error) int {
	switch {
	case err == nil:
		return exitDone
	case errors.Is(err, errMisconfigured):
		return exitWrong
	case errors.Is(err, errUnwell):
		return exitLater
	case errors.Is(err, errPartial):
		return exitPartial
	}
	var lines []string
	for line := range strings.SplitSeq(err.Error(), "\n") {
		if !slices.Contains(lines, line) { // both halves of a sync fail where the service is down
			lines = append(lines, line)
		}
	}
	fmt.Fprintln(a.err, "locsync:", shown(strings.Join(lines, "\n")))
	if wrong(err) {
		return exitWrong
	}
	return exitLater
}

// usageError is a command line that cannot be right.
type usageError struct{ error }

func (e usageError) Unwrap() error { return e.error }

func wrong(err error) bool {
	var problems config.Problems
	var usage usageError
	return errors.As(err, &problems) || errors.As(err, &usage) || engine.Permanent(err)
}

func (a *app) root() *cobra.Command {
	root := &cobra.Command{
		Use:           "locsync",
		Short:         "Keeps a repository's resource files and a translation service in step",
		Long:          "locsync pushes the keys that changed in a repository's resource files to a translation service, and commits the\ntranslations back on a branch, changing only the values that changed.\n\nTry it: locsync demo",
		Version:       version().text(),
		SilenceUsage:  true,
		SilenceErrors: true,
	}
	root.SetVersionTemplate("{{.Version}}")
	f := root.PersistentFlags()
	f.StringVar(&a.configFile, "config", "", "configuration `FILE` (default: locsync.toml here or in the nearest parent folder)")
	f.BoolVar(&a.asJSON, "json", false, "print the result as one JSON document")
	f.StringVar(&a.logLevel, "log-level", "", "debug, info, warn or error (default: info for run and service, else warn)")
	f.StringVar(&a.logFormat, "log-format", "console", "console or json")
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(func(cmd *cobra.Command, err error) error {
		return usageError{fmt.Errorf("%w; see %s --help", err, cmd.CommandPath())}
	})
	root.Args = cobra.ArbitraryArgs
	root.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return cmd.Help()
		}
		return unknownCommand(cmd, args[0])
	}
	root.AddCommand(a.runCommand(), a.pushCommand(), a.pullCommand(), a.syncCommand(), a.statusCommand(), a.checkCommand(), a.doctorCommand(),
		a.initCommand(), a.demoCommand(), a.serviceCommand(), a.hookCommand(), a.projectCommand(), a.documentsCommand(), a.tasksCommand(), a.statsCommand(),
		a.translateCommand(), a.glossaryCommand(), a.memoriesCommand(), a.versionCommand())
	root.AddCommand(a.packagingCommands()...)
	root.InitDefaultHelpCmd()
	for _, c := range root.Commands() {
		if c.Name() == "help" {
			a.helpCommand(c)
			continue
		}
		if !c.HasSubCommands() && c.Args == nil {
			noArguments(c)
		}
	}
	return root
}

func unknownCommand(parent *cobra.Command, name string) error {
	hint := ""
	if near := parent.SuggestionsFor(name); len(near) > 0 {
		hint = fmt.Sprintf("; did you mean %s?", near[0])
	}
	return usageError{fmt.Errorf("there is no command %q%s; see %s --help", strings.TrimPrefix(parent.CommandPath()+" "+name, "locsync "), hint, parent.CommandPath())}
}

// needsSubcommand is what a command does that only groups others.
func needsSubcommand(c *cobra.Command) {
	c.Args = cobra.ArbitraryArgs
	c.RunE = func(cmd *cobra.Command, args []string) error {
		if len(args) == 0 {
			return usageError{fmt.Errorf("%s wants to know what to do; see %s --help", cmd.CommandPath(), cmd.CommandPath())}
		}
		return unknownCommand(cmd, args[0])
	}
}

// helpCommand makes help about a command that there is not wrong usage.
func (a *app) helpCommand(c *cobra.Command) {
	c.Run, c.RunE = nil, func(c *cobra.Command, args []string) error {
		about, rest, err := c.Root().Find(args)
		if err != nil || about == nil || len(rest) > 0 {
			return usageError{fmt.Errorf("there is no command %q; see locsync --help", strings.Join(args, " "))}
		}
		about.InitDefaultHelpFlag()
		return about.Help()
	}
}

// noArguments refuses stray arguments as wrong usage.
func noArguments(c *cobra.Command) {
	c.Args = func(cmd *cobra.Command, args []string) error {
		if len(args) > 0 {
			return usageError{fmt.Errorf("%s takes no argument %q; see %s --help", cmd.CommandPath(), args[0], cmd.CommandPath())}
		}
		return nil
	}
}

// print writes a result as indented JSON.
func (a *app) print(v any) error {
	enc := json.NewEncoder(a.out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	return enc.Encode(v)
}
