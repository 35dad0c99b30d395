package projects

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/documents"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// recordIn is a project as the interface shows it, with its documents and how far it is.
func (s *Service) recordIn(tx *store.Tx, p *store.Project) (*wire.Project, error) {
	progress, err := s.progress(tx, p)
	if err != nil {
		return nil, err
	}
	out := s.record(p, progress)
	out.Documents = []wire.Document{}
	all, err := store.DocumentsOf(tx, p.ID)
	if err == nil && p.Type == wire.ProjectTypeDefault {
		out.AssignmentMode = "projectTask"
		out.Documents, err = documents.DocumentRecords(tx, p, all)
	}
	return out, err
}

// record is a project as the interface shows it. progress, by stage, is nil where it is not asked for.
func (s *Service) record(p *store.Project, progress []float64) *wire.Project {
	out := &wire.Project{
		ID:                     p.ID,
		AccountID:              p.Account,
		Name:                   p.Name,
		Description:            p.Description,
		Deadline:               p.Deadline,
		CreationDate:           api.Timestamp(p.Created),
		ModificationDate:       api.Timestamp(p.Modified),
		SourceLanguage:         p.Source,
		TargetLanguages:        p.Targets,
		Status:                 p.Status,
		StatusModificationDate: api.Timestamp(p.StatusAt),
		DomainID:               p.DomainID,
		ClientID:               p.ClientID,
		ExternalTag:            p.ExternalTag,
	}
	if l, ok := api.FindLanguage(p.Source); ok {
		out.SourceLanguageID = l.ID
	}
	for i, st := range p.Stages {
		w := wire.WorkflowStage{ID: st.ID, StageType: wire.StageType(st.Type)}
		if i < len(progress) {
			w.Progress = progress[i]
		}
		out.WorkflowStages = append(out.WorkflowStages, w)
	}
	return out
}

// documentProgress is how much of a project's documents has passed each of its stages, by their words.
func documentProgress(tx *store.Tx, p *store.Project) ([]float64, error) {
	done, all := make([]store.Size, len(p.Stages)), store.Size{}
	documents, err := store.DocumentsOf(tx, p.ID)
	for _, d := range documents {
		for _, r := range d.Languages {
			all.Segments += r.Size.Segments
			all.Words += r.Size.Words
			for i := range min(len(done), len(r.Stages)) {
				done[i].Segments += r.Stages[i].Segments
				done[i].Words += r.Stages[i].Words
			}
		}
	}
	out := make([]float64, len(p.Stages))
	for i := range out {
		out[i] = done[i].Percent(all)
	}
	return out, err
}

// progress is how much of a project has passed each of its stages, 0 to 100: the share of its keys in all target
// languages of their collections that is confirmed on the first stage, and on all stages.
func (s *Service) progress(tx *store.Tx, p *store.Project) ([]float64, error) {
	if p.Type != wire.ProjectTypeLocalization {
		return documentProgress(tx, p)
	}
	var all, first, last int
	for _, name := range store.CollectionNames(tx, p.ID) {
		k, err := store.OpenCollection(tx, p.ID, name)
		if err != nil {
			return nil, err
		}
		for _, code := range k.Targets {
			c := k.Counts[code]
			pseudo := k.Pseudo - c.OverPseudo
			if s.trial { // they are drafts
				pseudo = 0
			}
			all += k.Keys
			first += c.Confirmed + pseudo
			last += c.Final + pseudo
		}
	}
	out := make([]float64, len(p.Stages))
	for i := range out {
		done := last
		if i == 0 && len(out) > 1 {
			done = first
		}
		if all > 0 {
			out[i] = float64(int64(done*10000/all)) / 100
		}
	}
	return out, nil
}

// getProject answers GET /v1/project/{projectId}.
func (s *Service) getProject(c *api.Call) error {
	var out *wire.Project
	err := s.store.View(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, c.PathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		out, err = s.recordIn(tx, p)
		return err
	})
	return c.Reply(out, err)
}

