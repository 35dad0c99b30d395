package cluster

import (
	"testing"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger/pgtest"
	"github.com/locsync/locsync/sync/pass/engine"
	"github.com/locsync/locsync/sync/report"
)

// While the database is away the status says so, and that what it shows is from before.
func TestStatusNamesADatabaseThatIsAway(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Start(t, "app")
	c := join(t, server.Address("app"))
	cfg, err := config.Parse("locsync.toml", []byte(`
[[project]]
name = "app"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
`))
	must(t, err)
	e := engine.New(engine.Parts{Config: cfg, State: c.Store(), Log: zap.NewNop(), Cluster: c})
	named := func() bool {
		c.noted(c.beat(t.Context()))
		of := e.Status(t.Context()).Projects[0]
		return len(of.Problems) > 0 && of.Problems[0].Code == report.CodeDatabase && of.Problems[0].Remedy != "" && of.Unseen
	}
	if named() {
		t.Error("a database that answers is named")
	}
	server.Stop()
	if !named() {
		t.Errorf("it is not named: %+v", e.Status(t.Context()).Projects[0])
	}
	must(t, server.Start())
	_ = c.beat(t.Context()) // the connections of before are broken
	if named() {
		t.Error("a database that is back is named")
	}
}
