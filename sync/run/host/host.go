// Package host serves the embedded translation service of a folder at an address of its own, with the page for
// translators beside the interface, and an address for commands of this machine.
//
// Its law: what cannot be served as it was asked for is refused before anything is listened to, and the end waits for
// calls under way.
package host

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"net"
	"net/http"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/service/local"
	"github.com/locsync/locsync/sync/service/local/page"
	"github.com/locsync/locsync/sync/web"
	"go.uber.org/zap"
)

// KeysFile is the file of a service's folder with the passwords of clients, where no other one is named.
const KeysFile = "api-keys"

// Options say what is served, and where.
type Options struct {
	Listen, Data string
	Account      string // empty: the one that the folder has
	KeyFile      string // empty: KeysFile of the folder
	PublicURL    string // by which people reach the page
	Proxies      []string
	Service      local.Options // without account, keys and logger
	Log          *zap.Logger
	Listening    func(url string) error  // is told when calls are accepted
	Invited      func(link string) error // is told of a link for the first person, while there is none
}

// endPatience is how long calls under way may take when the service is told to end.
const endPatience = 7 * time.Second

// Serve serves a folder until ctx ends.
func Serve(ctx context.Context, o Options) error {
	handler, svc, err := o.open()
	if err != nil {
		return err
	}
	listener, err := process.Listen(o.Listen)
	if err != nil {
		return errors.Join(fmt.Errorf("%w; choose another address with --listen", err), svc.Close())
	}
	server := serve.NewServer(handler, o.Log)
	ended := make(chan error, 1)
	context.AfterFunc(ctx, func() { ended <- process.ShutDown(server, endPatience) })
	if at, ok := listener.Addr().(*net.TCPAddr); ok && !at.IP.IsLoopback() {
		o.Log.Warn("API keys and passwords reach this address unencrypted; listen on 127.0.0.1, behind a proxy with TLS",
			zap.Stringer("address", at))
	}
	address := "http://" + listener.Addr().String()
	svc.Page().SetAddress(cmp.Or(o.PublicURL, address))
	if err := errors.Join(o.Listening(address), o.inviteFirst(svc)); err != nil {
		return errors.Join(err, listener.Close(), svc.Close())
	}
	commands := make(chan error, 1)
	go func() {
		defer close(commands)
		fault.Keep(ctx, "the address for commands", func() { commands <- web.ServeService(ctx, o.Data, svc.Commands()) })
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

// open opens the folder for the account and the keys that are meant.
func (o Options) open() (http.Handler, *local.Service, error) {
	if err := o.check(); err != nil {
		return nil, nil, failure.Usage(err)
	}
	of, err := o.account()
	if err != nil {
		return nil, nil, err
	}
	keys, err := o.keys()
	if err != nil {
		return nil, nil, failure.Usage(err)
	}
	proxies, err := bound.Proxies(o.Proxies)
	if err != nil {
		return nil, nil, failure.Usage(fmt.Errorf("--trusted-proxy: %w", err))
	}
	o.Service.AccountID, o.Service.Keys, o.Service.Logger = of, keys, o.Log
	svc, err := local.Open(o.Data, o.Service)
	if _, is := errors.AsType[*local.SettingsError](err); is {
		return nil, nil, failure.Usage(err)
	}
	if err != nil {
		return nil, nil, err
	}
	return o.withPage(svc, proxies), svc, nil
}

func (o Options) check() error {
	switch {
	case o.Data == "":
		return errors.New("--data is missing: name a folder for the service's data")
	case strings.Contains(o.Account, ":"):
		return errors.New("--account must have no colon, by which HTTP Basic ends a user name")
	case o.Service.RateLimit < 0:
		return errors.New("--rate-limit must be 0 (no limit) or above")
	case o.Service.Late < 0:
		return errors.New("--late must be a duration, 0 or above")
	case o.Service.CallbackRetry <= 0:
		return errors.New("--callback-retry must be a duration above 0")
	}
	return nil
}

// account is whose projects are served: those of another one than the folder has would seem to be gone.
func (o Options) account() (string, error) {
	known, err := local.Accounts(o.Data)
	_, unusable := errors.AsType[*local.SettingsError](err)
	switch {
	case unusable:
		return "", failure.Usage(err)
	case err != nil:
		return "", err
	case o.Account == "" && len(known) == 1:
		return known[0], nil
	case o.Account == "" && len(known) == 0:
		return "", failure.Usage(errors.New("--account is missing: choose an account id, the user name of HTTP Basic"))
	case o.Account == "":
		return "", failure.Usage(fmt.Errorf("--account is missing: %s has the accounts %s", o.Data,
			strings.Join(known, ", ")))
	case len(known) > 0 && !slices.Contains(known, o.Account):
		o.Log.Warn("this account is new in the folder, which has projects or people of others; name one of them with "+
			"--account to serve it", zap.String("account", o.Account), zap.Strings("others", known))
	}
	return o.Account, nil
}

// keys reads the passwords: every line that is not empty is one.
func (o Options) keys() ([]string, error) {
	file := cmp.Or(o.KeyFile, filepath.Join(o.Data, KeysFile))
	data, err := bound.ReadFile(file, 1<<20)
	switch {
	case o.KeyFile == "" && errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("--api-key-file is missing: name a file whose lines are the passwords, or write %s", file)
	case err != nil:
		if of, is := errors.AsType[*fs.PathError](err); is {
			err = of.Err
		}
		return nil, fmt.Errorf("--api-key-file %s: %w", file, err)
	}
	var keys []string
	for line := range strings.Lines(string(data)) {
		if key := strings.TrimSpace(line); key != "" {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return nil, fmt.Errorf("%s has no key in it; write one on a line of its own", file)
	}
	return keys, nil
}

// withPage serves the page for translators beside the interface. A browser that asks for the address alone, or for the
// page without its last slash, is led to it.
// The interface proves itself by its keys, and may be called by any name.
func (o Options) withPage(svc *local.Service, proxies []netip.Prefix) http.Handler {
	machine, _ := os.Hostname() // without one the address has one name less
	names := serve.Names{Listen: o.Listen, PublicURL: o.PublicURL, Machine: machine}
	named := names.Guard(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Connection", "close")
		http.Error(w, "this machine is not called so: ask for the address itself, or name this host in --public-url",
			http.StatusForbidden)
	}, svc.Page())
	return serve.Behind(proxies, http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		browser := r.Method == http.MethodGet && strings.Contains(r.Header.Get("Accept"), "text/html")
		switch {
		case strings.HasPrefix(r.URL.Path, page.Path):
			named.ServeHTTP(w, r)
		case browser && (r.URL.Path == "/" || r.URL.Path+"/" == page.Path):
			w.Header().Set("Location", strings.TrimPrefix(page.Path, "/"))
			w.WriteHeader(http.StatusSeeOther)
		default:
			svc.ServeHTTP(w, r)
		}
	}))
}

// inviteFirst makes an invitation while no person has an account: the first one cannot be invited by another. Each
// start makes one anew, since the words of earlier links are stored as digests and cannot be shown again.
func (o Options) inviteFirst(svc *local.Service) error {
	empty, err := svc.Page().Empty()
	if err != nil || !empty {
		return err
	}
	link, err := svc.Page().InvitationURL("", false)
	if err != nil {
		return err
	}
	return o.Invited(link)
}
