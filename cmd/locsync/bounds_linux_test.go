package main

import (
	"archive/zip"
	"bytes"
	"compress/flate"
	"compress/gzip"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local"
)

// The promise of the program: nothing from outside makes a process take more than this, or hang.
const (
	boundMemory = 512 << 20
	boundTime   = time.Minute      // of the processors: other tests may take most of them meanwhile
	boundWait   = 10 * time.Minute // one that hangs is found, and one that waits for the processors is not
)

// victim is a repository with one project, and a service that answers what a test tells it to.
type victim struct {
	*testing.T
	dir     string
	answers map[string]http.HandlerFunc // by method and path, below the prefix
	works   time.Duration               // the most that the processors may be at it
	waits   time.Duration               // and the clock
}

func newVictim(t *testing.T) *victim {
	t.Helper()
	if testing.Short() {
		t.Skip("memory is measured without the race detector, which multiplies it")
	}
	gittest.Need(t)
	v := &victim{T: t, dir: t.TempDir(), answers: make(map[string]http.HandlerFunc), works: boundTime, waits: boundWait}
	v.file("locales/en/app.json", `{"greeting": "Hello", "farewell": "Goodbye"}`+"\n")
	server := httptest.NewServer(http.HandlerFunc(v.serve))
	t.Cleanup(server.Close)
	v.says("GET /v1/account", `{"id": "acc"}`)
	v.says("GET /v1/project/"+victimProject,
		`{"id": "`+victimProject+`", "sourceLanguage": "en", "targetLanguages": ["de"]}`)
	v.says("POST /v1/project/"+victimProject+"/import", `"i1"`)
	v.says("POST /v2/project/"+victimProject+"/import", `"i1"`)
	v.says("POST /v2/project/"+victimProject+"/export", `"e1"`)
	v.says("GET /v1/document/export/e1", string(zipOf(t, nil)))
	v.config(server.URL)
	v.git("init", "-q", "-b", "main")
	v.git("add", ".")
	v.git("commit", "-qm", "begin")
	return v
}

const victimProject = "11111111-2222-3333-4444-555555555555"

func (v *victim) config(url string) {
	v.file("locsync.toml", `[service]
url = "`+url+`"
account_id = "acc"
requests_per_second = 100
job_timeout = "30s"
[[project]]
name = "app"
id = "`+victimProject+`"
repository = "."
source_language = "en"
target_languages = ["de"]
[project.pull]
remote = ""
completion_state = "draft"
[[project.files]]
source = "locales/en/*.json"
output = "locales/{LANGUAGE}/{NAME}.json"
collection = "main"
`)
}

func (v *victim) file(name, text string) {
	v.Helper()
	name = filepath.Join(v.dir, name)
	if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
		v.Fatal(err)
	}
	if err := os.WriteFile(name, []byte(text), 0o644); err != nil {
		v.Fatal(err)
	}
}

func (v *victim) env() []string {
	return append(os.Environ(), "HOME="+v.dir+"/.home", "GIT_CONFIG_NOSYSTEM=1", "GIT_CONFIG_GLOBAL=/dev/null",
		"LOCSYNC_API_KEY=key-of-the-victim",
		"LOCSYNC_BUDGET_DIR="+v.dir+"/.git/budget", "GIT_AUTHOR_NAME=a", "GIT_AUTHOR_EMAIL=a@localhost",
		"GIT_COMMITTER_NAME=a", "GIT_COMMITTER_EMAIL=a@localhost")
}

// command is a program that is run in the repository.
func (v *victim) command(program string, args ...string) *exec.Cmd {
	cmd := exec.Command(program, args...)
	cmd.Dir, cmd.Env = v.dir, v.env()
	return cmd
}

func (v *victim) git(args ...string) string {
	v.Helper()
	out, err := v.command("git", args...).CombinedOutput()
	if err != nil {
		v.Fatalf("git %v: %v\n%s", args, err, out)
	}
	return strings.TrimSpace(string(out))
}

func (v *victim) says(call, body string) {
	v.answers[call] = func(w http.ResponseWriter, _ *http.Request) { _, _ = io.WriteString(w, body) }
}

