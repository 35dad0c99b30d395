package local

import (
	"context"
	"encoding/json"
	"net/http"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// pretranslationRule is a source of translations that a document's empty segments are filled from. Rules are followed in their order; the first that has something
// fills a segment.
type pretranslationRule struct {
	Type      wire.RuleType `json:"type"`
	Order     int           `json:"order"`
	Stage     string        `json:"stage,omitempty"`  // identifier of the stage that it is confirmed at; empty: it is not
	Memory    string        `json:"memory,omitempty"` // empty: any of the project
	Threshold int           `json:"threshold,omitempty"`
	MinWords  int           `json:"minWords,omitempty"`
}

// pretranslationJob fills the segments of documents that have no translation.
type pretranslationJob struct {
	Documents []string `json:"documents"`
}

// getPretranslationRules answers GET /v1/project/{projectId}/pretranslation-rules.
func (s *documentsService) getPretranslationRules(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	out := []wire.PretranslationRule{}
	for _, r := range p.Rules {
		w := wire.PretranslationRule{RuleType: r.Type, Order: r.Order, ConfirmAtWorkflowStep: r.Stage, TranslationMemoryID: r.Memory}
		if r.Threshold > 0 {
			w.MinThreshold = &r.Threshold
		}
		if r.MinWords > 0 {
			w.MinSegmentWordsCount = &r.MinWords
		}
		out = append(out, w)
	}
	return c.json(http.StatusOK, out)
}

// setPretranslationRules answers POST and PUT /v1/project/{projectId}/pretranslation-rules: the array replaces the rules that were set, and,
// unless startPretranslate is false, they are followed at once.
func (s *documentsService) setPretranslationRules(c *call) error {
	p, err := s.store.documentProject(c.pathValue(wire.ProjectID))
	if err != nil {
		return err
	}
	list, err := readList(c)
	if err != nil {
		return err
	}
	begin := true
	if _, given := c.params.values(wire.QueryStartPretranslate); given {
		if begin, err = c.params.flag(wire.QueryStartPretranslate); err != nil {
			return err
		}
	}
	var rules []pretranslationRule
	for _, raw := range list {
		r, err := readRule(raw, p)
		if err != nil {
			return err
		}
		rules = append(rules, r)
	}
	slices.SortStableFunc(rules, func(a, b pretranslationRule) int { return a.Order - b.Order })
	err = s.store.change(p.ID, func(tx *Tx, p *project) error {
		for _, r := range rules {
			if r.Memory == "" {
				continue
			}
			if _, err := memoryIn(tx, "translationMemoryId", r.Memory); err != nil {
				return err
			}
		}
		p.Rules = rules
		if !begin {
			return nil
		}
		all, err := documentsOf(tx, p.ID)
		if err != nil {
			return err
		}
		return s.pretranslateIn(tx, p, all)
	})
	if err != nil {
		return err
	}
	return c.empty(http.StatusNoContent)
}

func readRule(raw json.RawMessage, p *project) (pretranslationRule, error) {
	b, err := readMembers("body", raw)
	if err != nil {
		return pretranslationRule{}, err
	}
	word := member[string](b, "ruleType")
	r := pretranslationRule{
		Order:     member[int](b, "order"),
		Stage:     member[string](b, "confirmAtWorkflowStep"),
		Memory:    member[string](b, "translationMemoryId"),
		Threshold: member[int](b, "minThreshold"),
		MinWords:  member[int](b, "minSegmentWordsCount"),
	}
	if b.err != nil {
		return r, b.err
	}
	known := []wire.RuleType{wire.RuleMemory, wire.RuleMachine, wire.RuleNumberConversion}
	i := slices.IndexFunc(known, func(t wire.RuleType) bool { return strings.EqualFold(string(t), word) })
	switch {
	case i < 0:
		return r, invalid("ruleType", "%q is none of %s, %s, %s", word, known[0], known[1], known[2])
	case r.Order < 1:
		return r, invalid("order", "%d is not a number of 1 or more", r.Order)
	case r.Stage != "" && p.stageNumber(r.Stage) == 0:
		return r, invalid("confirmAtWorkflowStep", "the project has no stage %s", r.Stage)
	case r.Threshold != 0 && (r.Threshold < wire.MinMatchThreshold || r.Threshold > 102):
		return r, invalid("minThreshold", "%d is not from %d to 102", r.Threshold, wire.MinMatchThreshold)
	case r.MinWords < 0:
		return r, invalid("minSegmentWordsCount", "%d is below 0", r.MinWords)
	}
	r.Type = known[i]
	return r, nil
}

// stageNumber is the place of a stage, from 1; 0 when the project does not have it.
func (p *project) stageNumber(id string) int {
	return slices.IndexFunc(p.Stages, func(st stage) bool { return st.ID == id }) + 1
}

// rules are the project's, and, where pseudo-translation is on, the one that translates what is left.
func (s *documentsService) rules(p *project) []pretranslationRule {
	rules := slices.Clone(p.Rules)
	if s.pseudo {
		rules = append(rules, pretranslationRule{Type: pseudoRule})
	}
	return rules
}

// pseudoRule is the machine without an engine that the project was given; it confirms at the last stage, so that a default export has it.
const pseudoRule wire.RuleType = "pseudo"

// pretranslateIn queues the pretranslation of documents, if there is anything to do, in a transaction.
func (s *documentsService) pretranslateIn(tx *Tx, p *project, documents []*document) error {
	if len(s.rules(p)) == 0 || len(documents) == 0 {
		return nil
	}
	j := &job{Project: p.ID, work: work{Pretranslation: &pretranslationJob{}}}
	for _, d := range documents {
		j.Pretranslation.Documents = append(j.Pretranslation.Documents, d.ID)
	}
	if err := s.jobs.startIn(tx, j, nil); err != nil {
		return err
	}
	for _, d := range documents {
		for _, r := range d.Languages {
			r.Pretranslation = j.ID
		}
		if err := putDocument(tx, d); err != nil {
			return err
		}
	}
	return nil
}

// proposal is a translation that a rule has for a segment.
type proposal struct {
	segment int
	target
}

// runPretranslation fills documents one after the other: what takes time is done while others can write, and what came meanwhile stays.
func (s *documentsService) runPretranslation(_ context.Context, j *job) error {
	for _, id := range j.Pretranslation.Documents {
		proposals := map[string][]proposal{}
		err := s.store.view(func(tx *Tx) error {
			d, found, err := findDocument(tx, id)
			if err != nil || !found {
				return err
			}
			for _, r := range d.Languages {
				k, err := openEditor(tx, d, r.Code)
				if err != nil {
					return err
				}
				if proposals[r.Code], err = propose(k, s.rules(k.project)); err != nil {
					return err
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		err = s.store.update(func(tx *Tx) error {
			d, found, err := findDocument(tx, id)
			if err != nil || !found {
				return err
			}
			for _, r := range slices.Clone(d.Languages) {
				if r.Pretranslation == j.ID {
					r.Pretranslation = ""
				}
				k, err := openEditor(tx, d, r.Code)
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
	return s.store.update(func(tx *Tx) error { return finish(tx, j, wire.Completed) })
}

// dropPretranslation says that a job is no longer at its documents, which is for one that failed.
func dropPretranslation(tx *Tx, j *job) error {
	for _, id := range j.Pretranslation.Documents {
		d, found, err := findDocument(tx, id)
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
		if err := putDocument(tx, d); err != nil {
			return err
		}
	}
	return nil
}

// fill stores proposals where there is still no translation.
func fillIn(k *editor, proposals []proposal) error {
	for _, p := range proposals {
		if p.segment >= len(k.segments) || digest(k.segments[p.segment].Text) != p.Source {
			continue
		}
		was, err := k.target(p.segment)
		if err != nil {
			return err
		}
		if was != nil {
			continue
		}
		if err := k.put(p.segment, p.target); err != nil {
			return err
		}
	}
	return k.close()
}

// propose follows the rules for every segment without a translation.
func propose(k *editor, rules []pretranslationRule) ([]proposal, error) {
	var out []proposal
	for i := range k.segments {
		was, err := k.target(i)
		if err != nil {
			return nil, err
		}
		if was != nil {
			continue
		}
		for _, r := range rules {
			t, ok, err := followRule(k, r, i)
			if err != nil {
				return nil, err
			}
			if ok {
				t.Source = digest(k.segments[i].Text)
				out = append(out, proposal{i, t})
				break
			}
		}
	}
	return out, nil
}

// follow asks one rule for a translation of a segment.
func followRule(k *editor, r pretranslationRule, i int) (t target, ok bool, err error) {
	if k.segments[i].Size().Words < r.MinWords {
		return t, false, nil
	}
	t.Stage = k.project.stageNumber(r.Stage)
	switch r.Type {
	case wire.RuleMemory:
		t.Origin = fromMemory
		t.Text, ok, err = recall(k, r, i)
	case wire.RuleMachine:
		if k.project.translates(k.rendition.Code) {
			t.Origin = fromMachine
			t.Text, ok = machineTranslation(k.parsed, i, k.rendition.Code)
		}
	case pseudoRule:
		t.Origin, t.Stage = fromPseudo, len(k.project.Stages)
		t.Text, ok = machineTranslation(k.parsed, i, k.rendition.Code)
	case wire.RuleNumberConversion:
		t.Origin = fromMachine
		t.Text, ok = k.segments[i].Text, onlyNumbers(k.segments[i].Text)
	}
	return t, ok, err
}

// onlyNumbers tells whether a text has nothing but numbers in it, which are the same in every language.
func onlyNumbers(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789 .,:/-+%") == ""
}

// recall asks the memories of a rule for a segment.
func recall(k *editor, r pretranslationRule, i int) (text string, ok bool, err error) {
	var best match
	for _, attached := range k.project.Memories {
		if r.Memory != "" && r.Memory != attached.ID || !attached.serves(k.rendition.Code) {
			continue
		}
		m, err := openMemory(k.tx, attached.ID)
		if err != nil {
			return "", false, err
		}
		if m == nil {
			continue
		}
		threshold := max(r.Threshold, attached.Threshold)
		found, err := findMatch(m, k.segments[i].Text, k.surroundings(i), k.rendition.Code, threshold)
		if err != nil {
			return "", false, err
		}
		if found.percent >= threshold && found.percent > best.percent && k.parsed.Accepts(i, found.text) == nil {
			best = found
		}
	}
	return best.text, best.percent > 0, nil
}
