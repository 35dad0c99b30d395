package pgledger

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/ledgertest"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger/pgtest"
	"github.com/locsync/locsync/sync/text/catalog"
)

func TestMain(m *testing.M) {
	if !gittest.All() {
		gittest.Flags(map[string]string{"rapid.checks": "8"})
	}
	os.Exit(pgtest.Main(m))
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func open(t testing.TB, address string) *Database {
	t.Helper()
	d, err := Connect(context.Background(), address, "test")
	must(t, err)
	return d
}

// lease gives a project a lease as package cluster does, in place of the one that there was.
func lease(t testing.TB, d *Database, project string) (epoch int64) {
	t.Helper()
	must(t, d.pool.QueryRow(context.Background(), `INSERT INTO locsync.leases AS l
		VALUES ($1, 1, 'test', 'pull', now(), now(), now())
		ON CONFLICT (project) DO UPDATE SET epoch = l.epoch + 1 RETURNING epoch`, project).Scan(&epoch))
	return epoch
}

func TestLedger(t *testing.T) {
	for name, of := range map[string]func(testing.TB, *Database) ledger.Store{
		"of no project": func(_ testing.TB, d *Database) ledger.Store { return d.Store() },
		"of a project": func(t testing.TB, d *Database) ledger.Store {
			s := d.Of("app")
			s.Under(lease(t, d, "app"))
			return s
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			ledgertest.Run(t, func(t testing.TB) func() (ledger.Store, func()) {
				address := pgtest.Database(t)
				return func() (ledger.Store, func()) {
					d := open(t, address)
					return of(t, d), func() { must(t, d.Close()) }
				}
			})
		})
	}
}

// A process whose lease has become another one's changes nothing, and reads on.
func TestWritesUnderAnOldLeaseAreRefused(t *testing.T) {
	d := open(t, pgtest.Database(t))
	defer d.Close()
	s, key := d.Of("app"), ledger.Key{Scope: "app", Kind: "jobs", ID: "1"}
	refused := func(what string) {
		t.Helper()
		ran := false
		err := s.Update(func(w ledger.Writer) error {
			ran = true
			return w.PutRecord(key, []byte(what))
		})
		if lost, is := errors.AsType[*ledger.LeaseError](err); !is || lost.Project != "app" || ran {
			t.Errorf("%s: a write ends with %v, its function ran: %v", what, err, ran)
		}
		err = s.SetMarks(ledger.Slot{Scope: "app", Kind: "known"}, catalog.Marks{})
		if !errors.As(err, new(*ledger.LeaseError)) {
			t.Errorf("%s: marks are set: %v", what, err)
		}
	}
	refused("without a lease")
	s.Under(lease(t, d, "app"))
	must(t, s.PutRecord(key, []byte("mine")))
	other := lease(t, d, "app")
	refused("with an old lease")
	if got, err := s.Record(key); err != nil || string(got) != "mine" {
		t.Errorf("got %q, %v", got, err)
	}
	s.Under(other)
	must(t, s.PutRecord(key, []byte("again")))
	s.Under(0)
	refused("with a lease that was given back")
	must(t, d.Of("other").View(func(r ledger.Reader) error { _, err := r.Record(key); return err }))
}

// An Update that began before the lease became another one's is made, or is not; it never comes after a write of the
// new one.
func TestALeaseIsTakenBetweenUpdates(t *testing.T) {
	d := open(t, pgtest.Database(t))
	defer d.Close()
	s, key := d.Of("app"), ledger.Key{Scope: "app", Kind: "jobs", ID: "1"}
	s.Under(lease(t, d, "app"))
	inside, taken := make(chan struct{}), make(chan error)
	go func() {
		<-inside
		next := d.Of("app")
		next.Under(lease(t, d, "app"))
		taken <- next.PutRecord(key, []byte("new"))
	}()
	must(t, s.Update(func(w ledger.Writer) error {
		close(inside)
		select {
		case err := <-taken:
			t.Errorf("the lease was taken inside of an update: %v", err)
		case <-time.After(100 * time.Millisecond):
		}
		return w.PutRecord(key, []byte("old"))
	}))
	must(t, <-taken)
	if got, err := s.Record(key); err != nil || string(got) != "new" {
		t.Errorf("got %q, %v", got, err)
	}
}

