package documents

import (
	"context"
	"net/http"
	"regexp"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/pseudo"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/terms"
	"github.com/locsync/locsync/sync/service/wire"
)

// The machine translation engine that is built in: pseudo-translation, into every language. Others are in package
// machine.
const (
	PseudoEngineID   = "engine:Pseudo"
	pseudoEngineName = "Pseudo-translation"
)

// translator has texts translated by machine.
type translator struct {
	engines *machine.Engines
	log     *zap.Logger
}

// availableEngines answers GET /v1/project/{projectId}/mt/available.
func (s *Service) availableEngines(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.AvailableEngine{{ID: PseudoEngineID, Name: pseudoEngineName, Languages: p.Targets}}
	for _, e := range s.machine.engines.All() {
		out = append(out, wire.AvailableEngine{ID: e.ID, Name: e.Name, Languages: p.Targets})
	}
	return c.Answer(http.StatusOK, out)
}

// engine is the identifier and the name of an engine, as they are spelled here.
func (t translator) engine(id string) (spelled, name string, found bool) {
	if strings.EqualFold(id, PseudoEngineID) {
		return PseudoEngineID, pseudoEngineName, true
	}
	e, found := t.engines.Find(id)
	return e.ID, e.Name, found
}

// getEngines answers GET /v1/project/{projectId}/mt.
func (s *Service) getEngines(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.Engine{}
	for _, e := range p.Engines {
		_, name, _ := s.machine.engine(e.ID)
		out = append(out, wire.Engine{ID: e.ID, Name: name, Languages: e.Languages})
	}
	return c.Answer(http.StatusOK, out)
}

// setEngines answers POST /v1/project/{projectId}/mt: an array that replaces what was set before. A language has one
// engine.
func (s *Service) setEngines(c *api.Call) error {
	p, err := s.store.Project(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := api.ReadList(c)
	if err != nil {
		return err
	}
	var engines []store.AssignedEngine
	var taken []string
	for _, raw := range list {
		b, err := api.ReadMembers("body", raw)
		if err != nil {
			return err
		}
		id, words := api.Member[string](b, "id"), api.Member[[]string](b, "languages")
		if b.Err != nil {
			return b.Err
		}
		spelled, _, known := s.machine.engine(id)
		if !known {
			return api.Invalid("id", "%q is not an engine of this service, which has %s; GET %s lists them", id,
				PseudoEngineID, wire.Prefix+wire.PathEnginesAvailable)
		}
		codes, err := api.TargetCodes("languages", words, p.Source)
		if err != nil {
			return err
		}
		if len(codes) == 0 {
			return api.Invalid("languages", "is missing or empty; name target languages of the project")
		}
		for _, code := range codes {
			if !slices.Contains(p.Targets, code) {
				return api.Invalid("languages", "%s is not a target language of the project, which has %s", code,
					strings.Join(p.Targets, ", "))
			}
			if slices.Contains(taken, code) {
				return api.Invalid("languages", "%s has two engines", code)
			}
			taken = append(taken, code)
		}
		engines = append(engines, store.AssignedEngine{ID: spelled, Languages: codes})
	}
	err = s.store.Change(p.ID, func(_ *store.Tx, p *store.Project) error {
		p.Engines = engines
		return nil
	})
	return c.Done(err)
}

var linkTarget = regexp.MustCompile(`\]\([^()]*\)`)

// asked are segments that wait for an engine.
type asked struct {
	segments []int
	stages   []int // that their translations count as confirmed at
	terms    *terms.Terms
}

// fill has the language's engine translate what waits for it; the transaction that the editor was opened in may have
// ended. What the document would not take, and what an engine
// that does not answer owes, stays without a translation.
func (t translator) fill(ctx context.Context, k *editor.Editor, wait asked) []proposal {
	if len(wait.segments) == 0 {
		return nil
	}
	html := k.Segments[wait.segments[0]].Markup == segment.Tags
	texts := make([]string, len(wait.segments))
	for n, i := range wait.segments {
		texts[n] = k.Segments[i].Text
	}
	engine := k.Project.EngineOf(k.Rendition.Code)
	translated, err := t.engines.Translate(ctx, engine, machine.Job{Source: k.Project.Source, Target: k.Rendition.Code,
		Texts: texts, HTML: html, Terms: wait.terms.Translations})
	if err != nil {
		t.log.Warn("segments stay without a machine translation: the engine failed", zap.String("document", k.Document.Path),
			zap.String("language", k.Rendition.Code), zap.Error(err))
	}
	var out []proposal
	for n, made := range translated {
		i := wait.segments[n]
		if !made.OK || k.Parsed.Accepts(i, made.Text) != nil || k.Segments[i].Markup == segment.Markdown &&
			!slices.Equal(linkTarget.FindAllString(texts[n], -1), linkTarget.FindAllString(made.Text, -1)) {
			continue
		}
		out = append(out, proposal{i, store.Target{Text: made.Text, Origin: store.FromMachine, Stage: wait.stages[n],
			Source: store.Digest(texts[n])}})
	}
	return out
}

// machineTranslation is what the engine makes of a segment; ok is false when its document would not take that.
func machineTranslation(doc *segment.Document, i int, code string, terms *terms.Terms) (text string, ok bool) {
	seg := doc.Segments()[i]
	text = withTerms(terms, seg.Text, func(text string) string { return pseudo.Text(text, code) })
	if seg.Markup == segment.Markdown { // where links lead is not translated
		leads := linkTarget.FindAllString(seg.Text, -1)
		text = linkTarget.ReplaceAllStringFunc(text, func(was string) string {
			if len(leads) == 0 {
				return was
			}
			lead := leads[0]
			leads = leads[1:]
			return lead
		})
	}
	return text, doc.Accepts(i, text) == nil
}
