package memory

import (
	"github.com/locsync/locsync/sync/service/local/store"
)

// Earlier finds texts that were much the same, among those that it was given.
type Earlier struct {
	texts []string
	Stems map[uint32][]int
}

func (e *Earlier) Add(text string) {
	stems, _ := store.StemsOf(text)
	for _, stem := range stems {
		e.Stems[stem] = append(e.Stems[stem], len(e.texts))
	}
	e.texts = append(e.texts, text)
}

// Best is the percentage of the text that is most like this one.
func (e *Earlier) Best(text string) int {
	stems, _ := store.StemsOf(text)
	hits := scores[int]{}
	for _, stem := range stems {
		postings := e.Stems[stem]
		hits.add(postings[max(0, len(postings)-postingsPerStem):])
	}
	best := 0
	for _, i := range hits.best() {
		best = max(best, similarity(text, e.texts[i], max(minMatch, best+1)))
	}
	return best
}