// streams lets the service answer a call with what is written, packed or not.
func (v *victim) streams(call string, packed bool, write func(w io.Writer)) {
	v.answers[call] = func(w http.ResponseWriter, _ *http.Request) {
		if !packed {
			write(w)
			return
		}
		w.Header().Set("Content-Encoding", "gzip")
		gz := gzip.NewWriter(w)
		write(gz)
		_ = gz.Close()
	}
}

func (v *victim) serve(w http.ResponseWriter, r *http.Request) {
	path := strings.TrimPrefix(strings.TrimPrefix(r.URL.Path, "/api/integration"), "/api")
	_, _ = io.Copy(io.Discard, r.Body)
	answer, known := v.answers[r.Method+" "+path]
	if !known {
		v.Logf("unexpected: %s %s", r.Method, r.URL)
		http.NotFound(w, r)
		return
	}
	answer(w, r)
}

// locsync runs the program, which has to keep the promise, and returns its exit code and everything that it said.
func (v *victim) locsync(args ...string) (int, string) {
	v.Helper()
	return v.begin(args...).ends()
}

// watched is the program at work, which is ended when it breaks the promise.
type watched struct {
	*victim
	cmd    *exec.Cmd
	began  time.Time
	peak   string // the file that it writes its most memory to
	out    *os.File
	done   chan struct{}
	broken chan string
}

// begin starts the program.
func (v *victim) begin(args ...string) *watched {
	v.Helper()
	w := &watched{victim: v, cmd: exec.Command("locsync", args...), began: time.Now(), done: make(chan struct{}),
		broken: make(chan string, 1),
		peak:   filepath.Join(v.TempDir(), "peak")}
	w.cmd.Dir, w.cmd.Env = v.dir, append(v.env(), testPeakFile+"="+w.peak)
	var err error
	if w.out, err = os.Create(filepath.Join(v.TempDir(), "said")); err != nil {
		v.Fatal(err)
	}
	w.cmd.Stdout, w.cmd.Stderr = w.out, w.out
	if err := w.cmd.Start(); err != nil {
		v.Fatal(err)
	}
	go w.watch()
	return w
}

func (w *watched) watch() {
	for range time.Tick(20 * time.Millisecond) {
		select {
		case <-w.done:
			return
		default:
		}
		now, worked := residentPeak(w.cmd.Process.Pid), processorTime(w.cmd.Process.Pid)
		if now < boundMemory && worked < w.works && time.Since(w.began) < w.waits {
			continue
		}
		_ = w.cmd.Process.Kill()
		w.broken <- fmt.Sprintf("%d MB after %v, of which it worked %v", now>>20, time.Since(w.began), worked)
		return
	}
}

// saidSoFar is everything that the program said.
func (w *watched) saidSoFar() string {
	w.Helper()
	text, err := os.ReadFile(w.out.Name())
	if err != nil {
		w.Fatal(err)
	}
	return string(text)
}

// ends waits for the program's end.
func (w *watched) ends() (int, string) {
	w.Helper()
	_ = w.cmd.Wait()
	close(w.done)
	said := w.saidSoFar()
	_ = w.out.Close() // what was said is read
	args := w.cmd.Args[1:]
	select {
	case how := <-w.broken:
		w.Fatalf("locsync %v takes too much: %s\n%s", args, how, clipped(said))
	default:
	}
	took, most := time.Since(w.began), peakIn(w, w.peak)
	w.Logf("locsync %v: exit %d, %d MB, %v\n%s", args, w.cmd.ProcessState.ExitCode(), most>>20,
		took.Round(time.Millisecond), clipped(said))
	if most > boundMemory {
		w.Errorf("locsync %v: %d MB", args, most>>20)
	}
	return w.cmd.ProcessState.ExitCode(), said
}

// residentPeak is the most memory that a process has had, as far as can be seen.
func residentPeak(pid int) int64 { return resident(pid, "VmHWM:") }

// residentNow is the memory that a process has.
func residentNow(pid int) int64 { return resident(pid, "VmRSS:") }

func resident(pid int, which string) int64 {
	status, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/status")
	if err != nil {
		return 0
	}
	_, size, _ := strings.Cut(string(status), which)
	var kilobytes int64
	_, _ = fmt.Sscan(size, &kilobytes)
	return kilobytes << 10
}

