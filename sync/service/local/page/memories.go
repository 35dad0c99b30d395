package page

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"mime/multipart"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// Bounds of suggestions.
const (
	maxSuggestions = 5 // for one text
	maxMemories    = 20
	searchFor      = time.Second // texts that are much the same are looked for
)

// suggestion is a translation that a memory has for a text, or for one much like it.
type suggestion struct {
	Percent int
	Engine  string // that made it; empty: a memory has it
	Text    string
	Pieces  []piece
	Field   string // the identifier of the field that it is for
	Form    string
	Like    []piece // how the source text differs from the one that it translates; nil where it is the same
}

// suggestions come from the memories of the project.
func (o *opened) suggestions(ctx context.Context, it item) ([]suggestion, error) {
	ctx, end := context.WithTimeout(ctx, searchFor)
	defer end()
	var all []suggestion
	memories, err := o.memories()
	if err != nil {
		return nil, err
	}
	for _, form := range it.forms() {
		var some []suggestion
		for _, m := range memories {
			matches, err := memory.FindMatches(ctx, m, it.sourceOf(form), store.Surroundings{Key: it.row.Key},
				o.Language, maxSuggestions)
			if err != nil {
				return nil, err
			}
			for _, match := range matches {
				has := it.is != nil && keys.TextOf(it.is.Texts, form) == match.Text
				if has || slices.ContainsFunc(some, func(s suggestion) bool { return s.Text == match.Text }) {
					continue
				}
				one := suggestion{Percent: min(match.Percent, 100), Text: match.Text, Pieces: it.pieces(match.Text),
					Field: "text-" + form, Form: form}
				if source := it.sourceOf(form); match.Source != source {
					one.Like = difference(match.Source, source)
				}
				some = append(some, one)
			}
		}
		slices.SortStableFunc(some, func(a, b suggestion) int { return b.Percent - a.Percent })
		all = append(all, some[:min(len(some), maxSuggestions)]...)
	}
	return all, nil
}

// memories are those that are attached to the project and have the language.
func (o *opened) memories() ([]*store.Memory, error) {
	var all []*store.Memory
	for _, a := range o.project.Memories {
		if !a.Serves(o.Language) || len(all) == maxMemories {
			continue
		}
		m, err := store.OpenMemory(o.tx, a.ID)
		if err != nil {
			return nil, err
		}
		if m != nil && m.Language(o.Language) != "" {
			all = append(all, m)
		}
	}
	return all, nil
}

// remember notes a translation in the memory of the project.
func (o *opened) remember(it item, is *store.Translation) error {
	m, err := store.OwnMemory(o.tx, o.project)
	if err == nil {
		err = keys.Remember(m, o.Language, it.stored, is)
	}
	if err != nil {
		return err
	}
	return m.Flush()
}

// memoriesAreManaged refuses a whole memory, which several projects may share, to all but managers.
const memoriesAreManaged = "Only managers see, fill and download whole memories. Ask one of them."

// projectMemory is the page of a project's memory.
type projectMemory struct {
	Project, Name string
	Units         map[string]int // by language
}

func (s *Service) memoryPage(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if err := managed(v, memoriesAreManaged); err != nil {
		return err
	}
	id, err := s.memoryOf(r.FormValue("project"))
	if err != nil {
		return err
	}
	said := ""
	if r.FormValue("said") == "taken" {
		said = "The file was taken. A large one may be read for a while."
	}
	page := projectMemory{Project: r.FormValue("project"), Units: map[string]int{}}
	err = s.Store.View(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, page.Project)
		if err != nil {
			return err
		}
		page.Name = p.Name
		m, err := store.OpenMemory(tx, id)
		if m == nil || err != nil {
			return err
		}
		for code, n := range m.Record.Counts {
			page.Units[LanguageName(code)] = n
		}
		return nil
	})
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "memory", view{Visitor: v, Title: page.Name + ": translation memory", Said: said,
		Data: page})
}

