package main

import (
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// besieged is a daemon with one ordinary project among projects that are attacked.
type besieged struct {
	*victim
	url      string // of the daemon
	service  string
	toml     strings.Builder
	projects int
	imports  atomic.Int32 // of the ordinary project
}

func newBesieged(t *testing.T) *besieged {
	t.Helper()
	b := &besieged{victim: newVictim(t), url: "http://" + unusedAddress(t)}
	b.works, b.waits = 10*time.Minute, 10*time.Minute
	_, rest, _ := strings.Cut(b.text("locsync.toml"), "url = \"")
	b.service, _, _ = strings.Cut(rest, "\"")
	fmt.Fprintf(&b.toml,
		"[service]\nurl = %q\naccount_id = \"acc\"\nrequests_per_second = 200\njob_timeout = \"30s\"\n"+
			"[daemon]\nlisten = %q\ndebounce = \"50ms\"\nrescan = \"10s\"\n", b.service, strings.TrimPrefix(b.url,
			"http://"))
	return b
}

// project adds a project with a repository of this folder, and an export that a function writes; more is in
// [[project]].
func (b *besieged) project(name, repository, pattern, push string, export func(io.Writer)) (id, number string) {
	b.Helper()
	b.projects++
	number = fmt.Sprint(b.projects)
	output := "out/{LANGUAGE}/{NAME}.json"
	if strings.HasPrefix(pattern, "**") {
		output = "{DIR}/{NAME}.{LANGUAGE}.json"
	}
	id = fmt.Sprintf("11111111-2222-3333-4444-%012d", b.projects)
	fmt.Fprintf(&b.toml,
		"[[project]]\nname = %q\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n"+
			"[project.push]\n%s\n[project.pull]\nremote = \"\"\ncompletion_state = \"draft\"\nschedule = \"*/10 * * * * *\"\n"+
			"[[project.files]]\nsource = %q\noutput = %q\n", name, id, repository, push, pattern, output)
	b.says("GET /v1/project/"+id, `{"id": "`+id+`", "sourceLanguage": "en", "targetLanguages": ["de"]}`)
	b.says("POST /v2/project/"+id+"/import", `"i`+number+`"`)
	b.says("POST /v2/project/"+id+"/export", `"e`+number+`"`)
	b.says("GET /v1/project/import-result/i"+number, `{"status": "completed", "keysCreated": 2}`)
	b.says("GET /v1/document/export/e"+number, string(zipOf(b.T,
		map[string]func(io.Writer){"out/de/app.json": export})))
	return id, number
}

// ordinary makes a repository with one source file.
func (b *besieged) ordinary(name string) string {
	b.Helper()
	b.file(name+"/locales/app.json", `{"greeting": "Hello", "farewell": "Goodbye"}`+"\n")
	dir := filepath.Join(b.dir, name)
	b.git("-C", dir, "init", "-q", "-b", "main")
	b.git("-C", dir, "add", ".")
	b.git("-C", dir, "commit", "-qm", "begin")
	return name
}

// until waits for something of the ordinary project.
func (b *besieged) until(what string, holds func() bool) {
	b.Helper()
	for began := time.Now(); !holds(); time.Sleep(50 * time.Millisecond) {
		if time.Since(began) > 3*time.Minute { // only to end: other tests take most of the processor
			b.Fatalf("%s: it takes too long", what)
		}
	}
}

// Everything at once: what is attacked is a problem of its project, the daemon stays below the bound and answers, the
// ordinary project is pushed and pulled meanwhile, and the memory is given back.
func TestAllAttacksTogether(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	b := newBesieged(t)
	size := 1
	if soaking {
		size = 4
	}
	translated := func(w io.Writer) { _, _ = io.WriteString(w, `{"greeting":"Hallo","farewell":"Tschüss"}`) }
	id, _ := b.project("ordinary", b.ordinary("ordinary"), "locales/app.json", "", translated)
	b.answers["POST /v2/project/"+id+"/import"] = func(w http.ResponseWriter, _ *http.Request) {
		b.imports.Add(1)
		_, _ = io.WriteString(w, `"i1"`)
	}
	id, _ = b.project("record", b.ordinary("record"), "locales/app.json", "", translated)
	b.streams("GET /v1/project/"+id, true, func(w io.Writer) {
		repeated(w, `{"id":"`+id+`","sourceLanguage":"en","targetLanguages":["de"],"documents":[{}`, `,{}`,
			size*2_500_000, `]}`)
	})
	_, n := b.project("result", b.ordinary("result"), "locales/app.json", "", translated)
	b.streams("GET /v1/project/import-result/i"+n, true, func(w io.Writer) {
		repeated(w, `{"status":"completed","errors":[{}`, `,{}`, size*2_500_000, `]}`)
	})
	_, n = b.project("conflicts", b.ordinary("conflicts"), "locales/app.json", "", translated)
	b.streams("GET /v1/project/import-result/i"+n, true, func(w io.Writer) {
		numbered(w, `{"status":"completed","conflictingKeyValues":{"":[]`, `,"%d":[]`, size*600_000, `}}`)
	})
	b.project("zeros", b.ordinary("zeros"), "locales/app.json", "", large("", "\x00", size*256<<20, ""))
	b.project("tiny", b.ordinary("tiny"), "locales/app.json", "", keys(size*3_000_000))
	b.project("long", b.ordinary("long"), "locales/app.json", "",
		large(`{"greeting":"`, "some text", size*6_000_000, `"}`))
	b.project("source", b.ordinary("source"), "locales/*.json", "", translated)
	b.file("source/locales/big.json", "{}")
	if err := os.Truncate(filepath.Join(b.dir, "source/locales/big.json"), 5<<30); err != nil {
		t.Fatal(err)
	}
	numbers := make([]byte, 0, 32<<20)
	for i := 0; len(numbers) < 30<<20; i++ {
		numbers = fmt.Appendf(numbers, ",\"%d\":\"\"", i)
	}
	b.file("source/locales/keys.json", `{"":""`+string(numbers)+`}`)
	committed := "source = \"main\""
	b.project("deep", filepath.Base(b.nestedTree(5_000)), "**/app.json", committed, translated)
	b.project("stars", filepath.Base(b.starsTree()), "**/app.json", committed, translated)
	b.project("dots", filepath.Base(b.dotsTree()), "**/app.json", committed, translated)
	b.file("locsync.toml", b.toml.String())
	b.goesOn([]string{"result", "zeros", "long", "source", "dots"})
}

// goesOn runs the daemon and watches what becomes of the ordinary project. What cannot be worked with is named.
func (b *besieged) goesOn(named []string) {
	w := b.begin("run")
	b.Cleanup(func() {
		if b.Failed() {
			_ = w.cmd.Process.Kill() // it may have ended
			b.Logf("%d MB, it said: %s", residentPeak(w.cmd.Process.Pid)>>20, clipped(w.saidSoFar()))
		}
	})
	b.until("the daemon answers", b.healthy)
	b.strangers()
	b.until("the first push", func() bool { return b.imports.Load() > 0 })
	b.file("locsync.toml", "x = "+strings.Repeat("[", 500_000)) // a bad new one is reported, and the old one kept
	_ = w.cmd.Process.Signal(syscall.SIGHUP)
	for i := range 5 {
		before := b.imports.Load()
		b.file("ordinary/locales/app.json", fmt.Sprintf(`{"greeting": "Hello %d", "farewell": "Goodbye"}`, i))
		b.until("another push", func() bool { return b.imports.Load() > before })
		if !b.healthy() {
			b.Error("the daemon does not answer")
		}
	}
	b.until("a pull", func() bool {
		said, err := b.quiet("-C", "ordinary", "show", "l10n:out/de/app.json")
		return err == nil && strings.Contains(said, "Tschüss")
	})
	silent := slices.Clone(named)
	defer func() { b.Logf("not named: %v", silent) }()
	b.until("a word about each attack", func() bool {
		said := w.saidSoFar()
		silent = slices.DeleteFunc(silent, func(name string) bool {
			return strings.Contains(said, `"project": "`+name+`"`)
		})
		return len(silent) == 0
	})
	peak := residentPeak(w.cmd.Process.Pid)
	b.until("memory that is given back", func() bool {
		now := residentNow(w.cmd.Process.Pid)
		if now < peak/2 || now < 128<<20 {
			b.Logf("%d MB of %d MB are held", now>>20, peak>>20)
			return true
		}
		return false
	})
	_ = w.cmd.Process.Signal(syscall.SIGTERM)
	code, _ := w.ends()
	if code != 0 {
		b.Errorf("the daemon ends with %d", code)
	}
	b.Logf("the most was %d MB", peak>>20)
}

func (b *besieged) healthy() bool {
	client := http.Client{Timeout: 10 * time.Second}
	resp, err := client.Get(b.url + "/healthz")
	if err != nil {
		return false
	}
	_ = resp.Body.Close()
	return resp.StatusCode == http.StatusOK
}

// strangers hold connections to the daemon's address, some silent and some that send a body that does not end.
func (b *besieged) strangers() {
	address := strings.TrimPrefix(b.url, "http://")
	for i := range 300 {
		conn, err := net.Dial("tcp", address)
		if err != nil {
			b.Fatal(err)
		}
		b.Cleanup(func() { conn.Close() })
		if i%3 == 0 {
			fmt.Fprintf(conn, "POST /webhook/github HTTP/1.1\r\nHost: %s\r\nContent-Length: 20000000\r\n\r\n{", address)
		}
	}
}

// quiet is git that may fail.
func (b *besieged) quiet(args ...string) (string, error) {
	out, err := b.command("git", args...).CombinedOutput()
	return string(out), err
}
