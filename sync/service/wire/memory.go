package wire

import "encoding/json"

// Engine is a machine translation engine: one of a project that is set (PathEngines, GET and POST).
// ID has the shape "engine:<name>".
type Engine struct {
	ID        string   `json:"id"`
	Name      string   `json:"name,omitempty"`
	Languages []string `json:"languages"`
}

// AvailableEngine is an item of PathEnginesAvailable. The service interface spells its members with
// capitals, the published description without: writing has both, reading takes either.
type AvailableEngine Engine

// MarshalJSON writes every member in both spellings.
func (e AvailableEngine) MarshalJSON() ([]byte, error) {
	return json.Marshal(struct {
		UpperID        string   `json:"Id"`
		UpperName      string   `json:"Name"`
		UpperLanguages []string `json:"Languages"`
		Engine
	}{e.ID, e.Name, e.Languages, Engine(e)})
}

// Query parameters of translation memories.
const (
	QueryBatchSize         = "batchSize"       // of PathMemories; at most MaxMemoriesPerBatch, required
	QueryLastProcessedID   = "lastProcessedId" // of PathMemories: the last id of the batch before
	QuerySourceLanguage    = "sourceLanguage"
	QueryClientID          = "clientId"
	QuerySearchName        = "searchName" // a part of the name
	QueryReplaceAllContent = "replaceAllContent"
	QueryMemoryExportMode  = "exportMode"
	QueryWithTags          = "withTags"
	QueryExactSource       = "onlyExactSourceLanguageMatch"
	QueryExactTarget       = "onlyExactTargetLanguageMatch"
	QueryStartPretranslate = "startPretranslate" // of PathPretranslationRules, default true
)

// MaxMemoriesPerBatch is the largest QueryBatchSize.
const MaxMemoriesPerBatch = 100

// MinMatchThreshold and MaxMatchThreshold bound ProjectMemory.MatchThreshold.
const (
	MinMatchThreshold = 50
	MaxMatchThreshold = 100
)

// The values of QueryMemoryExportMode.
const (
	MemoryExportTMX = "tmxDefault"
)

// Memory is a translation memory of the account: an item of PathMemories.
type Memory struct {
	ID                     string             `json:"id"`
	AccountID              string             `json:"accountId,omitempty"`
	ClientID               string             `json:"clientId,omitempty"`
	Name                   string             `json:"name"`
	Description            string             `json:"description,omitempty"`
	SourceLanguage         string             `json:"sourceLanguage"`
	TargetLanguages        []string           `json:"targetLanguages"`
	CreatedDate            string             `json:"createdDate,omitempty"`
	IsAutomaticallyCreated bool               `json:"isAutomaticallyCreated"`
	UnitCountByLanguageID  map[string]float64 `json:"unitCountByLanguageId,omitempty"` // numeric language id -> units
}

// MemoryCreate is the body of POST PathMemories, which answers 201 and the id as a JSON string.
type MemoryCreate struct {
	Name            string   `json:"name"`
	SourceLanguage  string   `json:"sourceLanguage"`
	TargetLanguages []string `json:"targetLanguages"`
	Description     string   `json:"description,omitempty"`
	ClientID        string   `json:"clientId,omitempty"`
}

// ProjectMemory is a translation memory attached to a project: an item of PathProjectMemories. POST takes
// ID, MatchThreshold and IsWritable of each and replaces the whole list.
type ProjectMemory struct {
	ID               string  `json:"id"`
	MatchThreshold   float64 `json:"matchThreshold"`             // percent
	TargetLanguageID *int    `json:"targetLanguageId,omitempty"` // nil: all languages
	IsWritable       bool    `json:"isWritable"`                 // of at most one
}

// MemoriesOfLanguage is an item of POST PathProjectMemoriesByLanguage, an array (published description
// only).
type MemoriesOfLanguage struct {
	Language            string          `json:"language"`
	TranslationMemories []ProjectMemory `json:"translationMemories"`
	OnlyExactSource     *bool           `json:"onlyExactSourceLanguageMatch,omitempty"`
	OnlyExactTarget     *bool           `json:"onlyExactTargetLanguageMatch,omitempty"`
}

// PretranslationRule is an item of PathPretranslationRules, an array (published description only). Rules
// are followed by their Order, from 1.
type PretranslationRule struct {
	RuleType              RuleType `json:"ruleType"`
	Order                 int      `json:"order"`
	ConfirmAtWorkflowStep string   `json:"confirmAtWorkflowStep,omitempty"` // id of a stage; empty: not confirmed
	TranslationMemoryID   string   `json:"translationMemoryId,omitempty"`   // empty: any of the project
	MinThreshold          *int     `json:"minThreshold,omitempty"`          // percent
	MinSegmentWordsCount  *int     `json:"minSegmentWordsCount,omitempty"`

	MinTQSQualityThreshold *int     `json:"minTQSQualityThreshold,omitempty"` // of RuleQuality
	MinAssuranceLevel      string   `json:"minAssuranceLevel,omitempty"`      // of RuleMemory: how sure its units must be
	LQAProfileID           string   `json:"lqaProfileId,omitempty"`           // of RuleAssurance
	BlockingSeverityIDs    []string `json:"blockingSeverityIds,omitempty"`    // of RuleAssurance: errors that prevent it
}

// RuleType is what a PretranslationRule takes translations from.
type RuleType string

// The rules that are known, in the spelling of the published description; reading ignores case.
const (
	RuleMemory           RuleType = "tM"
	RuleMachine          RuleType = "mT"
	RuleNumberConversion RuleType = "numberConversion"
	RuleQuality          RuleType = "tQS" // confirms what a score of quality is good enough for
	RuleAssurance        RuleType = "lQA" // confirms what an assessment of quality finds no error in
)

// RuleTypes are all of them.
var RuleTypes = []RuleType{RuleMemory, RuleMachine, RuleNumberConversion, RuleQuality, RuleAssurance}

// UnmarshalJSON reads the word ignoring case.
func (r *RuleType) UnmarshalJSON(b []byte) error {
	return readWord(b, r, RuleTypes...)
}

// Placeholder is an item of PathPlaceholders, an array (published description only): what a translator must not change
// in any text of the account. PUT replaces the array.
type Placeholder struct {
	Regex string `json:"regex"`
}

// QueryPlaceholder is the expression that PathPlaceholderCheck looks at.
const QueryPlaceholder = "format"
