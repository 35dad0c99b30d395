package wire

import (
	"bytes"
	"encoding/json"
	"maps"
	"slices"
	"strings"
)

// Problem is an error body. A server writes Type, Title, Status (equal to the HTTP code), Detail and
// Instance. Reading takes all four shapes that are known:
//
//	{"type", "title", "status", "detail", "instance", "errors": {"field": ["text"]}, "traceId"}
//	{"message", "details", "correlationId"}
//	{"type": "sender|receiver|unknown", "code", "message", "requestId", "innerException", "statusCode"}
//	{"Message"}, or a bare JSON string whose readable text follows a line break
type Problem struct {
	Type     string `json:"type,omitempty"`
	Title    string `json:"title,omitempty"`
	Status   int    `json:"status,omitempty"`
	Detail   string `json:"detail,omitempty"` // after reading: the most telling text of the body, one of its own
	Instance string `json:"instance,omitempty"`
	Code     string `json:"code,omitempty"`
	// RequestID is what the service's operators find the call by: requestId, correlationId or traceId.
	RequestID string `json:"requestId,omitempty"`
}

// UnmarshalJSON reads any of the shapes. Members of an unexpected type are passed over, so that it
// fails only where the body is not JSON.
func (p *Problem) UnmarshalJSON(b []byte) error {
	*p = Problem{}
	switch first(b) {
	case '"':
		var text string
		if err := json.Unmarshal(b, &text); err != nil {
			return err
		}
		if _, after, found := strings.Cut(text, "\r\n"); found && strings.TrimSpace(after) != "" {
			text = after
		}
		p.Detail = strings.TrimSpace(text)
		return nil
	case '{':
	default:
		var any json.RawMessage
		return json.Unmarshal(b, &any)
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(b, &raw); err != nil {
		return err
	}
	m := make(map[string]json.RawMessage, len(raw))
	for _, name := range slices.Sorted(maps.Keys(raw)) {
		low := strings.ToLower(name)
		if _, taken := m[low]; !taken {
			m[low] = raw[name]
		}
	}
	p.Type, p.Title, p.Instance = text(m["type"]), text(m["title"]), text(m["instance"])
	p.Code = text(m["code"])
	for _, name := range []string{"status", "statuscode"} {
		if p.Status == 0 && json.Unmarshal(m[name], &p.Status) != nil {
			p.Status = 0
		}
	}
	for _, name := range []string{"requestid", "correlationid", "traceid"} {
		if p.RequestID == "" {
			p.RequestID = text(m[name])
		}
	}
	p.Detail = text(m["detail"])
	if p.Detail == "" {
		p.Detail = fields(m["errors"])
	}
	for _, name := range []string{"message", "details", "error", "title"} {
		if p.Detail == "" {
			p.Detail = text(m[name])
		}
	}
	return nil
}

// text is the string or number that the value is, else empty.
func text(value json.RawMessage) string {
	var s string
	if json.Unmarshal(value, &s) == nil {
		return strings.TrimSpace(s)
	}
	var n json.Number
	if json.Unmarshal(value, &n) == nil {
		return n.String()
	}
	return ""
}

// fields writes the "errors" member of a validation problem, field -> texts, as one line.
func fields(value json.RawMessage) string {
	var byField map[string][]string
	if len(bytes.TrimSpace(value)) == 0 || json.Unmarshal(value, &byField) != nil {
		return ""
	}
	var parts []string
	for _, field := range slices.Sorted(maps.Keys(byField)) {
		said := strings.TrimSpace(strings.Join(byField[field], " "))
		field = strings.TrimSpace(field)
		if field != "" && said != "" {
			field += ": "
		}
		if field+said != "" {
			parts = append(parts, field+said)
		}
	}
	return strings.Join(parts, "; ")
}