// Many processes that start at once bring the schema up once; what is there stays.
func TestTheSchemaIsMadeOnce(t *testing.T) {
	address := pgtest.Database(t)
	var all sync.WaitGroup
	for range 8 {
		all.Go(func() {
			d, err := Connect(context.Background(), address, "test")
			if err != nil {
				t.Error(err)
				return
			}
			_ = d.Close()
		})
	}
	all.Wait()
	d := open(t, address)
	slot := ledger.Slot{Scope: "app", Kind: "known", Path: "a"}
	marks := catalog.Marks{{Key: "k"}: catalog.MarkOf("text")}
	must(t, d.Store().SetMarks(slot, marks))
	must(t, d.Close())
	d = open(t, address)
	defer d.Close()
	if got, err := d.Store().Marks(slot); err != nil || !maps.Equal(got, marks) {
		t.Errorf("got %v, %v", got, err)
	}
}

func TestANewerSchemaIsRefused(t *testing.T) {
	address := pgtest.Database(t)
	d := open(t, address)
	_, err := d.pool.Exec(context.Background(), "UPDATE locsync.version SET version = 1000")
	must(t, err)
	must(t, d.Close())
	_, err = Connect(context.Background(), address, "test")
	if newer, is := errors.AsType[*ledger.NewerError](err); !is || newer.Format != 1000 ||
		!strings.Contains(err.Error(), "a database of its own") {
		t.Errorf("got %v", err)
	}
}

// Neither a wrong address nor a server that refuses it tells a password.
func TestConnectingFails(t *testing.T) {
	for _, address := range []string{"postgres://u:canary@127.0.0.1:1/x", "canary is not an address",
		"postgres://u:canary@h:port/x"} {
		_, err := Connect(context.Background(), address, "test")
		if err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", address, err)
		}
	}
}

// A server that is stopped and started is asked again by the same connections.
func TestTheDatabaseGoesAwayAndComesBack(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	server := pgtest.Start(t, "app")
	d := open(t, server.Address("app"))
	defer d.Close()
	s, key := d.Store(), ledger.Key{Scope: "app", Kind: "jobs", ID: "1"}
	must(t, s.PutRecord(key, []byte("before")))
	server.Stop()
	if err := s.PutRecord(key, []byte("lost")); !Away(err) {
		t.Errorf("a write to a server that is not there ends with %v", err)
	}
	must(t, server.Start())
	if got, err := s.Record(key); err != nil || string(got) != "before" {
		t.Errorf("got %q, %v", got, err)
	}
	if Away(&ledger.LeaseError{}) || Away(nil) {
		t.Error("a lease that is lost is no database that is away")
	}
}

// A password that was changed is used for new connections; until it is, the database counts as away. Another database
// takes a restart.
func TestAPasswordIsChanged(t *testing.T) {
	if testing.Short() {
		t.Skip("starts a server of its own")
	}
	ctx, server := t.Context(), pgtest.Start(t, "app")
	admin, err := pgx.Connect(ctx, server.Address("app"))
	must(t, err)
	var rules string
	must(t, admin.QueryRow(ctx, "SHOW hba_file").Scan(&rules))
	_, err = admin.Exec(ctx, "CREATE ROLE sync LOGIN PASSWORD 'canary-1'; GRANT CREATE ON DATABASE app TO sync")
	must(t, err)
	must(t, os.WriteFile(rules, []byte("host all sync all scram-sha-256\nhost all all all trust\n"), 0o600))
	server.Stop()
	must(t, server.Start())
	admin, err = pgx.Connect(ctx, server.Address("app"))
	must(t, err)
	defer admin.Close(ctx)
	address := func(password string) string {
		return strings.Replace(server.Address("app"), "locsync@", "sync:"+password+"@", 1)
	}
	d := open(t, address("canary-1"))
	defer d.Close()
	key := ledger.Key{Scope: "app", Kind: "jobs", ID: "1"}
	must(t, d.Store().PutRecord(key, []byte("before")))
	_, err = admin.Exec(ctx, "ALTER ROLE sync PASSWORD 'canary-2'")
	must(t, err)
	must(t, d.Store().PutRecord(key, []byte("by a connection that is there")))
	d.pool.Reset()
	if err := d.Store().PutRecord(key, []byte("lost")); !Away(err) || strings.Contains(err.Error(), "canary") {
		t.Errorf("a write with the old password ends with %v", err)
	}
	begin, err := d.Readdress(address("canary-2"))
	must(t, err)
	if err := d.Store().PutRecord(key, []byte("lost")); !Away(err) {
		t.Errorf("the new password is used too early: %v", err)
	}
	begin()
	must(t, d.Store().PutRecord(key, []byte("after")))
	gone := address("canary-2") + "&sslrootcert=/gone.pem"
	if _, err := d.Readdress(gone); err == nil || !strings.Contains(err.Error(), "/gone.pem") ||
		strings.Contains(err.Error(), "canary") {
		t.Errorf("a certificate that is not there: %v", err)
	}
	d.address.Store(&gone) // as when it is removed later
	begin, err = d.Readdress(address("canary-2"))
	must(t, err)
	begin()
	for _, other := range []string{server.Address("postgres"), strings.Replace(address("x"), "127.0.0.1", "localhost", 1),
		address("x") + "&pool_max_conns=77", "canary"} {
		if _, err := d.Readdress(other); err == nil || strings.Contains(err.Error(), "canary") {
			t.Errorf("%s: %v", other, err)
		}
	}
}

