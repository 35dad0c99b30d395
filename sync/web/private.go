package web

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"
)

// A private address is one on the loopback that only who can read the state folder finds, with a token that is new with
// every start:
//
//	<state folder>/<name>.json   {"address": "127.0.0.1:41233", "token": "…"}   mode 0600, there while it is served

// controlTicket is the content of such a file.
type controlTicket struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

// private is such an address that is open.
type private struct {
	listener net.Listener
	ticket   controlTicket
	path     string // of its file
}

// openPrivate opens the address and writes its file. use is what it is for, in an error.
func openPrivate(path, use string) (*private, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return nil, fmt.Errorf("open the address for %s: %w", use, err)
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	p := &private{listener, controlTicket{listener.Addr().String(), hex.EncodeToString(token)}, path}
	if err := writeTicket(path, p.ticket); err != nil {
		return nil, errors.Join(err, listener.Close())
	}
	return p, nil
}

// serve answers at the address until ctx ends, and takes its file away. What does not end within patience is cut then:
// when serve returns, nothing of it runs any more.
func (p *private) serve(ctx context.Context, server *http.Server, patience time.Duration) error {
	ended := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(ended)
		end, cancel := context.WithTimeout(context.Background(), patience)
		defer cancel()
		if server.Shutdown(end) != nil {
			_ = server.Close()
		}
	})
	err := server.Serve(p.listener)
	if ctx.Err() != nil {
		<-ended // Serve returns when the end begins
	}
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, os.Remove(p.path))
}

// readTicket finds the private address of a running process. ErrNoDaemon: there is no file.
func readTicket(path string) (t controlTicket, err error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return t, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	if err := json.Unmarshal(data, &t); err != nil {
		return t, fmt.Errorf("read %s: %w", filepath.Base(path), err)
	}
	return t, nil
}

func writeTicket(path string, t controlTicket) error {
	data, err := json.Marshal(t)
	if err != nil {
		return err
	}
	temp := path + ".new"
	if err := os.WriteFile(temp, data, 0o600); err != nil {
		return fmt.Errorf("tell commands where the daemon is: %w", err)
	}
	return os.Rename(temp, path)
}
