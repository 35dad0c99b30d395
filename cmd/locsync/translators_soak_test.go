//go:build soak && linux

package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

var (
	translatedKeys  = flag.Int("translators.keys", 100_000, "how many keys TestTranslators has in 20 languages")
	translatorCount = flag.Int("translators", 300, "how many translators TestTranslators has at once")
	translatorTime  = flag.Duration("translators.time", time.Minute, "for how long they translate")
	translatorPause = flag.Duration("translators.pause", 10*time.Second, "how long each looks at a text")
)

// latencies are how long answers of a kind took.
type latencies struct {
	mu  sync.Mutex
	all map[string][]time.Duration
}

func (l *latencies) add(kind string, took time.Duration) {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.all[kind] = append(l.all[kind], took)
}

// at is the time within which a share of the answers of a kind came.
func (l *latencies) at(kind string, share float64) time.Duration {
	all := l.all[kind]
	slices.Sort(all)
	return all[int(float64(len(all)-1)*share)].Round(time.Millisecond)
}

// A service of 100,000 keys in 20 languages: what one person waits for, and then 300 who translate at once; and what
// the process has in its memory.
func TestTranslators(t *testing.T) {
	gittest.Need(t)
	w := newTranslators(t)
	quiet := &latencies{all: make(map[string][]time.Duration)}
	for range 20 {
		w.timed(quiet, "first page", w.people[0].get, "list?"+w.scope(0)+"&show=all")
		w.timed(quiet, "search", w.people[0].get, "list?"+w.scope(0)+"&show=all&q=nowhere")
		w.timed(quiet, "key", w.people[0].get, "key?"+w.scope(0)+fmt.Sprintf("&show=all&at=%d.main", *translatedKeys/2))
	}
	busy := &latencies{all: make(map[string][]time.Duration)}
	end := time.Now().Add(*translatorTime)
	var all sync.WaitGroup
	for i := range *translatorCount {
		all.Go(func() { w.translate(i, end, busy) })
	}
	most := 0
	for time.Now().Before(end) {
		time.Sleep(100 * time.Millisecond)
		most = max(most, w.anonymous())
	}
	all.Wait()
	for name, l := range map[string]*latencies{"one person": quiet, "all at once": busy} {
		for kind := range l.all {
			t.Logf("%s: %s: %d, half within %v, 95 of 100 %v, 99 of 100 %v", name, kind, len(l.all[kind]), l.at(kind, 0.5),
				l.at(kind, 0.95), l.at(kind, 0.99))
		}
	}
	t.Logf("%d MB of memory at most", most)
	if most > 300 {
		t.Errorf("it takes %d MB", most)
	}
	for kind, bound := range map[string]time.Duration{"first page": 50 * time.Millisecond, "search": 200 * time.Millisecond} {
		if half := quiet.at(kind, 0.5); half > bound {
			t.Errorf("one person waits %v for %s", half, kind)
		}
	}
}

// translators are people with a service.
type translators struct {
	*testing.T
	dir, project string
	service      *exec.Cmd
	languages    []string
	people       []*browser // one for each language
}

func newTranslators(t *testing.T) *translators {
	w := &translators{T: t, dir: t.TempDir(), languages: strings.Fields(
		"ar bg cs da de el es fi fr he hu it ja ko nl pl pt ru sv uk")}
	url := "http://" + unusedAddress(t)
	w.file("key", "secret\n")
	var said lockedBuffer
	w.service = exec.Command("locsync", "service", "--data", "svc", "--account", "acc", "--api-key-file", "key",
		"--rate-limit", "0", "--listen", strings.TrimPrefix(url, "http://"))
	w.service.Dir = w.dir
	w.service.Stdout, w.service.Stderr = &said, &said
	if err := w.service.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		_ = w.service.Process.Kill()
		_ = w.service.Wait() // by that signal
	})
	for end := time.Now().Add(guard); !invited.MatchString(said.String()); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatalf("it is not up:\n%s", &said)
		}
	}
	w.fill(url)
	link := invited.FindString(said.String())
	for _, code := range w.languages {
		b, err := newBrowser()
		if err == nil {
			err = b.submit(link, "invitation", "name=P"+code, "password=long enough")
		}
		if err != nil {
			t.Fatal(err)
		}
		w.people = append(w.people, b)
		link = strings.TrimSpace(w.run("service", "invite", "--data", "svc"))
	}
	return w
}

func (w *translators) file(name, text string) {
	w.Helper()
	file := filepath.Join(w.dir, name)
	if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
		w.Fatal(err)
	}
	if err := os.WriteFile(file, []byte(text), 0o600); err != nil {
		w.Fatal(err)
	}
}

func (w *translators) run(args ...string) string {
	w.Helper()
	cmd := exec.Command("locsync", args...)
	cmd.Dir = w.dir
	cmd.Env = append(os.Environ(), "HOME="+w.dir, "LOCSYNC_API_KEY=secret", "LOCSYNC_BUDGET_DIR="+w.dir)
	var errs bytes.Buffer
	cmd.Stderr = &errs
	out, err := cmd.Output()
	if err != nil {
		w.Fatalf("%v: %v\n%s", args, err, &errs)
	}
	return string(out)
}

