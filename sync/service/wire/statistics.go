package wire

import (
	"encoding/json"
	"maps"
	"slices"
)

// Query parameters of statistics.
const (
	QueryOnlyExactMatches = "onlyExactMatches" // default false
	QueryWithFuzzyMatches = "withFuzzyMatches" // of PathFuzzyRepetitions, which has no body
)

// StatisticsRow is one row of any statistics. Numbers may have fractions.
type StatisticsRow struct {
	Name                     StatisticsName `json:"name"`
	Words                    float64        `json:"words"`
	Percent                  float64        `json:"percent"`
	Segments                 float64        `json:"segments"`
	Pages                    float64        `json:"pages"`
	CharsWithoutSpaces       float64        `json:"charsWithoutSpaces"`
	CharsWithSpaces          float64        `json:"charsWithSpaces"`
	EffectiveWordsForBilling float64        `json:"effectiveWordsForBilling"`
}

// StatisticsName says what a StatisticsRow counts.
type StatisticsName string

// The rows that are known: bands of matches in the translation memories by percent, and what else is
// counted.
const (
	StatisticsPerfect           StatisticsName = "perfect"
	StatisticsCrossFileRepeated StatisticsName = "crossFileRepeated"
	StatisticsTotal             StatisticsName = "total"
	StatisticsRepetitions       StatisticsName = "repetitions"
	StatisticsNewWords          StatisticsName = "newWords"
	StatisticsMatch50           StatisticsName = "match_50_74"
	StatisticsMatch75           StatisticsName = "match_75_84"
	StatisticsMatch85           StatisticsName = "match_85_94"
	StatisticsMatch95           StatisticsName = "match_95_99"
	StatisticsMatch100          StatisticsName = "match_100"
	StatisticsContext101        StatisticsName = "contextMatch_101"
	StatisticsContext102        StatisticsName = "contextMatch_102"
)

// UnmarshalJSON reads the word ignoring case.
func (n *StatisticsName) UnmarshalJSON(b []byte) error {
	return readWord(b, n, StatisticsPerfect, StatisticsCrossFileRepeated, StatisticsTotal, StatisticsRepetitions,
		StatisticsNewWords, StatisticsMatch50, StatisticsMatch75, StatisticsMatch85, StatisticsMatch95, StatisticsMatch100,
		StatisticsContext101, StatisticsContext102)
}

// DocumentStatistics is the answer of PathDocumentStatistics, and one document of LanguageStatistics.
type DocumentStatistics struct {
	Name       string          `json:"name"`
	Statistics []StatisticsRow `json:"statistics"`
}

// LanguageStatistics are the statistics of one target language of a project. Documents are in
// PathProjectStatisticsV2 only.
type LanguageStatistics struct {
	Language   string               `json:"language,omitempty"`
	Statistics []StatisticsRow      `json:"statistics"`
	Documents  []DocumentStatistics `json:"documents,omitempty"`
}

// ProjectStatistics is the answer of PathProjectStatisticsV2, an array. Reading also takes that of
// PathProjectStatistics, an object by language.
type ProjectStatistics []LanguageStatistics

// ProjectStatisticsV1 is the answer of PathProjectStatistics: target language -> its rows.
type ProjectStatisticsV1 map[string]LanguageStatistics

// UnmarshalJSON reads the array, or the object, whose languages it orders. Members of the object that are not
// statistics are passed over.
func (s *ProjectStatistics) UnmarshalJSON(b []byte) error {
	if first(b) != '{' {
		return json.Unmarshal(b, (*[]LanguageStatistics)(s))
	}
	var members map[string]json.RawMessage
	if err := json.Unmarshal(b, &members); err != nil {
		return err
	}
	*s = ProjectStatistics{}
	for _, code := range slices.Sorted(maps.Keys(members)) {
		language := LanguageStatistics{}
		if json.Unmarshal(members[code], &language) == nil && language.Statistics != nil {
			language.Language = code
			*s = append(*s, language)
		}
	}
	return nil
}

// CompletedWork is one item of PathCompletedWorkStatistics, an array: what an executive did on one
// stage in one language.
type CompletedWork struct {
	Executive      CompletedWorkExecutive `json:"executive"`
	StageType      StageType              `json:"stageType"`
	StageNumber    int                    `json:"stageNumber"`
	TargetLanguage string                 `json:"targetLanguage"`
	Total          []StatisticsRow        `json:"total"`
	Documents      []DocumentStatistics   `json:"documents"`
}

// CompletedWorkExecutive is who did it.
type CompletedWorkExecutive struct {
	ID           string `json:"id"`
	SupplierType string `json:"supplierType,omitempty"` // freelancer or company
}
