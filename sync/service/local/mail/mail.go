// Package mail sends messages by SMTP, to a server that a file of the embedded service's folder names.
//
// Its law: a password travels encrypted, or within this machine, and to the configured server only. A header never has
// a line of what people wrote. A message that may have been accepted is not reported as one that was not (Uncertain).
package mail

import (
	"bytes"
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"maps"
	"mime"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"net/smtp"
	"net/textproto"
	"path/filepath"
	"slices"
	"strconv"
	"time"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config/secret"
	"github.com/locsync/locsync/sync/service/local/folder"
)

// File is the name of the file that names the server, in the folder of the service.
const File = "mail.json"

// How the connection is encrypted.
const (
	StartTLS = "starttls" // it begins without, and nothing is said before it is encrypted
	TLS      = "tls"
	None     = "none" // to this machine only
)

// Server is where mail is sent, as the file says.
type Server struct {
	Host     string `json:"host"`
	Port     int    `json:"port,omitempty"`     // 0: 587; with TLS 465, with None 25
	Security string `json:"security,omitempty"` // empty: StartTLS
	From     string `json:"from"`
	User     string `json:"user,omitempty"` // empty: none is asked for
	// PasswordEnv and PasswordFile, which is relative to the folder, say where the password is; without either it is the
	// systemd credential smtp_password.
	PasswordEnv  string `json:"password_env,omitempty"`
	PasswordFile string `json:"password_file,omitempty"`
	At           string `json:"at,omitempty"` // when mails of the day are sent, by the clock of this machine; empty: 07:00

	password secret.Value
	from     *mail.Address
	roots    *x509.CertPool // nil: those of the machine
}

const mostFile = 1 << 16

// Read reads the server of a folder; nil for a folder without the file. An error says what to change in the file.
func Read(dir string) (*Server, error) {
	file := filepath.Join(dir, File)
	s := new(Server)
	there, err := folder.Settings(file, mostFile, "an object with host, from and what else the manual names", s)
	if err != nil || !there {
		return nil, err
	}
	if err := s.complete(dir); err != nil {
		return nil, fmt.Errorf("%s: %w", file, err)
	}
	return s, nil
}

// complete checks what the file says, fills in what it leaves out, and finds the password.
func (s *Server) complete(dir string) (err error) {
	ports := map[string]int{StartTLS: 587, TLS: 465, None: 25}
	s.Security, s.At = cmp.Or(s.Security, StartTLS), cmp.Or(s.At, "07:00")
	s.Port = cmp.Or(s.Port, ports[s.Security])
	s.from, err = mail.ParseAddress(s.From)
	switch {
	case s.Host == "":
		return errors.New("host is missing: name the SMTP server")
	case err != nil:
		return fmt.Errorf("from %q: want an address, or a name with an address: Translations <l10n@example.com>", s.From)
	case ports[s.Security] == 0:
		return fmt.Errorf("security %q: want %s, %s or %s", s.Security, StartTLS, TLS, None)
	case s.Security == None && !bound.Loopback(s.Host):
		return fmt.Errorf("security %q is for a server of this machine; choose %s or %s for %s", None, StartTLS, TLS, s.Host)
	case s.Port < 1 || s.Port > 65535:
		return fmt.Errorf("port %d: want one from 1 to 65535", s.Port)
	}
	if _, err := time.Parse("15:04", s.At); err != nil {
		return fmt.Errorf("at %q: want a time like 07:00", s.At)
	}
	if s.User == "" {
		return nil
	}
	from := secret.Source{Env: s.PasswordEnv, File: s.PasswordFile, Credential: "smtp_password"}
	found, setting, err := from.In(dir)
	if err != nil {
		return fmt.Errorf("password_%s: %w", setting, err)
	}
	s.password = found
	return nil
}

// Due is the time of day at which mails of the day are sent.
func (s *Server) Due() time.Time {
	at, _ := time.Parse("15:04", s.At) // it was checked
	return at
}

// Message is a mail of plain text.
type Message struct {
	To, Subject, Text string
	Stop              string // the address at which the receiver ends such mails; empty: none
	ID                string // tells it from others
	Date              time.Time
}

// Uncertain is of a message that the server may have accepted: its answer was lost.
type Uncertain struct{ err error }

func (u Uncertain) Error() string {
	return "the server did not say whether it took the message: " + u.err.Error()
}