// processorTime is how long a process has worked, as far as can be seen (proc_pid_stat(5), in hundredths of a second).
func processorTime(pid int) time.Duration {
	stat, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/stat")
	if err != nil {
		return 0
	}
	fields := strings.Fields(string(stat[bytes.LastIndexByte(stat,
		')')+1:])) // from the third on: the name may have blanks
	if len(fields) < 13 {
		return 0
	}
	user, _ := strconv.Atoi(fields[11])
	system, _ := strconv.Atoi(fields[12])
	return time.Duration(user+system) * 10 * time.Millisecond
}

// repeated writes n times a text between two others.
func repeated(w io.Writer, before, text string, n int, after string) {
	_, _ = io.WriteString(w, before)
	chunk := strings.Repeat(text, 1000)
	for ; n >= 1000; n -= 1000 {
		if _, err := io.WriteString(w, chunk); err != nil {
			return
		}
	}
	_, _ = io.WriteString(w, strings.Repeat(text, n)+after)
}

// numbered writes entries with numbers between two texts.
func numbered(w io.Writer, before, format string, n int, after string) {
	b := append(make([]byte, 0, 1<<16), before...)
	for i := range n {
		if b = fmt.Appendf(b, format, i); len(b) > 60_000 {
			if _, err := w.Write(b); err != nil {
				return
			}
			b = b[:0]
		}
	}
	_, _ = w.Write(append(b, after...))
}

func expect(t *testing.T, code int, said string, wantCode int, want ...string) {
	t.Helper()
	if code != wantCode {
		t.Errorf("exit code %d, want %d", code, wantCode)
	}
	for _, w := range want {
		if !strings.Contains(said, w) {
			t.Errorf("it does not say %q", w)
		}
	}
}

// zipOf is an archive of members that are written one by one.
func zipOf(t *testing.T, members map[string]func(io.Writer)) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	z.RegisterCompressor(zip.Deflate, func(w io.Writer) (io.WriteCloser, error) {
		return flate.NewWriter(w, flate.BestSpeed)
	})
	for name, write := range members {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		write(w)
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// A record is as large as what is decoded of it, whatever was sent.
func TestBoundOfRecords(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	record := `{"id": "` + victimProject + `", "sourceLanguage": "en", "targetLanguages": ["de"], "documents": [{}`
	v.streams("GET /v1/project/"+victimProject, true,
		func(w io.Writer) { repeated(w, record, `,{}`, 10_000_000, `]}`) })
	code, said := v.locsync("check", "--online")
	expect(t, code, said, 0)
	v.locsync("doctor")
}

// A project of 900 documents in 60 languages is an ordinary one.
func TestRecordOfManyDocuments(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	v.streams("GET /v1/project/"+victimProject, true, func(w io.Writer) {
		numbered(w, `{"id":"`+victimProject+`","sourceLanguage":"en","targetLanguages":["de"],"documents":[{}`,
			`,{"id":"11111111-2222-3333-4444-%012d","name":"manual/chapter/page.md","sourceLanguage":"en","targetLanguage":"de-DE",`+
				`"status":"inProgress","wordsCount":1200,"externalId":"`+strings.Repeat("x",
				100)+`","workflowStages":[{"progress":50.5,`+
				`"wordsTranslated":600,"unassignedWordsCount":0,"status":"inProgress","executives":[{"id":"`+victimProject+`","wordsCount":1}]},`+
				`{"progress":0,"wordsTranslated":0,"unassignedWordsCount":0,"status":"created","executives":[]}]}`, 900*60, `]}`)
	})
	for _, command := range []string{"check --online", "project plan"} {
		code, said := v.locsync(strings.Fields(command)...)
		expect(t, code, said, 0)
	}
}

func TestBoundOfImportErrors(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	v.streams("GET /v1/project/import-result/i1", false, func(w io.Writer) {
		repeated(w, `{"status": "completed", "errors": [{}`, `,{}`, 10_000_000, `]}`)
	})
	v.locsync("push")
}

func TestBoundOfImportConflicts(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	v.streams("GET /v1/project/import-result/i1", true, func(w io.Writer) {
		numbered(w, `{"status": "completed", "conflictingKeyValues": {"":[]`, `,"%d":[]`, 2_600_000, `}}`)
	})
	v.locsync("push")
}

func TestBoundOfExports(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, members := range map[string]map[string]func(io.Writer){
		"zeros": {"locales/de/app.json": func(w io.Writer) { repeated(w, "", "\x00", 1<<30, "") }},
		"one": {"locales/de/app.json": func(w io.Writer) {
			numbered(w, `{"":""`, `,"strange %d":"some text that is not so short"`, 5_000_000, `}`)
		}},
		"tiny": {"locales/de/app.json": func(w io.Writer) { numbered(w, `{"":""`, `,"%d":""`, 12_000_000, `}`) }},
		"repeated": {"locales/de/app.json": func(w io.Writer) {
			repeated(w, `{"":""`, `,"greeting":"x"`, 12_000_000, `}`)
		}},
		"long": {"locales/de/app.json": func(w io.Writer) {
			repeated(w, `{"greeting":"`, `some text`, 25_000_000, `"}`)
		}},
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			archive := zipOf(t, members)
			t.Logf("%d bytes", len(archive))
			v.says("GET /v1/document/export/e1", string(archive))
			v.locsync("pull")
		})
	}
	t.Run("many", func(t *testing.T) {
		v := newVictim(t)
		members := make(map[string]func(io.Writer))
		for i := range 19_999 {
			members[fmt.Sprint("x", i)] = func(w io.Writer) {}
		}
		v.says("GET /v1/document/export/e1", string(zipOf(t, members)))
		v.locsync("pull")
	})
}

