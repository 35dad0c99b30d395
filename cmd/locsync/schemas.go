package main

import (
	"maps"
	"strings"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/document"
	"github.com/locsync/locsync/sync/report"
)

// documents are what commands print with --json, by the words of the command; of others it is an object.
var jsonDocuments = map[string]any{
	"push": report.PushReport{}, "pull": report.PullReport{}, "sync": report.SyncReport{},
	"status": report.Status{}, "check": report.CheckReport{}, "doctor": report.Diagnosis{}, "init": initialized{},
	"project create": created{}, "project plan": plan{}, "project apply": plan{},
	"hook install": hooked{}, "hook uninstall": hooked{},
	"documents push": documentsSent{}, "documents pull": documentsFetched{}, "translate": translations{},
	"glossary": document.Glossaries{}, "memories": document.Object{}, "stats": document.Statistics{},
	"tasks": document.Tasks{}, "tasks team": document.Team{},
	"version": report.Build{}, "service": document.Listening{},
	"run": document.Spoken{}, "demo": document.Spoken{}, "help": document.Spoken{}, "completion": document.Spoken{},
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