// Refused is of a message that the server does not take for its receiver, now or later.
type Refused struct{ err *textproto.Error }

func (r Refused) Error() string { return strconv.Itoa(r.err.Code) + " " + r.err.Msg }

// refused tells a refusal for good from other errors.
func refused(err error) error {
	if of, is := errors.AsType[*textproto.Error](err); is && of.Code >= 500 {
		return Refused{of}
	}
	return err
}

// patience is how long one message may take.
const patience = time.Minute

// Send sends a message.
func (s *Server) Send(ctx context.Context, m Message) error {
	to, err := mail.ParseAddress(m.To)
	if err != nil {
		return fmt.Errorf("%q is not an address", m.To)
	}
	body, err := s.compose(m, to)
	if err != nil {
		return err
	}
	ctx, end := context.WithTimeout(ctx, patience)
	defer end()
	client, err := s.dial(ctx)
	if err != nil {
		return fmt.Errorf("mail server %s: %w", s.Host, err)
	}
	defer client.Close()
	if err := s.deliver(client, to, body); err != nil {
		return fmt.Errorf("mail server %s: %w", s.Host, err)
	}
	_ = client.Quit() // the message was accepted
	return nil
}

// dial connects, and encrypts as configured. The connection ends with ctx.
func (s *Server) dial(ctx context.Context) (*smtp.Client, error) {
	conn, err := new(net.Dialer).DialContext(ctx, "tcp", net.JoinHostPort(s.Host, strconv.Itoa(s.Port)))
	if err != nil {
		return nil, err
	}
	context.AfterFunc(ctx, func() { _ = conn.Close() })
	settings := &tls.Config{ServerName: s.Host, RootCAs: s.roots}
	if s.Security == TLS {
		conn = tls.Client(conn, settings)
	}
	client, err := smtp.NewClient(conn, s.Host)
	if err != nil {
		return nil, errors.Join(err, conn.Close())
	}
	if s.Security != StartTLS {
		return client, nil
	}
	if has, _ := client.Extension("STARTTLS"); !has {
		return nil, errors.Join(errors.New("it offers no STARTTLS; set security to tls, if it has a port for that"),
			client.Close())
	}
	if err := client.StartTLS(settings); err != nil {
		return nil, errors.Join(err, client.Close())
	}
	return client, nil
}

// deliver hands a message over.
func (s *Server) deliver(client *smtp.Client, to *mail.Address, body []byte) error {
	if s.User != "" {
		if err := client.Auth(smtp.PlainAuth("", s.User, s.password.Reveal(), s.Host)); err != nil {
			return fmt.Errorf("sign in as %s: %w", s.User, err)
		}
	}
	if err := client.Mail(s.from.Address); err != nil {
		return err
	}
	if err := client.Rcpt(to.Address); err != nil {
		return refused(err)
	}
	w, err := client.Data()
	if err != nil {
		return err
	}
	if _, err := w.Write(body); err != nil {
		return err
	}
	err = w.Close()
	if _, answered := errors.AsType[*textproto.Error](err); err != nil && !answered {
		return Uncertain{err}
	}
	return refused(err)
}

// compose writes a message with its headers. What is not a single line is encoded.
func (s *Server) compose(m Message, to *mail.Address) ([]byte, error) {
	var b bytes.Buffer
	header := map[string]string{"From": s.from.String(), "To": to.String(),
		"Subject": mime.QEncoding.Encode("utf-8", m.Subject), "Date": m.Date.Format(time.RFC1123Z),
		"Message-ID": "<" + m.ID + "@locsync>", "MIME-Version": "1.0", "Content-Type": "text/plain; charset=utf-8",
		"Content-Transfer-Encoding": "quoted-printable", "Auto-Submitted": "auto-generated"}
	if m.Stop != "" {
		header["List-Unsubscribe"], header["List-Unsubscribe-Post"] = "<"+m.Stop+">", "List-Unsubscribe=One-Click"
	}
	for _, name := range slices.Sorted(maps.Keys(header)) {
		b.WriteString(name + ": " + header[name] + "\r\n")
	}
	b.WriteString("\r\n")
	w := quotedprintable.NewWriter(&b)
	_, err := io.WriteString(w, m.Text)
	return b.Bytes(), errors.Join(err, w.Close())
}
