package wire

import "encoding/json"

// Balance is the answer of PathBalance: the words that the account has left for machine translation.
type Balance struct {
	Balance float64 `json:"balance"`
}

// Query parameters of PathConfirmations, all optional; times are ISO 8601, and both ends belong to the period.
const (
	QueryFrom = "from"
	QueryTo   = "to"
	QueryUser = "userId"
)

// Confirmation is an item of PathConfirmations: the words of one language that a person, or the service by itself,
// confirmed on a day at a stage.
type Confirmation struct {
	AccountID  string         `json:"accountId,omitempty"`
	ProjectID  string         `json:"projectId,omitempty"`
	DocumentID string         `json:"documentId,omitempty"`
	UserID     string         `json:"userId,omitempty"` // absent: no person of the account
	Date       string         `json:"date"`
	Language   string         `json:"language"`
	StageType  StageType      `json:"stageType,omitempty"`
	WordCounts ConfirmedWords `json:"wordcounts"`
	// ByPretranslation: no person looked at them.
	ByPretranslation bool `json:"isConfirmedByPretranslate"`
}

// ConfirmedWords are words by where their translation came from.
type ConfirmedWords struct {
	Repetitions              float64            `json:"repetitions"`
	CrossDocumentRepetitions float64            `json:"crossDocumentRepetitions"`
	MT                       float64            `json:"mt"`
	ExternalSource           float64            `json:"externalSource"`
	ConfirmedWithoutAny      float64            `json:"confirmedWithoutAnySource"`
	MemoryMatches            map[string]float64 `json:"tmMatches"` // by kind of match
}

// Total is all of them.
func (w ConfirmedWords) Total() float64 {
	all := w.Repetitions + w.CrossDocumentRepetitions + w.MT + w.ExternalSource + w.ConfirmedWithoutAny
	for _, n := range w.MemoryMatches {
		all += n
	}
	return all
}

// Query parameters of PathAudit, all optional: a period, and a page of it.
const (
	QueryStartTime  = "startTime" // ISO 8601
	QueryEndTime    = "endTime"
	QueryPageNumber = "pageNumber" // from 1
	QueryPageSize   = "pageSize"
)

// MaxAuditPerPage is the largest QueryPageSize.
const MaxAuditPerPage = 5000

// AuditEntry is an item of PathAudit: who did what in the account.
type AuditEntry struct {
	Time         string          `json:"time"`
	Type         string          `json:"type"`
	UserID       string          `json:"userId,omitempty"`
	UserEmail    string          `json:"userEmail,omitempty"`
	UserNickName string          `json:"userNickName,omitempty"`
	Payload      json.RawMessage `json:"payload,omitempty"` // an object; its members follow from Type
}
