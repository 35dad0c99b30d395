package documents

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/terms"
	"github.com/locsync/locsync/sync/service/wire"
)

// getPretranslationRules answers GET /v1/project/{projectId}/pretranslation-rules.
func (s *Service) getPretranslationRules(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.PretranslationRule{}
	for _, r := range p.Rules {
		w := wire.PretranslationRule{RuleType: r.Type, Order: r.Order, ConfirmAtWorkflowStep: r.Stage,
			TranslationMemoryID: r.Memory, MinTQSQualityThreshold: r.Quality, MinAssuranceLevel: r.Assurance,
			LQAProfileID: r.Profile, BlockingSeverityIDs: r.Blocking}
		if r.Threshold > 0 {
			w.MinThreshold = &r.Threshold
		}
		if r.MinWords > 0 {
			w.MinSegmentWordsCount = &r.MinWords
		}
		out = append(out, w)
	}
	return c.Answer(http.StatusOK, out)
}

// setPretranslationRules answers POST and PUT /v1/project/{projectId}/pretranslation-rules: the array replaces the
// rules that were set, and, unless startPretranslate is false, they are followed at once.
func (s *Service) setPretranslationRules(c *api.Call) error {
	p, err := s.store.DocumentProject(c.PathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := api.ReadList(c)
	if err != nil {
		return err
	}
	begin := true
	if _, given := c.Params.Values(wire.QueryStartPretranslate); given {
		if begin, err = c.Params.Flag(wire.QueryStartPretranslate); err != nil {
			return err
		}
	}
	var rules []store.PretranslationRule
	for _, raw := range list {
		r, err := readRule(raw, p)
		if err != nil {
			return err
		}
		rules = append(rules, r)
	}
	slices.SortStableFunc(rules, func(a, b store.PretranslationRule) int { return a.Order - b.Order })
	err = s.store.Change(p.ID, func(tx *store.Tx, p *store.Project) error {
		for _, r := range rules {
			if r.Memory == "" {
				continue
			}
			if _, err := store.MemoryIn(tx, "translationMemoryId", r.Memory); err != nil {
				return err
			}
		}
		p.Rules = rules
		if !begin {
			return nil
		}
		all, err := store.DocumentsOf(tx, p.ID)
		if err != nil {
			return err
		}
		return s.pretranslateIn(tx, p, all)
	})
	return c.Done(err)
}

func readRule(raw json.RawMessage, p *store.Project) (store.PretranslationRule, error) {
	b, err := api.ReadMembers("body", raw)
	if err != nil {
		return store.PretranslationRule{}, err
	}
	word := api.Member[string](b, "ruleType")
	r := store.PretranslationRule{
		Order:     api.Member[int](b, "order"),
		Stage:     api.Member[string](b, "confirmAtWorkflowStep"),
		Memory:    api.Member[string](b, "translationMemoryId"),
		Threshold: api.Member[int](b, "minThreshold"),
		MinWords:  api.Member[int](b, "minSegmentWordsCount"),
		Quality:   api.Member[*int](b, "minTQSQualityThreshold"),
		Assurance: api.Member[string](b, "minAssuranceLevel"),
		Profile:   api.Member[string](b, "lqaProfileId"),
		Blocking:  api.Member[[]string](b, "blockingSeverityIds"),
	}
	if b.Err != nil {
		return r, b.Err
	}
	i := slices.IndexFunc(wire.RuleTypes, func(t wire.RuleType) bool { return strings.EqualFold(string(t), word) })
	switch {
	case i < 0:
		return r, api.Invalid("ruleType", "%q is none of %v", word, wire.RuleTypes)
	case r.Order < 1:
		return r, api.Invalid("order", "%d is not a number of 1 or more", r.Order)
	case r.Stage != "" && p.StageNumber(r.Stage) == 0:
		return r, api.Invalid("confirmAtWorkflowStep", "the project has no stage %s", r.Stage)
	case r.Threshold != 0 && (r.Threshold < wire.MinMatchThreshold || r.Threshold > 102):
		return r, api.Invalid("minThreshold", "%d is not from %d to 102", r.Threshold, wire.MinMatchThreshold)
	case r.Quality != nil && (*r.Quality < 0 || *r.Quality > 100):
		return r, api.Invalid("minTQSQualityThreshold", "%d is not from 0 to 100", *r.Quality)
	case r.MinWords < 0:
		return r, api.Invalid("minSegmentWordsCount", "%d is below 0", r.MinWords)
	}
	r.Type = wire.RuleTypes[i]
	return r, nil
}

// rules are the project's, and, where pseudo-translation is on, the one that translates what is left.
func (s *Service) rules(p *store.Project) []store.PretranslationRule {
	rules := slices.Clone(p.Rules)
	if s.pseudo {
		rules = append(rules, store.PretranslationRule{Type: store.PseudoRule})
	}
	return rules
}

// pretranslateIn queues the pretranslation of documents, if there is anything to do, in a transaction.
func (s *Service) pretranslateIn(tx *store.Tx, p *store.Project, documents []*store.Document) error {
	if len(s.rules(p)) == 0 || len(documents) == 0 {
		return nil
	}
	j := &store.Job{Project: p.ID, Work: store.Work{Pretranslation: &store.PretranslationJob{}}}
	for _, d := range documents {
		j.Pretranslation.Documents = append(j.Pretranslation.Documents, d.ID)
	}
	if err := s.jobs.StartIn(tx, j, nil); err != nil {
		return err
	}
	for _, d := range documents {
		for _, r := range d.Languages {
			r.Pretranslation = j.ID
		}
		if err := store.PutDocument(tx, d); err != nil {
			return err
		}
	}
	return nil
}

// proposal is a translation that a rule has for a segment.
type proposal struct {
	segment int
	store.Target
}

// runPretranslation fills documents one after the other: what takes time is done while others can write, and what
// came meanwhile stays.
func (s *Service) runPretranslation(ctx context.Context, j *store.Job) error {
	for _, id := range j.Pretranslation.Documents {
		proposals, err := s.proposals(ctx, id)
		if err != nil {
			return err
		}
		err = s.store.Update(func(tx *store.Tx) error {
			d, found, err := store.FindDocument(tx, id)
			if err != nil || !found {
				return err
			}
			for _, r := range slices.Clone(d.Languages) {
				if r.Pretranslation == j.ID {
					r.Pretranslation = ""
				}
				k, err := editor.Open(tx, d, r.Code)
				if err != nil {
					return err
				}
				if err := fillIn(k, proposals[r.Code]); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return s.store.Update(func(tx *store.Tx) error { return store.Finish(tx, j, wire.Completed) })
}

// proposals are those for a document, by language. No transaction is open while an engine elsewhere is asked: a write
// that makes the database larger would wait until it ends, and all others behind it.
func (s *Service) proposals(ctx context.Context, id string) (map[string][]proposal, error) {
	var codes []string
	err := s.store.View(func(tx *store.Tx) error {
		d, found, err := store.FindDocument(tx, id)
		if err != nil || !found {
			return err
		}
		for _, r := range d.Languages {
			codes = append(codes, r.Code)
		}
		return nil
	})
	all := map[string][]proposal{}
	for _, code := range codes {
		var k *editor.Editor
		var wait asked
		err = s.store.View(func(tx *store.Tx) error {
			d, found, err := store.FindDocument(tx, id)
			if err != nil || !found || d.Rendition(code) == nil {
				return err
			}
			if k, err = editor.Open(tx, d, code); err == nil {
				all[code], wait, err = propose(k, s.rules(k.Project))
			}
			return err
		})
		if err != nil {
			return nil, err
		}
		all[code] = append(all[code], s.machine.fill(ctx, k, wait)...)
	}
	return all, err
}

// dropPretranslation says that a job is no longer at its documents, which is for one that failed.
func dropPretranslation(tx *store.Tx, j *store.Job) error {
	for _, id := range j.Pretranslation.Documents {
		d, found, err := store.FindDocument(tx, id)
		if err != nil {
			return err
		}
		if !found {
			continue
		}
		for _, r := range d.Languages {
			if r.Pretranslation == j.ID {
				r.Pretranslation = ""
			}
		}
		if err := store.PutDocument(tx, d); err != nil {
			return err
		}
	}
	return nil
}

// fillIn stores proposals where there is still no translation.
func fillIn(k *editor.Editor, proposals []proposal) error {
	for _, p := range proposals {
		if p.segment >= len(k.Segments) || store.Digest(k.Segments[p.segment].Text) != p.Source {
			continue
		}
		was, err := k.Target(p.segment)
		if err != nil {
			return err
		}
		if was != nil {
			continue
		}
		if err := k.Put(p.segment, p.Target); err != nil {
			return err
		}
	}
	return k.Close()
}

// propose follows the rules for every segment without a translation, and names those that wait for an engine elsewhere.
func propose(k *editor.Editor, rules []store.PretranslationRule) (out []proposal, wait asked, err error) {
	elsewhere := k.Project.Translates(k.Rendition.Code) && k.Project.EngineOf(k.Rendition.Code) != PseudoEngineID
	for i := range k.Segments {
		was, err := k.Target(i)
		if err != nil {
			return nil, wait, err
		}
		if was != nil {
			continue
		}
		for _, r := range rules {
			if r.Type == wire.RuleMachine && elsewhere && k.Segments[i].Size().Words >= r.MinWords {
				wait.segments, wait.stages = append(wait.segments, i), append(wait.stages, k.Project.StageNumber(r.Stage))
				break // all of them together, at the end
			}
			t, ok, err := followRule(k, r, i)
			if err != nil {
				return nil, wait, err
			}
			if ok {
				t.Source = store.Digest(k.Segments[i].Text)
				out = append(out, proposal{i, t})
				break
			}
		}
	}
	if len(wait.segments) > 0 {
		wait.terms, err = k.Terms()
	}
	return out, wait, err
}

// followRule asks one rule for a translation of a segment.
func followRule(k *editor.Editor, r store.PretranslationRule, i int) (t store.Target, ok bool, err error) {
	if k.Segments[i].Size().Words < r.MinWords {
		return t, false, nil
	}
	t.Stage = k.Project.StageNumber(r.Stage)
	terms, err := k.Terms()
	if err != nil {
		return t, false, err
	}
	switch r.Type {
	case wire.RuleMemory:
		t.Origin = store.FromMemory
		t.Text, ok, err = recall(k, r, i, terms)
	case wire.RuleMachine:
		if k.Project.Translates(k.Rendition.Code) {
			t.Origin = store.FromMachine
			t.Text, ok = machineTranslation(k.Parsed, i, k.Rendition.Code, terms)
		}
	case store.PseudoRule:
		t.Origin, t.Stage = store.FromPseudo, len(k.Project.Stages)
		t.Text, ok = machineTranslation(k.Parsed, i, k.Rendition.Code, terms)
	// RuleQuality and RuleAssurance are kept, and find nothing: quality is not judged here.
	case wire.RuleNumberConversion:
		t.Origin = store.FromMachine
		t.Text, ok = k.Segments[i].Text, onlyNumbers(k.Segments[i].Text)
	}
	return t, ok, err
}

// onlyNumbers tells whether a text has nothing but numbers in it, which are the same in every language.
func onlyNumbers(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789 .,:/-+%") == ""
}

// recall asks the memories of a rule for a segment, and, where none has the very text, the project's glossaries.
func recall(k *editor.Editor, r store.PretranslationRule, i int, terms *terms.Terms) (text string, ok bool, err error) {
	var best memory.Match
	for _, attached := range k.Project.Memories {
		if r.Memory != "" && r.Memory != attached.ID || !attached.Serves(k.Rendition.Code) {
			continue
		}
		m, err := store.OpenMemory(k.Tx, attached.ID)
		if err != nil {
			return "", false, err
		}
		if m == nil {
			continue
		}
		threshold := max(r.Threshold, attached.Threshold)
		found, err := memory.FindMatch(m, k.Segments[i].Text, k.Surroundings(i), k.Rendition.Code, threshold)
		if err != nil {
			return "", false, err
		}
		if found.Percent >= threshold && found.Percent > best.Percent && k.Parsed.Accepts(i, found.Text) == nil {
			best = found
		}
	}
	if term, known := terms.Whole(k.Segments[i].Text); known && best.Percent < 100 && r.Memory == "" &&
		k.Parsed.Accepts(i, term) == nil {
		return term, true, nil
	}
	return best.Text, best.Percent > 0, nil
}
