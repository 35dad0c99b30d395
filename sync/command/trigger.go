package command

import (
	"context"
	"fmt"
	"io"
	"net"
	"net/http"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/run/process"
	"github.com/locsync/locsync/sync/web"
)

// triggerPatience is how long a daemon is told; git does not wait for it.
const triggerPatience = 5 * time.Second

// Trigger tells the running daemon to look now: through the state folder, and where that is not ours to read, or no
// daemon is behind it, at the daemon's address. A daemon that does not run looks when it starts.
func Trigger(ctx context.Context, cfg *config.Config) error {
	ctx, cancel := context.WithTimeout(ctx, triggerPatience)
	defer cancel()
	dir, err := process.StateDir(ctx, cfg)
	if err == nil {
		if _, err = web.Ask(ctx, dir, web.Request{Action: "ring"}, nil); err == nil {
			return nil
		}
	}
	if cfg.Daemon.Listen == "" || ctx.Err() != nil {
		return fmt.Errorf("tell the daemon: %w", err)
	}
	return triggerAt(ctx, cfg.Daemon.Listen)
}

// triggerAt tells the daemon at an address.
func triggerAt(ctx context.Context, listen string) error {
	host, port, err := net.SplitHostPort(listen)
	if err != nil {
		return failure.Usage(fmt.Errorf("daemon.listen is %q: there is no address to call", listen))
	}
	if ip := net.ParseIP(host); host == "" || ip != nil && ip.IsUnspecified() {
		host = "127.0.0.1"
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+net.JoinHostPort(host, port)+"/trigger", nil)
	if err != nil {
		return err
	}
	resp, err := (&http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}}).Do(req)
	if err != nil {
		return fmt.Errorf("tell the daemon: %w", err)
	}
	defer resp.Body.Close()
	if resp.StatusCode != http.StatusAccepted {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 1024))
		return fmt.Errorf("tell the daemon: %s: %s", resp.Status, strings.TrimSpace(string(said)))
	}
	return nil
}
