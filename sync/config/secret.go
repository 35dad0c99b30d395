package config

import (
	"net"
	"net/url"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/config/secret"
)

// APIKey is the password for the service: from the environment variable api_key_env, else the file api_key_file, else
// the systemd credential api_key. It is empty for the embedded service, and where no source has one.
// The caller passes os.Getenv and os.ReadFile.
func (c *Config) APIKey(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value, error) {
	if c.Service.Embedded() {
		return secret.Value{}, nil
	}
	if err := c.pinned(getenv("LOCSYNC_SERVICE_URL")); err != nil {
		return secret.Value{}, err
	}
	return c.secret(c.origin.at("service.api_key"), c.Service.APIKeyEnv, c.Service.APIKeyFile, "api_key", getenv, readFile)
}

// NoAPIKey is the problem that no source has the API key.
func (c *Config) NoAPIKey() error {
	at := c.origin.at("service").at("api_key_env")
	env := "name a variable in api_key_env"
	if c.Service.APIKeyEnv != "" {
		env = "set the environment variable " + c.Service.APIKeyEnv
	}
	return Problems{at.problem("no API key found; %s, or name a file in api_key_file, or pass the systemd credential "+
		"api_key, or store it in the keyring with locsync login", env)}
}

// pinned refuses to give the key to another scheme, host or port than the environment, where the key comes from, names:
// a change of this file cannot take the key elsewhere.
func (c *Config) pinned(address string) error {
	if address == "" || AddressOf(address) == AddressOf(c.Service.URL) {
		return nil
	}
	at := c.origin.at("service").at("url")
	return Problems{at.problem("LOCSYNC_SERVICE_URL in the environment allows the API key to go to %s only; "+
		"make the two agree, if %s is right", AddressOf(address), c.Service.URL)}
}

// AddressOf is scheme, host and port of an address: where a secret goes.
func AddressOf(address string) string {
	u, err := url.Parse(address)
	if err != nil || u.Host == "" {
		return strconv.Quote(address)
	}
	port := u.Port()
	if port == "" {
		port = map[string]string{"http": "80", "https": "443"}[strings.ToLower(u.Scheme)]
	}
	return strings.ToLower(u.Scheme + "://" + net.JoinHostPort(u.Hostname(), port))
}

// WebhookSecret is what git hosts sign their webhooks with: from webhook_secret_env, else
// webhook_secret_file, else the systemd credential webhook_secret. It is empty where none is configured.
func (c *Config) WebhookSecret(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value,
	error) {
	d := c.Daemon
	return c.named("daemon.webhook_secret", "webhook_secret", d.WebhookSecretEnv, d.WebhookSecretFile, getenv, readFile)
}

// CallbackSecret is what the service's notifications carry in callback_header: from
// callback_secret_env, else callback_secret_file, else the systemd credential callback_secret. It is
// empty where none is configured. A value that a header would carry otherwise, or not at all, would refuse every
// notification: it is an error.
func (c *Config) CallbackSecret(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value,
	error) {
	d := c.Daemon
	s, err := c.named("daemon.callback_secret", "callback_secret", d.CallbackSecretEnv, d.CallbackSecretFile, getenv,
		readFile)
	text := s.Reveal()
	beyond := func(r rune) bool { return r < ' ' || r > '~' }
	if err == nil && (strings.TrimSpace(text) != text || strings.ContainsFunc(text, beyond)) {
		at := c.origin.at("daemon").at("callback_header")
		return secret.Value{}, Problems{at.problem("the callback secret cannot be the value of a header: use " +
			"letters, digits and signs of ASCII, without spaces around them (openssl rand -hex 32)")}
	}
	return s, err
}

// leastPageToken is how long the token of the status page must be: everyone who reaches the address may try one.
const leastPageToken = 16

// PageToken is what unlocks the buttons of the status page: from page_token_env, else page_token_file, else
// the systemd credential page_token. It is empty where none is configured; a short one is a problem. Blanks
// around it are not part of it, because they cannot be seen to be typed.
func (c *Config) PageToken(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value, error) {
	s, err := c.named("daemon.page_token", "page_token", c.Daemon.PageTokenEnv, c.Daemon.PageTokenFile, getenv, readFile)
	if err != nil || s.IsZero() {
		return s, err
	}
	text := strings.TrimSpace(s.Reveal())
	if len(text) < leastPageToken {
		at := c.origin.at("daemon").at("page_token_file")
		if c.Daemon.PageTokenEnv != "" {
			at = c.origin.at("daemon").at("page_token_env")
		}
		return secret.Value{}, Problems{at.problem("the token is shorter than %d characters, and could be guessed; make one "+
			"with: openssl rand -hex 16", leastPageToken)}
	}
	return secret.New(text), nil
}

// NotifyURL is the address that messages for people are posted to: from url_env, else url_file, else the systemd
// credential notify_url. It is empty where none is configured.
func (c *Config) NotifyURL(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value, error) {
	return c.named("notify.url", "notify_url", c.Notify.URLEnv, c.Notify.URLFile, getenv, readFile)
}

// DatabaseURL is the address of the cluster's database: from database_url_env, else database_url_file, else the systemd
// credential database_url. The error is Problems naming every source that was searched.
func (c *Config) DatabaseURL(getenv func(string) string, readFile func(string) ([]byte, error)) (secret.Value, error) {
	s, err := c.secret(c.origin.at("cluster").at("database_url"), c.Cluster.DatabaseURLEnv,
		c.Cluster.DatabaseURLFile, "database_url", getenv, readFile)
	if err != nil || !s.IsZero() {
		return s, err
	}
	at := c.origin.at("cluster").at("database_url_env")
	env := "name a variable in database_url_env"
	if c.Cluster.DatabaseURLEnv != "" {
		env = "set the environment variable " + c.Cluster.DatabaseURLEnv
	}
	return s, Problems{at.problem("no address of the database found: %s, or name a file in database_url_file, or pass "+
		"the systemd credential database_url", env)}
}

// named is a secret of the daemon: not having one is fine, naming one that is not there is not.
func (c *Config) named(key, credential, env, file string, getenv func(string) string,
	readFile func(string) ([]byte, error)) (secret.Value, error) {
	s, err := c.secret(c.origin.at(key), env, file, credential, getenv, readFile)
	if err == nil && s.IsZero() && env != "" {
		at := c.origin.at(key + "_env")
		return s, Problems{at.problem("the environment variable %s is not set; set it, or leave the line out to do "+
			"without", env)}
	}
	return s, err
}

// secret finds a secret in its three sources; a problem is about the setting that names the source.
func (c *Config) secret(at origin, env, file, credential string, getenv func(string) string,
	readFile func(string) ([]byte, error)) (secret.Value, error) {
	return c.secretOf(at, secret.Source{Env: env, File: file, Credential: credential}, getenv, readFile)
}

func (c *Config) secretOf(at origin, source secret.Source, getenv func(string) string,
	readFile func(string) ([]byte, error)) (secret.Value, error) {
	if source.File != "" {
		source.File = c.Resolve(source.File)
	}
	found, setting, err := source.Find(getenv, readFile)
	if err != nil {
		return secret.Value{}, Problems{at.suffixed("_"+setting).problem("%v", err)}
	}
	return found, nil
}
