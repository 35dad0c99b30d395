package local

import (
	"cmp"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/wire"
)

// recordIn is a project as the interface shows it, with its documents and how far it is.
func (s *projectsService) recordIn(tx *Tx, p *project) (*wire.Project, error) {
	progress, err := s.progress(tx, p)
	if err != nil {
		return nil, err
	}
	out := s.record(p, progress)
	out.Documents = []wire.Document{}
	all, err := documentsOf(tx, p.ID)
	if err == nil && p.Type == wire.ProjectTypeDefault {
		out.AssignmentMode = "projectTask"
		out.Documents, err = documentRecords(tx, p, all)
	}
	return out, err
}

// record is a project as the interface shows it. progress, by stage, is nil where it is not asked for.
func (s *projectsService) record(p *project, progress []float64) *wire.Project {
	out := &wire.Project{
		ID:                     p.ID,
		AccountID:              p.Account,
		Name:                   p.Name,
		Description:            p.Description,
		Deadline:               p.Deadline,
		CreationDate:           timestamp(p.Created),
		ModificationDate:       timestamp(p.Modified),
		SourceLanguage:         p.Source,
		TargetLanguages:        p.Targets,
		Status:                 p.Status,
		StatusModificationDate: timestamp(p.StatusAt),
		DomainID:               p.DomainID,
		ClientID:               p.ClientID,
		ExternalTag:            p.ExternalTag,
	}
	if l, ok := findLanguage(p.Source); ok {
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
func documentProgress(tx *Tx, p *project) ([]float64, error) {
	done, all := make([]size, len(p.Stages)), size{}
	documents, err := documentsOf(tx, p.ID)
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
		out[i] = done[i].percent(all)
	}
	return out, err
}

// progress is how much of a project has passed each of its stages, 0 to 100: the share of its keys in all target languages of
// their collections that is confirmed on the first stage, and on all stages.
func (s *projectsService) progress(tx *Tx, p *project) ([]float64, error) {
	if p.Type != wire.ProjectTypeLocalization {
		return documentProgress(tx, p)
	}
	var all, first, last int
	for _, name := range collectionNames(tx, p.ID) {
		k, err := openCollection(tx, p.ID, name)
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

func timestamp(nanos int64) string {
	return time.Unix(0, nanos).UTC().Format("2006-01-02T15:04:05.999Z")
}

// getProject answers GET /v1/project/{projectId}.
func (s *projectsService) getProject(c *call) error {
	var out *wire.Project
	err := s.store.view(func(tx *Tx) error {
		p, err := projectIn(tx, c.pathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		out, err = s.recordIn(tx, p)
		return err
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// updateProject answers PUT /v1/project/{projectId}. Name and deadline are always overwritten, so a call without a name is refused and one
// without a deadline clears it; other members keep what they have unless they are given.
func (s *projectsService) updateProject(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	if _, err := s.store.project(c.pathValue(wire.ProjectID)); err != nil {
		return err
	}
	b, err := readMembers("body", raw)
	if err != nil {
		return err
	}
	name := strings.TrimSpace(member[string](b, "name"))
	deadline := member[string](b, "deadline")
	description, tag, client := member[*string](b, "description"), member[*string](b, "externalTag"), member[*string](b, "clientId")
	if b.err != nil {
		return b.err
	}
	if name == "" {
		return invalid("name", "is missing; it overwrites the stored one, so give the present name to keep it")
	}
	if err := checkDeadline(deadline); err != nil {
		return err
	}
	err = s.store.change(c.pathValue(wire.ProjectID), func(tx *Tx, p *project) error {
		if name != p.Name {
			if other, err := projectNamed(tx, name); err != nil || other != nil {
				return orElse(err, refuse(http.StatusConflict, "name: another project is called %q", name))
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
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

func orElse(err, otherwise error) error {
	if err != nil {
		return err
	}
	return otherwise
}

// deleteProject answers DELETE /v1/project/{projectId}.
func (s *projectsService) deleteProject(c *call) error {
	err := s.store.update(func(tx *Tx) error {
		p, err := projectIn(tx, c.pathValue(wire.ProjectID))
		if err != nil {
			return err
		}
		return removeProject(tx, p)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// listProjects answers GET /v2/project/list: a bare array, in pages, in the order the projects were made.
func (s *projectsService) listProjects(c *call) error {
	limit, err := c.params.count(wire.QueryLimit, wire.MaxProjectsPerPage)
	if err != nil {
		return err
	}
	if limit < 1 || limit > wire.MaxProjectsPerPage {
		return invalid(wire.QueryLimit, "is from 1 to %d", wire.MaxProjectsPerPage)
	}
	return s.answerProjects(c, limit)
}

// listProjectsV1 answers GET /v1/project/list, which pages only when it is asked to.
func (s *projectsService) listProjectsV1(c *call) error {
	limit, err := c.params.count(wire.QueryLimit, 1<<31-1)
	if err != nil {
		return err
	}
	return s.answerProjects(c, limit)
}

func (s *projectsService) answerProjects(c *call, limit int) error {
	offset, err := c.params.count(wire.QueryOffset, 0)
	if err != nil {
		return err
	}
	out := []*wire.Project{}
	err = s.store.view(func(tx *Tx) error {
		var all []*project
		var failed error
		if err := eachProject(tx, func(p *project) {
			assigned, err := hasAssigned(tx, p, c.params)
			failed = cmp.Or(failed, err)
			if assigned && projectMatches(p, c.params) {
				all = append(all, p)
			}
		}); err != nil || failed != nil {
			return cmp.Or(err, failed)
		}
		slices.SortFunc(all, func(a, b *project) int {
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
			out = append(out, one)
		}
		return nil
	})
	if err != nil {
		return err
	}
	return c.json(http.StatusOK, out)
}

// projectMatches applies the filters of a list, but for the one by people who are assigned. Nobody but the account itself makes projects here.
func projectMatches(p *project, q params) bool {
	holds := func(name, text string) bool {
		want, given := q.values(name)
		return !given || want[0] == "" || strings.Contains(strings.ToLower(text), strings.ToLower(want[0]))
	}
	is := func(name, text string) bool {
		want, _ := q.list(name)
		want = slices.DeleteFunc(want, func(w string) bool { return w == "" })
		return len(want) == 0 || slices.Contains(want, text)
	}
	return holds(wire.QueryProjectName, p.Name) && holds(wire.QueryExternalTag, p.ExternalTag) && is(wire.QueryClients, p.ClientID) &&
		is(wire.QueryCreatedByUser, "")
}

// hasAssigned tells whether one of the users that a list asks for is assigned to a task of the project; true when it asks for none.
func hasAssigned(tx *Tx, p *project, q params) (bool, error) {
	users, _ := q.list(wire.QueryAssignedToUser)
	users = slices.DeleteFunc(users, func(u string) bool { return u == "" })
	if len(users) == 0 {
		return true, nil
	}
	tasks, err := tasksOf(tx, p.ID)
	return slices.ContainsFunc(tasks, func(t *task) bool {
		return slices.ContainsFunc(t.Assigned, func(a assignment) bool { return slices.Contains(users, a.User) })
	}), err
}

// completeProject, cancelProject and restoreProject answer POST /v1/project/complete, /cancel and /restore, with the query parameter
// projectId.
func (s *projectsService) completeProject(c *call) error {
	return s.changeStatus(c, func(tx *Tx, p *project) error {
		if p.Status == wire.ProjectCanceled {
			return refuse(http.StatusConflict, "the project is cancelled; restore it first")
		}
		p.setStatus(wire.ProjectCompleted, s.store.now())
		return completeDocuments(tx, p)
	})
}

func (s *projectsService) cancelProject(c *call) error {
	return s.changeStatus(c, func(_ *Tx, p *project) error {
		if p.Status != wire.ProjectCanceled {
			p.Before = p.Status
			p.setStatus(wire.ProjectCanceled, s.store.now())
		}
		return nil
	})
}

func (s *projectsService) restoreProject(c *call) error {
	return s.changeStatus(c, func(_ *Tx, p *project) error {
		if p.Status == wire.ProjectCanceled {
			p.setStatus(p.Before, s.store.now())
		}
		return nil
	})
}

func (s *projectsService) changeStatus(c *call, do func(tx *Tx, p *project) error) error {
	id, err := c.projectParameter()
	if err != nil {
		return err
	}
	err = s.store.change(id, func(tx *Tx, p *project) error {
		before := p.Status
		if err := do(tx, p); err != nil || p.Status == before {
			return err
		}
		return notifyIn(tx, wire.CallbackProjectStatus, p.ID)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

func (c *call) projectParameter() (string, error) {
	id, given, err := c.params.word(wire.QueryProjectID)
	if err == nil && !given {
		err = invalid(wire.QueryProjectID, "is missing")
	}
	return id, err
}

// addLanguage answers POST /v1/project/language: the language joins the project and, unless addLanguageToDocuments is false, its
// collections.
func (s *projectsService) addLanguage(c *call) error {
	id, err := c.projectParameter()
	if err != nil {
		return err
	}
	p, err := s.store.project(id)
	if err != nil {
		return err
	}
	word, given, err := c.params.word(wire.QueryTargetLanguage)
	if err != nil || !given {
		return orElse(err, invalid(wire.QueryTargetLanguage, "is missing"))
	}
	codes, err := targetCodes(wire.QueryTargetLanguage, []string{word}, p.Source)
	if err != nil {
		return err
	}
	everywhere := true
	if _, given := c.params.values(wire.QueryAddToDocuments); given {
		if everywhere, err = c.params.flag(wire.QueryAddToDocuments); err != nil {
			return err
		}
	}
	err = s.store.change(id, func(tx *Tx, p *project) error {
		p.Targets = union(p.Targets, codes)
		if !everywhere {
			return nil
		}
		if p.Type == wire.ProjectTypeDefault {
			return s.documents.addDocumentLanguages(tx, p, codes)
		}
		return joinAllCollections(tx, p.ID, codes)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

// removeLanguage refuses DELETE /v1/project/language: the service interface says that a language which was chosen stays.
func (s *projectsService) removeLanguage(c *call) error {
	return invalid(wire.QueryTargetLanguage, "a project's languages can be added to, not taken away")
}

// addTargets answers POST /v1/project/{projectId}/software-localization/targets. A language that is new to the project joins the project
// and no collection; one that the project has already joins every collection that lacks it.
func (s *projectsService) addTargets(c *call) error {
	p, err := s.store.project(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	if p.Type != wire.ProjectTypeLocalization {
		return refuse(http.StatusForbidden, "the project %s translates documents; targets of collections are for projects of type %s", p.ID, wire.ProjectTypeLocalization)
	}
	codes, err := targetLanguages(c.params, p.Source)
	if err != nil {
		return err
	}
	err = s.store.change(p.ID, func(tx *Tx, p *project) error {
		known := slices.DeleteFunc(slices.Clone(codes), func(code string) bool { return !slices.Contains(p.Targets, code) })
		p.Targets = union(p.Targets, codes)
		return joinAllCollections(tx, p.ID, known)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusOK)
}

// targetLanguages reads the parameter target-languages, which is required: absent or empty it is a 400.
func targetLanguages(q params, source string) ([]string, error) {
	words, given := q.list(wire.QueryTargetLanguages)
	if !given || len(words) == 0 || len(words) == 1 && words[0] == "" {
		return nil, invalid(wire.QueryTargetLanguages, "the list is empty; name language codes, separated by commas")
	}
	return targetCodes(wire.QueryTargetLanguages, words, source)
}

func joinAllCollections(tx *Tx, projectID string, codes []string) error {
	if len(codes) == 0 {
		return nil
	}
	for _, name := range collectionNames(tx, projectID) {
		k, err := openCollection(tx, projectID, name)
		if err != nil {
			return err
		}
		if k.addTargets(codes) {
			if err := k.save(); err != nil {
				return err
			}
		}
	}
	return nil
}
