package main

import (
	"context"
	"fmt"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"
	"go.uber.org/zap/zapcore"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/run/daemon"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

// load finds and reads the configuration.
func (a *app) load() (*config.Config, error) {
	cfg, err := a.loadEmpty()
	if err == nil && len(cfg.Projects) == 0 {
		return nil, misuse(cfg.NoProject(""))
	}
	return cfg, err
}

// warnAlone warns where the embedded service is not that of the others who have the configuration.
func (a *app) warnAlone(ctx context.Context, cfg *config.Config) {
	if why := process.Alone(ctx, cfg); why != "" {
		a.remark(zap.WarnLevel, "locsync: warning: %s: what is sent to it reaches no other person; set service.url to the "+
			"address of one that all have (locsync help team)", why)
	}
}

// loadEmpty is load for commands that have something to do without a project, too.
func (a *app) loadEmpty() (*config.Config, error) { return a.find(config.Load) }

// here is the current folder, which may be gone.
func here() (string, error) {
	dir, err := os.Getwd()
	if err != nil {
		return "", misuse(fmt.Errorf("find the current folder: %w; change into one that is there", err))
	}
	return dir, nil
}

// locate is the configuration file: the one that was named, or the nearest.
func (a *app) locate() (string, error) {
	if a.configFile != "" {
		return a.configFile, nil
	}
	dir, err := here()
	if err != nil {
		return "", err
	}
	file, err := config.Find(dir)
	if err != nil {
		return "", misuse(err)
	}
	return file, nil
}

func (a *app) find(read process.ConfigReader) (*config.Config, error) {
	file, err := a.locate()
	if err != nil {
		return nil, err
	}
	cfg, err := process.ReadConfigBy(read, file)
	if err != nil {
		return nil, misuse(err)
	}
	for _, w := range cfg.Warnings {
		a.remark(zap.WarnLevel, "locsync: warning: %v", w)
	}
	return cfg, nil
}

// options are what processes of this program are opened with.
func (a *app) options(log *zap.Logger) process.Options {
	return process.Options{Version: version().Version, Log: log, Patient: true}
}

// logger writes to standard error. fallback is the level where --log-level is not given.
//
// It is the log of the process, too, which has the stacks of faults.
func (a *app) logger(fallback zapcore.Level) (log *zap.Logger, err error) {
	defer func() {
		if err == nil {
			zap.ReplaceGlobals(log)
		}
	}()
	level := fallback
	if a.logLevel != "" {
		var err error
		if level, err = zapcore.ParseLevel(a.logLevel); err != nil {
			return nil, err
		}
	}
	settings := zap.NewProductionEncoderConfig()
	settings.EncodeTime = zapcore.ISO8601TimeEncoder
	var encoder zapcore.Encoder
	if a.logFormat == "json" {
		encoder = zapcore.NewJSONEncoder(settings)
	} else {
		settings.EncodeLevel = zapcore.CapitalLevelEncoder
		settings.ConsoleSeparator = " "
		settings.CallerKey, settings.StacktraceKey = "", ""
		if a.journal {
			settings.TimeKey, settings.LevelKey = "", ""
		}
		encoder = zapcore.NewConsoleEncoder(settings)
	}
	to := zapcore.Lock(zapcore.AddSync(a.err))
	if a.journal {
		return zap.New(daemon.JournalCore(encoder, to, level)), nil
	}
	return zap.New(zapcore.NewCore(encoder, to, level)), nil
}

// noWaits are the commands that log what they wait for.
var noWaits = []string{"run", "service"}

// traces makes a command's context one whose git commands are logged and whose waits are told of.
func (a *app) traces(cmd *cobra.Command) {
	log, err := a.logger(zap.WarnLevel)
	if err != nil {
		return // the command says so itself
	}
	say := func(line string) { a.remark(zap.InfoLevel, "locsync: %s", line) }
	w := terminal.NewWaits(say)
	ctx := gitops.Tracing(cmd.Context(), func(c gitops.Command) func(time.Duration, error) { return w.Git(log, c) })
	if !slices.Contains(noWaits, cmd.Name()) {
		var end context.CancelFunc
		ctx, end = context.WithCancel(service.Waiting(ctx, func(id int64, now *service.Wait) { w.Note(id, now) }))
		a.endWaits = end
		go w.Run(ctx.Done())
	}
	cmd.SetContext(ctx)
}

// gitless are the commands that say something where there is no git program, or do something else than work on a
// repository.
var gitless = []string{"version", "help", "completion", "doctor", "hook"}

// needsGit ends a command before it does anything where git is missing or too old.
func needsGit(cmd *cobra.Command, _ []string) error {
	top := cmd
	for top.HasParent() && top.Parent().HasParent() {
		top = top.Parent()
	}
	if !top.HasParent() || top.IsAdditionalHelpTopicCommand() || slices.Contains(gitless, top.Name()) {
		return nil
	}
	if _, _, err := gitops.CheckGit(cmd.Context()); err != nil {
		return misuse(err)
	}
	return nil
}