// An export may be as long as a service likes: what the sources have is taken from it.
func TestBoundOfLongExports(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	strange := func(w io.Writer) {
		numbered(w, `{"greeting":"Hallo"`, `,"strange %d":"some text that is not so short"`,
			4_600_000, `,"farewell":"Tschüss"}`)
	}
	v.says("GET /v1/document/export/e1", string(zipOf(t, map[string]func(io.Writer){"locales/de/app.json": strange})))
	code, said := v.locsync("pull")
	expect(t, code, said, 0, "locales/de/app.json")
	if de := v.git("show", "l10n:locales/de/app.json"); !strings.Contains(de, "Hallo") ||
		!strings.Contains(de, "Tschüss") {
		t.Errorf("pulled: %s", de)
	}
	v.answers["GET /v1/document/export/e1"] = func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Disposition", "attachment; filename=app.json")
		strange(w)
	}
	code, said = v.locsync("pull", "--full")
	expect(t, code, said, 0, "nothing to pull")
}

// All languages of an export are one answer.
func TestBoundOfExportsInManyLanguages(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	languages := strings.Split("de fr it es pt nl sv da nb fi pl cs sk hu ro bg", " ")
	text, err := os.ReadFile(filepath.Join(v.dir, "locsync.toml"))
	if err != nil {
		t.Fatal(err)
	}
	v.file("locsync.toml", strings.ReplaceAll(string(text), `["de"]`, `["`+strings.Join(languages, `", "`)+`"]`))
	source, target := numberedText(`,"k%d":"short"`, 30), numberedText(`,"k%d":"`+numberedText("%d some text ",
		50_000)+`"`, 30)
	v.file("locales/en/app.json", `{"greeting":"Hello"`+source+"}")
	v.git("add", ".")
	v.git("commit", "-qm", "grow")
	members := make(map[string]func(io.Writer))
	for _, l := range languages {
		members["locales/"+l+"/app.json"] = func(w io.Writer) {
			_, _ = io.WriteString(w, `{"greeting":"Hi"`+target+"}")
		}
	}
	v.says("GET /v1/document/export/e1", string(zipOf(t, members)))
	code, said := v.locsync("pull")
	expect(t, code, said, 3, "too many texts")
}

