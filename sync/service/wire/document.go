package wire

import (
	"encoding/json"
	"strings"
)

// Document is a document record, one per file and target language. ID is "<documentId>_<languageId>", see
// DocumentID.
type Document struct {
	ID                        string            `json:"id"`
	Name                      string            `json:"name"`               // without the extension
	FullPath                  string            `json:"fullPath,omitempty"` // with the folders of the project
	Filename                  string            `json:"filename,omitempty"` // with the extension
	OriginalFilename          string            `json:"originalFilename,omitempty"`
	CreationDate              string            `json:"creationDate,omitempty"`
	Deadline                  string            `json:"deadline,omitempty"`
	SourceLanguage            string            `json:"sourceLanguage,omitempty"`
	TargetLanguage            string            `json:"targetLanguage,omitempty"`
	DocumentDisassemblyStatus DisassemblyStatus `json:"documentDisassemblingStatus,omitempty"`
	Status                    DocumentStatus    `json:"status,omitempty"`
	WordsCount                float64           `json:"wordsCount"` // words without matches in the translation memories
	StatusModificationDate    string            `json:"statusModificationDate,omitempty"`
	PretranslateCompleted     bool              `json:"pretranslateCompleted"`
	ExternalID                string            `json:"externalId,omitempty"`
	ProjectID                 string            `json:"projectId,omitempty"`
	MetaInfo                  string            `json:"metaInfo,omitempty"`
	PlaceholdersAreEnabled    bool              `json:"placeholdersAreEnabled"`
	RevisionLabel             string            `json:"revisionLabel,omitempty"`
	ReadyForCompletion        bool              `json:"readyForCompletion"`
	WorkflowStages            []WorkflowStage   `json:"workflowStages,omitempty"`
}

// DocumentID joins the identifier of a document and the numeric one of a language to the composite
// identifier that nearly all operations take.
func DocumentID(document, language string) string { return document + "_" + language }

// SplitDocumentID takes a composite identifier apart. Without an underscore it is a document's identifier
// alone, and language is empty.
func SplitDocumentID(id string) (document, language string) {
	at := strings.LastIndexByte(id, '_')
	if at < 0 {
		return id, ""
	}
	return id[:at], id[at+1:]
}

// Vendor is a company that a project or a stage is assigned to.
type Vendor struct {
	ID   string `json:"id"`
	Name string `json:"name,omitempty"`
}

// WorkflowStage is one stage of a project (ID, Progress, StageType) or of a document (all but
// StageType). Progress is 0..100, with fractions.
type WorkflowStage struct {
	ID                     string      `json:"id"`
	Progress               float64     `json:"progress"`
	StageType              StageType   `json:"stageType,omitempty"`
	WordsTranslated        float64     `json:"wordsTranslated,omitempty"`
	UnassignedWordsCount   float64     `json:"unassignedWordsCount,omitempty"`
	Status                 StageStatus `json:"status,omitempty"`
	StatusModificationDate string      `json:"statusModificationDate,omitempty"`
	Executives             []Executive `json:"executives,omitzero"`
	Vendor                 *Vendor     `json:"vendor,omitempty"`
}

// Executive is a person or company assigned to a stage of a document.
type Executive struct {
	ID                 string  `json:"id"`
	AssignedWordsCount float64 `json:"assignedWordsCount"`
	Progress           float64 `json:"progress"`
	SupplierType       string  `json:"supplierType,omitempty"` // freelancer or company
}

// Query parameters of documents.
const (
	QueryDocumentID              = "documentId"  // composite, of PathDocumentUpdateV2 without the language
	QueryDocumentIDs             = "documentIds" // composite, several
	QueryDisassembleAlgorithm    = "disassembleAlgorithmName"
	QueryExternalID              = "externalId"
	QueryMetaInfo                = "metaInfo"
	QueryDocumentTargetLanguages = "targetLanguages" // comma list
	QueryEnableOCR               = "enableOcr"       // default true
	QueryName                    = "name"            // of PathDocumentRename
	QueryOverwrite               = "overwrite"       // of PathDocumentTranslate, default false
	QueryConfirmTranslation      = "confirmTranslation"
	QueryOverwriteUpdated        = "overwriteUpdatedSegments"
)

// Query parameters of PathDocumentExport, beside QueryDocumentIDs.
const (
	QueryExportType  = "type"
	QueryExportMode  = "mode"
	QueryStageNumber = "stageNumber" // 1 is the first stage
)

