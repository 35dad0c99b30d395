package config

import (
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net"
	"net/url"
	"path/filepath"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// redacted is what a secret shows of itself.
const redacted = "[redacted]"

// Secret is a password or shared secret. However it is printed, logged or encoded, it shows nothing of
// itself; Reveal is the one way to its text.
type Secret struct {
	// Behind a pointer, because fmt prints the unexported fields of whatever holds a Secret without asking its
	// methods: what it finds then is an address.
	text *string
}

// NewSecret wraps a text.
func NewSecret(text string) Secret { return Secret{&text} }

// Reveal is the secret itself, for the one place that sends it.
func (s Secret) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret.
func (s Secret) IsZero() bool { return s.Reveal() == "" }

// Equal compares with what somebody claims, in a time that tells nothing about the secret's text. No
// secret equals nothing, not even an empty claim.
func (s Secret) Equal(claim string) bool {
	return !s.IsZero() && subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(claim)) == 1
}

// String, GoString, Format, MarshalText and MarshalJSON show that there is a secret and not which.
func (s Secret) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// GoString is for %#v.
func (s Secret) GoString() string { return s.String() }

// Format is for every verb of package fmt.
func (s Secret) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is for every encoder that knows texts, zap's among them.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON is for JSON.
func (s Secret) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// maxSecret bounds the file of a secret.
const maxSecret = 4 << 10

// ReadSecretFile reads the file of a secret. A device or a pipe is none.
func ReadSecretFile(name string) ([]byte, error) { return bound.ReadFile(name, maxSecret) }

// APIKey is the password for the service: from the environment variable api_key_env, else the file
// api_key_file, else the systemd credential api_key. It is empty for the embedded service. The error is
// Problems naming every place that was looked at.
//
// The caller passes os.Getenv and os.ReadFile.
func (c *Config) APIKey(getenv func(string) string, readFile func(string) ([]byte, error)) (Secret, error) {
	if c.Service.Embedded() {
		return Secret{}, nil
	}
	if err := c.pinned(getenv("LOCSYNC_SERVICE_URL")); err != nil {
		return Secret{}, err
	}
	s, err := c.secret("service.api_key", c.Service.APIKeyEnv, c.Service.APIKeyFile, "api_key", getenv, readFile)
	if err != nil || !s.IsZero() {
		return s, err
	}
	at := c.origin.at("service").at("api_key_env")
	env := "name a variable in api_key_env"
	if c.Service.APIKeyEnv != "" {
		env = "set the environment variable " + c.Service.APIKeyEnv
	}
	return Secret{}, Problems{at.problem("no API key: %s, or name a file in api_key_file, or pass the systemd credential api_key", env)}
}

// pinned refuses to give the key to another scheme, host or port than the environment, where the key comes from, names:
// a change of this file cannot take the key elsewhere.
func (c *Config) pinned(address string) error {
	if address == "" || addressOf(address) == addressOf(c.Service.URL) {
		return nil
	}
	at := c.origin.at("service").at("url")
	return Problems{at.problem("LOCSYNC_SERVICE_URL in the environment allows the API key to go to %s only; "+
		"make the two agree, if %s is right", addressOf(address), c.Service.URL)}
}

// addressOf is scheme, host and port of an address.
func addressOf(address string) string {
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
func (c *Config) WebhookSecret(getenv func(string) string, readFile func(string) ([]byte, error)) (Secret, error) {
	return c.named("daemon.webhook_secret", "webhook_secret", c.Daemon.WebhookSecretEnv, c.Daemon.WebhookSecretFile, getenv, readFile)
}

// CallbackSecret is what the service's notifications carry in callback_header: from
// callback_secret_env, else callback_secret_file, else the systemd credential callback_secret. It is
// empty where none is configured. A value that a header would carry otherwise, or not at all, would refuse every notification: it is an error.
func (c *Config) CallbackSecret(getenv func(string) string, readFile func(string) ([]byte, error)) (Secret, error) {
	s, err := c.named("daemon.callback_secret", "callback_secret", c.Daemon.CallbackSecretEnv, c.Daemon.CallbackSecretFile, getenv, readFile)
	text := s.Reveal()
	if err == nil && (strings.TrimSpace(text) != text || strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' })) {
		at := c.origin.at("daemon").at("callback_header")
		return Secret{}, Problems{at.problem("the callback secret cannot be the value of a header: use letters, digits and signs of ASCII, without spaces around them (openssl rand -hex 32)")}
	}
	return s, err
}

// leastPageToken is how long the token of the status page must be: whoever reaches the address may try one.
const leastPageToken = 16

// PageToken is what unlocks the buttons of the status page: from page_token_env, else page_token_file, else
// the systemd credential page_token. It is empty where none is configured; a short one is a problem. Blanks around it are no part of it: nobody sees to type them.
func (c *Config) PageToken(getenv func(string) string, readFile func(string) ([]byte, error)) (Secret, error) {
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
		return Secret{}, Problems{at.problem("the token is shorter than %d characters, and could be guessed; make one with: openssl rand -hex 16", leastPageToken)}
	}
	return NewSecret(text), nil
}

// NotifyURL is the address that messages for people are posted to: from url_env, else url_file, else the systemd
// credential notify_url. It is empty where none is configured.
func (c *Config) NotifyURL(getenv func(string) string, readFile func(string) ([]byte, error)) (Secret, error) {
	return c.named("notify.url", "notify_url", c.Notify.URLEnv, c.Notify.URLFile, getenv, readFile)
}

// named is a secret of the daemon: not having one is fine, naming one that is not there is not.
func (c *Config) named(key, credential, env, file string, getenv func(string) string,
	readFile func(string) ([]byte, error)) (Secret, error) {
	s, err := c.secret(key, env, file, credential, getenv, readFile)
	if err == nil && s.IsZero() && env != "" {
		at := c.origin.at(key + "_env")
		return s, Problems{at.problem("the environment variable %s is not set; set it, or leave the line out to do without", env)}
	}
	return s, err
}

// secret looks in the three places in their order.
func (c *Config) secret(key, env, file, credential string, getenv func(string) string, readFile func(string) ([]byte, error)) (Secret, error) {
	if env != "" {
		if text := getenv(env); text != "" {
			return c.checked(key+"_env", "the environment variable "+env, text)
		}
	}
	if file != "" {
		data, err := readFile(c.Resolve(file))
		if err != nil {
			return Secret{}, Problems{c.origin.at(key+"_file").problem("read the secret: %v; name a file that this user can read", err)}
		}
		return c.checked(key+"_file", c.Resolve(file), string(data))
	}
	if dir := getenv("CREDENTIALS_DIRECTORY"); dir != "" {
		path := filepath.Join(dir, credential)
		data, err := readFile(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return Secret{}, nil
		case err != nil:
			return Secret{}, Problems{c.origin.at(key+"_file").problem("read the systemd credential %s: %v", credential, err)}
		}
		return c.checked(key+"_file", path, string(data))
	}
	return Secret{}, nil
}

// checked makes a secret of what was found; its messages never quote it.
func (c *Config) checked(key, where, text string) (Secret, error) {
	text = strings.TrimRight(text, "\r\n")
	at := c.origin.at(key)
	switch {
	case text == "":
		return Secret{}, Problems{at.problem("%s is empty", where)}
	case len(text) > maxSecret:
		return Secret{}, Problems{at.problem("%s holds more than %d bytes; it should hold the secret alone", where, maxSecret)}
	case strings.ContainsAny(text, "\r\n\x00"):
		return Secret{}, Problems{at.problem("%s holds more than one line; it should hold the secret alone", where)}
	}
	return NewSecret(text), nil
}