func TestBoundOfResourceFiles(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	t.Run("sparse", func(t *testing.T) {
		v := newVictim(t)
		v.says("GET /v1/project/import-result/i1", `{"status": "completed", "keysCreated": 2}`)
		v.file("locales/en/big.json", "{}")
		if err := os.Truncate(filepath.Join(v.dir, "locales/en/big.json"), 5<<30); err != nil {
			t.Fatal(err)
		}
		code, said := v.locsync("check")
		expect(t, code, said, 3, "big.json")
		code, said = v.locsync("push")
		expect(t, code, said, 3, "big.json")
	})
	t.Run("keys", func(t *testing.T) {
		v := newVictim(t)
		f, err := os.Create(filepath.Join(v.dir, "locales/en/big.json"))
		if err != nil {
			t.Fatal(err)
		}
		numbered(f, "{\"\":\"\"", ",\"%d\":\"\"", 17_000_000, "}")
		if err := f.Close(); err != nil {
			t.Fatal(err)
		}
		code, said := v.locsync("check")
		expect(t, code, said, 3, "big.json")
	})
}

func TestBoundOfConfiguration(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	for name, text := range map[string]string{
		"arrays":  "x = " + strings.Repeat("[", 500_000) + strings.Repeat("]", 500_000),
		"tables":  "x = " + strings.Repeat("{a=", 150_000) + "1" + strings.Repeat("}", 150_000),
		"dotted":  strings.Repeat("a.", 500_000) + "a = 1",
		"headers": "[" + strings.Repeat("a.", 500_000) + "a]",
		"many":    strings.Repeat("[a.b.c.d.e.f.g]\n[[x]]\n", 1) + numberedText("[a%d.b.c.d]\n", 60_000),
		"keys":    numberedText("key%d = 1\n", 70_000),
		"projects": numberedText("[[project]]\nname = \"p%d\"\nid = \"11111111-2222-3333-4444-555555555555\"\nrepository = \".\"\nsource_language = \"en\"\n"+
			"target_languages = [\"de\"]\n[[project.files]]\nsource = \"locales/en/*.json\"\noutput = \"locales/{LANGUAGE}/{NAME}.json\"\n", 4_500),
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			v.file("locsync.toml", text)
			v.locsync("check")
		})
	}
}

func numberedText(format string, n int) string {
	var b strings.Builder
	for i := range n {
		fmt.Fprintf(&b, format, i)
	}
	return b.String()
}

// The largest file that is read is within the promise, too.
func TestBoundOfTheLargest(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	if err := os.Remove(filepath.Join(v.dir, "locales/en/app.json")); err != nil {
		t.Fatal(err)
	}
	var b bytes.Buffer
	numbered(&b, "{\"\":\"\"", ",\n  \"key %d\":\"some text\"", 149_000, "}")
	t.Logf("%d bytes", b.Len())
	v.file("locales/en/big.json", b.String())
	v.git("add", ".")
	v.git("commit", "-qm", "grow")
	code, said := v.locsync("check")
	expect(t, code, said, 0)
	v.says("GET /v1/project/import-result/i1", `{"status": "completed", "keysCreated": 299001}`)
	code, said = v.locsync("push")
	expect(t, code, said, 0)
	v.says("GET /v1/document/export/e1", string(zipOf(t,
		map[string]func(io.Writer){"locales/de/big.json": func(w io.Writer) { _, _ = w.Write(b.Bytes()) }})))
	code, said = v.locsync("pull")
	expect(t, code, said, 0, "locales/de/big.json")
}

// A pull of 500,000 new translations: its memory is that of their files, and not that of the service's answers.
func TestMemoryOfALargePull(t *testing.T) {
	gittest.Long(t)
	for _, collection := range []string{"{NAME}", "main"} {
		t.Run(collection, func(t *testing.T) { memoryOfALargePull(t, collection) })
	}
}