// updateProject answers PUT /v1/project/{projectId}. Name and deadline are always overwritten, so a call without a
// name is refused and one without a deadline clears it; other members keep what they have unless they are given.
func (s *Service) updateProject(c *api.Call) error {
	raw, err := api.ReadBody(c, api.MaxModel)
	if err != nil {
		return err
	}
	if _, err := s.store.Project(c.PathValue(wire.ProjectID)); err != nil {
		return err
	}
	b, err := api.ReadMembers("body", raw)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(api.Member[string](b, "name"))
	deadline := api.Member[string](b, "deadline")
	description, tag, client := api.Member[*string](b, "description"), api.Member[*string](b, "externalTag"),
		api.Member[*string](b, "clientId")
	if b.Err != nil {
		return b.Err
	}
	if name == "" {
		return api.Invalid("name", "is missing; it overwrites the stored one, so give the present name to keep it")
	}
	if err := api.CheckDeadline(deadline); err != nil {
		return err
	}
	err = s.store.Change(c.PathValue(wire.ProjectID), func(tx *store.Tx, p *store.Project) error {
		if name != p.Name {
			if other, err := store.ProjectNamed(tx, name); err != nil || other != nil {
				return cmp.Or(err, api.Refuse(http.StatusConflict, "name: another project is called %q", name))
			}
		}
		p.Name, p.Deadline = name, deadline
		for _, m := range []struct {
			to   *string
			from *string
		}{{&p.Description, description}, {&p.ExternalTag, tag}, {&p.ClientID, client}} {
			if m.from != nil {
				*m.to = *m.from
			}
		}
		return nil
	})
	return c.Done(err)
}

// deleteProject answers DELETE /v1/project/{projectId}.
func (s *Service) deleteProject(c *api.Call) error {
	err := s.store.Update(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, c.PathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		return store.RemoveProject(tx, p)
	})
	return c.Done(err)
}

// listProjects answers GET /v2/project/list: a bare array, in pages, in the order the projects were made.
func (s *Service) listProjects(c *api.Call) error {
	limit, err := c.Params.Count(wire.QueryLimit, wire.MaxProjectsPerPage)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxProjectsPerPage {
		return api.Invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxProjectsPerPage)
	}
	return s.answerProjects(c, limit)
}

// listProjectsV1 answers GET /v1/project/list, which pages only when it is asked to.
func (s *Service) listProjectsV1(c *api.Call) error {
	limit, err := c.Params.Count(wire.QueryLimit, 1<<31-1)
	if err != nil {
		return err
	}
	return s.answerProjects(c, limit)
}

func (s *Service) answerProjects(c *api.Call, limit int) error {
	offset, err := c.Params.Count(wire.QueryOffset, 0)
	if err != nil {
		return err
	}
	withDocuments := true
	if _, given := c.Params.Values(wire.QueryWithDocuments); given {
		withDocuments, err = c.Params.Flag(wire.QueryWithDocuments)
		if err != nil {
			return err
		}
	}
	out := []*wire.Project{}
	err = s.store.View(func(tx *store.Tx) error {
		var all []*store.Project
		var failed error
		if err := store.EachProject(tx, func(p *store.Project) {
			assigned, err := hasAssigned(tx, p, c.Params)
			failed = cmp.Or(failed, err)
			if assigned && projectMatches(p, c.Params) {
				all = append(all, p)
			}
		}); err != nil || failed != nil {
			return cmp.Or(err, failed)
		}
		slices.SortFunc(all, func(a, b *store.Project) int {
			if a.Created != b.Created {
				return int(min(max(a.Created-b.Created, -1), 1))
			}
			return strings.Compare(a.ID, b.ID)
		})
		from := min(offset, len(all))
		for _, p := range all[from:min(from+limit, len(all))] {
			one, err := s.recordIn(tx, p)
			if err != nil {
				return err
			}
			if !withDocuments {
				one.Documents = nil
			}
			out = append(out, one)
		}
		return nil
	})
	return c.Reply(out, err)
}

