// Package machine is engines of machine translation that run elsewhere: HTTP services that translate texts, named in a
// file of the embedded service's folder. Two kinds of requests are known, LibreTranslate's and that of services which
// are compatible with OpenAI's chat completions.
//
// Its law: what an engine answers is data from outside. It is bounded in size and time, every translation is checked
// against its source, and one that lost a placeholder, or has characters of no text, is left out. A key comes from a
// file, and travels by https or to this machine only, to the address that was configured and nowhere else.
package machine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/service/local/folder"
)

// File is the name of the file that names the engines, in the folder of the service.
const File = "engines.json"

// Kinds of requests.
const (
	LibreTranslate = "libretranslate"
	OpenAI         = "openai"
)

// Engine is one engine, as the file names it.
type Engine struct {
	ID        string            `json:"id"`                  // engine:NAME
	Name      string            `json:"name,omitempty"`      // for people; empty: the ID's
	Kind      string            `json:"kind"`                // LibreTranslate or OpenAI
	URL       string            `json:"url"`                 // before /translate and /chat/completions
	KeyFile   string            `json:"key_file,omitempty"`  // relative to the file
	Model     string            `json:"model,omitempty"`     // of OpenAI
	Languages map[string]string `json:"languages,omitempty"` // the engine's own codes, where they differ

	key string
}

// Engines are those that there are.
type Engines struct {
	all    []*Engine
	client *http.Client
}

// What an engine gets and may answer.
const (
	textsAtOnce  = 50
	bytesAtOnce  = 20_000
	mostAnswer   = 4 << 20
	mostFile     = 1 << 20
	mostKey      = 4 << 10
	patience     = time.Minute
	growth       = 10 // a translation is at most so many times as long as its text,
	growthBeyond = 1000
)

var idForm = regexp.MustCompile(`^engine:[0-9A-Za-z][0-9A-Za-z_-]{0,63}$`)

// Read reads the engines of a folder; a folder without the file has none. An error says what to change in the file.
func Read(dir string) (*Engines, error) {
	e := &Engines{client: &http.Client{
		Timeout:       patience,
		CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
	}}
	file := filepath.Join(dir, File)
	if _, err := folder.Settings(file, mostFile, "an array of engines", &e.all); err != nil {
		return nil, err
	}
	for i, one := range e.all {
		if one == nil {
			return nil, fmt.Errorf("%s: engine %d is null", file, i+1)
		}
		if err := one.complete(dir); err != nil {
			return nil, fmt.Errorf("%s: engine %d: %w", file, i+1, err)
		}
		if e.named(one.ID) != one {
			return nil, fmt.Errorf("%s: there are two engines %s", file, one.ID)
		}
	}
	return e, nil
}

// complete checks an engine and reads its key.
func (e *Engine) complete(dir string) error {
	u, err := url.Parse(e.URL)
	switch {
	case !idForm.MatchString(e.ID) || strings.EqualFold(e.ID, "engine:Pseudo"):
		return fmt.Errorf("id %q: want engine:NAME of letters, digits, - and _, and another name than Pseudo", e.ID)
	case e.Kind != LibreTranslate && e.Kind != OpenAI:
		return fmt.Errorf("kind %q: want %s or %s", e.Kind, LibreTranslate, OpenAI)
	case e.Kind == OpenAI && e.Model == "":
		return errors.New("model is missing: name the one that is to translate")
	case err != nil || u.Host == "" || u.User != nil || u.RawQuery != "" || u.Fragment != "":
		return fmt.Errorf("url %q: want scheme, host and path, and nothing else", e.URL)
	case u.Scheme != "https" && (u.Scheme != "http" || !bound.Loopback(u.Hostname())):
		return fmt.Errorf("url %q: want https, or http to this machine", e.URL)
	}
	e.URL = strings.TrimSuffix(e.URL, "/")
	if e.Name == "" {
		e.Name = strings.TrimPrefix(e.ID, "engine:")
	}
	if e.KeyFile == "" {
		return nil
	}
	path := e.KeyFile
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, path)
	}
	key, err := bound.ReadFile(path, mostKey)
	if err != nil {
		return fmt.Errorf("key_file: %w", err)
	}
	if e.key = strings.TrimSpace(string(key)); e.key == "" || strings.ContainsAny(e.key, "\r\n") {
		return fmt.Errorf("key_file %s: want the key on one line", path)
	}
	return nil
}

// All are the engines in the order of the file.
func (e *Engines) All() []Engine {
	var all []Engine
	for _, one := range e.all {
		all = append(all, Engine{ID: one.ID, Name: one.Name, Kind: one.Kind})
	}
	return all
}

// Find is an engine by its identifier, in any case, or by its name without "engine:".
func (e *Engines) Find(id string) (Engine, bool) {
	one := e.named(id)
	if one == nil {
		return Engine{}, false
	}
	return Engine{ID: one.ID, Name: one.Name, Kind: one.Kind}, true
}

func (e *Engines) named(id string) *Engine {
	i := slices.IndexFunc(e.all, func(one *Engine) bool {
		return strings.EqualFold(one.ID, id) || strings.EqualFold(one.ID, "engine:"+id)
	})
	if i < 0 {
		return nil
	}
	return e.all[i]
}

// Text is one translation; OK is false where there is none.
type Text struct {
	Text string
	OK   bool
}

// Job is what is to be translated.
type Job struct {
	Source, Target string // languages
	Texts          []string
	HTML           bool
	// Terms gives the terms in a text, each with its translation; nil: there are none. LibreTranslate has no place for
	// them.
	Terms func(text string) map[string]string
}

// Translate has an engine translate texts, as many in a request as it takes. A translation that does not hold what its
// text has is left out. An error is of the whole engine; what was translated before it stays.
func (e *Engines) Translate(ctx context.Context, id string, j Job) ([]Text, error) {
	texts := j.Texts
	out := make([]Text, len(texts))
	one := e.named(id)
	if one == nil {
		return out, fmt.Errorf("there is no engine %s", id)
	}
	for from := 0; from < len(texts); {
		to, size := from, 0
		for to < len(texts) && to-from < textsAtOnce && (to == from || size+len(texts[to]) <= bytesAtOnce) {
			size += len(texts[to])
			to++
		}
		part := Job{one.code(j.Source), one.code(j.Target), texts[from:to], j.HTML, j.Terms}
		answers, err := one.ask(ctx, e.client, part)
		if err != nil {
			return out, fmt.Errorf("%s: %w", one.ID, err)
		}
		for i, text := range answers {
			out[from+i] = Text{text, sound(texts[from+i], text)}
		}
		from = to
	}
	return out, nil
}

// code is the engine's own code of a language.
func (e *Engine) code(language string) string {
	if own, is := e.Languages[language]; is {
		return own
	}
	return language
}

// sound reports whether a translation can stand for its text. What only deserves a warning where a person translated is
// reason enough here.
func sound(source, text string) bool {
	return (strings.TrimSpace(text) != "" || strings.TrimSpace(source) == "") &&
		len(text) <= growth*len(source)+growthBeyond &&
		len(check.Translation(check.Input{Programs: programs.Programs{Named: true}, Level: check.Quiet, Source: source,
			Translation: text})) == 0
}
