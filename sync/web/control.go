package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"go.uber.org/zap"
)

// Control is how a command on this machine asks the running daemon, which has the state, to do its work, at a private
// address.
//
// The answer to POST /do is a stream of JSON values, one a line: signs of life, some of which say what is going on, and
// the answer as the last one. A stream that ends without it was cut, and one without signs of life comes from a process
// that hangs.
const controlFile = "control.json"

// sayAgain is how often a daemon that works on an answer says so, and lookAgain how often it sees whether there is
// anything new to say.
const (
	sayAgain  = time.Second
	lookAgain = 100 * time.Millisecond
)

// Request is what a command wants. Action is push, pull, sync, status, check (the online part of it), ring (look now,
// as POST /trigger) or reload (read the configuration again).
type Request struct {
	Action string       `json:"action"`
	Push   push.Options `json:"push"`
	Pull   pull.Options `json:"pull"`

	// Identity is that of the command's configuration (engine.Identity); "" for one that does not matter. A daemon with
	// another refuses.
	Identity string `json:"identity"`
	// Project is the one that a status is for; "" for all.
	Project string `json:"project,omitempty"`
}

// Answer is what the daemon did. Error is empty when it was done; Permanent tells an error that stays until something
// is changed.
type Answer struct {
	Push   report.PushReport `json:"push"`
	Pull   report.PullReport `json:"pull"`
	Status report.Status     `json:"status"`
	report.Failure
	Permanent bool `json:"permanent,omitempty"`
}

// line is one value of the stream.
type line struct {
	Doing  *report.Doing `json:"doing,omitempty"`
	Ending bool          `json:"ending,omitempty"` // the work was given up because the daemon ends
	Answer *Answer       `json:"answer,omitempty"`
}

// Mismatch is the error of Ask where the daemon works with another configuration than the command.
type Mismatch struct {
	File string `json:"file"` // the daemon's configuration
	PID  int    `json:"pid"`
}

func (m *Mismatch) Error() string {
	return fmt.Sprintf("the daemon that has the state, process %d, works with another configuration, %s", m.PID, m.File)
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
		var both report.SyncReport
		both, err = e.Sync(ctx, r.Push, r.Pull)
		a.Push, a.Pull = both.Push, both.Pull
	case "status":
		a.Status = statusOf(ctx, e, r.Project)
	case "check":
		err = e.CheckOnline(ctx)
	case "ring":
		e.Soon("", "trigger", engine.Push)
	default:
		err = fmt.Errorf("unknown action %q", r.Action)
	}
	return a, err
}

// statusOf is the status of all projects. Of too many to read each, only the one that is meant is read now.
func statusOf(ctx context.Context, e *engine.Engine, project string) report.Status {
	if !engine.Many(e) {
		return e.Status(ctx)
	}
	s := engine.Overview(e)
	if now := e.Look(ctx, project); now != nil {
		for i := range s.Projects {
			if s.Projects[i].Name == project {
				s.Projects[i] = *now
			}
		}
	}
	return s
}

// Control is what answers commands.
type Control struct {
	Dir      string                // the state folder
	Engine   func() *engine.Engine // the one to ask now
	Patience time.Duration         // with who still waits when it ends; then they are cut off
	Beats    *heartbeat.Set        // it beats while it answers; nil for none
	// Reload reads the configuration again; nil where that cannot be asked for.
	Reload func(ctx context.Context) error
}

// Serve answers commands until ctx ends, and takes its file away. A pass that it does for a command is given up when
// work ends, as the daemon's own are.
func (c Control) Serve(ctx, work context.Context) error {
	address, err := openPrivate(filepath.Join(c.Dir, controlFile), "commands")
	if err != nil {
		return err
	}
	// Every user of this machine can connect, and the daemon's files compete with connections for descriptors.
	server := serve.NewServer(c.handler(work, address.ticket.Token), zap.NewNop())
	server.WriteTimeout = 0 // an answer is a stream that lasts as long as a pass
	server.BaseContext = func(net.Listener) context.Context { return ctx }
	var asking sync.WaitGroup
	asking.Go(func() {
		fault.Keep(ctx, whoAnswers, func() { c.askItself(ctx, address.ticket.Address) })
	})
	err = address.serve(ctx, server, c.Patience) // what is cut is resumable; the state must outlive what still runs
	if ctx.Err() != nil {
		asking.Wait()
	}
	return err
}