func memoryOfALargePull(t *testing.T, collection string) {
	const files, keys, most = 50, 500, 300 << 20
	languages := strings.Fields("de fr it es pt nl sv da nb fi pl cs sk hu ro bg el tr ja ko")
	v := newVictim(t)
	v.works, v.waits = 2*boundTime, 2*boundWait // only its memory is of interest
	text, err := os.ReadFile(filepath.Join(v.dir, "locsync.toml"))
	if err != nil {
		t.Fatal(err)
	}
	config := strings.ReplaceAll(string(text), `["de"]`, `["`+strings.Join(languages, `", "`)+`"]`)
	v.file("locsync.toml", strings.ReplaceAll(config, `"main"`, `"`+collection+`"`))
	texts := func(w io.Writer, n int, language string) {
		format := fmt.Sprintf(",\n  \"section.file%d.message_%%d\": \"Sentence %%[1]d of file %d in %s, about as long as most\"", n, n, language)
		numbered(w, fmt.Sprintf("\n  \"title%d\": \"File %d in %s\"", n, n, language), format, keys-1, "\n")
	}
	asked := 0
	all := make(map[string][]int)
	for n := range files {
		var b bytes.Buffer
		texts(&b, n, "en")
		v.file(fmt.Sprintf("locales/en/file%d.json", n), "{"+b.String()+"}\n")
		of := strings.ReplaceAll(collection, "{NAME}", fmt.Sprint("file", n))
		all[of] = append(all[of], n)
	}
	v.answers["POST /v2/project/"+victimProject+"/export"] = func(w http.ResponseWriter, r *http.Request) {
		members := make(map[string]func(io.Writer))
		for _, l := range languages {
			name := strings.ReplaceAll(r.URL.Query().Get("output-file-path-template"), "{LANGUAGE}", l)
			members[name] = func(w io.Writer) {
				open := "{"
				for _, n := range all[r.URL.Query().Get("collections")] {
					_, _ = io.WriteString(w, open)
					texts(w, n, l)
					open = ","
				}
				_, _ = io.WriteString(w, "}")
			}
		}
		if len(all[r.URL.Query().Get("collections")]) == 0 {
			clear(members)
		}
		asked++
		id := fmt.Sprint("e", asked)
		v.says("GET /v1/document/export/"+id, string(zipOf(t, members)))
		fmt.Fprintf(w, "%q", id)
	}
	v.git("add", ".")
	v.git("commit", "-qm", "grow")
	pulls := v.begin("pull")
	code, said := pulls.ends()
	expect(t, code, said, 0, "app: 500000 added")
	peak := peakIn(t, pulls.peak)
	t.Logf("%d MB, processors %v", peak>>20, pulls.cmd.ProcessState.UserTime()+pulls.cmd.ProcessState.SystemTime())
	if peak > most {
		t.Errorf("it took %d MB at most", peak>>20)
	}
}

// A first push of 400,000 translations to a service that has none of them: what is sent is not in memory at once.
func TestMemoryOfALargePush(t *testing.T) {
	gittest.Long(t)
	languages := strings.Fields("de fr it es pt nl sv da nb fi pl cs sk hu ro bg el tr ja ko")
	v := ownService(t, 40, 500, languages, "{NAME}")
	v.takes(320<<20, "sent 420002 values", "push", "--translations")
}

// A pull of one collection of many small files: each needs what it has itself, and not what all of them have.
func TestMemoryOfManyFiles(t *testing.T) {
	gittest.Long(t)
	v := ownService(t, 1000, 5, []string{"de", "fr", "es"}, "main")
	v.takes(320<<20, "sent 20002 values", "push", "--translations")
	v.takes(200<<20, "nothing to pull", "pull")
}

// A file with nearly as many keys as one may have, of which every source text changes: what is compared is held once.
func TestMemoryOfALargeFile(t *testing.T) {
	gittest.Long(t)
	const keys = 149_000
	v := ownService(t, 1, keys, []string{"de"}, "main")
	v.takes(boundMemory, fmt.Sprintf("sent %d values", 2*keys+2), "push", "--translations")
	v.takes(boundMemory, "nothing to pull", "pull")
	name := filepath.Join(v.dir, "locales/en/file0.json")
	text, err := os.ReadFile(name)
	if err != nil {
		t.Fatal(err)
	}
	v.file("locales/en/file0.json", strings.ReplaceAll(string(text), "about as long", "quite as long"))
	v.git("commit", "-qam", "reword")
	v.takes(boundMemory, fmt.Sprintf("sent %d values", keys-1), "push")
	v.takes(boundMemory, "nothing to pull", "pull")
}

