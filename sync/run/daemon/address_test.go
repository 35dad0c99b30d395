package daemon

import (
	"errors"
	"io"
	"net"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Where serving the daemon's address fails it is listened on again, also when another program has it for a while; the
// log and the status say so, and when it is over. One that is closed meanwhile ends.
func TestAddressListensAgain(t *testing.T) {
	t.Parallel()
	core, logs := observer.New(zap.InfoLevel)
	var mu sync.Mutex
	var told []string
	d := &address{log: zap.New(core)}
	d.changed = func() {
		mu.Lock()
		defer mu.Unlock()
		told = append(told, d.trouble())
	}
	o, err := d.open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	d.serve(o, http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, "here") }))
	client := &http.Client{Transport: &http.Transport{DisableKeepAlives: true}, Timeout: time.Minute / 2}
	answers := func() bool {
		resp, err := client.Get("http://" + o.at)
		if err != nil {
			return false
		}
		defer resp.Body.Close()
		said, _ := io.ReadAll(resp.Body)
		return string(said) == "here"
	}
	until := func(what string, holds func() bool) {
		t.Helper()
		for end := time.Now().Add(time.Minute); !holds(); time.Sleep(5 * time.Millisecond) {
			if time.Now().After(end) {
				t.Fatalf("never: %s; %v", what, logs.All())
			}
		}
	}
	logged := func(text string) int { return logs.FilterMessageSnippet(text).Len() }
	if !answers() || d.trouble() != "" {
		t.Fatal("it does not answer")
	}

	broken := o.listener
	if err := broken.Close(); err != nil { // as if the kernel took it away
		t.Fatal(err)
	}
	var other net.Listener
	until("another program has the address", func() bool {
		other, err = net.Listen("tcp", d.where())
		return err == nil || logged("served again") > 0
	})
	if err == nil {
		until("the status says so", func() bool { return strings.Contains(d.trouble(), d.where()+" is not served") })
		if err := other.Close(); err != nil {
			t.Fatal(err)
		}
	}
	until("it answers again", answers)
	until("the log says so", func() bool { return logged("is not served") == 1 && logged("served again") == 1 })
	until("the status is as before", func() bool { return d.trouble() == "" })
	mu.Lock()
	if len(told) != 2 || !strings.Contains(told[0], "is not served") || !slices.Contains(told, "") {
		t.Errorf("the status was %q", told)
	}
	mu.Unlock()

	d.close()
	if d.where() != "" || d.trouble() != "" || answers() { // the port itself may be another program's at once
		t.Error("it is not closed")
	}
}

// An address that cannot be listened again ends at once when it is closed.
func TestAddressClosesWhileItIsLost(t *testing.T) {
	t.Parallel()
	d := &address{log: zap.NewNop(), changed: func() {}}
	o, err := d.open("127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	lost := make(chan struct{})
	d.changed = sync.OnceFunc(func() { close(lost) })
	o.listener = failing{o.listener}
	d.serve(o, http.NotFoundHandler())
	<-lost
	ended := make(chan struct{})
	go func() { d.close(); close(ended) }()
	select {
	case <-ended:
	case <-time.After(time.Minute):
		t.Fatal("it does not end")
	}
}

// failing is a listener that fails.
type failing struct{ net.Listener }

func (failing) Accept() (net.Conn, error) { return nil, errors.New("broken") }