// How often the address for commands is asked whether it answers, and how long it may take. Any answer counts.
const (
	askAgain   = 20 * time.Second
	askedFor   = 10 * time.Second
	answersAt  = "/alive"
	whoAnswers = "the address for commands"
)

// askItself beats while the address for commands answers: one that takes connections and no more is as good as none.
func (c Control) askItself(ctx context.Context, address string) {
	part := c.Beats.Begin(whoAnswers)
	defer part.End()
	client := &http.Client{Transport: &http.Transport{Proxy: nil, DisableKeepAlives: true}, Timeout: askedFor}
	for {
		askOnce(ctx, client, address, part)
		select {
		case <-ctx.Done():
			return
		case <-time.After(askAgain):
		}
	}
}

func askOnce(ctx context.Context, client *http.Client, address string, part *heartbeat.Part) {
	req, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+address+answersAt, nil)
	if err != nil {
		return // it is an address
	}
	resp, err := client.Do(req)
	if err == nil {
		_ = resp.Body.Close() // nothing is in it
	}
	// Where no connection comes about something keeps this machine from itself (a firewall, IPAddressDeny of a unit).
	// Commands notice; starting again would cure nothing.
	if refused := new(net.OpError); err == nil || errors.As(err, &refused) && refused.Op == "dial" {
		part.Expect(askAgain)
	}
}

func (c Control) handler(work context.Context, token string) http.Handler {
	mux := http.NewServeMux()
	mux.HandleFunc("GET "+answersAt, func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(http.StatusNoContent) })
	mux.HandleFunc("POST /do", func(w http.ResponseWriter, r *http.Request) {
		if !introduced(w, r, token) {
			http.Error(w, "not for you", http.StatusForbidden)
			return
		}
		serve.Known(r.Context())
		var want Request
		if err := json.NewDecoder(http.MaxBytesReader(w, r.Body, 1<<20)).Decode(&want); err != nil {
			http.Error(w, err.Error(), http.StatusBadRequest)
			return
		}
		// A pass may take longer than a request may come.
		_ = http.NewResponseController(w).SetReadDeadline(time.Time{}) // a writer without deadlines has no limit
		e := c.Engine()
		w.Header().Set("Content-Type", "application/json")
		if want.Identity != "" && want.Identity != engine.Identity(e.Config) {
			w.WriteHeader(http.StatusConflict)
			file, err := filepath.Abs(e.Config.File)
			if err != nil {
				file = e.Config.File
			}
			_ = json.NewEncoder(w).Encode(Mismatch{file, os.Getpid()}) // the command is gone when this fails
			return
		}
		c.tell(w, r, work, e, want)
	})
	return mux
}

// do is Do, and what only the daemon can do.
func (c Control) do(ctx context.Context, e *engine.Engine, r Request) (Answer, error) {
	if r.Action == "reload" && c.Reload != nil {
		return Answer{}, c.Reload(ctx)
	}
	return Do(ctx, e, r)
}

// tell does what a command wants and streams what comes of it. The command is gone when writing fails.
func (c Control) tell(w http.ResponseWriter, r *http.Request, work context.Context, e *engine.Engine, want Request) {
	ctx, cancel := context.WithCancel(r.Context())
	defer cancel()
	if want.Action != "status" {
		defer context.AfterFunc(work, cancel)()
	}
	result := make(chan line, 1)
	go func() {
		answer, err := func() (answer Answer, err error) {
			defer fault.Catch("the "+want.Action+" that a command asked for", &err)
			return c.do(ctx, e, want)
		}()
		if err != nil {
			answer.Failure = failure.Of(err)
			answer.Permanent = engine.Permanent(err)
		}
		answer.Status.Daemon = itself()
		if err != nil && work.Err() != nil { // the command does it itself
			result <- line{Ending: true}
			return
		}
		result <- line{Answer: &answer}
	}()
	out, flush := json.NewEncoder(w), http.NewResponseController(w)
	tick := time.NewTicker(lookAgain)
	defer tick.Stop()
	var said time.Time
	var doing report.Doing
	for {
		select {
		case last := <-result:
			_ = out.Encode(last)
			return
		case now := <-tick.C:
			next := line{}
			if d := e.Doing(want.Push.Project); d != doing && want.Action != "status" {
				doing, next.Doing = d, &d
			}
			if next.Doing != nil || now.Sub(said) >= sayAgain {
				said = now
				_ = out.Encode(next)
				_ = flush.Flush()
			}
		}
	}
}
