package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgxpool"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger/pgledger/pgtest"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// clusterWorld is a database, a service that counts every request, repositories, and daemons that share them.
type clusterWorld struct {
	t        *testing.T
	server   *pgtest.Server
	db       *pgxpool.Pool
	service  *httptest.Server
	folder   string
	rate     int
	schedule string
	projects []clusterProject
	daemons  []*clusterDaemon

	rescan    string
	meanwhile func() // what the test does while it waits; nil for nothing

	mu       sync.Mutex
	arrived  []time.Time
	trespass []string // requests of processes that did not have the lease
}

type clusterProject struct{ name, id, repository string }

// clusterDaemon is one process, behind a line to the database of its own.
type clusterDaemon struct {
	number int
	url    string
	line   *severable
	cmd    *exec.Cmd
	logs   *lockedBuffer
}

func newClusterWorld(t *testing.T, projects, rate int, schedule string) *clusterWorld {
	t.Helper()
	gittest.Need(t)
	w := &clusterWorld{t: t, server: pgtest.Start(t, "locsync"), folder: t.TempDir(), rate: rate, schedule: schedule,
		rescan: "10s"}
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"secret"}})
	w.check(err)
	for i := range projects {
		p := clusterProject{fmt.Sprintf("app%03d", i), fmt.Sprintf("11111111-2222-3333-4444-%012d", i),
			gittest.Init(t, map[string]string{"locales/en.json": `{"a": "A", "b": "B"}`})}
		w.check(svc.EnsureProject(p.id, p.name, "en", []string{"de"}))
		w.projects = append(w.projects, p)
	}
	w.service = httptest.NewServer(http.HandlerFunc(func(rw http.ResponseWriter, r *http.Request) {
		if r.Header.Get("X-Test") == "" { // of a daemon
			w.saw(r)
		}
		svc.ServeHTTP(rw, r)
	}))
	t.Cleanup(func() {
		w.service.Close()
		w.check(svc.Close())
	})
	w.db, err = pgxpool.New(t.Context(), w.server.Address("locsync"))
	w.check(err)
	t.Cleanup(w.db.Close)
	return w
}

func (w *clusterWorld) check(err error) {
	w.t.Helper()
	if err != nil {
		w.t.Fatal(err)
	}
}

// saw notes a request, and whether the process that made it had the lease of its project.
func (w *clusterWorld) saw(r *http.Request) {
	at := time.Now()
	w.mu.Lock()
	w.arrived = append(w.arrived, at)
	w.mu.Unlock()
	_, port, _ := net.SplitHostPort(r.RemoteAddr)
	_, server, _ := net.SplitHostPort(r.Host)
	for _, p := range w.projects {
		if !strings.Contains(r.URL.String(), p.id) {
			continue
		}
		var pid int
		var since time.Duration
		err := w.db.QueryRow(r.Context(), `SELECT p.pid, clock_timestamp() - l.since FROM locsync.leases l
			JOIN locsync.processes p ON p.id = l.holder WHERE l.project = $1`, p.name).Scan(&pid, &since)
		// A request that was under way when the lease became another one's does no harm.
		by := processesOf(port, server)
		if err == nil && len(by) > 0 && !slices.Contains(by, pid) && since > 5*time.Second {
			w.mu.Lock()
			w.trespass = append(w.trespass, fmt.Sprintf("%s by %v, whose project %s is %d's for %v",
				r.URL, by, p.name, pid, since))
			w.mu.Unlock()
		}
	}
}

// processesOf are the processes that have a connection from one port of this machine to another one: besides the one
// that made it, one that it is just starting; none where it is gone.
func processesOf(from, to string) []int {
	ends := func(address, port string) bool {
		n, _ := strconv.Atoi(port)
		return strings.HasSuffix(address, fmt.Sprintf(":%04X", n))
	}
	table, _ := os.ReadFile("/proc/net/tcp")
	inode := ""
	for line := range strings.Lines(string(table)) {
		// Two connections may be from one port, to different ones.
		if f := strings.Fields(line); len(f) > 9 && ends(f[1], from) && ends(f[2], to) {
			inode = f[9]
		}
	}
	var found []int
	links, _ := filepath.Glob("/proc/[0-9]*/fd/*")
	for _, link := range links {
		if target, _ := os.Readlink(link); inode != "" && target == "socket:["+inode+"]" {
			pid, _ := strconv.Atoi(strings.Split(link, "/")[2])
			found = append(found, pid)
		}
	}
	return found
}

