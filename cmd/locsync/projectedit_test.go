package main

import (
	"bytes"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"regexp"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local"
)

// The id of a project that was created and could not be written is told, and running the command again takes it.
func TestCreatedAndNotWritten(t *testing.T) {
	gittest.Need(t)
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"secret"}})
	if err != nil {
		t.Fatal(err)
	}
	defer svc.Close()
	dir := t.TempDir()
	gittest.Git(t, dir, "init", "--quiet", dir)
	file := filepath.Join(dir, "projects", "shop.toml")
	created := 0
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method == http.MethodPost && created == 0 { // the name is taken between the check and the writing
			created++
			if err := os.Mkdir(file, 0o755); err != nil {
				t.Error(err)
			}
		}
		svc.ServeHTTP(w, r)
	}))
	defer server.Close()
	text := "state_dir = \"state\"\ninclude = [\"projects/*.toml\"]\n[service]\nurl = \"" + server.URL +
		"\"\naccount_id = \"acc\"\nrequests_per_second = 100\n"
	if err := os.WriteFile(filepath.Join(dir, "locsync.toml"), []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Chdir(dir)
	t.Setenv("LOCSYNC_API_KEY", "secret")
	t.Setenv("LOCSYNC_BUDGET_DIR", t.TempDir())
	add := func() (string, error) {
		var out bytes.Buffer
		a := &app{out: &out, err: &out}
		root := a.root()
		root.SetArgs([]string{"project", "add", "shop", "--create", "--language", "de", "--source", "en.json",
			"--output", "{LANGUAGE}.json"})
		err := root.ExecuteContext(t.Context())
		return out.String(), err
	}
	_, err = add()
	if err == nil {
		t.Fatal("a folder was written over")
	}
	id := regexp.MustCompile(`^the project "shop" is at the service with the id ([0-9a-f-]{36}): .*` +
		`; run this again with --id ([0-9a-f-]{36}) in place of --create$`).FindStringSubmatch(err.Error())
	if id == nil || id[1] != id[2] {
		t.Fatal(err)
	}
	if err := os.Remove(file); err != nil {
		t.Fatal(err)
	}
	said, err := add()
	if err != nil || !bytes.Contains([]byte(said), []byte(`project "shop" is there already: `+id[1])) {
		t.Errorf("%s %v", said, err)
	}
	if written, err := os.ReadFile(file); err != nil || !bytes.Contains(written, []byte(`id = "`+id[1]+`"`)) {
		t.Errorf("%s %v", written, err)
	}
}
