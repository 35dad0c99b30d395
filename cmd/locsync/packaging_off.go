//go:build !packaging

package main

import "github.com/spf13/cobra"

// packagingCommands are none: manual pages and bill of materials come with the packages.
func packagingCommands(a *app) []*cobra.Command { return nil }