// start starts a daemon and waits until it takes part.
func (w *clusterWorld) start() *clusterDaemon {
	w.t.Helper()
	d := &clusterDaemon{number: len(w.daemons), url: "http://" + unusedAddress(w.t), logs: &lockedBuffer{},
		line: sever(w.t, fmt.Sprintf("127.0.0.1:%d", w.server.Port))}
	w.daemons = append(w.daemons, d)
	w.launch(d)
	return d
}

func (w *clusterWorld) launch(d *clusterDaemon) {
	w.t.Helper()
	d.cmd = w.command(d, "run")
	d.cmd.Stderr = d.logs
	w.check(d.cmd.Start())
	w.t.Cleanup(func() {
		if w.t.Failed() {
			w.t.Logf("daemon %d:\n%s", d.number, d.logs)
		}
		_ = d.cmd.Process.Signal(syscall.SIGCONT)
		_ = d.cmd.Process.Kill()
		_ = d.cmd.Wait()
	})
	w.until(guard, "a daemon is ready", func() bool { return w.get(d, "/readyz", nil) == http.StatusOK })
}

// command is a command with the configuration of a daemon.
func (w *clusterWorld) command(d *clusterDaemon, args ...string) *exec.Cmd {
	w.t.Helper()
	var text strings.Builder
	fmt.Fprintf(&text, "state_dir = \"state%d\"\n[service]\nurl = %q\naccount_id = \"acc\"\nrequests_per_second = %d\n",
		d.number, w.service.URL, w.rate)
	fmt.Fprintf(&text, "[cluster]\n[daemon]\nlisten = %q\nrescan = %q\n", strings.TrimPrefix(d.url, "http://"),
		w.rescan)
	for _, p := range w.projects {
		fmt.Fprintf(&text, "[[project]]\nname = %q\nid = %q\nrepository = \"file://%s\"\nsource_language = \"en\"\n",
			p.name, p.id, p.repository)
		fmt.Fprintf(&text, "target_languages = [\"de\"]\n[project.pull]\nschedule = %q\n", w.schedule)
		text.WriteString("[[project.files]]\nsource = \"locales/en.json\"\noutput = \"locales/{LANGUAGE}.json\"\n")
	}
	file := filepath.Join(w.folder, fmt.Sprintf("daemon%d.toml", d.number))
	w.check(os.WriteFile(file, []byte(text.String()), 0o600))
	exe, err := exec.LookPath("locsync")
	w.check(err)
	cmd := exec.Command(exe, append(args, "--config", file)...)
	cmd.Env = append(os.Environ(), "LOCSYNC_API_KEY=secret",
		fmt.Sprintf("LOCSYNC_DATABASE_URL=postgres://locsync@%s/locsync?sslmode=disable", d.line.address))
	return cmd
}

func (w *clusterWorld) get(d *clusterDaemon, path string, to any) int {
	resp, err := asking.Get(d.url + path)
	if err != nil {
		return 0
	}
	defer resp.Body.Close()
	body, err := io.ReadAll(resp.Body)
	if err == nil && to != nil {
		err = json.Unmarshal(body, to)
	}
	if err != nil {
		return 0
	}
	return resp.StatusCode
}

func (w *clusterWorld) until(most time.Duration, what string, holds func() bool) {
	w.t.Helper()
	for end := time.Now().Add(most); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Now().After(end) {
			w.t.Fatalf("never: %s\n%s", what, w.state())
		}
		if w.meanwhile != nil {
			w.meanwhile()
		}
	}
}

// state is what the database has, for a test that failed.
func (w *clusterWorld) state() string {
	var all []string
	for _, sql := range []string{"SELECT * FROM locsync.passes", "SELECT * FROM locsync.leases",
		"SELECT * FROM locsync.processes", "SELECT id, state, attempt, scheduled_at, args FROM locsync.river_job"} {
		rows, err := w.db.Query(context.Background(), "SELECT row_to_json(t)::text FROM ("+sql+") AS t")
		if err != nil {
			return err.Error()
		}
		found, _ := pgx.CollectRows(rows, pgx.RowTo[string])
		all = append(append(all, sql), found...)
	}
	return strings.Join(all, "\n")
}