// memoryOf is the identifier of a project's memory, made where there is none.
func (s *Service) memoryOf(project string) (id string, err error) {
	err = s.Store.Update(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, project)
		if err != nil {
			return err
		}
		m, err := store.OwnMemory(tx, p)
		if err == nil {
			id = m.Record.ID
		}
		return err
	})
	return id, err
}

// download sends the project's memory as a TMX file.
func (s *Service) download(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if err := managed(v, memoriesAreManaged); err != nil {
		return err
	}
	serve.Unhurried(w)
	id, err := s.memoryOf(r.FormValue("project"))
	if err != nil {
		return err
	}
	path := wire.Prefix + strings.Replace(wire.PathMemoryFile, "{"+wire.MemoryID+"}", id, 1)
	within, err := http.NewRequestWithContext(r.Context(), http.MethodGet, path, nil)
	if err != nil {
		return err
	}
	s.Within.ServeHTTP(w, within)
	return nil
}

// upload has the units of a TMX file join the project's memory, by the call of the interface.
func (s *Service) upload(w http.ResponseWriter, r *http.Request, v *visitor) error {
	if v == nil {
		return askToSignIn(w, r)
	}
	if err := managed(v, memoriesAreManaged); err != nil {
		w.Header().Set("Connection", "close") // the file is not waited for
		return err
	}
	serve.Unhurried(w)
	r.Body = http.MaxBytesReader(w, r.Body, maxTMX)
	parts, err := r.MultipartReader()
	if err != nil {
		return api.BodyError(err)
	}
	form := map[string]string{"form": "", "project": ""}
	for {
		part, err := parts.NextPart()
		if errors.Is(err, io.EOF) {
			return api.Refuse(http.StatusBadRequest, "Choose a TMX file first.")
		}
		if err != nil {
			return api.BodyError(err)
		}
		if _, is := form[part.FormName()]; is {
			value, err := io.ReadAll(io.LimitReader(part, 1<<10))
			if err != nil {
				return api.BodyError(err)
			}
			form[part.FormName()] = string(value)
		}
		if part.FormName() != "file" {
			continue
		}
		if err := v.sent(form["form"]); err != nil { // it comes before the file
			return err
		}
		if part.FileName() == "" {
			return api.Refuse(http.StatusBadRequest, "Choose a TMX file first.")
		}
		id, err := s.memoryOf(form["project"])
		if err != nil {
			return err
		}
		if err := importFile(r, s.Within, id, part); err != nil {
			return err
		}
		return goTo(w, "memory?"+url.Values{"project": {form["project"]}, "said": {"taken"}}.Encode())
	}
}

// importFile passes a file on to the call of the interface, as it comes.
func importFile(r *http.Request, calls http.Handler, id string, file *multipart.Part) error {
	read, write := io.Pipe()
	defer read.Close()
	body := multipart.NewWriter(write)
	go func() {
		var err error
		defer func() { write.CloseWithError(errors.Join(err, body.Close())) }() // nil is the end
		defer fault.Catch("a file of a memory", &err)
		part, err := body.CreateFormFile(wire.PartMemoryFile, file.FileName())
		if err == nil {
			_, err = io.Copy(part, file)
		}
	}()
	path := wire.Prefix + strings.Replace(wire.PathMemory, "{"+wire.MemoryID+"}", id, 1)
	within, err := http.NewRequestWithContext(r.Context(), http.MethodPost, path, read)
	if err != nil {
		return err
	}
	within.Header.Set("Content-Type", body.FormDataContentType())
	within.ContentLength = -1
	answer := &answered{header: http.Header{}, status: http.StatusOK}
	calls.ServeHTTP(answer, within)
	if answer.status/100 == 2 {
		return nil
	}
	var said struct{ Detail, Message, Title string }
	_ = json.Unmarshal(answer.body.Bytes(), &said) // else there is nothing to say
	detail := said.Detail
	if detail == "" {
		detail = "The file was not taken."
	}
	return api.Refuse(answer.status, "%s", detail)
}

// answered keeps the answer of a call.
type answered struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (a *answered) Header() http.Header { return a.header }

func (a *answered) WriteHeader(status int) { a.status = status }

func (a *answered) Write(b []byte) (int, error) { return a.body.Write(b) }
