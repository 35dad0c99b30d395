package wire

import (
	"cmp"
	"encoding/json"
	"strings"
)

// Format is the value of QueryFormat.
type Format string

// The formats of the service interface. QtTS is accepted at import by the published description only.
const (
	FormatJSON           Format = "json"
	FormatStructuredJSON Format = "structured-json"
	FormatYAML           Format = "yaml"
	FormatStructuredYAML Format = "structured-yaml"
	FormatIOSStrings     Format = "ios-strings"
	FormatAndroidXML     Format = "android-xml"
	FormatLocJSON        Format = "locjson" // import only
	FormatQtTS           Format = "qt-ts"   // import only
)

// Structured tells whether the format nests keys, which is when QueryPathSeparator may be given.
func (f Format) Structured() bool { return f == FormatStructuredJSON || f == FormatStructuredYAML }

// DefaultTemplates are the output file path templates that an export uses when none is given. The
// structured formats share those of their flat twins.
var DefaultTemplates = map[Format]string{
	FormatJSON:           "strings-{LANGUAGE}.json",
	FormatStructuredJSON: "strings-{LANGUAGE}.json",
	FormatYAML:           "strings-{LANGUAGE}.yaml",
	FormatStructuredYAML: "strings-{LANGUAGE}.yaml",
	FormatIOSStrings:     "{LOCALE:IOS}.lproj/values.strings",
	FormatAndroidXML:     "src/main/res/values-{LOCALE:ANDROID}/strings.xml",
}

// CompletionState is how far a translation has come: at import the state it is given, at export the
// least state it must have.
type CompletionState string

// The completion states, from the least to the most.
const (
	Draft CompletionState = "draft" // any translation, unconfirmed
	// confirmed on the first stage (import), at the last confirmed stage (export)
	Intermediate CompletionState = "intermediate"
	Final        CompletionState = "final" // confirmed on all stages
)

// CompletionStates are all of them, in that order.
var CompletionStates = []CompletionState{Draft, Intermediate, Final}

// Status is the state of an import, in lower case. Reading ignores case ("inProgress" is InProgress);
// a word that is none of these is kept, and means that the import has not ended.
type Status string

// The states of an import.
const (
	Pending    Status = "pending"
	InProgress Status = "inprogress"
	Completed  Status = "completed"
	Failed     Status = "failed"
)

// Ended tells whether the import is over, well or badly.
func (s Status) Ended() bool { return s == Completed || s == Failed }

// UnmarshalJSON reads the word ignoring case.
func (s *Status) UnmarshalJSON(b []byte) error {
	var word string
	if err := json.Unmarshal(b, &word); err != nil {
		return err
	}
	*s = Status(strings.ToLower(strings.TrimSpace(word)))
	return nil
}

// readWord reads a word of an enumeration: one that is known ignoring case, as the constant spells it;
// another one as it is. What is not a word is read as none.
func readWord[W ~string](b []byte, to *W, known ...W) error {
	var word string
	if json.Unmarshal(b, &word) != nil {
		word = "" // a number, say: what it means is not known, and the record around it is worth more
	}
	*to = W(strings.TrimSpace(word))
	for _, k := range known {
		if strings.EqualFold(string(*to), string(k)) {
			*to = k
		}
	}
	return nil
}

// ProjectStatus is the state of a project as its record says it, in the spelling of the service. A
// word that is none of the constants means "not final".
type ProjectStatus string

// The project states that are known.
const (
	ProjectCreated    ProjectStatus = "created"
	ProjectInProgress ProjectStatus = "inProgress"
	ProjectCompleted  ProjectStatus = "completed"
	ProjectCanceled   ProjectStatus = "canceled"
)

// UnmarshalJSON reads the word ignoring case.
func (s *ProjectStatus) UnmarshalJSON(b []byte) error {
	return readWord(b, s, ProjectCreated, ProjectInProgress, ProjectCompleted, ProjectCanceled)
}

// DocumentStatus is the state of a document. A word that is none of the constants means "not final".
type DocumentStatus string

// The document states that are known.
const (
	DocumentCreated       DocumentStatus = "created"
	DocumentInProgress    DocumentStatus = "inProgress"
	DocumentCompleted     DocumentStatus = "completed"
	DocumentUpdated       DocumentStatus = "updated"
	DocumentTargetUpdated DocumentStatus = "targetUpdated"
)

