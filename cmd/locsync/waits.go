package main

import (
	"context"
	"slices"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

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
