package wire

// Tails of the callback address: the service posts an array of identifiers to the configured address with one
// of these behind it.
const (
	CallbackProjectStatus     = "/project/status"
	CallbackDocumentStatus    = "/document/status"
	CallbackExportCompleted   = "/document/exportRequestCompleted"
	CallbackTranslationImport = "/document/translationImportCompleted"
)

// MaxCallbackErrors is the largest QueryLimit of PathCallbackLastErrors, and its default.
const MaxCallbackErrors = 100

// Callback is the body of PathCallback: where notifications go, and the headers they carry. There is one
// per account; GET is 404 while there is none.
type Callback struct {
	URL               string           `json:"url"`
	AdditionalHeaders []CallbackHeader `json:"additionalHeaders"`
}

// CallbackHeader is one header of every notification.
type CallbackHeader struct {
	Name  string `json:"name"`
	Value string `json:"value"`
}

// CallbackError is an item of PathCallbackLastErrors: a notification that was not taken.
type CallbackError struct {
	Created   string   `json:"created"`
	URL       string   `json:"url"`
	Reason    string   `json:"reason"`
	Code      int      `json:"code,omitempty"`    // HTTP status; absent where there was no answer
	Content   string   `json:"content,omitempty"` // of the answer
	SourceIDs []string `json:"sourceIds"`
}
