package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"os"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/command"
	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/local/page"
	"github.com/locsync/locsync/sync/web"
)

// serviceFlags are the flags of `locsync service`.
type serviceFlags struct {
	listen, data, account, keyFile, accountType string
	rate                                        float64
	pseudo                                      bool
	retry, late                                 time.Duration
	balance                                     int
	publicURL                                   string
	proxies                                     []string
}

func serviceCommand(a *app) *cobra.Command {
	var f serviceFlags
	c := &cobra.Command{
		Use:   "service",
		Short: "Serve the embedded translation service at an address of its own",
		Example: "  locsync service --data data --account me --api-key-file key.txt\n  locsync service --data data " +
			"--account me --api-key-file key.txt --pseudo \\\n    --listen 127.0.0.1:0 --rate-limit 0",
		RunE: func(cmd *cobra.Command, _ []string) error { return serveEmbedded(cmd.Context(), a, f) },
	}
	c.Flags().StringVar(&f.listen, "listen", "127.0.0.1:7430", "`ADDRESS` to listen on")
	c.Flags().StringVar(&f.data, "data", "", "`DIR` for the service's data")
	c.Flags().StringVar(&f.account, "account", "", "account `ID`, the user name of HTTP Basic")
	c.Flags().StringVar(&f.keyFile, "api-key-file", "", "`FILE` whose lines are the passwords")
	c.Flags().Float64Var(&f.rate, "rate-limit", 4, "`N` requests per second are let through; 0: no limit")
	c.Flags().StringVar(&f.publicURL, "public-url", "", "`URL` by which people reach the page through a proxy")
	c.Flags().StringSliceVar(&f.proxies, "trusted-proxy", nil, "`ADDRESS` or network of a proxy whose X-Forwarded-For "+
		"is believed")
	c.Flags().BoolVar(&f.pseudo, "pseudo", false, "give new keys pseudo-translations")
	f.accountType = "company"
	choose(c.Flags(), &f.accountType, "account-type", "what kind of account it is", "company", "personal")
	c.Flags().DurationVar(&f.retry, "callback-retry", 30*time.Second, "`DURATION` before a notification is sent again; "+
		"doubles each time")
	c.Flags().DurationVar(&f.late, "late", 0, "`DURATION` after which exports show what was imported")
	c.Flags().IntVar(&f.balance, "balance", 100_000, "`WORDS` that the account has for machine translation")
	// for those who test against the service
	for _, hidden := range []string{"account-type", "callback-retry", "late", "balance"} {
		if err := c.Flags().MarkHidden(hidden); err != nil {
			panic(err)
		}
	}
	listsAlone(c)
	c.AddCommand(inviteCommand(a))
	return c
}

// endPatience is how long calls under way may take when the service is told to end.
const endPatience = 7 * time.Second

func serveEmbedded(ctx context.Context, a *app, f serviceFlags) error {
	log, err := a.logger(zap.InfoLevel)
	if err != nil {
		return err
	}
	keys, err := readKeys(f)
	if err != nil {
		return misuse(err)
	}
	svc, err := local.Open(f.data, local.Options{
		AccountID: f.account, Keys: keys, RateLimit: f.rate, Pseudo: f.pseudo, AccountType: f.accountType,
		CallbackRetry: f.retry, Late: f.late, Balance: f.balance, Logger: log,
	})
	if err != nil {
		return err
	}
	listener, err := process.Listen(f.listen)
	if err != nil {
		return errors.Join(err, svc.Close())
	}
	handler, err := withPage(svc, f)
	if err != nil {
		return errors.Join(misuse(err), listener.Close(), svc.Close())
	}
	server := serve.NewServer(handler, log)
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() { ended <- process.ShutDown(server, endPatience) })
	if at, ok := listener.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		log.Warn("API keys and passwords reach this address unencrypted; listen on 127.0.0.1, behind a proxy with TLS",
			zap.Stringer("address", at))
	}
	address := "http://" + listener.Addr().String()
	svc.Page().SetAddress(cmp.Or(f.publicURL, address))
	if err := errors.Join(sayListening(a, address), inviteFirst(a, svc)); err != nil {
		return errors.Join(err, listener.Close(), svc.Close())
	}
	commands := make(chan error, 1)
	go func() {
		defer close(commands)
		fault.Keep(ctx, "the address for commands", func() { commands <- web.ServeService(ctx, f.data, svc.Commands()) })
	}()
	err = server.Serve(listener)
	if errors.Is(err, http.ErrServerClosed) { // Serve returns when the end begins; calls under way need the data
		err = <-ended
	}
	if ctx.Err() != nil {
		err = errors.Join(err, <-commands)
	}
	return errors.Join(err, svc.Close())
}

