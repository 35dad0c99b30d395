package main

import (
	"cmp"
	"fmt"
	"runtime"
	"runtime/debug"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/report"
)

// release and revision are the version and commit of a released program, set when it is linked: where it is built in a
// linked working tree, Go does not know the commit.
var release, revision string

// version is what the program knows of itself.
func version() report.Build {
	b := report.Build{Version: release, Commit: "unknown", Go: runtime.Version()}
	info, ok := debug.ReadBuildInfo()
	if ok {
		for _, s := range info.Settings {
			if s.Key == "vcs.revision" {
				b.Commit = s.Value
			}
		}
		b.Commit = cmp.Or(revision, b.Commit)
		if b.Version == "" && info.Main.Version != "(devel)" {
			b.Version = info.Main.Version
		}
	}
	if b.Version == "" {
		b.Version = "devel"
	}
	return b
}

// versionText is what locsync version prints.
func versionText(b report.Build) string {
	return fmt.Sprintf("locsync %s\ncommit %s\n%s %s/%s\n", b.Version, b.Commit, b.Go, runtime.GOOS, runtime.GOARCH)
}

func versionCommand(a *app) *cobra.Command {
	return &cobra.Command{
		Use:     "version",
		Short:   "Print version, commit and Go version",
		Example: "  locsync version\n  locsync version --json",
		RunE:    func(*cobra.Command, []string) error { return sayVersion(a) },
	}
}

// sayVersion is locsync version, and locsync --version.
func sayVersion(a *app) error {
	b := version()
	return a.sayResult(operation.Result{Document: b, Text: versionText(b)})
}
