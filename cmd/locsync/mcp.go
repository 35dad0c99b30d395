package main

import (
	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command/mcp"
)

func mcpCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:   "mcp",
		Short: "Serve coding agents: a Model Context Protocol server on standard input and output",
		Long: "mcp is started by a coding agent, in the repository, and ends with its standard input. Its tools tell the " +
			"status, what a check finds, what lacks a translation and what a sync would do; set_texts writes translations " +
			"into the working tree. It never commits, and sends nothing but a decision on a conflict.\n\n" +
			"locsync help agents says how to set it up, and what to tell an agent.",
		Example: "  claude mcp add locsync -- locsync mcp",
		RunE: func(cmd *cobra.Command, _ []string) error {
			log, err := a.logger(zap.WarnLevel)
			if err != nil {
				return err
			}
			a.document.printed = true // standard output is the protocol's
			o := mcp.Options{Load: a.load, Process: a.options(log)}
			return mcp.Run(cmd.Context(), o, a.in, outputOf(a.out))
		},
	}
}