// ownService is a repository with files in languages beside the source, of so many keys each, and a service of ours
// that has its project, without any texts.
func ownService(t *testing.T, files, keys int, languages []string, collection string) *victim {
	t.Helper()
	v := newVictim(t)
	v.works, v.waits = 2*boundTime, 2*boundWait // only its memory is of interest
	svc, err := local.Open(t.TempDir(), local.Options{AccountID: "acc", Keys: []string{"key-of-the-victim"}})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { svc.Close() })
	if err := svc.EnsureProject(victimProject, "app", "en", languages); err != nil {
		t.Fatal(err)
	}
	server := httptest.NewServer(svc)
	t.Cleanup(server.Close)
	v.config(server.URL)
	text, err := os.ReadFile(filepath.Join(v.dir, "locsync.toml"))
	if err != nil {
		t.Fatal(err)
	}
	config := strings.ReplaceAll(string(text), `["de"]`, `["`+strings.Join(languages, `", "`)+`"]`)
	v.file("locsync.toml", strings.ReplaceAll(config, `"main"`, `"`+collection+`"`))
	for n := range files {
		for _, l := range append([]string{"en"}, languages...) {
			var b bytes.Buffer
			format := fmt.Sprintf(",\n  \"section.file%d.message_%%d\": \"Sentence %%[1]d of file %d in %s, about as long as most\"",
				n, n, l)
			numbered(&b, fmt.Sprintf("{\n  \"title%d\": \"File %d in %s\"", n, n, l), format, keys-1, "\n}\n")
			v.file(fmt.Sprintf("locales/%s/file%d.json", l, n), b.String())
		}
	}
	v.git("add", ".")
	v.git("commit", "-qm", "grow")
	return v
}

// takes runs a command, which says something and has a peak of memory.
func (v *victim) takes(most int64, says string, args ...string) {
	v.Helper()
	runs := v.begin(args...)
	code, said := runs.ends()
	expect(v.T, code, said, 0, says)
	peak := peakIn(v.T, runs.peak)
	v.Logf("%d MB, processors %v", peak>>20, runs.cmd.ProcessState.UserTime()+runs.cmd.ProcessState.SystemTime())
	if peak > most {
		v.Errorf("%v took %d MB at most", args, peak>>20)
	}
}

// A pull of a string catalog with very many keys takes no more than one of JSON, also where all of their texts come.
func TestMemoryOfCatalogs(t *testing.T) {
	gittest.Long(t)
	const keys, most = 100_000, 300 << 20
	for name, translated := range map[string]string{
		"new": "", "changed": `,"de":{"stringUnit":{"state":"translated","value":"alt"}}`,
	} {
		t.Run(name, func(t *testing.T) {
			v := newVictim(t)
			config, err := os.ReadFile(filepath.Join(v.dir, "locsync.toml"))
			if err != nil {
				t.Fatal(err)
			}
			before, _, _ := strings.Cut(string(config), "[[project.files]]")
			v.file("locsync.toml", before+"guard = 1\n[[project.files]]\nsource = \"App/*.xcstrings\"\ncollection = \"main\"\n")
			var catalog bytes.Buffer
			numbered(&catalog, `{"sourceLanguage":"en","strings":{"begin":{}`, ",\n"+`"Some text number %d":{"localizations":{"en":`+
				`{"stringUnit":{"state":"translated","value":"Some text"}}`+translated+`}}`, keys, `},"version":"1.0"}`)
			v.file("App/Localizable.xcstrings", catalog.String())
			v.git("add", "-A")
			v.git("commit", "-qm", "catalog")
			v.says("GET /v1/document/export/e1", string(zipOf(t, map[string]func(io.Writer){"de": func(w io.Writer) {
				numbered(w, `{"begin":"Beginn"`, `,"Some text number %d":"Ein Text"`, keys, `}`)
			}})))
			pulls := v.begin("pull", "--accept-service")
			code, said := pulls.ends()
			expect(t, code, said, 0)
			if peak := peakIn(t, pulls.peak); peak > most {
				t.Errorf("it took %d MB at most", peak>>20)
			}
			_, written, _ := strings.Cut(v.git("show", "l10n:App/Localizable.xcstrings"), "Some text number 99999")
			if !strings.Contains(written, "Ein Text") {
				t.Errorf("the last key has no translation")
			}
		})
	}
}
