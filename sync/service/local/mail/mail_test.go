package mail

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/service/local/mail/mailtest"
)

// read reads the file of a server in a folder.
func read(t *testing.T, text string) (*Server, error) {
	t.Helper()
	dir := t.TempDir()
	for name, text := range map[string]string{File: text, "password": "secret\n"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return Read(dir)
}

func TestRead(t *testing.T) {
	if s, err := Read(t.TempDir()); s != nil || err != nil {
		t.Errorf("without a file: %+v, %v", s, err)
	}
	t.Setenv("LOCSYNC_SMTP_PASSWORD", "secret")
	t.Setenv("CREDENTIALS_DIRECTORY", "")
	for _, c := range []struct{ text, want string }{
		{`{"host": "h", "from": "a@b.c"}`, "587 starttls 07:00"},
		{`{"host": "h", "from": "A <a@b.c>", "security": "tls", "at": "18:30"}`, "465 tls 18:30"},
		{`{"host": "localhost", "from": "a@b.c", "security": "none", "port": 2525}`, "2525 none 07:00"},
		{`{"host": "h", "from": "a@b.c", "user": "u", "password_file": "password"}`, "587 starttls 07:00 secret"},
		{`{"host": "h", "from": "a@b.c", "user": "u", "password_env": "LOCSYNC_SMTP_PASSWORD"}`, "587 starttls 07:00 secret"},
		{`{"host": "h", "from": "a@b.c", "user": "u", "password_env": "SMTP"}`, "password_env: \"SMTP\" does not begin with"},
		{`{"from": "a@b.c"}`, "host is missing"},
		{`{"host": "h", "from": "l10n"}`, "want an address"},
		{`{"host": "h", "from": "a@b.c", "security": "ssl"}`, "want starttls, tls or none"},
		{`{"host": "h", "from": "a@b.c", "security": "none"}`, "of this machine"},
		{`{"host": "h", "from": "a@b.c", "port": 70000}`, "want one from 1 to 65535"},
		{`{"host": "h", "from": "a@b.c", "at": "7 am"}`, "want a time like 07:00"},
		{`{"host": "h", "from": "a@b.c", "user": "u"}`, "password_file: there is none"},
		{`{"host": "h", "from": "a@b.c", "user": "u", "password_file": "gone"}`, "password_file: read the secret"},
		{`{"host": "h", "from": "a@b.c", "password": "p"}`, `unknown field "password"`},
		{`[]`, "want an object"},
	} {
		s, err := read(t, c.text)
		got := ""
		if err != nil {
			got = err.Error()
		} else {
			got = strings.TrimSpace(fmt.Sprintf("%d %s %s %s", s.Port, s.Security, s.At, s.password.Reveal()))
		}
		if !strings.Contains(got, c.want) || err == nil && got != c.want {
			t.Errorf("%s: %q, not %q", c.text, got, c.want)
		}
	}
}

func TestSend(t *testing.T) {
	for _, c := range []struct {
		name, security string
		offers         func(s *mailtest.Server)
		stranger       bool // the server's certificate is unknown
		password       string
		answer         map[string]string
		want           string // of the error; empty: it arrives
		refused, lost  bool
	}{
		{name: "STARTTLS", security: StartTLS, offers: func(s *mailtest.Server) { s.StartTLS = true }, password: "secret"},
		{name: "TLS", security: TLS, offers: func(s *mailtest.Server) { s.TLS = true }, password: "secret"},
		{name: "this machine", security: None, password: "secret"},
		{name: "no sign-in", security: None},
		{name: "none offered", security: StartTLS, password: "secret", want: "no STARTTLS"},
		{name: "a stranger", security: TLS, offers: func(s *mailtest.Server) { s.TLS = true }, stranger: true,
			want: "certificate"},
		{name: "wrong password", security: None, password: "guess", want: "sign in as me: 535"},
		{name: "busy", security: None, answer: map[string]string{"MAIL": "451 later"}, want: `451 "later"`},
		{name: "no such receiver", security: None, answer: map[string]string{"RCPT": "550 no such person"},
			want: "550 no such person", refused: true},
		{name: "not this text", security: None, answer: map[string]string{".": "554 spam"}, want: "554 spam", refused: true},
		{name: "lost answer", security: None, answer: map[string]string{".": "hang up"}, want: "did not say", lost: true},
	} {
		t.Run(c.name, func(t *testing.T) {
			at := mailtest.New(t, func(s *mailtest.Server) {
				s.Password = "secret"
				if c.offers != nil {
					c.offers(s)
				}
			})
			at.Answer(func(command string) string { return c.answer[command] })
			text := fmt.Sprintf(`{"host": "127.0.0.1", "port": %d, "security": %q, "from": "L10n <l10n@example.com>"`, at.Port,
				c.security)
			if c.password != "" {
				t.Setenv("LOCSYNC_SMTP_PASSWORD", c.password)
				text += `, "user": "me", "password_env": "LOCSYNC_SMTP_PASSWORD"`
			}
			s, err := read(t, text+"}")
			if err != nil {
				t.Fatal(err)
			}
			if !c.stranger {
				s.roots = at.Roots
			}
			err = s.Send(t.Context(), Message{To: "anna@example.org", Subject: "Ünter\r\nBcc: all@example.com", Text: "Grüße\n.\nEnd\n",
				Stop: "https://x/stop?word=w", ID: "1", Date: time.Unix(0, 0)})
			var refused Refused
			var lost Uncertain
			if c.want != "" {
				if err == nil || !strings.Contains(err.Error(), c.want) || errors.As(err, &refused) != c.refused ||
					errors.As(err, &lost) != c.lost {
					t.Errorf("%v (%T), not %q", err, err, c.want)
				}
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			got := at.Taken()[0]
			if got.From != "l10n@example.com" || got.To != "anna@example.org" || got.Text != "Grüße\n.\nEnd\n" ||
				got.Encrypted != (c.security != None) || (got.User != "") != (c.password != "") ||
				got.Header.Get("List-Unsubscribe") != "<https://x/stop?word=w>" || got.Header.Get("Bcc") != "" ||
				got.Header.Get("From") != `"L10n" <l10n@example.com>` {
				t.Errorf("%+v", got)
			}
		})
	}
}
