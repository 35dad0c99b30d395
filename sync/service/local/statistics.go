package local

import (
	"context"
	"net/http"
	"slices"

	"github.com/locsync/locsync/sync/service/wire"
)

// bands are the rows of statistics in their order, with the share of a word that a translator is paid for it here. The service interface shows neither the
// shares nor how they are set.
var bands = []struct {
	name  wire.StatisticsName
	share float64
}{
	{wire.StatisticsPerfect, 0}, {wire.StatisticsContext102, 0}, {wire.StatisticsContext101, 0}, {wire.StatisticsMatch100, 0},
	{wire.StatisticsRepetitions, 0}, {wire.StatisticsCrossFileRepeated, 0},
	{wire.StatisticsMatch95, 0.3}, {wire.StatisticsMatch85, 0.5}, {wire.StatisticsMatch75, 0.7}, {wire.StatisticsMatch50, 1},
	{wire.StatisticsNewWords, 1},
}

// fuzzyBands are the rows that onlyExactMatches empties into new words.
var fuzzyBands = []wire.StatisticsName{wire.StatisticsMatch95, wire.StatisticsMatch85, wire.StatisticsMatch75, wire.StatisticsMatch50}

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
func statisticsRows(documents []documentSnapshot, onlyExact bool) []wire.StatisticsRow {
	sums := map[wire.StatisticsName]*sampledCount{}
	total := &sampledCount{}
	for _, d := range documents {
		for name, n := range d.Counts {
			if onlyExact && slices.Contains(fuzzyBands, name) {
				name = wire.StatisticsNewWords
			}
			if sums[name] == nil {
				sums[name] = &sampledCount{}
			}
			sums[name].add(n)
			total.add(n)
		}
	}
	out := make([]wire.StatisticsRow, 0, len(bands)+1)
	paid := 0.0
	for _, b := range bands {
		n := sums[b.name]
		if n == nil {
			n = &sampledCount{}
		}
		out = append(out, statisticsRow(n, b.name, total, b.share*float64(n.Words)))
		paid += b.share * float64(n.Words)
	}
	return append(out, statisticsRow(total, wire.StatisticsTotal, total, paid))
}

func statisticsRow(n *sampledCount, name wire.StatisticsName, total *sampledCount, paid float64) wire.StatisticsRow {
	row := wire.StatisticsRow{
		Name: name, Words: float64(n.Words), Segments: float64(n.Segments), CharsWithSpaces: float64(n.CharsWithSpaces), CharsWithoutSpaces: float64(n.CharsWithoutSpace),
		Pages: rounded(float64(n.Words) / wordsPerPage), EffectiveWordsForBilling: rounded(paid),
	}
	if total.Words > 0 {
		row.Percent = rounded(float64(n.Words) * 100 / float64(total.Words))
	}
	return row
}

func rounded(f float64) float64 { return float64(int64(f*100+0.5)) / 100 }

var errBuilding = refuse(http.StatusAccepted, "the statistics are being built; ask again")

