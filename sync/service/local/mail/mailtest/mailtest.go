// Package mailtest is an SMTP server for tests, at an address of this machine. It speaks as much of the protocol as
// clients need that deliver mail: EHLO, STARTTLS, AUTH PLAIN, MAIL, RCPT, DATA.
package mailtest

import (
	"bufio"
	"crypto/tls"
	"crypto/x509"
	"encoding/base64"
	"io"
	"mime/quotedprintable"
	"net"
	"net/http/httptest"
	"net/mail"
	"strings"
	"sync"
	"testing"
)

// Received is a message that the server took.
type Received struct {
	From, To, User string
	Encrypted      bool
	Header         mail.Header
	Text           string
}

// Server is a running one.
type Server struct {
	Port  int
	Roots *x509.CertPool // that it proves itself by

	// StartTLS is what it offers, TLS how it begins.
	StartTLS, TLS bool
	Password      string

	mu        sync.Mutex
	answer    func(command string) string
	taken     []Received
	Arrived   chan Received // each message, as it is taken
	listener  net.Listener
	encrypted *tls.Config
}

// New starts a server, which ends with the test. prepare sets what it offers.
func New(t testing.TB, prepare func(s *Server)) *Server {
	t.Helper()
	proof := httptest.NewTLSServer(nil)
	defer proof.Close()
	s := &Server{Arrived: make(chan Received, 100), Roots: x509.NewCertPool(),
		encrypted: &tls.Config{Certificates: proof.TLS.Certificates}}
	s.Roots.AddCert(proof.Certificate())
	if prepare != nil {
		prepare(s)
	}
	var err error
	if s.listener, err = net.Listen("tcp", "127.0.0.1:0"); err != nil {
		t.Fatal(err)
	}
	s.Port = s.listener.Addr().(*net.TCPAddr).Port
	var serving sync.WaitGroup
	serving.Go(func() {
		for {
			conn, err := s.listener.Accept()
			if err != nil {
				return
			}
			serving.Go(func() { s.serve(conn) })
		}
	})
	t.Cleanup(func() {
		s.listener.Close()
		serving.Wait()
	})
	return s
}

// Answer sets what the server says instead of what it would, "" where it says that; "hang up" ends the connection.
func (s *Server) Answer(answer func(command string) string) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.answer = answer
}

// Taken are the messages that were taken so far.
func (s *Server) Taken() []Received {
	s.mu.Lock()
	defer s.mu.Unlock()
	return append([]Received(nil), s.taken...)
}

func (s *Server) serve(conn net.Conn) {
	defer func() { conn.Close() }()
	var got Received
	if s.TLS {
		conn, got.Encrypted = tls.Server(conn, s.encrypted), true
	}
	in := bufio.NewReader(conn)
	say := func(line string) { io.WriteString(conn, line+"\r\n") }
	say("220 test ESMTP")
	for {
		line, err := in.ReadString('\n')
		if err != nil {
			return
		}
		line = strings.TrimRight(line, "\r\n")
		command, rest, _ := strings.Cut(line, " ")
		command = strings.ToUpper(command)
		body := ""
		if command == "DATA" {
			say("354 go on")
			body, command = readBody(in), "."
		}
		s.mu.Lock()
		answer := ""
		if s.answer != nil {
			answer = s.answer(command)
		}
		s.mu.Unlock()
		switch {
		case answer == "hang up":
			return
		case answer != "":
			say(answer)
			continue
		}
		switch command {
		case "EHLO":
			say("250-test")
			if s.StartTLS && !got.Encrypted {
				say("250-STARTTLS")
			}
			say("250-AUTH PLAIN")
			say("250 8BITMIME")
		case "STARTTLS":
			say("220 go on")
			conn, got.Encrypted = tls.Server(conn, s.encrypted), true
			in = bufio.NewReader(conn)
		case "AUTH":
			proof, _ := base64.StdEncoding.DecodeString(strings.TrimPrefix(rest, "PLAIN "))
			parts := strings.Split(string(proof), "\x00")
			if len(parts) != 3 || parts[2] != s.Password {
				say("535 wrong name or password")
				continue
			}
			got.User = parts[1]
			say("235 welcome")
		case "MAIL":
			got.From = address(rest)
			say("250 ok")
		case "RCPT":
			got.To = address(rest)
			say("250 ok")
		case ".":
			message, err := mail.ReadMessage(strings.NewReader(body))
			if err != nil {
				say("554 " + err.Error())
				continue
			}
			text, _ := io.ReadAll(quotedprintable.NewReader(message.Body))
			got.Header, got.Text = message.Header, strings.ReplaceAll(string(text), "\r\n", "\n")
			s.mu.Lock()
			s.taken = append(s.taken, got)
			s.mu.Unlock()
			s.Arrived <- got
			say("250 taken")
		case "QUIT":
			say("221 bye")
			return
		default:
			say("502 what?")
		}
	}
}

func address(rest string) string {
	_, rest, _ = strings.Cut(rest, "<")
	rest, _, _ = strings.Cut(rest, ">")
	return rest
}

func readBody(in *bufio.Reader) string {
	var b strings.Builder
	for {
		line, err := in.ReadString('\n')
		if err != nil || line == ".\r\n" {
			return b.String()
		}
		b.WriteString(strings.TrimPrefix(line, "."))
	}
}
