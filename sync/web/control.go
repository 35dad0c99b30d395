package web

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/subtle"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/locsync/locsync/sync/engine"
)

// Control is how a command on this machine asks the running daemon, which has the state, to do its work: an address on the loopback that
// only who can read the state folder finds, and a token that is new with every start.
//
//	<state folder>/control.json   {"address": "127.0.0.1:41233", "token": "…"}   mode 0600, there while the daemon runs
const controlFile = "control.json"

// controlTicket is the content of controlFile.
type controlTicket struct {
	Address string `json:"address"`
	Token   string `json:"token"`
}

// Request is what a command wants. Action is push, pull, sync, status or check (the online part of it).
type Request struct {
	Action string             `json:"action"`
	Push   engine.PushOptions `json:"push"`
	Pull   engine.PullOptions `json:"pull"`
}

// Answer is what the daemon did. Error is empty when it was done; Permanent tells an error that stays until something is changed.
type Answer struct {
	Push      engine.PushReport `json:"push"`
	Pull      engine.PullReport `json:"pull"`
	Status    engine.Status     `json:"status"`
	Error     string            `json:"error,omitempty"`
	Permanent bool              `json:"permanent,omitempty"`
}

// Do does what a command wants. It is what the daemon runs for others and what a command runs when there is no daemon.
func Do(ctx context.Context, e *engine.Engine, r Request) (Answer, error) {
	var a Answer
	var err error
	switch r.Action {
	case "push":
		a.Push, err = e.Push(ctx, r.Push)
	case "pull":
		a.Pull, err = e.Pull(ctx, r.Pull)
	case "sync":
		a.Push, err = e.Push(ctx, r.Push)
		var perr error
		a.Pull, perr = e.Pull(ctx, r.Pull)
		err = errors.Join(err, perr)
	case "status":
		a.Status = e.Status(ctx)
	case "check":
		err = e.CheckOnline(ctx)
	default:
		err = fmt.Errorf("unknown action %q", r.Action)
	}
	return a, err
}

// ServeControl answers commands until ctx ends, and takes its file away. A pass that it does for a command is given up when work ends, as
// the daemon's own are.
func ServeControl(ctx, work context.Context, dir string, e *engine.Engine) error {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return fmt.Errorf("open the address for commands: %w", err)
	}
	token := make([]byte, 16)
	if _, err := rand.Read(token); err != nil {
		return errors.Join(err, listener.Close())
	}
	ticket := controlTicket{listener.Addr().String(), hex.EncodeToString(token)}
	path := filepath.Join(dir, controlFile)
	if err := writeTicket(path, ticket); err != nil {
		return errors.Join(err, listener.Close())
	}
	server := &http.Server{Handler: controlHandler(work, e, ticket.Token), ReadHeaderTimeout: 10 * time.Second, BaseContext: func(net.Listener) context.Context { return ctx }}
	ended := make(chan struct{})
	context.AfterFunc(ctx, func() {
		defer close(ended)
		end, cancel := context.WithTimeout(context.Background(), 5*time.Second)
		defer cancel()
		_ = server.Shutdown(end) // what does not end by then is cut; its work is resumable
	})
	err = server.Serve(listener)
	if ctx.Err() != nil {
		<-ended // Serve returns when the end begins; the state must outlive what still runs
	}
	rerr := os.Remove(path)
	if errors.Is(err, http.ErrServerClosed) {
		err = nil
	}
	return errors.Join(err, rerr)
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

func controlHandler(work context.Context, e *engine.Engine, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("POST /do", func(w http.ResponseWriter, r *http.Request) {
		if subtle.ConstantTimeCompare([]byte(r.Header.Get("Authorization")), []byte("Bearer "+token)) != 1 {
			http.Error(w, "not for you", http.StatusForbidden)
			return
		}
		var want Request
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&want); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		ctx, cancel := context.WithCancel(r.Context())
		defer cancel()
		if want.Action != "status" {
			defer context.AfterFunc(work, cancel)()
		}
		answer, err := Do(ctx, e, want)
		if err != nil && work.Err() != nil { // the command does it itself, or asks the daemon that comes back from a reload
			http.Error(w, "the daemon is ending", http.StatusServiceUnavailable)
			return
		}
		if err != nil {
			answer.Error, answer.Permanent = err.Error(), engine.Permanent(err)
		}
		w.Header().Set("Content-Type", "application/json")
		_ = json.NewEncoder(w).Encode(answer) // the command is gone when this fails
	})
	return mux
}

// ErrNoDaemon means that nobody answers for a state folder.
var ErrNoDaemon = errors.New("no daemon answers")

// remoteError is an error that the daemon reported.
type remoteError struct{ text string }

func (e remoteError) Error() string { return e.text }

// Ask has the daemon of a state folder do what a command wants.
func Ask(ctx context.Context, dir string, want Request) (Answer, error) {
	var answer Answer
	data, err := os.ReadFile(filepath.Join(dir, controlFile))
	if err != nil {
		return answer, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	var ticket controlTicket
	if err := json.Unmarshal(data, &ticket); err != nil {
		return answer, fmt.Errorf("read %s: %w", controlFile, err)
	}
	body, err := json.Marshal(want)
	if err != nil {
		return answer, err
	}
	req, err := http.NewRequestWithContext(ctx, http.MethodPost, "http://"+ticket.Address+"/do", bytes.NewReader(body))
	if err != nil {
		return answer, err
	}
	req.Header.Set("Authorization", "Bearer "+ticket.Token)
	client := &http.Client{Transport: &http.Transport{Proxy: nil}}
	resp, err := client.Do(req)
	if err != nil {
		return answer, fmt.Errorf("%w: %w", ErrNoDaemon, err)
	}
	defer resp.Body.Close()
	if resp.StatusCode == http.StatusServiceUnavailable {
		return answer, fmt.Errorf("%w: it is ending", ErrNoDaemon)
	}
	if resp.StatusCode != http.StatusOK {
		said, _ := io.ReadAll(io.LimitReader(resp.Body, 4096))
		return answer, fmt.Errorf("ask the daemon: %s: %s", resp.Status, bytes.TrimSpace(said))
	}
	if err := json.NewDecoder(resp.Body).Decode(&answer); err != nil {
		return answer, fmt.Errorf("read the daemon's answer: %w", err)
	}
	if answer.Error != "" {
		err = remoteError{answer.Error}
		if answer.Permanent {
			err = &engine.UsageError{Err: err}
		}
	}
	return answer, err
}