// fill sends the texts: two of three are translated.
func (w *translators) fill(url string) {
	w.Helper()
	write := func(name string, kept func(i int) bool) {
		texts := make(map[string]string)
		for i := range *translatedKeys {
			if kept(i) {
				texts[fmt.Sprintf("section%02d.key%06d", i%50, i)] = fmt.Sprintf("%s: the text number %d of {name} has %x", name, i,
					i*2654435761)
			}
		}
		text, err := json.Marshal(texts)
		if err != nil {
			w.Fatal(err)
		}
		w.file("repo/"+name+".json", string(text))
	}
	write("en", func(int) bool { return true })
	for _, code := range w.languages {
		write(code, func(i int) bool { return i%3 > 0 })
	}
	targets, err := json.Marshal(w.languages)
	if err != nil {
		w.Fatal(err)
	}
	w.file("locsync.toml", fmt.Sprintf("state_dir = \"state\"\n[service]\nurl = %q\naccount_id = \"acc\"\n"+
		"requests_per_second = 500\n[[project]]\nname = \"app\"\nid = \"\"\nrepository = \"repo\"\nsource_language = \"en\"\n"+
		"target_languages = %s\nmemory = \"local\"\n[project.push]\ncompletion_state = \"final\"\n[[project.files]]\n"+
		"source = \"en.json\"\noutput = \"{LANGUAGE}.json\"\ncollection = \"main\"\n", url, targets))
	for _, args := range []string{"init -q", "add -A", "commit -q -m start"} {
		gittest.Git(w, filepath.Join(w.dir, "repo"), strings.Fields(args)...)
	}
	w.run("project", "create", "--write")
	began := time.Now()
	w.run("push")
	w.Logf("%d texts were sent in %v", *translatedKeys*(1+2*len(w.languages)/3), time.Since(began).Round(time.Second))
	text, err := os.ReadFile(filepath.Join(w.dir, "locsync.toml"))
	if err != nil {
		w.Fatal(err)
	}
	for line := range strings.Lines(string(text)) {
		if id, is := strings.CutPrefix(line, "id = "); is {
			w.project, _ = strconv.Unquote(strings.TrimSpace(id))
		}
	}
}

func (w *translators) scope(i int) string {
	return url.Values{"project": {w.project}, "language": {w.languages[i%len(w.languages)]}}.Encode()
}

// get is a page.
func (b *browser) get(path string) (string, error) { return bodyOf(b.client.Get(b.page + path)) }

func (w *translators) timed(l *latencies, kind string, do func(path string) (string, error), path string) string {
	began := time.Now()
	text, err := do(path)
	l.add(kind, time.Since(began))
	if err != nil {
		w.Errorf("%s: %v", kind, err)
	}
	return text
}

// translate is what one person does: opens the list and its first text, and saves one text after the other.
func (w *translators) translate(i int, end time.Time, l *latencies) {
	b := w.people[i%len(w.people)]
	random := rand.New(rand.NewPCG(1, uint64(i)))
	pause := func() { time.Sleep(time.Duration(random.Float64() * 2 * float64(*translatorPause))) }
	post := func(path string) func(string) (string, error) {
		return func(form string) (string, error) {
			r, err := http.NewRequest(http.MethodPost, b.page+path, strings.NewReader(form))
			if err != nil {
				return "", err
			}
			r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
			r.Header.Set("Sec-Fetch-Site", "same-origin")
			return bodyOf(b.client.Do(r))
		}
	}
	pause()
	w.timed(l, "list", b.get, "list?"+w.scope(i)+"&show=all")
	// Each begins elsewhere, so that no text is another one's.
	text := w.timed(l, "key", b.get, fmt.Sprintf("key?%s&show=untranslated&after=%d.main", w.scope(i),
		1+i*(*translatedKeys/(*translatorCount+1))))
	for time.Now().Before(end) && !w.Failed() {
		_, form, found := strings.Cut(text, `action="key"`)
		if !found {
			w.Errorf("no form in\n%s", text)
			return
		}
		form, _, _ = strings.Cut(form, "</form>")
		values := url.Values{}
		for _, m := range input.FindAllStringSubmatch(form, -1) {
			values.Add(m[1]+m[3], strings.ReplaceAll(m[2]+m[4], "&amp;", "&"))
		}
		for n := range 3 {
			pause()
			values.Set("text-", fmt.Sprintf("{name} hat %d Texte, und dies ist einer", n))
			w.timed(l, "check", post("check"), values.Encode())
		}
		values.Set("state", "final")
		text = w.timed(l, "save and next", post("key"), values.Encode())
	}
}

// anonymous is what the service has in its memory beside the pages of its database, in MB.
func (w *translators) anonymous() int {
	status, _ := os.ReadFile(fmt.Sprintf("/proc/%d/status", w.service.Process.Pid))
	_, rest, _ := strings.Cut(string(status), "RssAnon:")
	kb, _ := strconv.Atoi(strings.Fields(rest + " 0")[0])
	return kb / 1024
}
