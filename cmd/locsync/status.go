package main

import (
	"cmp"
	"context"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/engine"
	"github.com/locsync/locsync/sync/state"
	"github.com/locsync/locsync/sync/web"
)

func (a *app) statusCommand() *cobra.Command {
	return &cobra.Command{
		Use:     "status",
		Short:   "Show what is in step and what is not: per project, file and language",
		Example: "  locsync status\n  locsync status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.load()
			if err != nil {
				return err
			}
			s, err := a.status(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			if a.asJSON {
				return a.print(s)
			}
			return a.sayStatus(s)
		},
	}
}

// patience is how long a daemon may take to say how things stand, before a command looks for itself.
const patience = 3 * time.Second

// status asks the daemon, who knows best what is going on, and else looks for itself: without calling anybody, without making anything, at a
// copy of the state, so that it works whatever else does not and is in nobody's way.
func (a *app) status(ctx context.Context, cfg *config.Config) (engine.Status, error) {
	log, err := a.logger(zap.ErrorLevel)
	if err != nil {
		return engine.Status{}, err
	}
	dir, err := stateDir(ctx, cfg) // an error here is in the status again, as a problem
	if err == nil {
		asked, cancel := context.WithTimeout(ctx, patience)
		defer cancel()
		if answer, err := web.Ask(asked, dir, web.Request{Action: "status", Identity: engine.Identity(cfg)}, nil); err == nil {
			return answer.Status, nil
		}
	}
	copied, err := os.MkdirTemp("", "locsync-status-")
	if err != nil {
		return engine.Status{}, err
	}
	defer os.RemoveAll(copied)
	store, err := state.OpenCopy(dir, copied)
	if err != nil {
		return engine.Status{}, err
	}
	defer store.Close()
	return engine.New(engine.Parts{Config: cfg, State: store, Log: log, Clones: clones(dir)}).Status(ctx), nil
}

func (a *app) sayStatus(s engine.Status) error {
	for i, p := range s.Projects {
		if i > 0 {
			fmt.Fprintln(a.out)
		}
		fmt.Fprintf(a.out, "%s: %s\n", p.Name, p.State)
		w := tabwriter.NewWriter(a.out, 0, 0, 2, ' ', 0)
		if past := p.LastPush; past != nil {
			sent := "nothing sent yet"
			if past.SentAt != nil {
				sent = fmt.Sprintf("%s sent %s", count(past.Keys, "key"), past.SentAt.Local().Format(time.DateTime))
			}
			fmt.Fprintf(w, "  last push\t%s\t%s\t%s\n", past.At.Local().Format(time.DateTime), past.Result, sent)
		}
		if past := p.LastPull; past != nil {
			fmt.Fprintf(w, "  last pull\t%s\t%s\t%s\n", past.At.Local().Format(time.DateTime), past.Result, count(past.Keys, "key"))
		}
		if p.NextPull != nil {
			fmt.Fprintf(w, "  next pull\t%s\n", p.NextPull.Local().Format(time.DateTime))
		}
		if p.RequestURL != "" {
			fmt.Fprintf(w, "  request\t%s\n", p.RequestURL)
		}
		if p.Removed > 0 {
			fmt.Fprintf(w, "  removed\t%s that the source no longer has\n", count(p.Removed, "key"))
		}
		fmt.Fprintln(w, "  FILE\tFORMAT\tCOLLECTION\tKEYS\tPENDING")
		for _, f := range p.Files {
			fmt.Fprintf(w, "  %s\t%s\t%s\t%d\t%d\n", filepath.ToSlash(f.Path), f.Format, f.Collection, f.Keys, f.Pending)
		}
		fmt.Fprintln(w, "  LANGUAGE\tKEYS\tMISSING")
		for _, l := range p.Languages {
			fmt.Fprintf(w, "  %s\t%d\t%d\n", l.Language, l.Keys, l.Missing)
		}
		if err := w.Flush(); err != nil {
			return err
		}
		for _, l := range p.Lines {
			if l.Finished != nil {
				fmt.Fprintf(a.out, "  branch %s is gone since %s; nobody needs branch %s any more%s\n", l.Base, l.Finished.Local().Format(time.DateTime), l.Branch, andCollections(l.Collections))
			} else {
				fmt.Fprintf(a.out, "  branch %s: translations on branch %s, keys in %s\n", l.Base, l.Branch, cmp.Or(strings.Join(l.Collections, ", "), "no collection of its own"))
			}
		}
		for _, c := range p.Conflicts {
			a.sayConflict(c)
		}
		for _, problem := range p.OtherProblems() {
			fmt.Fprintf(a.out, "  problem: %s\n", problem)
		}
	}
	return nil
}

// sayConflict prints a translation that waits for a decision: both texts, and how to decide.
func (a *app) sayConflict(c engine.Conflict) {
	fmt.Fprintf(a.out, "  conflict: %s: %q (%s), since %s\n", filepath.ToSlash(c.File), c.Key, c.Language, c.Since.Local().Format(time.DateTime))
	fmt.Fprintf(a.out, "    repository: %s; to send it: %s\n", engine.InQuotes(c.Ours), c.Command("ours"))
	fmt.Fprintf(a.out, "    service: %s, which stands; to leave it so: %s\n", engine.InQuotes(c.Theirs), c.Command("theirs"))
}
