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
	Project *store.Project
	Memory  *store.Memory
}

func (s *Service) memoryPage(w http.ResponseWriter, r *http.Request, v *visitor) error {
	page, err := s.memoryOf(r.FormValue("project"))
	if err != nil {
		return err
	}
	said := ""
	if r.FormValue("said") == "taken" {
		said = "The file was taken. A large one may be read for a while."
	}
	return show(w, http.StatusOK, "memory", view{Visitor: v, Said: said, Data: page,
		Title: words.Of(w).Say("%s: translation memory", page.Project.Name)})
}

// memoryOf is a project's memory, made where there is none.
func (s *Service) memoryOf(project string) (of projectMemory, err error) {
	err = s.Store.Update(func(tx *store.Tx) (err error) {
		if of.Project, err = store.ProjectIn(tx, project); err == nil {
			of.Memory, err = store.OwnMemory(tx, of.Project)
		}
		return err
	})
	return of, err
}

// pathOf is where the interface has a memory, by the form of its calls.
func (of projectMemory) pathOf(call string) string {
	return wire.Prefix + strings.Replace(call, "{"+wire.MemoryID+"}", of.Memory.Record.ID, 1)
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
	of, err := s.memoryOf(r.FormValue("project"))
	if err != nil {
		return err
	}
	within, err := http.NewRequestWithContext(r.Context(), http.MethodGet, of.pathOf(wire.PathMemoryFile), nil)
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
		of, err := s.memoryOf(form["project"])
		if err != nil {
			return err
		}
		err = api.Upload(r.Context(), s.Within, of.pathOf(wire.PathMemory), wire.PartMemoryFile, part.FileName(), part)
		return goTo(w, "memory?"+url.Values{"project": {form["project"]}, "said": {"taken"}}.Encode(), err)
	}
}
