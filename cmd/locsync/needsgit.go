package main

import (
	"slices"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/gitops"
)

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
