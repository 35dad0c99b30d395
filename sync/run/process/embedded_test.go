package process

import (
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
)

// What left the embedded service leaves nothing of it behind, waits for who uses it, and keeps it where it is needed
// again meanwhile.
func TestEmbeddedServiceOfAProcess(t *testing.T) {
	const id = "11111111-2222-3333-4444-555555555555"
	cfg, err := config.Parse(filepath.Join(t.TempDir(), "locsync.toml"),
		[]byte("[service]\nurl = \"embedded\"\n[[project]]\nname = \"app\"\nid = \""+id+"\"\nsource_language = "+
			"\"en\"\ntarget_languages = [\"de\"]\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	elsewhere := *cfg
	elsewhere.Service.URL, elsewhere.Service.AccountID = "http://127.0.0.1:9", "acc"
	p := New(cfg, t.TempDir(), Options{Log: zap.NewNop()})
	ask := func() {
		t.Helper()
		client, err := p.Connect(cfg)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := client.Projects().Read(t.Context(), id); err != nil {
			t.Fatal(err)
		}
	}
	closes := func(try func() (bool, error), want bool) {
		t.Helper()
		if done, err := try(); done != want || err != nil {
			t.Fatalf("closed %v, want %v: %v", done, want, err)
		}
	}
	ask()
	if p.embedded.settings(id, "main", "k").Level == nil || p.embedded.settings("another", "main", "k").Level != nil {
		t.Error("its page does not know what is configured for the project, or for another")
	}
	if !p.Client.Own() {
		t.Error("the client does not know that the service is its own")
	}
	first := p.embedded.open
	if p.Leave(cfg) != nil {
		t.Error("it is left though it is needed")
	}
	done := p.UsingEmbedded(cfg)()
	try := p.Leave(&elsewhere)
	if try == nil || p.Leave(&elsewhere) != nil {
		t.Fatal("not one, and one only, closes it")
	}
	closes(try, false)
	ask() // it is needed again
	closes(try, true)
	if try = p.Leave(&elsewhere); p.embedded.open != first || try == nil {
		t.Fatal("it was closed though it was needed again")
	}
	done()
	done()
	t.Setenv("LOCSYNC_API_KEY", "key")
	client, err := p.Connect(&elsewhere)
	if err != nil {
		t.Fatal(err)
	}
	closes(try, true)
	if client.Own() {
		t.Error("the other service is taken for its own")
	}
	if p.embedded.open != nil {
		t.Error("it is open still")
	}
	if again, err := p.Connect(&elsewhere); again != client || err != nil {
		t.Errorf("the client of the other service is made again when the embedded one is closed: %v", err)
	}
	stacks := make([]byte, 1<<20)
	for end := time.Now().Add(time.Minute); ; time.Sleep(time.Millisecond) {
		left := string(stacks[:runtime.Stack(stacks, true)])
		if !strings.Contains(left, "service/local.") && !strings.Contains(left, "pipeListener") {
			break
		}
		if time.Now().After(end) {
			t.Fatalf("goroutines of it are left:\n%s", left)
		}
	}
	ask() // with the project that it had, and a client that does not call the one that is closed
	if err := p.Close(); err != nil {
		t.Error(err)
	}
}
