package wire

import "encoding/json"

// Project is a project record. Members without a value are absent on the wire, never null; members
// whose form is not published are kept as they stand.
// Timestamps are ISO 8601 text in UTC with any number of fraction digits, as they stand on the wire.
type Project struct {
	ID                     string          `json:"id"`
	AccountID              string          `json:"accountId,omitempty"`
	Name                   string          `json:"name"`
	Description            string          `json:"description,omitempty"`
	Deadline               string          `json:"deadline,omitempty"`
	CreationDate           string          `json:"creationDate,omitempty"`
	CreatedByUserID        string          `json:"createdByUserId,omitempty"`
	CreatedByUserEmail     string          `json:"createdByUserEmail,omitempty"`
	ModificationDate       string          `json:"modificationDate,omitempty"`
	SourceLanguageID       int             `json:"sourceLanguageId,omitempty"`
	SourceLanguage         string          `json:"sourceLanguage"`
	TargetLanguages        []string        `json:"targetLanguages"`
	Status                 ProjectStatus   `json:"status,omitempty"`
	StatusModificationDate string          `json:"statusModificationDate,omitempty"`
	DomainID               int             `json:"domainId,omitempty"`
	ClientID               string          `json:"clientId,omitempty"`
	Vendors                []Vendor        `json:"vendors,omitempty"`
	WorkflowStages         []WorkflowStage `json:"workflowStages,omitempty"`
	Documents              []Document      `json:"documents,omitempty"`
	ExternalTag            string          `json:"externalTag,omitempty"`
	Specializations        []string        `json:"specializations,omitempty"`
	Managers               json.RawMessage `json:"managers,omitempty"`
	Number                 json.RawMessage `json:"number,omitempty"`
	AssignmentMode         string          `json:"assignmentMode,omitempty"` // document or projectTask
	AITranslationProfileID string          `json:"aiTranslationProfileId,omitempty"`
	CustomFields           json.RawMessage `json:"customFields,omitempty"`
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
	StageType              string      `json:"stageType,omitempty"`
	WordsTranslated        float64     `json:"wordsTranslated,omitempty"`
	UnassignedWordsCount   float64     `json:"unassignedWordsCount,omitempty"`
	Status                 string      `json:"status,omitempty"`
	StatusModificationDate string      `json:"statusModificationDate,omitempty"`
	Executives             []Executive `json:"executives,omitempty"`
	Vendor                 *Vendor     `json:"vendor,omitempty"`
}

// Executive is somebody assigned to a stage of a document.
type Executive struct {
	ID                 string  `json:"id"`
	AssignedWordsCount float64 `json:"assignedWordsCount"`
	Progress           float64 `json:"progress"`
	SupplierType       string  `json:"supplierType,omitempty"`
}

// Document is a document record, one per file and target language. ID is
// "<documentId>_<languageId>".
type Document struct {
	ID                        string          `json:"id"`
	Name                      string          `json:"name"`
	FullPath                  string          `json:"fullPath,omitempty"`
	Filename                  string          `json:"filename,omitempty"`
	OriginalFilename          string          `json:"originalFilename,omitempty"`
	CreationDate              string          `json:"creationDate,omitempty"`
	Deadline                  string          `json:"deadline,omitempty"`
	SourceLanguage            string          `json:"sourceLanguage,omitempty"`
	TargetLanguage            string          `json:"targetLanguage,omitempty"`
	DocumentDisassemblyStatus string          `json:"documentDisassemblingStatus,omitempty"` // inProgress, error or success
	Status                    string          `json:"status,omitempty"`
	WordsCount                float64         `json:"wordsCount"`
	StatusModificationDate    string          `json:"statusModificationDate,omitempty"`
	PretranslateCompleted     bool            `json:"pretranslateCompleted"`
	ExternalID                string          `json:"externalId,omitempty"`
	ProjectID                 string          `json:"projectId,omitempty"`
	MetaInfo                  string          `json:"metaInfo,omitempty"`
	PlaceholdersAreEnabled    bool            `json:"placeholdersAreEnabled"`
	RevisionLabel             string          `json:"revisionLabel,omitempty"`
	ReadyForCompletion        bool            `json:"readyForCompletion"`
	WorkflowStages            []WorkflowStage `json:"workflowStages,omitempty"`
}

// ProjectCreate is the model of PathProjectCreate, as far as software localization uses it. It
// travels as JSON in the one part without a file (PartModel). AssignToVendor is required by the
// service interface, so a nil one is a 400; the client always sends it.
type ProjectCreate struct {
	Name            string   `json:"name"`
	SourceLanguage  string   `json:"sourceLanguage"`
	TargetLanguages []string `json:"targetLanguages"`
	AssignToVendor  *bool    `json:"assignToVendor,omitempty"`
	Type            string   `json:"type,omitempty"` // ProjectTypeLocalization makes a project that keys can be imported into
	Description     string   `json:"description,omitempty"`
	Deadline        string   `json:"deadline,omitempty"`
	WorkflowStages  []string `json:"workflowStages,omitempty"`
	ExternalTag     string   `json:"externalTag,omitempty"`
	ClientID        string   `json:"clientId,omitempty"`
	DomainID        int      `json:"domainId,omitempty"`
	UseMT           *bool    `json:"useMT,omitempty"`
	Pretranslate    *bool    `json:"pretranslate,omitempty"`
	IsForTesting    *bool    `json:"isForTesting,omitempty"`
}

// ProjectUpdate is the body of PUT PathProject. What is absent may be lost at the service, so a
// client sends Name always and Deadline whenever the project has one; a server tells absent (nil)
// from empty.
type ProjectUpdate struct {
	Name        *string `json:"name,omitempty"`
	Deadline    *string `json:"deadline,omitempty"`
	Description *string `json:"description,omitempty"`
	ExternalTag *string `json:"externalTag,omitempty"`
}

// Account is the answer of PathAccount.
type Account struct {
	ID         string `json:"id"`
	Name       string `json:"name"`
	IsPersonal bool   `json:"isPersonal"`
	Type       string `json:"type,omitempty"`
}

// Directory is the answer of PathDirectory.
type Directory struct {
	Type  string          `json:"type"`
	Items []DirectoryItem `json:"items"`
}

// DirectoryItem is one entry of a Directory; of a language, ID is its code ("pt-BR").
type DirectoryItem struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// Callback is the body of PathCallback: where notifications go, and the headers they carry.
type Callback struct {
	URL               string           `json:"url"`
	AdditionalHeaders []CallbackHeader `json:"additionalHeaders"`
}

// CallbackHeader is one header of every notification.
type CallbackHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}
