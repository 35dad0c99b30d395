package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/signal"
	"runtime/debug"
	"slices"
	"syscall"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/run/daemon"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/terminal"
)

// packagingCommands are none: manual pages and bill of materials come with the packages (packaging.go).
var packagingCommands = func(*app) []*cobra.Command { return nil }

// brief are commands that end before collecting garbage is worth anything: a person waits for each of them at a prompt.
var brief = []string{"version", "--version", "-v", cobra.ShellCompRequestCmd, cobra.ShellCompNoDescRequestCmd}

// Main runs the program with the process's arguments and returns its exit code. The first SIGINT or SIGTERM ends work
// in order; the second ends the process at once.
func Main() int {
	bound.LimitMemory(0)
	if len(os.Args) > 1 && slices.Contains(brief, os.Args[1]) {
		debug.SetGCPercent(-1) // the limit holds
	}
	leaveNoCore()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	context.AfterFunc(ctx, stop) // from here on the signals do what they do by default
	a := &app{err: &terminal.StandardError{To: os.Stderr}, in: os.Stdin, journal: daemon.ToJournal(), args: os.Args[1:]}
	a.out = terminal.Printable{To: &results{app: a, to: &standardOutput{file: os.Stdout}}}
	root := a.root()
	root.SetArgs(a.args)
	err := execute(ctx, root)
	if ctx.Err() != nil && failureOf(err) != (report.Failure{}) {
		err = errInterrupted
	}
	if err != nil {
		err = errors.Join(err, a.sayHeldBack())
	}
	if a.endWaits != nil {
		a.endWaits()
	}
	return a.exit(err)
}

// execute runs a command, whose faults are errors like others.
func execute(ctx context.Context, root *cobra.Command) (err error) {
	defer fault.Catch("a command", &err)
	return root.ExecuteContext(ctx)
}

// exit says what went wrong, once, and turns it into the exit code.
func (a *app) exit(err error) int {
	err = errors.Join(err, a.sayDocument(err))
	if lost := a.lost(); lost != nil && !errors.Is(err, lost) {
		err = errors.Join(err, fmt.Errorf("say the result: %w", lost))
	}
	switch {
	case err == nil:
		return report.ExitDone
	case a.lost() != nil:
	case errors.Is(err, errMisconfigured):
		return report.ExitWrong
	case errors.Is(err, errUnwell):
		return report.ExitLater
	case errors.Is(err, errPartial):
		return report.ExitPartial
	}
	a.remark(zap.ErrorLevel, "locsync: %s", sentence(err))
	switch {
	case errors.Is(err, errInterrupted):
		return report.ExitInterrupted
	case process.Lasting(err):
		return report.ExitWrong
	}
	return report.ExitLater
}

func (a *app) root() *cobra.Command {
	asked := false
	root := &cobra.Command{
		Use:   "locsync",
		Short: "Keep a repository's resource files and a translation service in sync",
		Long: "locsync keeps a repository's resource files and a translation service in sync: it pushes the keys that " +
			"changed, and commits the translations back on a branch, changing only the values that changed.\n\n" +
			"To see it at work: locsync demo. To begin in your own repository: locsync init.",
		Example:           "  locsync init && locsync check\n  locsync sync --dry-run\n  locsync run",
		SilenceUsage:      true,
		SilenceErrors:     true,
		CompletionOptions: cobra.CompletionOptions{DisableDefaultCmd: true}, // we have our own
		Args:              cobra.ArbitraryArgs,
		PersistentPreRunE: func(cmd *cobra.Command, args []string) error {
			a.traces(cmd)
			a.quiet = a.quiet && !talks(cmd)
			return needsGit(cmd, args)
		},
		RunE: func(cmd *cobra.Command, args []string) error {
			if len(args) > 0 {
				return unknownCommand(cmd, args[0])
			}
			if asked {
				a.quiet = false
				return sayVersion(a)
			}
			sayHelp(a, cmd)
			return nil
		},
	}
	f := root.PersistentFlags()
	a.flags(f)
	f.BoolP("help", "h", false, "show help")
	root.Flags().BoolVarP(&asked, "version", "v", false, "print version, commit and Go version")
	root.SetOut(a.out)
	root.SetErr(a.err)
	root.SetFlagErrorFunc(a.flagError)
	root.SetHelpFunc(func(cmd *cobra.Command, _ []string) { sayHelp(a, cmd) })
	root.AddCommand(runCommand(a), pushCommand(a), pullCommand(a), syncCommand(a), statusCommand(a), checkCommand(a),
		doctorCommand(a), initCommand(a), demoCommand(a), serviceCommand(a), hookCommand(a), projectCommand(a),
		statsCommand(a), translateCommand(a), versionCommand(a), mcpCommand(a))
	addOperations(a, root)
	root.AddCommand(append(packagingCommands(a), loginCommand(a), logoutCommand(a))...)
	for _, c := range root.Commands() {
		c.SuggestFor = otherWords[c.Name()]
		if !c.HasSubCommands() && c.Args == nil {
			noArguments(c)
		}
	}
	root.SetHelpCommand(helpCommand(a, root))
	root.InitDefaultHelpCmd()
	root.AddCommand(completionCommand(a))
	root.AddCommand(topics()...)
	grouped(root)
	completes(a, root)
	onceEach(root)
	return root
}

// talks reports whether what a command says is its purpose, or is said while it goes on: --quiet keeps back none of it.
func talks(cmd *cobra.Command) bool {
	for c := cmd; c != nil; c = c.Parent() {
		if slices.Contains([]string{"version", "help", "completion", "service", "run", "mcp"}, c.Name()) {
			return true
		}
	}
	watch, _ := cmd.Flags().GetBool("watch")
	keep, _ := cmd.Flags().GetBool("keep-running")
	return watch || keep
}

// flags are those of every command.
func (a *app) flags(f *pflag.FlagSet) {
	a.logFormat = "console"
	f.StringVar(&a.configFile, "config", "", "configuration `FILE` (default: locsync.toml here or in the nearest folder "+
		"above, up to the repository's root)")
	f.BoolVar(&a.asJSON, "json", false, "print the result as one JSON document")
	f.BoolVarP(&a.quiet, "quiet", "q", false, "print the result only where something failed or was left out")
	choose(f, &a.logLevel, "log-level", "what is logged (run, service: info, else warn)", "debug", "info", "warn", "error")
	choose(f, &a.logFormat, "log-format", "how it is logged", "console", "json")
}
