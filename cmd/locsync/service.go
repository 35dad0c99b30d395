package main

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/operation"
	"github.com/locsync/locsync/sync/run/host"
)

func serviceCommand(a *app) *cobra.Command {
	var o host.Options
	c := &cobra.Command{
		Use:   "service",
		Short: "Serve the embedded translation service at an address of its own",
		Example: "  locsync service --data data --account me --api-key-file key.txt\n  locsync service --data data " +
			"--account me --api-key-file key.txt --pseudo \\\n    --listen 127.0.0.1:0 --rate-limit 0",
		RunE: func(cmd *cobra.Command, _ []string) error { return serveEmbedded(cmd.Context(), a, o) },
	}
	c.Flags().StringVar(&o.Listen, "listen", "127.0.0.1:7430", "`ADDRESS` to listen on")
	c.Flags().StringVar(&o.Data, "data", "", "`DIR` for the service's data")
	c.Flags().StringVar(&o.Account, "account", "", "account `ID`, the user name of HTTP Basic (default: the one that the "+
		"data has)")
	c.Flags().StringVar(&o.KeyFile, "api-key-file", "", "`FILE` whose lines are the passwords (default: "+host.KeysFile+
		" in the data)")
	c.Flags().Float64Var(&o.Service.RateLimit, "rate-limit", 4, "`N` requests per second are let through; 0: no limit")
	c.Flags().StringVar(&o.PublicURL, "public-url", "", "`URL` by which people reach the page through a proxy")
	c.Flags().StringSliceVar(&o.Proxies, "trusted-proxy", nil, "`ADDRESS` or network of a proxy whose X-Forwarded-For "+
		"is believed")
	c.Flags().BoolVar(&o.Service.Pseudo, "pseudo", false, "give new keys pseudo-translations")
	o.Service.AccountType = "company"
	choose(c.Flags(), &o.Service.AccountType, "account-type", "what kind of account it is", "company", "personal")
	c.Flags().DurationVar(&o.Service.CallbackRetry, "callback-retry", 30*time.Second,
		"`DURATION` before a notification is sent again; doubles each time")
	c.Flags().DurationVar(&o.Service.Late, "late", 0, "`DURATION` after which exports show what was imported")
	c.Flags().IntVar(&o.Service.Balance, "balance", 100_000, "`WORDS` that the account has for machine translation")
	// for those who test against the service
	for _, hidden := range []string{"account-type", "callback-retry", "late", "balance"} {
		if err := c.Flags().MarkHidden(hidden); err != nil {
			panic(err)
		}
	}
	listsAlone(c)
	c.AddCommand(inviteCommand(a), invitationsCommand(a), auditCommand(a), backupCommand(a), restoreCommand(a),
		moveCommand(a))
	return c
}

func serveEmbedded(ctx context.Context, a *app, o host.Options) error {
	log, err := a.logger(zap.InfoLevel)
	if err != nil {
		return err
	}
	o.Log = log
	o.Listening = func(url string) error { return sayListening(a, url) }
	o.Invited = func(link string) error {
		fmt.Fprintf(a.err, "to translate in a browser, open %s (for one account, within 7 days)\n", link)
		return nil
	}
	return host.Serve(ctx, o)
}

// inviteCommand makes a link by which a person gets an account.
func inviteCommand(a *app) *cobra.Command {
	var of command.Invitation
	c := &cobra.Command{
		Use:   "invite [NAME]",
		Short: "Make a link by which a person gets an account to translate in a browser",
		Long: "Prints a link to the page for translators of the embedded service, which must be running: that of the " +
			"daemon (locsync run),\nor, with --data, that of locsync service. The link makes one account, within 7 days. With " +
			"the name of a person who has an\naccount it is for choosing a new password. The first person is a manager.",
		Example: "  locsync service invite\n  locsync service invite Ben --project app --role translator --language de\n" +
			"  locsync service invite --data data",
		Args: func(cmd *cobra.Command, args []string) error { return wants(cmd, len(args) <= 1, "one name at most") },
	}
	a.atEmbedded(c, func(ctx context.Context, embedded command.Embedded, args []string) error {
		of.Name = strings.Join(args, "")
		link, err := embedded.Invite(ctx, of)
		if err != nil {
			return err
		}
		return a.sayResult(operation.Result{Document: document.Invitation{URL: link}, Text: link + "\n"})
	})
	c.Flags().BoolVar(&of.Manager, "manager", false, "the person may invite and remove people, too")
	c.Flags().StringArrayVar(&of.Projects, "project", nil, "a project `NAME` that the person sees, of several "+
		"(default: all)")
	choose(c.Flags(), &of.Role, "role", "what the person may do (default: reviewer)", "translator", "reviewer", "manager")
	c.Flags().StringVar(&of.Address, "address", "", "the mail `ADDRESS` by which the person signs in at the provider of "+
		"oidc.json, too")
	c.Flags().StringArrayVar(&of.Languages, "language", nil, "a `LANGUAGE` that the person translates into, of several "+
		"(default: all)")
	return c
}
