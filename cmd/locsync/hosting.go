package main

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/service/local/backup"
	"github.com/locsync/locsync/sync/terminal"
)

// atEmbedded has a command work with an embedded service, which a flag names.
func (a *app) atEmbedded(c *cobra.Command, do func(ctx context.Context, of command.Embedded, args []string) error) {
	var data string
	c.Flags().StringVar(&data, "data", "", "`DIR` with the data of locsync service (default: the daemon's service)")
	c.RunE = func(cmd *cobra.Command, args []string) error {
		of, err := a.embedded(cmd.Context(), data)
		if err != nil {
			return err
		}
		return do(cmd.Context(), of, args)
	}
}

// embedded is the service of a folder, or else of the daemon.
func (a *app) embedded(ctx context.Context, dir string) (command.Embedded, error) {
	if dir != "" {
		return command.EmbeddedAt(dir), nil
	}
	cfg, err := a.loadEmpty()
	switch {
	case errors.Is(err, config.ErrNotFound):
		return command.Embedded{}, misuse(errors.New("it is not said which service; name the folder of a locsync service " +
			"with --data, or run this where the locsync.toml of the daemon is"))
	case err != nil:
		return command.Embedded{}, err
	}
	return command.EmbeddedOf(ctx, cfg)
}

func invitationsCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "invitations",
		Short: "List the invitations that were not used yet",
		Long: "Lists the links of locsync service invite, and of the page, by which a person can still get an account or " +
			"choose a new password.",
		Example: "  locsync service invitations --data data",
	}
	a.atEmbedded(c, func(ctx context.Context, of command.Embedded, _ []string) error {
		all, err := of.Invitations(ctx)
		if err != nil {
			return err
		}
		return a.sayResult(operation.Listed(document.Invitations{Invitations: all}, "no invitation is open"))
	})
	listsAlone(c)
	c.AddCommand(revokeCommand(a))
	return c
}

func revokeCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:     "revoke INVITATION...",
		Short:   "End invitations, named by their ids",
		Long:    "Ends invitations. The page says so to a person who opens the link of one.",
		Example: "  locsync service invitations revoke 5f0c1b526f0e --data data",
		Args:    atLeast(1, "the id of an invitation; locsync service invitations lists them"),
	}
	a.atEmbedded(c, func(ctx context.Context, of command.Embedded, args []string) error {
		for _, id := range args {
			if err := of.Revoke(ctx, id); err != nil {
				return err
			}
		}
		return a.sayResult(operation.Result{Document: document.Revoked{Revoked: args},
			Text: "revoked " + terminal.Count(len(args), "invitation") + "\n"})
	})
	return c
}

func auditCommand(a *app) *cobra.Command {
	since, limit := "7d", 100
	c := &cobra.Command{
		Use:   "audit",
		Short: "List what was done in the embedded service, and by whom",
		Long: "Lists the newest entries of the service's audit log: accounts and roles, invitations, sign-ins, projects, " +
			"imports, keys that were archived or deleted,\nbackups and restores. It needs no API key; locsync audit reads the " +
			"same from elsewhere. What a command or a client has done has no person.",
		Example: "  locsync service audit --data data --since 30d\n  locsync service audit --data data --limit 0 --json",
	}
	a.atEmbedded(c, func(ctx context.Context, of command.Embedded, _ []string) error {
		from, err := operation.Since(since, time.Now())
		if err == nil && limit < 0 {
			err = fmt.Errorf("invalid --limit %d; use 0 or more", limit)
		}
		if err != nil {
			return misuse(err)
		}
		all, err := of.Audit(ctx, from)
		if err != nil {
			return err
		}
		return a.sayResult(operation.AuditOf(all, limit, from))
	})
	noArguments(c)
	c.Flags().StringVar(&since, "since", since, "`TIME` of the oldest entry: 7d, 12h, 2027-01-31 or 2027-01-31T18:00:00Z")
	c.Flags().IntVar(&limit, "limit", limit, "at most `N` entries; 0: all")
	return c
}

