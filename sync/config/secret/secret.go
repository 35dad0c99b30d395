// Package secret holds passwords and shared secrets, and finds them: in an environment variable, in a file, or as a
// systemd credential. A Value shows nothing of itself however it is printed, logged or encoded.
package secret

import (
	"bytes"
	"crypto/subtle"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// redacted is what a secret shows of itself.
const redacted = "[redacted]"

// Value is a password or shared secret. However it is printed, logged or encoded, it shows nothing of
// itself; Reveal is the one way to its text.
type Value struct {
	// Behind a pointer, because fmt prints the unexported fields of what holds a Value without asking its
	// methods: what it finds then is an address.
	text *string
}

// New wraps a text.
func New(text string) Value { return Value{&text} }

// Reveal is the secret itself, for the one function that sends it.
func (s Value) Reveal() string {
	if s.text == nil {
		return ""
	}
	return *s.text
}

// IsZero reports whether there is no secret.
func (s Value) IsZero() bool { return s.Reveal() == "" }

// Equal compares with a claim, in a time that does not depend on where they differ. An empty secret equals nothing,
// not even an empty claim.
func (s Value) Equal(claim string) bool {
	return !s.IsZero() && subtle.ConstantTimeCompare([]byte(s.Reveal()), []byte(claim)) == 1
}

// String, GoString, Format, MarshalText and MarshalJSON show that there is a secret and not which.
func (s Value) String() string {
	if s.IsZero() {
		return ""
	}
	return redacted
}

// GoString is for %#v.
func (s Value) GoString() string { return s.String() }

// Format is for every verb of package fmt.
func (s Value) Format(f fmt.State, _ rune) { _, _ = io.WriteString(f, s.String()) }

// MarshalText is for every encoder that knows texts, zap's among them.
func (s Value) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// MarshalJSON is for JSON.
func (s Value) MarshalJSON() ([]byte, error) { return []byte(`"` + s.String() + `"`), nil }

// MaxBytes bounds the file of a secret.
const MaxBytes = 4 << 10

// ReadFile reads the file of a secret; devices and pipes are refused.
func ReadFile(name string) ([]byte, error) { return bound.ReadFile(name, MaxBytes) }

// Source names where a secret is searched, in this order.
type Source struct {
	Env        string // an environment variable; "": none
	File       string // a file; "": none
	Credential string // a systemd credential
	Lines      bool   // the secret may have several lines, as a key in PEM; in a variable they may be written as \n
}

// Find returns the secret, empty where the source has none or an empty systemd credential. With an error, setting is
// the kind of name that the error is about, "env" or "file"; the error never quotes what was found.
func (s Source) Find(getenv func(string) string, readFile func(string) ([]byte, error)) (found Value, setting string,
	err error) {
	if s.Env != "" {
		if text := getenv(s.Env); text != "" {
			found, err = s.checked("the environment variable "+s.Env, text)
			return found, "env", err
		}
	}
	name, what := s.File, "secret"
	if name == "" {
		dir := getenv("CREDENTIALS_DIRECTORY")
		if dir == "" {
			return Value{}, "", nil
		}
		name, what = filepath.Join(dir, s.Credential), "systemd credential "+s.Credential
	}
	data, err := readFile(name)
	switch {
	case err == nil && s.File == "" && len(bytes.TrimSpace(data)) == 0: // a unit's default, in place of a file
	case err == nil:
		found, err = s.checked(name, string(data))
	case s.File != "":
		err = fmt.Errorf("read the %s: %w; name a file that this user can read", what, err)
	case errors.Is(err, fs.ErrNotExist):
		err = nil
	default:
		err = fmt.Errorf("read the %s: %w", what, err)
	}
	return found, "file", err
}

// In finds a secret that settings in a folder ask for: its file is relative to the folder, and its variable is one
// that no program which git starts gets. That there is none is an error, too.
func (s Source) In(folder string) (found Value, setting string, err error) {
	if s.Env != "" && !strings.HasPrefix(s.Env, "LOCSYNC_") {
		return found, "env", fmt.Errorf("%q does not begin with LOCSYNC_, so hooks of git would get the secret; rename it",
			s.Env)
	}
	if s.File != "" && !filepath.IsAbs(s.File) {
		s.File = filepath.Join(folder, s.File)
	}
	found, setting, err = s.Find(os.Getenv, ReadFile)
	if err == nil && found.IsZero() {
		err, setting = errors.New("there is none; name a file with it"), "file"
	}
	return found, setting, err
}

// checked makes a secret of what was found.
func (s Source) checked(where, text string) (Value, error) {
	text = strings.TrimRight(text, "\r\n")
	if s.Lines {
		text = strings.ReplaceAll(text, `\n`, "\n")
	}
	switch {
	case text == "":
		return Value{}, fmt.Errorf("%s is empty", where)
	case len(text) > MaxBytes:
		return Value{}, fmt.Errorf("%s holds more than %d bytes; it should hold the secret alone", where, MaxBytes)
	case !s.Lines && strings.ContainsAny(text, "\r\n"), strings.Contains(text, "\x00"):
		return Value{}, fmt.Errorf("%s holds more than one line; it should hold the secret alone", where)
	}
	return New(text), nil
}
