package local

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// members is a JSON object that is read member by member, so that an error names the member it is about.
type members struct {
	raw map[string]json.RawMessage // by lower-case name
	err error                      // the first one
}

func readMembers(field string, raw []byte) (*members, error) {
	if !utf8.Valid(raw) { // the decoder would put replacement characters into names, in silence
		return nil, invalid(field, "is not UTF-8")
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return nil, invalid(field, "is not a JSON object: %v", err)
	}
	lower := make(map[string]json.RawMessage, len(m))
	for name, v := range m {
		lower[strings.ToLower(name)] = v
	}
	return &members{raw: lower}, nil
}

func (m *members) has(name string) bool {
	v, ok := m.raw[strings.ToLower(name)]
	return ok && string(v) != "null"
}

// member returns a member of an object; the zero value when it is absent or null.
func member[T any](m *members, name string) (value T) {
	if !m.has(name) {
		return value
	}
	if err := json.Unmarshal(m.raw[strings.ToLower(name)], &value); err != nil {
		var zero T
		if m.err == nil {
			m.err = invalid(name, "%s has the wrong type: %v", clip(m.raw[strings.ToLower(name)]), err)
		}
		return zero
	}
	return value
}

func clip(b []byte) string {
	if len(b) > 60 {
		return string(b[:60]) + "…"
	}
	return string(b)
}
