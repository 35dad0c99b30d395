package local

import (
	"fmt"
	"io"
	"math/rand/v2"
	"net/http"
	"net/url"
	"regexp"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/page"
	"github.com/locsync/locsync/sync/service/wire"
)

// browser is one that is signed in at a service which is killed and started again, each time at another port.
type browser struct {
	s    *server
	word string // of its cookie
}

// ask makes a request, with a form where there is one, and returns the page, and whether there was one.
func (b *browser) ask(path string, form url.Values) (body string, ok bool) {
	method := http.MethodGet
	if form != nil {
		method = http.MethodPost
	}
	r, err := http.NewRequest(method, b.s.url+page.Path+path, strings.NewReader(form.Encode()))
	if err != nil {
		return "", false
	}
	r.Header.Set("Sec-Fetch-Site", "same-origin")
	r.Header.Set("Content-Type", "application/x-www-form-urlencoded")
	r.AddCookie(&http.Cookie{Name: "locsync-translate-" + r.URL.Port(), Value: b.word})
	a, err := http.DefaultTransport.RoundTrip(r)
	if err != nil {
		return "", false
	}
	defer a.Body.Close()
	all, err := io.ReadAll(a.Body)
	for _, c := range a.Cookies() {
		b.word = c.Value
	}
	return string(all), err == nil && a.StatusCode < 400
}

var hiddenField = regexp.MustCompile(`name="(form|seen)" value="([^"]*)"`)

// A text that was saved, a comment and a question that were taken on the page are there, once, after any number of
// kills.
func TestKilledWhileTranslating(t *testing.T) {
	gittest.Long(t)
	dir := t.TempDir()
	s, kill := child(t, dir)
	p := s.create("en", "de")
	s.completed(p, "?language=en", file{"a.json", `{"a":"A","b":"B","c":"C"}`})
	r, err := http.Post(s.url+wire.CommandInvite+"?name=Anna&manager=true", "", nil)
	if err != nil {
		t.Fatal(err)
	}
	body, _ := io.ReadAll(r.Body)
	r.Body.Close()
	_, word, _ := strings.Cut(string(body), "word=")
	word, _, _ = strings.Cut(word, `"`)
	b := &browser{s: s}
	if page, ok := b.ask("invitation", url.Values{"word": {word}, "password": {"long enough"}}); !ok || b.word == "" {
		t.Fatalf("%s: not signed in: %s", body, page)
	}
	at := func(row int) url.Values {
		return url.Values{"project": {p}, "language": {"de"}, "show": {"all"}, "at": {fmt.Sprint(row, ".main")}}
	}
	var mu sync.Mutex
	said, saved := map[string]bool{}, ""
	serial := 0
	const rounds = 4
	for round := range kills(rounds, func() bool { return len(said) > 1 && saved != "" }) {
		stop := time.Now().Add(time.Duration(1+round/rounds) * time.Duration(30+rand.IntN(200)) * time.Millisecond)
		var callers sync.WaitGroup
		for caller := range 2 {
			callers.Go(func() {
				for time.Now().Before(stop) {
					mu.Lock()
					serial++
					text := fmt.Sprintf("text-%d.", serial)
					mu.Unlock()
					f := at(1 + caller)
					key, _ := b.ask("key?"+f.Encode(), nil)
					for _, m := range hiddenField.FindAllStringSubmatch(key, -1) {
						f.Set(m[1], m[2])
					}
					path := "comment"
					f.Set("comment", text)
					if f.Set("question", "1"); caller == 1 {
						path = "key"
						f.Set("text-", text)
						f.Set("state", "final")
					}
					if _, ok := b.ask(path, f); !ok {
						continue
					}
					mu.Lock()
					if caller == 1 {
						saved = text
					} else {
						said[text] = true
					}
					mu.Unlock()
				}
			})
		}
		time.Sleep(time.Until(stop.Add(-10 * time.Millisecond)))
		kill()
		callers.Wait()
		s, kill = child(t, dir)
		b.s = s
	}
	first, _ := b.ask("key?"+at(1).Encode(), nil)
	for text := range said {
		if n := strings.Count(first, ">"+text+"<"); n != 1 {
			t.Errorf("%s is there %d times", text, n)
		}
	}
	second, _ := b.ask("key?"+at(2).Encode(), nil)
	var last int
	fmt.Sscanf(strings.TrimPrefix(saved, "text-"), "%d", &last)
	_, field, _ := strings.Cut(second, "<textarea")
	var stored int
	_, field, _ = strings.Cut(field, "text-\" lang")
	_, field, _ = strings.Cut(field, "\ntext-")
	fmt.Sscanf(field, "%d", &stored)
	if saved == "" || stored < last { // one whose answer was cut off may be stored, too
		t.Errorf("%s was saved, and %d is stored", saved, stored)
	}
	t.Logf("%d questions, and %s", len(said), saved)
}