// withPage serves the page for translators beside the interface. Who comes with a browser is led to it.
// The interface proves itself by its keys, and may be called by any name.
func withPage(svc *local.Service, f serviceFlags) (http.Handler, error) {
	proxies, err := bound.Proxies(f.proxies)
	if err != nil {
		return nil, fmt.Errorf("--trusted-proxy: %w", err)
	}
	machine, _ := os.Hostname() // without one the address has one name less
	names := serve.Names{Listen: f.listen, PublicURL: f.publicURL, Machine: machine}
	named := names.Guard(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		http.Error(w, "this machine is not called so: ask for the address itself, or name this host in --public-url",
			http.StatusForbidden)
	}, svc.Page())
	return serve.Behind(proxies, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case strings.HasPrefix(r.URL.Path, page.Path):
			named.ServeHTTP(w, r)
		case r.URL.Path == "/" && r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html"):
			w.Header().Set("Location", strings.TrimPrefix(page.Path, "/"))
			w.WriteHeader(http.StatusSeeOther)
		default:
			svc.ServeHTTP(w, r)
		}
	})), nil
}

// inviteFirst prints an invitation while no person has an account: the first one cannot be invited by another.
func inviteFirst(a *app, svc *local.Service) error {
	empty, err := svc.Page().Empty()
	if err != nil || !empty {
		return err
	}
	link, err := svc.Page().InvitationURL("", false)
	if err == nil {
		fmt.Fprintf(a.err, "to translate in a browser, open %s (for one account, within 7 days)\n", link)
	}
	return err
}

// inviteCommand makes a link by which a person gets an account.
func inviteCommand(a *app) *cobra.Command {
	dir, of := "", command.Invitation{}
	c := &cobra.Command{
		Use:   "invite [NAME]",
		Short: "Make a link by which a person gets an account to translate in a browser",
		Long: "Prints a link to the page for translators of the embedded service, which must be running: that of the " +
			"daemon (locsync run),\nor, with --data, that of locsync service. The link makes one account, within 7 days. With " +
			"the name of a person who has an\naccount it is for choosing a new password. The first person is a manager.",
		Example: "  locsync service invite\n  locsync service invite Ben --project app --role translator --language de\n" +
			"  locsync service invite --data data",
		Args: func(cmd *cobra.Command, args []string) error { return wants(cmd, len(args) <= 1, "one name at most") },
		RunE: func(cmd *cobra.Command, args []string) error {
			if dir == "" {
				cfg, err := a.loadEmpty()
				if err != nil {
					return err
				}
				if dir, err = process.StateDir(cmd.Context(), cfg); err != nil {
					return err
				}
			}
			of.Name = strings.Join(args, "")
			link, err := command.Invite(cmd.Context(), dir, of)
			if err != nil {
				return err
			}
			if a.asJSON {
				return a.print(document.Invitation{URL: link})
			}
			_, err = fmt.Fprintln(a.out, link)
			return err
		},
	}
	c.Flags().StringVar(&dir, "data", "", "`DIR` with the data of locsync service (default: the daemon's service)")
	c.Flags().BoolVar(&of.Manager, "manager", false, "the person may invite and remove people, too")
	c.Flags().StringArrayVar(&of.Projects, "project", nil, "a project `NAME` that the person sees, of several "+
		"(default: all)")
	c.Flags().StringVar(&of.Role, "role", "", "what the person may do: translator, reviewer or manager, a `ROLE` of the "+
		"page (default: reviewer)")
	c.Flags().StringArrayVar(&of.Languages, "language", nil, "a `LANGUAGE` that the person translates into, of several "+
		"(default: all)")
	return c
}

// readKeys checks the flags and reads the passwords: every line that is not empty is one.
func readKeys(f serviceFlags) ([]string, error) {
	switch {
	case f.data == "":
		return nil, errors.New("--data is missing: name a folder for the service's data")
	case f.account == "":
		return nil, errors.New("--account is missing: choose an account id, the user name of HTTP Basic")
	case strings.Contains(f.account, ":"):
		return nil, errors.New("--account must have no colon, by which HTTP Basic ends a user name")
	case f.keyFile == "":
		return nil, errors.New("--api-key-file is missing: name a file whose lines are the passwords")
	case f.rate < 0:
		return nil, errors.New("--rate-limit must be 0 (no limit) or above")
	case f.late < 0:
		return nil, errors.New("--late must be a duration, 0 or above")
	case f.retry <= 0:
		return nil, errors.New("--callback-retry must be a duration above 0")
	}
	data, err := bound.ReadFile(f.keyFile, 1<<20)
	if err != nil {
		if of, is := errors.AsType[*fs.PathError](err); is {
			err = of.Err
		}
		return nil, fmt.Errorf("--api-key-file %s: %w", f.keyFile, err)
	}
	var keys []string
	for line := range strings.Lines(string(data)) {
		if key := strings.TrimSpace(line); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no key in it; write one on a line of its own", f.keyFile)
	}
	return keys, nil
}