// One file with 500 keys, committed when the call returns; boltledger has the same benchmark.
func BenchmarkSetMarks500(b *testing.B) {
	d := open(b, pgtest.Database(b))
	defer d.Close()
	s := d.Of("app")
	s.Under(lease(b, d, "app"))
	var sets [2]catalog.Marks
	for i := range sets {
		sets[i] = make(catalog.Marks)
		for k := range 500 {
			key := strings.Repeat("k", k/20) + string(rune('a'+k%20))
			sets[i][catalog.Name{Key: key}] = catalog.MarkOf(strings.Repeat("x", i+k))
		}
	}
	slot := ledger.Slot{Scope: "app", Kind: "known", Path: "locales/en/app.json", Language: "en"}
	b.ReportAllocs()
	for i := 0; b.Loop(); i++ {
		must(b, s.SetMarks(slot, sets[i%2]))
	}
}

// A PgBouncer in session mode is as good as the server: it takes the connections, which have the limits of time.
func TestThroughPgBouncer(t *testing.T) {
	d := open(t, pgtest.Bouncer(t, pgtest.Database(t), "session"))
	defer d.Close()
	for setting, want := range map[string]string{
		"statement_timeout": "15s", "idle_in_transaction_session_timeout": "10s", "timezone": "UTC",
	} {
		var got string
		must(t, d.pool.QueryRow(t.Context(), "SELECT current_setting($1)", setting).Scan(&got))
		if got != want {
			t.Errorf("%s is %s, want %s", setting, got, want)
		}
	}
	s := d.Of("app")
	s.Under(lease(t, d, "app"))
	must(t, s.Update(func(tx ledger.Writer) error {
		marks := catalog.Marks{{Key: "a"}: catalog.MarkOf("A")}
		return tx.SetMarks(ledger.Pushed.Of("app", ledger.Source{Path: "en.json"}), marks)
	}))
}

// Where a PgBouncer gives a connection to another process between two statements, it is said what helps.
func TestThroughPgBouncerByTransactions(t *testing.T) {
	address := pgtest.Bouncer(t, pgtest.Database(t), "transaction")
	for process := range 3 {
		d, err := Connect(t.Context(), address, fmt.Sprint("process ", process))
		if err == nil {
			defer d.Close()
			continue
		}
		if !errors.Is(err, errPooled) {
			t.Errorf("process %d: %v", process, err)
		}
		return
	}
	t.Log("NOTE: this PgBouncer keeps prepared statements apart, so that no process fails when it begins")
}

// A look at a database changes nothing there, and tells of its schema and processes.
func TestExamine(t *testing.T) {
	address := pgtest.Database(t)
	found, err := Examine(t.Context(), address)
	if want := (Found{MayMake: true}); err != nil || found != want {
		t.Errorf("an empty database: %+v, %v", found, err)
	}
	if found, err = Examine(t.Context(), address); err != nil || found.Version != 0 {
		t.Errorf("a look made a schema: %+v, %v", found, err)
	}
	d := open(t, address)
	defer d.Close()
	_, err = d.pool.Exec(t.Context(), "INSERT INTO locsync.processes VALUES ('a', 'host', 1, now(), now()), "+
		"('b', 'host', 2, now(), now() - '1 hour'::interval)")
	must(t, err)
	if found, err = Examine(t.Context(), address); err != nil || found.Version != len(migrations) || found.Processes != 1 {
		t.Errorf("%+v, %v", found, err)
	}
	_, err = d.pool.Exec(t.Context(), "UPDATE locsync.version SET version = 1000")
	must(t, err)
	if _, err = Examine(t.Context(), address); !errors.As(err, new(*ledger.NewerError)) {
		t.Errorf("of a newer locsync: %v", err)
	}
}
