package doctor

import (
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger/pgtest"
	"github.com/locsync/locsync/sync/report"
)

// The database of a cluster is looked at: whether it answers, and what it has. No password is told.
func TestDoctorOfADatabase(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Start(t, "app")
	address := strings.Replace(server.Address("app"), "locsync@", "locsync:canary@", 1)
	cfg, err := config.Parse("locsync.toml", []byte(`
[service]
url = "https://service.example"
account_id = "a"
[cluster]
database_url_env = "DB"
[[project]]
name = "app"
id = "00000000-0000-0000-0000-000000000001"
repository = "https://git.example/app.git"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
`))
	if err != nil {
		t.Fatal(err)
	}
	d := &doctor{cfg: cfg, o: Options{Limit: 10 * time.Second}, now: time.Now,
		getenv: func(name string) string { return map[string]string{"DB": address}[name] }}
	found := func() report.Finding {
		n := &notes{}
		d.probeDatabase(t.Context(), n)
		return n.close()[0]
	}
	if f := found(); f.Level != report.LevelOK || !strings.Contains(f.Found, "no schema yet") {
		t.Errorf("an empty database: %+v", f)
	}
	db, err := pgledger.Connect(t.Context(), address, "test")
	if err != nil {
		t.Fatal(err)
	}
	if f := found(); f.Level != report.LevelOK || !strings.Contains(f.Found, "0 processes were heard of") {
		t.Errorf("a database that is used: %+v", f)
	}
	if err := db.Close(); err != nil {
		t.Error(err)
	}
	server.Stop()
	f := found()
	if f.Level != report.LevelFault || f.Code != report.ExitLater || f.Do == "" || strings.Contains(f.Found, "canary") {
		t.Errorf("a database that is away: %+v", f)
	}
	if err := server.Start(); err != nil {
		t.Error(err)
	}
}
