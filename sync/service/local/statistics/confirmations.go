package statistics

import (
	"cmp"
	"maps"
	"math"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/segment"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// confirmed is what confirmations are counted by.
type confirmed struct {
	day, language, document, user string
	stage                         int
	pretranslated                 bool
}

// confirmations are those of one project that were asked for.
type confirmations struct {
	tx                       *store.Tx
	project                  *store.Project
	from, to                 int64
	language, document, user string
	words                    map[confirmed]*wire.ConfirmedWords
}

// answerConfirmations answers GET /v2/segment-confirmation-statistics/{projectId}, from the translations of keys and
// their past, and from those of documents, whose history knows no persons.
func (s *Service) answerConfirmations(c *api.Call) error {
	q := confirmations{to: math.MaxInt64, words: make(map[confirmed]*wire.ConfirmedWords)}
	for _, p := range []struct {
		name  string
		value *string
	}{{wire.QueryTargetLanguage, &q.language}, {wire.QueryDocumentID, &q.document}, {wire.QueryUser, &q.user}} {
		value, _, err := c.Params.Word(p.name)
		if err != nil {
			return err
		}
		*p.value = value
	}
	var from, to time.Time
	var err error
	api.Into(&from, &err)(c.Params.Time(wire.QueryFrom))
	api.Into(&to, &err)(c.Params.Time(wire.QueryTo))
	if err != nil {
		return err
	}
	if !from.IsZero() {
		q.from = from.UnixNano()
	}
	if !to.IsZero() {
		q.to = to.UnixNano()
	}
	err = s.store.View(func(tx *store.Tx) (err error) {
		if q.project, err = store.ProjectIn(tx, c.PathValue(wire.ProjectID)); err != nil {
			return err
		}
		q.tx = tx
		if err := q.keys(); err != nil {
			return err
		}
		return q.documents()
	})
	if err != nil {
		return err
	}
	return c.Answer(http.StatusOK, q.rows())
}

// languages are the targets that were asked for.
func (q *confirmations) languages() []string {
	return slices.DeleteFunc(slices.Clone(q.project.Targets), func(code string) bool {
		return q.language != "" && !strings.EqualFold(code, q.language)
	})
}

// keys counts the translations of keys, those that others replaced included, and pseudo-translations that no
// translation replaced: they are this service's machine.
func (q *confirmations) keys() error {
	for _, name := range store.CollectionNames(q.tx, q.project.ID) {
		k, err := store.OpenCollection(q.tx, q.project.ID, name)
		if err != nil {
			return err
		}
		err = k.Each(nil, func(n []byte, r *store.Row) (bool, error) {
			for _, code := range q.languages() {
				if err := q.key(k, code, n, r); err != nil {
					return false, err
				}
			}
			return true, nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func (q *confirmations) key(k *store.Keyspace, code string, n []byte, r *store.Row) error {
	words := 0.0
	if len(r.Texts) > 0 {
		words = float64((&segment.Segment{Text: r.Texts[len(r.Texts)-1].Value}).Size().Words)
	}
	now, err := k.Translation(code, n)
	if err != nil {
		return err
	}
	if now == nil {
		if r.Pseudo {
			q.add(r.Changed, confirmed{language: code, stage: 1, pretranslated: true}).MT += words
		}
		return nil
	}
	past, err := k.Past(code, n)
	var after *store.Translation
	for _, t := range append([]*store.Translation{now}, past...) {
		again := after != nil && t.By == after.By // the same person went on with it
		if after = t; t.State == store.Draft || again {
			continue
		}
		by := confirmed{language: code, stage: 1}
		if q.project.Level(t.State) == store.Final {
			by.stage = len(q.project.Stages)
		}
		if t.By == "" {
			q.add(t.Changed, by).ExternalSource += words
			continue
		}
		by.user = store.PersonID(q.tx.Account(), t.By)
		q.add(t.Changed, by).ConfirmedWithoutAny += words
	}
	return err
}

// documents counts the translations of segments.
func (q *confirmations) documents() error {
	all, err := store.DocumentsOf(q.tx, q.project.ID)
	if err != nil {
		return err
	}
	for _, d := range all {
		for _, code := range q.languages() {
			r := d.Rendition(code)
			if r == nil {
				continue
			}
			e, err := editor.OpenRendition(q.tx, q.project, d, r)
			if err != nil {
				return err
			}
			targets, err := e.Targets()
			if err != nil {
				return err
			}
			for i, t := range targets {
				if t.Stage > 0 {
					q.segment(d.CompositeID(code), code, t, float64(e.Segments[i].Size().Words))
				}
			}
		}
	}
	return nil
}

func (q *confirmations) segment(document, code string, t *store.Target, words float64) {
	by := confirmed{language: code, document: document, stage: t.Stage}
	switch t.Origin {
	case store.FromMachine, store.FromPseudo:
		by.pretranslated = true
		q.add(t.Changed, by).MT += words
	case store.FromMemory:
		by.pretranslated = true
		to := q.add(t.Changed, by)
		if to.MemoryMatches == nil {
			to.MemoryMatches = make(map[string]float64)
		}
		to.MemoryMatches[string(wire.StatisticsMatch100)] += words
	default:
		q.add(t.Changed, by).ExternalSource += words
	}
}

// add gives the counts that a confirmation belongs to; those that were not asked for are counted for nothing.
func (q *confirmations) add(at int64, by confirmed) *wire.ConfirmedWords {
	document, _, _ := strings.Cut(by.document, "_")
	if at < q.from || at > q.to || q.user != "" && !strings.EqualFold(by.user, q.user) ||
		q.document != "" && q.document != by.document && q.document != document {
		return new(wire.ConfirmedWords)
	}
	by.day = time.Unix(0, at).UTC().Format(time.DateOnly) + "T00:00:00Z"
	if q.words[by] == nil {
		q.words[by] = new(wire.ConfirmedWords)
	}
	return q.words[by]
}

// rows are what was counted, by day and language.
func (q *confirmations) rows() []wire.Confirmation {
	out := make([]wire.Confirmation, 0, len(q.words))
	for _, by := range slices.SortedFunc(maps.Keys(q.words), func(a, b confirmed) int {
		return cmp.Or(cmp.Compare(a.day, b.day), cmp.Compare(a.language, b.language), cmp.Compare(a.document, b.document),
			cmp.Compare(a.user, b.user), cmp.Compare(a.stage, b.stage))
	}) {
		row := wire.Confirmation{AccountID: q.project.Account, ProjectID: q.project.ID, DocumentID: by.document,
			UserID: by.user, Date: by.day, Language: by.language, WordCounts: *q.words[by], ByPretranslation: by.pretranslated}
		if by.stage > 0 && by.stage <= len(q.project.Stages) {
			row.StageType = wire.StageType(q.project.Stages[by.stage-1].Type)
		}
		out = append(out, row)
	}
	return out
}