// projectMatches applies the filters of a list, but for the one by people who are assigned. Only the account itself
// makes projects here.
func projectMatches(p *store.Project, q api.Params) bool {
	holds := func(name, text string) bool {
		want, given := q.Values(name)
		return !given || want[0] == "" || strings.Contains(strings.ToLower(text), strings.ToLower(want[0]))
	}
	is := func(name, text string) bool {
		want, _ := q.List(name)
		want = slices.DeleteFunc(want, func(w string) bool { return w == "" })
		return len(want) == 0 || slices.Contains(want, text)
	}
	if want, given := q.Values(wire.QueryProjectType); given {
		keys := p.Type == wire.ProjectTypeLocalization
		if strings.EqualFold(want[0], wire.ProjectTypeLocalization) && !keys ||
			strings.EqualFold(want[0], wire.ProjectTypeOthers) && keys {
			return false
		}
	}
	return holds(wire.QueryProjectName, p.Name) && holds(wire.QueryExternalTag, p.ExternalTag) &&
		is(wire.QueryClients, p.ClientID) &&
		is(wire.QueryCreatedByUser, "")
}

// hasAssigned tells whether one of the users that a list asks for is assigned to a task of the project; true when it
// asks for none.
func hasAssigned(tx *store.Tx, p *store.Project, q api.Params) (bool, error) {
	users, _ := q.List(wire.QueryAssignedToUser)
	users = slices.DeleteFunc(users, func(u string) bool { return u == "" })
	if len(users) == 0 {
		return true, nil
	}
	tasks, err := store.TasksOf(tx, p.ID)
	return slices.ContainsFunc(tasks, func(t *store.Task) bool {
		return slices.ContainsFunc(t.Assigned, func(a store.Assignment) bool { return slices.Contains(users, a.User) })
	}), err
}

// completeProject, cancelProject and restoreProject answer POST /v1/project/complete, /cancel and /restore, with the
// query parameter projectId.
func (s *Service) completeProject(c *api.Call) error {
	return s.changeStatus(c, func(tx *store.Tx, p *store.Project) error {
		if p.Status == wire.ProjectCanceled {
			return api.Refuse(http.StatusConflict, "the project is cancelled; restore it first")
		}
		p.SetStatus(wire.ProjectCompleted, s.store.Now())
		return documents.CompleteDocuments(tx, p)
	})
}

func (s *Service) cancelProject(c *api.Call) error {
	return s.changeStatus(c, func(_ *store.Tx, p *store.Project) error {
		if p.Status != wire.ProjectCanceled {
			p.Before = p.Status
			p.SetStatus(wire.ProjectCanceled, s.store.Now())
		}
		return nil
	})
}

func (s *Service) restoreProject(c *api.Call) error {
	return s.changeStatus(c, func(_ *store.Tx, p *store.Project) error {
		if p.Status == wire.ProjectCanceled {
			p.SetStatus(p.Before, s.store.Now())
		}
		return nil
	})
}

func (s *Service) changeStatus(c *api.Call, do func(tx *store.Tx, p *store.Project) error) error {
	id, err := c.ProjectParameter()
	if err != nil {
		return err
	}
	err = s.store.Change(id, func(tx *store.Tx, p *store.Project) error {
		before := p.Status
		if err := do(tx, p); err != nil || p.Status == before {
			return err
		}
		return store.NotifyIn(tx, wire.CallbackProjectStatus, p.ID)
	})
	return c.Done(err)
}

