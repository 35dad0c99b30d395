package report

import (
	"bytes"
	"encoding/json"
	"fmt"
)

// Schema is the version of the JSON of all reports. Members may be added to a report under the same number; a member
// that changes its meaning, or goes, takes the next one.
const Schema = 1

// Failure is why a command did not do what it was called for. ErrorCode is one of the Failed constants.
type Failure struct {
	Error     string `json:"error,omitempty"`
	ErrorCode string `json:"error_code,omitempty" enum:"auth,unreachable,refused,busy,config,internal"`
}

// The codes of failures, wherever a report has an error.
const (
	FailedAuth        = "auth"        // the credentials are wrong, or do not allow this
	FailedUnreachable = "unreachable" // the service or the remote does not answer, or not with what is needed; tried again
	FailedRefused     = "refused"     // the service or the remote does not take this
	FailedBusy        = "busy"        // git or another process is at work here, or has the port
	FailedConfig      = "config"      // the command line, the configuration or a file has to be changed
	FailedInternal    = "internal"    // anything else: this machine, or a fault of locsync
)

// Document is a report as JSON on one line: an object that begins with the schema, and ends with the failure where
// there is one. The report may be nil.
func Document(report any, failure Failure) ([]byte, error) {
	doc := []byte(fmt.Sprintf(`{"schema":%d`, Schema))
	for _, part := range []any{report, failure} {
		members, err := membersOf(part)
		if err != nil {
			return nil, err
		}
		if len(members) > 0 {
			doc = append(append(doc, ','), members...)
		}
	}
	return append(doc, '}'), nil
}

// Indented is Document with a member a line, for people who read it, and ends with a line end.
func Indented(report any, failure Failure) ([]byte, error) {
	doc, err := Document(report, failure)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	if err := json.Indent(&out, doc, "", "  "); err != nil {
		return nil, err
	}
	out.WriteByte('\n')
	return out.Bytes(), nil
}

// membersOf is the JSON of an object without its braces.
func membersOf(v any) ([]byte, error) {
	if v == nil {
		return nil, nil
	}
	var out bytes.Buffer
	enc := json.NewEncoder(&out)
	enc.SetEscapeHTML(false)
	if err := enc.Encode(v); err != nil {
		return nil, err
	}
	text := bytes.TrimSpace(out.Bytes())
	if len(text) < 2 || text[0] != '{' {
		return nil, fmt.Errorf("a report is an object in JSON, and %T is not", v)
	}
	return bytes.TrimSpace(text[1 : len(text)-1]), nil
}
