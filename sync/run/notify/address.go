package notify

import (
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"strings"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/secret"
)

// Address is where a configuration has messages posted, checked; zero for nowhere. Its errors never quote it.
func Address(cfg *config.Config, getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value,
	error) {
	found, err := cfg.NotifyURL(getenv, readFile)
	if err != nil || found.IsZero() {
		return found, err
	}
	address := strings.TrimSpace(found.Reveal())
	if err := checkAddress(address); err != nil {
		key := "url_file"
		if cfg.Notify.URLEnv != "" {
			key = "url_env"
		}
		return secret.Value{}, fmt.Errorf("%s: notify.%s: %w", cfg.File, key, err)
	}
	return secret.New(address), nil
}

func checkAddress(address string) error {
	u, err := url.Parse(address)
	if err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" {
		return errors.New("what it names holds no address with scheme and host; it should hold the webhook address alone, " +
			"as Slack, Teams or another receiver shows it")
	}
	ip := net.ParseIP(u.Hostname())
	if u.Scheme == "http" && u.Hostname() != "localhost" && (ip == nil || !ip.IsLoopback()) {
		return errors.New("the address is plain http to another machine, which shows it and the messages to everyone " +
			"between; use https")
	}
	return nil
}

// Open is the receiver of a configuration; nil for none.
func Open(cfg *config.Config, readFile func(string) ([]byte, error), log *zap.Logger) (*Receiver, error) {
	address, err := Address(cfg, os.Getenv, readFile)
	if err != nil || address.IsZero() {
		return nil, err
	}
	kind := cfg.Notify.Kind
	if kind == "" {
		kind = kindOf(address.Reveal())
	}
	return NewReceiver(address.Reveal(), kind, log), nil
}

// kindOf is what an address tells of its receiver.
func kindOf(address string) string {
	u, err := url.Parse(address)
	if err != nil {
		return "json"
	}
	host := strings.ToLower(u.Hostname())
	switch {
	case host == "hooks.slack.com":
		return "slack"
	case strings.HasSuffix(host, ".webhook.office.com"), strings.HasSuffix(host, ".logic.azure.com"),
		strings.Contains(host, "powerplatform"):
		return "teams"
	}
	return "json"
}
