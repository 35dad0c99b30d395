package wire

import (
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
	Draft        CompletionState = "draft"        // any translation, unconfirmed
	Intermediate CompletionState = "intermediate" // confirmed on the first stage (import), at the last confirmed stage (export)
	Final        CompletionState = "final"        // confirmed on all stages
)

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
