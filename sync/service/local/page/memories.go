package page

import (
	"errors"
	"io"
	"net/http"
	"net/url"
	"strings"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/keys"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
	"github.com/locsync/locsync/sync/service/wire"
)

// projectMemory is the page of a project's memory.
type projectMemory struct {
	Project, Name string
	Units         map[string]int // by language
}

func (s *Service) memoryPage(w http.ResponseWriter, r *http.Request, v *visitor) error {
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
		page.Units = m.Record.Counts
		return nil
	})
	if err != nil {
		return err
	}
	return show(w, http.StatusOK, "memory", view{Visitor: v, Said: said, Data: page,
		Title: words.Of(w).Say("%s: translation memory", page.Name)})
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

// fillMemory notes in the project's memory what is confirmed in it.
func (s *Service) fillMemory(w http.ResponseWriter, r *http.Request, _ *visitor) error {
	serve.Unhurried(w)
	err := keys.RememberAll(r.Context(), s.Store, r.PostFormValue("project"))
	return goTo(w, "memory?"+url.Values{"project": {r.PostFormValue("project")}}.Encode(), err)
}

// download sends the project's memory as a TMX file.
func (s *Service) download(w http.ResponseWriter, r *http.Request, _ *visitor) error {
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
		path := wire.Prefix + strings.Replace(wire.PathMemory, "{"+wire.MemoryID+"}", id, 1)
		if err := api.Upload(r.Context(), s.Within, path, wire.PartMemoryFile, part.FileName(), part); err != nil {
			return err
		}
		return goTo(w, "memory?"+url.Values{"project": {form["project"]}, "said": {"taken"}}.Encode(), nil)
	}
}
