package wire

import (
	"encoding/json"
	"fmt"
	"slices"
)

// Project is a project record. Members without a value are absent on the wire, never null; members
// whose form is not published are kept as they are.
// Timestamps are ISO 8601 text in UTC with any number of fraction digits, as they are on the wire.
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
	Documents              []Document      `json:"documents,omitzero"`
	ExternalTag            string          `json:"externalTag,omitempty"`
	Specializations        []string        `json:"specializations,omitempty"`
	Managers               json.RawMessage `json:"managers,omitempty"`
	Number                 json.RawMessage `json:"number,omitempty"`
	AssignmentMode         string          `json:"assignmentMode,omitempty"` // document or projectTask
	AITranslationProfileID string          `json:"aiTranslationProfileId,omitempty"`
	CustomFields           json.RawMessage `json:"customFields,omitempty"`
}

// UnmarshalJSON reads the record. Its target languages decide what is sent and asked for: a list of another
// shape is an error, where it would be one without languages.
func (p *Project) UnmarshalJSON(b []byte) error {
	var decides struct {
		TargetLanguages json.RawMessage `json:"targetLanguages"`
	}
	if err := json.Unmarshal(b, &decides); err != nil {
		return err
	}
	if said := decides.TargetLanguages; said != nil {
		var codes []string
		if err := json.Unmarshal(said, &codes); err != nil || slices.Contains(codes, "") {
			return fmt.Errorf(`its "targetLanguages" is %s, which is not a list of language codes`, clip(said))
		}
	}
	type record Project
	return json.Unmarshal(b, (*record)(p))
}

// Templates is the answer of PathTemplates: what projects can be made from (published description only).
type Templates struct {
	Templates []Template `json:"templates"`
}

// Template is one of them.
type Template struct {
	ID   string `json:"id"`
	Name string `json:"name"`
}

// ProjectCreate is the model of PathProjectCreate. It travels as JSON in the one part without a file
// (PartModel); every other part is a file that becomes a document. AssignToVendor is required by the
// service interface, so a nil one is a 400; the client always sends it.
type ProjectCreate struct {
	Name            string   `json:"name"`
	SourceLanguage  string   `json:"sourceLanguage"`
	TargetLanguages []string `json:"targetLanguages"`
	AssignToVendor  *bool    `json:"assignToVendor,omitempty"`
	// ProjectTypeLocalization makes a project that keys can be imported into
	Type                     string             `json:"type,omitempty"`
	Description              string             `json:"description,omitempty"`
	Deadline                 string             `json:"deadline,omitempty"`
	WorkflowStages           []string           `json:"workflowStages,omitempty"`
	DocumentProperties       DocumentProperties `json:"documentProperties,omitzero"`
	ExternalTag              string             `json:"externalTag,omitempty"`
	ClientID                 string             `json:"clientId,omitempty"`
	DomainID                 int                `json:"domainId,omitempty"`
	UseMT                    *bool              `json:"useMT,omitempty"`
	Pretranslate             *bool              `json:"pretranslate,omitempty"`
	IsForTesting             *bool              `json:"isForTesting,omitempty"`
	UseTranslationMemory     *bool              `json:"useTranslationMemory,omitempty"`
	TranslationMemoryName    string             `json:"translationMemoryName,omitempty"`
	TemplateID               string             `json:"templateId,omitempty"` // of PathTemplates
	AutoPropagateRepetitions *bool              `json:"autoPropagateRepetitions,omitempty"`
	EnableProjectTasks       *bool              `json:"enableProjectTasks,omitempty"` // sent by one public client only
	AssignmentMode           string             `json:"assignmentMode,omitempty"`     // document or projectTask
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