func backupCommand(a *app) *cobra.Command {
	var replace bool
	c := &cobra.Command{
		Use:   "backup FILE",
		Short: "Copy the whole embedded service into a file, while it runs",
		Long: "Writes everything that the embedded service is the only one to have into a file: texts with their " +
			"history, people, memories, glossaries, files, keys of engines. The service goes on working; one that is " +
			"not running is read from its folder. What was answered before the backup began is in it. The file is " +
			"there as a whole or not at all, and only its owner can read it. With - it goes to standard output.",
		Example: "  locsync service backup backup.tar.gz --data data\n  locsync service backup - --data data > backup.tar.gz",
		Args:    exactly(1, "the file to write, or - for standard output"),
	}
	a.atEmbedded(c, func(ctx context.Context, of command.Embedded, args []string) error {
		if args[0] != "-" {
			c, err := of.BackupTo(ctx, args[0], replace)
			if err != nil {
				return err
			}
			return a.sayResult(operation.Result{
				Document: document.Backup{File: args[0], Accounts: c.Accounts, Created: c.Created, Files: c.Files, Bytes: c.Bytes},
				Text:     fmt.Sprintf("wrote %s: %s\n", args[0], amount(c))})
		}
		if a.asJSON || replace {
			return misuse(errors.New("- writes the backup to standard output; leave --json and --force out"))
		}
		a.document.printed = true
		_, err := of.Backup(ctx, outputOf(a.out))
		return err
	})
	c.ValidArgsFunction = anyFile
	c.Flags().BoolVar(&replace, "force", false, "replace a file that is there")
	return c
}

// amount is how much is in a backup, and whose.
func amount(c backup.Copy) string {
	text := fmt.Sprintf("%s, %.1f MB", terminal.Count(c.Files, "file"), float64(c.Bytes)/1e6)
	if len(c.Accounts) > 0 {
		text += ", of the account " + strings.Join(c.Accounts, ", ")
	}
	return text
}

func restoreCommand(a *app) *cobra.Command {
	var replace bool
	c := &cobra.Command{
		Use:   "restore FILE",
		Short: "Put the embedded service of a backup into an empty folder",
		Long: "Puts the service of a backup into a folder, which is empty or not there yet, and that no process " +
			"serves. With --force the folder may have a service, which is moved into a folder within it. A backup " +
			"that is damaged, cut or of a newer locsync is refused before anything is changed. A restore that was " +
			"cut off is finished by the next start of the service, or has changed nothing. With - the backup comes " +
			"from standard input.",
		Example: "  locsync service restore backup.tar.gz --data data\n" +
			"  locsync service restore - --data data   # from standard input",
		Args: exactly(1, "the file of a backup, or - for standard input"),
	}
	a.atEmbedded(c, func(_ context.Context, of command.Embedded, args []string) error {
		from := a.in
		if args[0] != "-" {
			f, _, err := files.Open(args[0])
			if err != nil {
				return err
			}
			defer f.Close()
			from = f
		}
		done, err := of.Restore(from, replace)
		if err != nil {
			return fmt.Errorf("restore %s: %w", args[0], err)
		}
		return a.sayRestored(of.Data, done)
	})
	c.ValidArgsFunction = anyFile
	c.Flags().BoolVar(&replace, "force", false, "have what the folder has moved aside")
	return c
}

func moveCommand(a *app) *cobra.Command {
	c := &cobra.Command{
		Use:   "move DIR",
		Short: "Put the embedded service into another folder, while it runs",
		Long: "Puts the service into a folder that is empty or not there yet, and checks what it has there. Nothing is " +
			"stored meanwhile, and nothing in the old folder from then on: it keeps what it has, and the service says that " +
			"it has moved until it is started with the new folder. A service that is not running is read from its folder. A " +
			"move that was cut off has changed nothing, or is done.",
		Example: "  locsync service move /srv/l10n --data data",
		Args:    exactly(1, "the folder to move to"),
	}
	a.atEmbedded(c, func(ctx context.Context, from command.Embedded, args []string) error {
		of, err := from.Move(ctx, args[0])
		if err != nil {
			return fmt.Errorf("move to %s: %w", args[0], err)
		}
		return a.sayResult(operation.Result{
			Document: document.Restored{Data: args[0], Accounts: of.Accounts, Created: of.Created},
			Text: fmt.Sprintf("moved %s, to %s\nserve it with locsync service --data %s; what %s has is kept, "+
				"and not served any more\n", amount(of), args[0], args[0], from.Data)})
	})
	c.ValidArgsFunction = anyFile
	return c
}

func (a *app) sayRestored(dir string, done backup.Restored) error {
	of := done.Copy
	text := fmt.Sprintf("restored %s, into %s, as of %s\n", amount(of), dir, of.Created.Format("2006-01-02 15:04 UTC"))
	if done.Replaced != "" {
		text += fmt.Sprintf("what was there before is in %s\n", done.Replaced)
	}
	return a.sayResult(operation.Result{Text: text, Document: document.Restored{Data: dir, Accounts: of.Accounts,
		Created: of.Created, Replaced: done.Replaced}})
}