// addLanguage answers POST /v1/project/language: the language joins the project and, unless addLanguageToDocuments is
// false, its collections.
func (s *Service) addLanguage(c *api.Call) error {
	id, err := c.ProjectParameter()
	if err != nil {
		return err
	}
	p, err := s.store.Project(id)
	if err != nil {
		return err
	}
	word, given, err := c.Params.Word(wire.QueryTargetLanguage)
	if err != nil || !given {
		return cmp.Or(err, api.Invalid(wire.QueryTargetLanguage, "is missing"))
	}
	codes, err := api.TargetCodes(wire.QueryTargetLanguage, []string{word}, p.Source)
	if err != nil {
		return err
	}
	everywhere := true
	if _, given := c.Params.Values(wire.QueryAddToDocuments); given {
		if everywhere, err = c.Params.Flag(wire.QueryAddToDocuments); err != nil {
			return err
		}
	}
	err = s.store.Change(id, func(tx *store.Tx, p *store.Project) error {
		p.Targets = api.Union(p.Targets, codes)
		if !everywhere {
			return nil
		}
		if p.Type == wire.ProjectTypeDefault {
			return s.documents.AddDocumentLanguages(tx, p, codes)
		}
		return store.JoinAllCollections(tx, p.ID, codes)
	})
	return c.Done(err)
}

// removeLanguage refuses DELETE /v1/project/language: the service interface says that a language which was chosen
// stays.
func (s *Service) removeLanguage(c *api.Call) error {
	return api.Invalid(wire.QueryTargetLanguage, "a project's languages can be added to, not taken away")
}

// addTargets answers POST /v1/project/{projectId}/software-localization/targets. A language that is new to the
// project joins the project and no collection; one that the project has already joins every collection that lacks it.
func (s *Service) addTargets(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	if p.Type != wire.ProjectTypeLocalization {
		return api.Refuse(http.StatusForbidden,
			"the project %s translates documents; targets of collections are for projects of type %s", p.ID,
			wire.ProjectTypeLocalization)
	}
	codes, err := api.TargetLanguages(c.Params, p.Source)
	if err != nil {
		return err
	}
	err = s.store.Change(p.ID, func(tx *store.Tx, p *store.Project) error {
		known := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { return !slices.Contains(p.Targets, code) })
		p.Targets = api.Union(p.Targets, codes)
		return store.JoinAllCollections(tx, p.ID, known)
	})
	if err != nil {
		return err
	}
	return c.Empty(http.StatusOK)
}

// Wanted is a localization project that is to be there.
type Wanted struct {
	ID, Name, Source string
	Targets          []string
}

// Ensure makes the localization projects that are missing, and adds target languages to those that are there. It is
// one transaction, since each costs the disk a moment: all projects have what they need, or none was changed.
func (s *Service) Ensure(all ...Wanted) error {
	var wanted []*store.Project
	for _, w := range all {
		id, err := store.ProjectID(w.ID)
		p := &store.Project{ID: id, Account: s.store.Account, Type: wire.ProjectTypeLocalization, Name: w.Name,
			Source: w.Source, Targets: w.Targets, Stages: NewStages(stagesOfLocalization)}
		if err == nil {
			err = p.CheckLanguages("source language", "target languages")
		}
		if err != nil {
			return fmt.Errorf("make project %q: %w", w.Name, err)
		}
		wanted = append(wanted, p)
	}
	return s.store.Update(func(tx *store.Tx) error {
		for _, want := range wanted {
			if err := s.ensure(tx, want); err != nil {
				return fmt.Errorf("make project %q: %w", want.Name, err)
			}
		}
		return nil
	})
}

func (s *Service) ensure(tx *store.Tx, want *store.Project) error {
	have, err := store.ProjectOf(tx, want.ID)
	switch {
	case err != nil:
		return err
	case have == nil:
		return store.AddProject(tx, want)
	case have.Account != s.store.Account:
		return fmt.Errorf("project %s belongs to another account of this folder: give the project another id", want.ID)
	case have.Type != wire.ProjectTypeLocalization:
		return fmt.Errorf("project %s translates documents: give the project another id", want.ID)
	case have.Source != want.Source:
		return fmt.Errorf("project %s has the source language %q, which cannot be changed to %q: "+
			"give the project another id", want.ID, have.Source, want.Source)
	}
	if more := api.Union(have.Targets, want.Targets); len(more) > len(have.Targets) {
		have.Targets, have.Modified = more, s.store.Now()
		if err := store.PutProject(tx, have); err != nil {
			return err
		}
	}
	return store.JoinAllCollections(tx, want.ID, want.Targets)
}