// DocumentModel is the import model of one uploaded file. An array of them, in the order of the files,
// travels in PartDocumentModel; the empty object stands for "nothing to say about this file".
type DocumentModel struct {
	ExternalID string `json:"externalId,omitempty"`
	MetaInfo   string `json:"metaInfo,omitempty"`
	// MultilingualExcel for DisassembleSettings to apply
	DisassembleAlgorithmName   string `json:"disassembleAlgorithmName,omitempty"`
	PresetDisassembleAlgorithm string `json:"presetDisassembleAlgorithm,omitempty"`
	// of MultilingualExcel: first row and columns
	DisassembleSettings json.RawMessage    `json:"disassembleSettings,omitempty"`
	BilingualSettings   *BilingualSettings `json:"bilingualFileImportSetings,omitempty"`
	TargetLanguages     []string           `json:"targetLanguages,omitempty"` // empty: all of the project
	EnablePlaceholders  *bool              `json:"enablePlaceholders,omitempty"`
	EnableOCR           *bool              `json:"enableOcr,omitempty"` // nil: true
}

// DocumentUpdateModel is the model of a document's new version, in PartUpdateDocumentModel.
type DocumentUpdateModel struct {
	BilingualSettings  *BilingualSettings `json:"bilingualFileImportSetings,omitempty"`
	EnablePlaceholders *bool              `json:"enablePlaceholders,omitempty"`
}

// DocumentProperties is ProjectCreate.DocumentProperties: one model for all files, as the service interface
// has it, or one per file, as the published description has it. At most one of the two is set.
type DocumentProperties struct {
	ForAll *DocumentModel
	Each   []DocumentModel
}

// IsZero tells whether there is nothing to write.
func (p DocumentProperties) IsZero() bool { return p.ForAll == nil && len(p.Each) == 0 }

// MarshalJSON writes the object or the array.
func (p DocumentProperties) MarshalJSON() ([]byte, error) {
	if p.ForAll != nil {
		return json.Marshal(p.ForAll)
	}
	return json.Marshal(p.Each)
}

// UnmarshalJSON reads the object or the array.
func (p *DocumentProperties) UnmarshalJSON(b []byte) error {
	*p = DocumentProperties{}
	if first(b) == '{' {
		return json.Unmarshal(b, &p.ForAll)
	}
	return json.Unmarshal(b, &p.Each)
}

// BilingualSettings say what becomes of the translations that an uploaded bilingual file brings. The name
// of the member that holds them is misspelled at the service: "bilingualFileImportSetings".
type BilingualSettings struct {
	TargetSubstitutionMode string `json:"targetSubstitutionMode,omitempty"` // SubstituteAll or SubstituteNone
	// selected or fromFile; published description only
	TargetLanguageUsageMode string `json:"targetLanguageUsageMode,omitempty"`
	LockMode                string `json:"lockMode,omitempty"` // LockNone, LockByStates or LockConfirmed
	// ConfirmNone, ConfirmByStates, ConfirmAtFirst or ConfirmAtLast
	ConfirmMode string `json:"confirmMode,omitempty"`
	SaveType    string `json:"saveType,omitempty"` // published description only
}

// The words of BilingualSettings.
const (
	SubstituteAll   = "all"
	SubstituteNone  = "none"
	LockNone        = "none"
	LockByStates    = "byStates"
	LockConfirmed   = "confirmed"
	ConfirmNone     = "none"
	ConfirmByStates = "byStates"
	ConfirmAtFirst  = "atFirstStage"
	ConfirmAtLast   = "atLastStage"
)

// MultilingualExcel is the DocumentModel.DisassembleAlgorithmName without which DisassembleSettings have no
// effect.
const MultilingualExcel = "MultilingualExcel_v2"

// DocumentExport is the answer of POST PathDocumentExport. The service interface calls it a task identifier:
// a client reads it as an Identifier, which takes both.
type DocumentExport struct {
	ID          string   `json:"id"`
	DocumentIDs []string `json:"documentIds"`
}

// FileFormat is one item of PathDirectoryFormats, an array.
type FileFormat struct {
	Name                     string `json:"name"`
	OCR                      bool   `json:"ocr"`
	MimeType                 string `json:"mime-type,omitempty"`
	DisassembleAlgorithmName string `json:"disassembleAlgorithmName,omitempty"`
}
