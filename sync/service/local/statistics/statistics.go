package statistics

import (
	"context"
	"net/http"
	"slices"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/editor"
	"github.com/locsync/locsync/sync/service/local/memory"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// bands are the rows of statistics in their order, with the share of a word that a translator is paid for it here.
// The service interface shows neither the shares nor how they are set.
var bands = []struct {
	name  wire.StatisticsName
	share float64
}{
	{wire.StatisticsPerfect, 0}, {wire.StatisticsContext102, 0}, {wire.StatisticsContext101, 0},
	{wire.StatisticsMatch100, 0},
	{wire.StatisticsRepetitions, 0}, {wire.StatisticsCrossFileRepeated, 0},
	{wire.StatisticsMatch95, 0.3}, {wire.StatisticsMatch85, 0.5}, {wire.StatisticsMatch75, 0.7}, {wire.StatisticsMatch50,
		1},
	{wire.StatisticsNewWords, 1},
}

// fuzzyBands are the rows that onlyExactMatches empties into new words.
var fuzzyBands = []wire.StatisticsName{wire.StatisticsMatch95, wire.StatisticsMatch85, wire.StatisticsMatch75,
	wire.StatisticsMatch50}

// bandOf is the row of a match.
func bandOf(percent int) wire.StatisticsName {
	switch {
	case percent >= 102:
		return wire.StatisticsContext102
	case percent == 101:
		return wire.StatisticsContext101
	case percent == 100:
		return wire.StatisticsMatch100
	case percent >= 95:
		return wire.StatisticsMatch95
	case percent >= 85:
		return wire.StatisticsMatch85
	case percent >= 75:
		return wire.StatisticsMatch75
	case percent >= 50:
		return wire.StatisticsMatch50
	}
	return wire.StatisticsNewWords
}

// wordsPerPage is what one page of a text is taken for.
const wordsPerPage = 250

// statisticsRows are the statistics of some documents as the interface shows them: every row, and the total last.
func statisticsRows(documents []store.DocumentSnapshot, onlyExact bool) []wire.StatisticsRow {
	sums := map[wire.StatisticsName]*store.SampledCount{}
	total := &store.SampledCount{}
	for _, d := range documents {
		for name, n := range d.Counts {
			if onlyExact && slices.Contains(fuzzyBands, name) {
				name = wire.StatisticsNewWords
			}
			if sums[name] == nil {
				sums[name] = &store.SampledCount{}
			}
			sums[name].Add(n)
			total.Add(n)
		}
	}
	out := make([]wire.StatisticsRow, 0, len(bands)+1)
	paid := 0.0
	for _, b := range bands {
		n := sums[b.name]
		if n == nil {
			n = &store.SampledCount{}
		}
		out = append(out, statisticsRow(n, b.name, total, b.share*float64(n.Words)))
		paid += b.share * float64(n.Words)
	}
	return append(out, statisticsRow(total, wire.StatisticsTotal, total, paid))
}

func statisticsRow(n *store.SampledCount, name wire.StatisticsName, total *store.SampledCount,
	paid float64) wire.StatisticsRow {
	row := wire.StatisticsRow{
		Name: name, Words: float64(n.Words), Segments: float64(n.Segments), CharsWithSpaces: float64(n.CharsWithSpaces),
		CharsWithoutSpaces: float64(n.CharsWithoutSpace),
		Pages:              rounded(float64(n.Words) / wordsPerPage), EffectiveWordsForBilling: rounded(paid),
	}
	if total.Words > 0 {
		row.Percent = rounded(float64(n.Words) * 100 / float64(total.Words))
	}
	return row
}

func rounded(f float64) float64 { return float64(int64(f*100+0.5)) / 100 }

var errBuilding = api.Refuse(http.StatusAccepted, "the statistics are being built; ask again")

// statisticsOf returns a project's statistics; errBuilding while they are not there, having begun to build them.
func (s *Service) statisticsOf(projectID string) (have *store.Snapshot, err error) {
	err = s.store.View(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, projectID)
		if err != nil {
			return err
		}
		if err := p.ForDocuments(); err != nil {
			return err
		}
		have, err = store.SnapshotOf(tx, p.ID)
		if err == nil && (have == nil || have.Job != "" || !have.Built || have.Revision != p.DocumentsRevision) {
			err = errBuilding
		}
		return err
	})
	if err == errBuilding {
		if err := s.buildStatistics(projectID); err != nil {
			return nil, err
		}
	}
	return have, err
}

