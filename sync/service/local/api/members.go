package api

import (
	"encoding/json"
	"strings"
	"unicode/utf8"
)

// Members is a JSON object that is read member by member, so that an error names the member it is about.
type Members struct {
	Raw map[string]json.RawMessage // by lower-case name
	Err error                      // the first one
}

func ReadMembers(field string, raw []byte) (*Members, error) {
	if !utf8.Valid(raw) { // the decoder would put replacement characters into names, in silence
		return nil, Invalid(field, "is not UTF-8")
	}
	var m map[string]json.RawMessage
	if err := json.Unmarshal(raw, &m); err != nil || m == nil {
		return nil, Invalid(field, "is not a JSON object: %v", err)
	}
	lower := make(map[string]json.RawMessage, len(m))
	for name, v := range m {
		lower[strings.ToLower(name)] = v
	}
	return &Members{Raw: lower}, nil
}

func (m *Members) Has(name string) bool {
	v, ok := m.Raw[strings.ToLower(name)]
	return ok && string(v) != "null"
}

// Member returns a member of an object; the zero value when it is absent or null.
func Member[T any](m *Members, name string) (value T) {
	if !m.Has(name) {
		return value
	}
	if err := json.Unmarshal(m.Raw[strings.ToLower(name)], &value); err != nil {
		var zero T
		if m.Err == nil {
			m.Err = Invalid(name, "%s has the wrong type: %v", Clip(m.Raw[strings.ToLower(name)]), err)
		}
		return zero
	}
	return value
}

func Clip(b []byte) string {
	if len(b) > 60 {
		return string(b[:60]) + "…"
	}
	return string(b)
}

// ReadObject reads a body that is a JSON object.
func ReadObject(c *Call) (*Members, error) {
	raw, err := ReadBody(c, MaxModel)
	if err != nil {
		return nil, err
	}
	return ReadMembers("body", raw)
}

// ReadList reads a body that is a JSON array.
func ReadList(c *Call) ([]json.RawMessage, error) {
	raw, err := ReadBody(c, MaxModel)
	if err != nil {
		return nil, err
	}
	var list []json.RawMessage
	if err := json.Unmarshal(raw, &list); err != nil || list == nil {
		return nil, Invalid("body", "is not a JSON array: %v", err)
	}
	return list, nil
}