// UnmarshalJSON reads the word ignoring case.
func (s *DocumentStatus) UnmarshalJSON(b []byte) error {
	return readWord(b, s, DocumentCreated, DocumentInProgress, DocumentCompleted, DocumentUpdated, DocumentTargetUpdated)
}

// DisassemblyStatus tells whether an uploaded file has been taken apart into segments.
type DisassemblyStatus string

// The states that are known.
const (
	DisassemblyInProgress DisassemblyStatus = "inProgress"
	DisassemblyError      DisassemblyStatus = "error"
	DisassemblySuccess    DisassemblyStatus = "success"
)

// UnmarshalJSON reads the word ignoring case.
func (s *DisassemblyStatus) UnmarshalJSON(b []byte) error {
	return readWord(b, s, DisassemblyInProgress, DisassemblyError, DisassemblySuccess)
}

// StageStatus is the state of one stage of a document.
type StageStatus string

// The states that are known.
const (
	StageNotAssigned StageStatus = "notAssigned"
	StageAssigned    StageStatus = "assigned"
	StageInProgress  StageStatus = "inProgress"
	StageCompleted   StageStatus = "completed"
)

// UnmarshalJSON reads the word ignoring case.
func (s *StageStatus) UnmarshalJSON(b []byte) error {
	return readWord(b, s, StageNotAssigned, StageAssigned, StageInProgress, StageCompleted)
}

// StageType is the kind of work that a stage is.
type StageType string

// StageTypes are the kinds that are known.
var StageTypes = []StageType{"translation", "editing", "proofreading", "postediting", "finalPageProof", "notarization",
	"certifiedTranslation", "transcreation", "legalization", "preliminaryPageProof", "lQAReview", "subtitleReview",
	"voiceOverReview", "sourceReview"}

// UnmarshalJSON reads the word ignoring case.
func (t *StageType) UnmarshalJSON(b []byte) error { return readWord(b, t, StageTypes...) }

// TaskState is how far a task at the service is whose answer is a word: bringing a translation into a
// document (PathDocumentTranslateStatus), importing a glossary (PathGlossaryImportState; its words are not
// published). Reading takes the JSON string, or an object with status or state. A word that is none of
// the constants means that the task has not ended.
type TaskState string

// The states that are known.
const (
	TaskStatePending    TaskState = "pending"
	TaskStateInProgress TaskState = "inProgress"
	TaskStateCompleted  TaskState = "completed"
	TaskStateFailed     TaskState = "failed"
	TaskStateFaulted    TaskState = "faulted" // what PathDocumentTranslateStatus calls failed
)

// Ended tells whether the task is over, well or badly.
func (s TaskState) Ended() bool { return s == TaskStateCompleted || s.Failed() }

// Failed tells whether the task is over and came to nothing.
func (s TaskState) Failed() bool { return s == TaskStateFailed || s == TaskStateFaulted }

// UnmarshalJSON reads the word ignoring case.
func (s *TaskState) UnmarshalJSON(b []byte) error {
	if first(b) == '{' {
		var object struct {
			Status TaskState `json:"status"`
			State  TaskState `json:"state"`
		}
		if err := json.Unmarshal(b, &object); err != nil {
			return err
		}
		*s = cmp.Or(object.Status, object.State)
		return nil
	}
	return readWord(b, s, TaskStatePending, TaskStateInProgress, TaskStateCompleted, TaskStateFailed, TaskStateFaulted)
}

// ExportType is the value of QueryExportType.
type ExportType string

// The types that are known. The service interface shows the first two; of subtitles and images there are
// more.
const (
	ExportTarget ExportType = "target"
	ExportSource ExportType = "source"
	ExportXLIFF  ExportType = "xliff"
	ExportCSV    ExportType = "multilangCsv"
)

// ExportMode is the value of QueryExportMode: which translations an export takes.
type ExportMode string

// The modes that are known. The service interface shows the first one.
const (
	ExportCurrent   ExportMode = "current"   // as the editor shows them, whatever their state
	ExportConfirmed ExportMode = "confirmed" // confirmed at QueryStageNumber, at any stage where that is absent
	ExportComplete  ExportMode = "complete"  // passed the last stage
)
