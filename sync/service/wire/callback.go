package wire

import "encoding/json"

// Tails of the callback address: the service posts a Notification to the configured address with one
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

// Notification is the body that the service posts to a callback address: an array of identifiers.
// Reading also takes one string, and one object with id or taskId, because the body of
// CallbackExportCompleted is not published.
type Notification []string

// UnmarshalJSON reads the array, the string or the object.
func (n *Notification) UnmarshalJSON(b []byte) error {
	if first(b) == '[' {
		return json.Unmarshal(b, (*[]string)(n))
	}
	var id Identifier
	if err := json.Unmarshal(b, &id); err != nil {
		return err
	}
	*n = Notification{string(id)}
	return nil
}