// statisticsOf returns a project's statistics; errBuilding while they are not there, having begun to build them.
func (s *statisticsService) statisticsOf(projectID string) (have *snapshot, err error) {
	err = s.store.view(func(tx *Tx) error {
		p, err := projectIn(tx, projectID)
		if err != nil {
			return err
		}
		if err := p.forDocuments(); err != nil {
			return err
		}
		have, err = snapshotOf(tx, p.ID)
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
func (s *statisticsService) buildStatistics(projectID string) error {
	return s.store.update(func(tx *Tx) error {
		p, err := projectIn(tx, projectID)
		if err != nil {
			return err
		}
		have, err := snapshotOf(tx, p.ID)
		if err != nil {
			return err
		}
		if have == nil {
			have = &snapshot{}
		}
		if j, err := jobIn(tx, have.Job); err != nil || j != nil && !j.Status.Ended() {
			return err
		}
		j := &job{Project: p.ID, work: work{Statistics: &statisticsJob{}}}
		if err := s.jobs.startIn(tx, j, nil); err != nil {
			return err
		}
		have.Job = j.ID
		return putSnapshot(tx, p.ID, have)
	})
}

// runStatistics counts, and stores what it counted with the end of the job.
func (s *statisticsService) runStatistics(_ context.Context, j *job) error {
	built := &snapshot{Built: true}
	err := s.store.view(func(tx *Tx) error {
		p, err := projectIn(tx, j.Project)
		if err != nil {
			return err
		}
		built.Revision = p.DocumentsRevision
		documents, err := documentsOf(tx, p.ID)
		if err != nil {
			return err
		}
		for _, code := range p.Targets {
			count := newCounting(p)
			for _, d := range documents {
				if d.rendition(code) == nil {
					continue
				}
				k, err := openEditor(tx, d, code)
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
	return s.store.update(func(tx *Tx) error {
		if err := putSnapshot(tx, j.Project, built); err != nil {
			return err
		}
		return finish(tx, j, wire.Completed)
	})
}

// counting goes through the documents of a project in one language, in their order.
type counting struct {
	p      *project
	seen   map[string]string // digest of a text -> the document that had it first
	before *earlier          // nil: texts of the project itself are no matches
}

func newCounting(p *project) *counting {
	c := &counting{p: p, seen: map[string]string{}}
	if p.FuzzyRepetitions {
		c.before = &earlier{stems: map[uint32][]int{}}
	}
	return c
}

func (c *counting) document(k *editor) (documentSnapshot, error) {
	out := documentSnapshot{ID: k.document.compositeID(k.rendition.Code), Name: k.document.name(), Language: k.rendition.Code, Counts: map[wire.StatisticsName]sampledCount{}}
	for i := range k.segments {
		band, err := c.band(k, i)
		if err != nil {
			return out, err
		}
		n := out.Counts[band]
		n.add(sampledCount{Segments: 1, Count: k.segments[i].Size()})
		out.Counts[band] = n
	}
	return out, nil
}

// band decides the row of a segment, in this order: it came confirmed from the version before; a memory has the very text; the project had it
// earlier; a memory, or the project, has one much like it; it is new.
func (c *counting) band(k *editor, i int) (wire.StatisticsName, error) {
	text := k.segments[i].Text
	t, err := k.target(i)
	if err != nil {
		return "", err
	}
	if t != nil && t.Origin == fromUpdate && t.Stage == len(k.project.Stages) {
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
	if in, again := c.seen[digest(text)]; again {
		if in == k.document.ID {
			return wire.StatisticsRepetitions, nil
		}
		return wire.StatisticsCrossFileRepeated, nil
	}
	if c.before != nil {
		best = max(best, c.before.best(text))
	}
	c.note(k, text)
	return bandOf(best), nil
}

// note remembers that the project has had a text.
func (c *counting) note(k *editor, text string) {
	if _, again := c.seen[digest(text)]; again {
		return
	}
	c.seen[digest(text)] = k.document.ID
	if c.before != nil {
		c.before.add(text)
	}
}

// bestMatch is the percentage of the best match that the project's memories have for a segment.
func bestMatch(k *editor, i int) (int, error) {
	best := 0
	for _, a := range k.project.Memories {
		if !a.serves(k.rendition.Code) {
			continue
		}
		m, err := openMemory(k.tx, a.ID)
		if err != nil {
			return 0, err
		}
		if m == nil {
			continue
		}
		found, err := findMatch(m, k.segments[i].Text, k.surroundings(i), k.rendition.Code, a.Threshold)
		if err != nil {
			return 0, err
		}
		if found.percent >= a.Threshold {
			best = max(best, found.percent)
		}
	}
	return best, nil
}

// earlier finds texts that were much the same, among those that it was given.
type earlier struct {
	texts []string
	stems map[uint32][]int
}

func (e *earlier) add(text string) {
	stems, _ := stemsOf(text)
	for _, stem := range stems {
		e.stems[stem] = append(e.stems[stem], len(e.texts))
	}
	e.texts = append(e.texts, text)
}

// best is the percentage of the text that is most like this one.
func (e *earlier) best(text string) int {
	stems, _ := stemsOf(text)
	hits := scores[int]{}
	for _, stem := range stems {
		postings := e.stems[stem]
		hits.add(postings[max(0, len(postings)-postingsPerStem):])
	}
	best := 0
	for _, i := range hits.best() {
		best = max(best, similarity(text, e.texts[i], max(minMatch, best+1)))
	}
	return best
}