// buildStatistics queues the building of a project's statistics, unless it is queued already.
func (s *Service) buildStatistics(projectID string) error {
	return s.store.Update(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, projectID)
		if err != nil {
			return err
		}
		have, err := store.SnapshotOf(tx, p.ID)
		if err != nil {
			return err
		}
		if have == nil {
			have = &store.Snapshot{}
		}
		if j, err := store.JobIn(tx, have.Job); err != nil || j != nil && !j.Status.Ended() {
			return err
		}
		j := &store.Job{Project: p.ID, Work: store.Work{Statistics: &store.StatisticsJob{}}}
		if err := s.jobs.StartIn(tx, j, nil); err != nil {
			return err
		}
		have.Job = j.ID
		return store.PutSnapshot(tx, p.ID, have)
	})
}

// runStatistics counts, and stores what it counted with the end of the job.
func (s *Service) runStatistics(_ context.Context, j *store.Job) error {
	built := &store.Snapshot{Built: true}
	err := s.store.View(func(tx *store.Tx) error {
		p, err := store.ProjectIn(tx, j.Project)
		if err != nil {
			return err
		}
		built.Revision = p.DocumentsRevision
		documents, err := store.DocumentsOf(tx, p.ID)
		if err != nil {
			return err
		}
		for _, code := range p.Targets {
			count := newCounting(p)
			for _, d := range documents {
				if d.Rendition(code) == nil {
					continue
				}
				k, err := editor.Open(tx, d, code)
				if err != nil {
					return err
				}
				one, err := count.document(k)
				if err != nil {
					return err
				}
				built.Documents = append(built.Documents, one)
			}
		}
		return nil
	})
	if err != nil {
		return err
	}
	return s.store.Update(func(tx *store.Tx) error {
		if err := store.PutSnapshot(tx, j.Project, built); err != nil {
			return err
		}
		return store.Finish(tx, j, wire.Completed)
	})
}

// counting goes through the documents of a project in one language, in their order.
type counting struct {
	p      *store.Project
	seen   map[string]string // digest of a text -> the document that had it first
	before *memory.Earlier   // nil: texts of the project itself do not count as matches
}

func newCounting(p *store.Project) *counting {
	c := &counting{p: p, seen: map[string]string{}}
	if p.FuzzyRepetitions {
		c.before = &memory.Earlier{Stems: map[uint32][]int{}}
	}
	return c
}

func (c *counting) document(k *editor.Editor) (store.DocumentSnapshot, error) {
	out := store.DocumentSnapshot{ID: k.Document.CompositeID(k.Rendition.Code), Name: k.Document.Name(),
		Language: k.Rendition.Code, Counts: map[wire.StatisticsName]store.SampledCount{}}
	for i := range k.Segments {
		band, err := c.band(k, i)
		if err != nil {
			return out, err
		}
		n := out.Counts[band]
		n.Add(store.SampledCount{Segments: 1, Count: k.Segments[i].Size()})
		out.Counts[band] = n
	}
	return out, nil
}

// band decides the row of a segment, in this order: it came confirmed from the version before; a memory has the very
// text; the project had it earlier; a memory, or the project, has one much like it; it is new.
func (c *counting) band(k *editor.Editor, i int) (wire.StatisticsName, error) {
	text := k.Segments[i].Text
	t, err := k.Target(i)
	if err != nil {
		return "", err
	}
	if t != nil && t.Origin == store.FromUpdate && t.Stage == len(k.Project.Stages) {
		c.note(k, text)
		return wire.StatisticsPerfect, nil
	}
	best, err := bestMatch(k, i)
	if err != nil {
		return "", err
	}
	if best >= 100 {
		c.note(k, text)
		return bandOf(best), nil
	}
	if in, again := c.seen[store.Digest(text)]; again {
		if in == k.Document.ID {
			return wire.StatisticsRepetitions, nil
		}
		return wire.StatisticsCrossFileRepeated, nil
	}
	if c.before != nil {
		best = max(best, c.before.Best(text))
	}
	c.note(k, text)
	return bandOf(best), nil
}

// note remembers that the project has had a text.
func (c *counting) note(k *editor.Editor, text string) {
	if _, again := c.seen[store.Digest(text)]; again {
		return
	}
	c.seen[store.Digest(text)] = k.Document.ID
	if c.before != nil {
		c.before.Add(text)
	}
}

// bestMatch is the percentage of the best match that the project's memories have for a segment.
func bestMatch(k *editor.Editor, i int) (int, error) {
	best := 0
	for _, a := range k.Project.Memories {
		if !a.Serves(k.Rendition.Code) {
			continue
		}
		m, err := store.OpenMemory(k.Tx, a.ID)
		if err != nil {
			return 0, err
		}
		if m == nil {
			continue
		}
		found, err := memory.FindMatch(m, k.Segments[i].Text, k.Surroundings(i), k.Rendition.Code, a.Threshold)
		if err != nil {
			return 0, err
		}
		if found.Percent >= a.Threshold {
			best = max(best, found.Percent)
		}
	}
	return best, nil
}