// moved tells how often the queue handed out passes, and how often to another process than the time before.
func (w *clusterWorld) moved() (made, moved int) {
	w.t.Helper()
	rows, err := w.db.Query(w.t.Context(), "SELECT attempted_by FROM locsync.river_job WHERE attempted_by <> '{}'")
	w.check(err)
	jobs, err := pgx.CollectRows(rows, pgx.RowTo[[]string])
	w.check(err)
	for _, by := range jobs {
		made += len(by) - 1
		moved += len(slices.Compact(by)) - 1
	}
	return made, moved
}

// edit commits another text of a key.
func (w *clusterWorld) edit(p clusterProject, text string) {
	w.t.Helper()
	body := fmt.Sprintf("{\"a\": %q, \"b\": \"B\"}\n", text)
	w.check(os.WriteFile(filepath.Join(p.repository, "locales/en.json"), []byte(body), 0o644))
	gittest.Git(w.t, p.repository, "commit", "-q", "-a", "-m", text)
}

// translated reports whether a translation is on the project's branch.
func (w *clusterWorld) translated(p clusterProject, text string) bool {
	return strings.Contains(w.branch(p), text)
}

// branch is the file with translations on the project's branch, "" where there is none.
func (w *clusterWorld) branch(p clusterProject) string {
	out, _ := exec.Command("git", "-C", p.repository, "show", "l10n:locales/de.json").Output()
	return string(out)
}

