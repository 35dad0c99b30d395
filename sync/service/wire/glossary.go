package wire

// Query parameters of glossaries.
const (
	QueryGlossaryID        = "glossaryId"
	QueryClearBeforeImport = "clearBeforeImport" // default false
	QueryFallbackToAccount = "fallbackToAccount" // of PathProjectGlossaryDefault, default false
)

// MaxGlossaryImport is how large the file of PathGlossaryImport may be: 10 MB.
const MaxGlossaryImport = 10 << 20

// Glossary is an item of PathGlossaries and PathProjectGlossaries. PUT PathProjectGlossaries takes an array
// of their identifiers, and replaces what was attached.
type Glossary struct {
	ID           string   `json:"id"`
	Name         string   `json:"name"`
	Description  string   `json:"description,omitempty"`
	ClientID     string   `json:"clientId,omitempty"`
	Languages    []string `json:"languages"`
	Units        int      `json:"units"`
	UnitsPending int      `json:"unitsPending"`
	IsDefault    bool     `json:"isDefault"`
}

// GlossaryExport is an item of PathGlossaryExportPending.
type GlossaryExport struct {
	ID         string `json:"id"`
	GlossaryID string `json:"glossaryId"`
	Completed  bool   `json:"completed"`
}