// translate stores a translation at the service.
func (w *clusterWorld) translate(p clusterProject, text string) {
	w.t.Helper()
	c, err := service.New(service.Options{BaseURL: w.service.URL, AccountID: "acc", APIKey: "secret",
		Transport: marked{http.DefaultTransport}})
	w.check(err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(w.t.Context(), guard)
	defer cancel()
	id, err := c.Strings().StartImport(ctx, service.ImportRequest{Project: p.id, Collection: "main", Language: "de",
		Format: "json", CompletionState: service.Final, Conflicts: service.Overwrite,
		Files: []service.Upload{{Name: "de.json", Body: fmt.Appendf(nil, `{"b": %q}`, text)}}})
	w.check(err)
	_, err = c.Strings().WaitImport(ctx, id)
	w.check(err)
}

// marked has the requests of a test told from those of daemons.
type marked struct{ http.RoundTripper }

func (m marked) RoundTrip(r *http.Request) (*http.Response, error) {
	r.Header.Set("X-Test", "yes")
	return m.RoundTripper.RoundTrip(r)
}

// guardWrites has the database note every write of a project by a process that does not have its lease.
func (w *clusterWorld) guardWrites() {
	w.t.Helper()
	_, err := w.db.Exec(w.t.Context(), `CREATE TABLE trespass (told text);
		CREATE FUNCTION guard() RETURNS trigger LANGUAGE plpgsql AS $$
		DECLARE
			owner text; scope text := convert_from(COALESCE(NEW.scope, OLD.scope), 'UTF8');
		BEGIN
			SELECT holder INTO owner FROM locsync.leases WHERE project = split_part(scope, '@', 1);
			IF scope <> '' AND 'locsync ' || COALESCE(owner, '') <> current_setting('application_name') THEN
				INSERT INTO trespass VALUES (scope || ': ' || current_setting('application_name') || ', not ' || owner);
			END IF;
			RETURN COALESCE(NEW, OLD);
		END $$;
		CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON locsync.records FOR EACH ROW EXECUTE FUNCTION guard();
		CREATE TRIGGER guard BEFORE INSERT OR UPDATE OR DELETE ON locsync.marks FOR EACH ROW EXECUTE FUNCTION guard()`)
	w.check(err)
}

// holds checks what must never have happened.
func (w *clusterWorld) holds() {
	w.t.Helper()
	w.mu.Lock()
	defer w.mu.Unlock()
	slices.SortFunc(w.arrived, time.Time.Compare)
	over := 0
	for i := w.rate; i < len(w.arrived); i++ {
		if w.arrived[i].Sub(w.arrived[i-w.rate]) < time.Second {
			over++
		}
	}
	if over > 0 {
		w.t.Errorf("%d of %d requests came as number %d in a second", over, len(w.arrived), w.rate+1)
	}
	for _, told := range w.trespass {
		w.t.Errorf("a request without the lease: %s", told)
	}
	rows, err := w.db.Query(context.Background(), "SELECT told FROM trespass")
	w.check(err)
	written, err := pgx.CollectRows(rows, pgx.RowTo[string])
	w.check(err)
	for _, told := range written {
		w.t.Errorf("a write without the lease: %s", told)
	}
	most, from := 0, 0
	for i, at := range w.arrived {
		for at.Sub(w.arrived[from]) >= time.Second {
			from++
		}
		most = max(most, i-from+1)
	}
	w.t.Logf("%d requests, %d in any second at most", len(w.arrived), most)
}

// severable is a line to the database that can be cut.
type severable struct {
	address string
	cut     atomic.Bool
	mu      sync.Mutex
	open    []net.Conn
}

func sever(t *testing.T, to string) *severable {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &severable{address: l.Addr().String()}
	t.Cleanup(func() { l.Close(); s.sever() })
	go func() {
		for {
			here, err := l.Accept()
			if err != nil {
				return
			}
			there, err := net.Dial("tcp", to)
			if err != nil || s.cut.Load() {
				here.Close()
				continue
			}
			s.mu.Lock()
			s.open = append(s.open, here, there)
			s.mu.Unlock()
			go pipe(here, there)
			go pipe(there, here)
		}
	}()
	return s
}

func pipe(to, from net.Conn) {
	_, _ = io.Copy(to, from)
	to.Close()
	from.Close()
}

// sever cuts the line, until mend.
func (s *severable) sever() {
	s.cut.Store(true)
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, c := range s.open {
		c.Close()
	}
	s.open = nil
}

func (s *severable) mend() { s.cut.Store(false) }

// Two daemons share two projects: what is committed and translated travels, every process tells all of it, commands
// work beside a daemon and without one, and what one of them had is taken over by the other.
func TestCluster(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newClusterWorld(t, 2, 200, "@every 1s")
	first := w.start()
	w.guardWrites()
	second := w.start()
	w.until(guard, "everything is pushed", func() bool {
		var s report.Status
		w.get(first, "/api/status", &s)
		return len(s.Projects) == 2 && !slices.ContainsFunc(s.Projects, func(p report.ProjectStatus) bool {
			return p.LastPush == nil || p.LastPush.Keys != 2
		})
	})
	for i, p := range w.projects {
		w.translate(p, fmt.Sprint("Text ", i))
	}
	for i, p := range w.projects {
		w.until(guard, "a translation arrives", func() bool { return w.translated(p, fmt.Sprint("Text ", i)) })
	}
	for _, d := range w.daemons {
		w.until(guard, "both daemons tell of both projects", func() bool {
			var s report.Status
			w.get(d, "/api/status", &s)
			return len(s.Projects) == 2 && !slices.ContainsFunc(s.Projects, func(p report.ProjectStatus) bool {
				return p.LastPush == nil || p.LastPull == nil || p.NextPull == nil || len(p.Files) != 1
			})
		})
	}
	w.until(guard, "20 passes were made", func() bool { made, _ := w.moved(); return made >= 20 })
	if made, moved := w.moved(); moved > made/5 {
		t.Errorf("%d of %d passes were made by another process than the one that had the clone", moved, made)
	}
	w.check(first.cmd.Process.Kill())
	w.edit(w.projects[0], "edited")
	w.until(3*guard, "the edit is pushed by the other daemon", func() bool {
		resp, err := asking.Post(second.url+"/trigger?project=app000&action=push", "", nil)
		if err == nil {
			resp.Body.Close()
		}
		var s report.Status
		w.get(second, "/api/status", &s)
		return len(s.Projects) == 2 && s.Projects[0].LastPush != nil && s.Projects[0].LastPush.Keys > 0 &&
			s.Projects[0].Pending == 0
	})
	alone := &clusterDaemon{number: 7, url: "http://127.0.0.1:1", line: second.line}
	for _, args := range [][]string{{"status", "--json"}, {"push", "--json"}} {
		out, err := w.command(alone, args...).Output()
		if err != nil || !bytes.Contains(out, []byte(`"app001"`)) {
			t.Errorf("%v: %s; %v", args, out, err)
		}
	}
	w.check(second.cmd.Process.Signal(syscall.SIGTERM))
	if err := second.cmd.Wait(); err != nil {
		t.Errorf("a daemon that is told to end: %v", err)
	}
	w.holds()
}
