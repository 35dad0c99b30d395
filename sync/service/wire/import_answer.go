package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
)

// ImportAnswer is an ImportResult as a reader meets it. A member that decides whether a file was taken is never read as
// empty because it has another shape: it becomes an error that names the member and no file.
type ImportAnswer struct {
	ImportResult
	Counted bool // the answer has counts of keys
}

// The most entries of a list that are kept. What follows them is one error, or one unreadable member.
const (
	maxImportErrors    = 10_000
	maxImportConflicts = 1_000_000
)

// UnmarshalJSON reads the object. Only an answer without a readable status is refused: nothing can be told of its
// import.
func (a *ImportAnswer) UnmarshalJSON(b []byte) error {
	var said struct {
		Status               json.RawMessage `json:"status"`
		Errors               json.RawMessage `json:"errors"`
		FailedFileNames      json.RawMessage `json:"failedFileNames"`
		KeysCreated          json.RawMessage `json:"keysCreated"`
		KeysUpdated          json.RawMessage `json:"keysUpdated"`
		KeysDeleted          json.RawMessage `json:"keysDeleted"`
		KeyValuesNotChanged  json.RawMessage `json:"keyValuesNotChanged"`
		KeysWithoutSource    json.RawMessage `json:"keysWithoutSource"`
		ConflictingKeyValues json.RawMessage `json:"conflictingKeyValues"`
	}
	if err := json.Unmarshal(b, &said); err != nil {
		return err
	}
	*a = ImportAnswer{}
	switch {
	case saysNothing(said.Status):
		return errors.New(`it has no "status"`)
	case json.Unmarshal(said.Status, &a.Status) != nil:
		return fmt.Errorf(`its "status" is %s, which is not a word`, clip(said.Status))
	}
	for _, m := range []struct {
		name  string
		said  json.RawMessage
		count *int
	}{
		{"keysCreated", said.KeysCreated, &a.KeysCreated}, {"keysUpdated", said.KeysUpdated, &a.KeysUpdated},
		{"keyValuesNotChanged", said.KeyValuesNotChanged, &a.KeyValuesNotChanged},
		{"keysWithoutSource", said.KeysWithoutSource, &a.KeysWithoutSource},
		{"keysDeleted", said.KeysDeleted, &a.KeysDeleted},
	} {
		if first(m.said) == 0 || first(m.said) == 'n' {
			continue
		}
		n, err := strconv.ParseFloat(string(m.said), 64)
		if err != nil || n < 0 || n > 1<<40 || n != float64(int(n)) {
			a.unreadable(m.name, m.said)
			continue
		}
		*m.count, a.Counted = int(n), a.Counted || m.count != &a.KeysDeleted
	}
	if err := a.readConflicts(said.ConflictingKeyValues); err != nil {
		a.unreadable("conflictingKeyValues", said.ConflictingKeyValues)
	}
	a.readErrors(said.Errors, false)
	a.readErrors(said.FailedFileNames, true)
	return nil
}

// unreadable makes a member of another shape an error that may be any file's.
func (a *ImportAnswer) unreadable(member string, said json.RawMessage) {
	a.Errors = append(a.Errors, ImportError{Error: fmt.Sprintf("the answer's %q cannot be read: %s", member, clip(said))})
}

// readErrors reads a list of errors, or of names; a single one may come without the list.
func (a *ImportAnswer) readErrors(said json.RawMessage, names bool) {
	if first(said) != '[' {
		if !saysNothing(said) {
			a.addError(said, names)
		}
		return
	}
	list := json.NewDecoder(bytes.NewReader(said))
	_, err := list.Token()
	for n := 0; err == nil && list.More(); n++ {
		if n == maxImportErrors {
			a.Errors = append(a.Errors, ImportError{Error: fmt.Sprintf("the answer has more than %d errors", n)})
			return
		}
		var one json.RawMessage
		if err = list.Decode(&one); err == nil {
			a.addError(one, names)
		}
	}
}

// addError reads one error: an object, a text or, in a list of names, a file name. Another shape is the error of no
// file, as it was said.
func (a *ImportAnswer) addError(said json.RawMessage, names bool) {
	var word string
	if json.Unmarshal(said, &word) == nil && first(said) == '"' {
		if names && word != "" {
			a.FailedFileNames = append(a.FailedFileNames, word)
		} else {
			a.Errors = append(a.Errors, ImportError{Error: word})
		}
		return
	}
	var one struct {
		Error, FileName json.RawMessage
	}
	e := ImportError{}
	if first(said) != '{' || json.Unmarshal(said, &one) != nil ||
		!saysNothing(one.FileName) && json.Unmarshal(one.FileName, &e.FileName) != nil {
		a.Errors = append(a.Errors, ImportError{Error: clip(said)})
		return
	}
	switch {
	case !saysNothing(one.Error) && json.Unmarshal(one.Error, &e.Error) != nil:
		e.Error = clip(one.Error)
	case e.Error == "" && e.FileName == "":
		e.Error = clip(said)
	}
	a.Errors = append(a.Errors, e)
}

// readConflicts reads an object of keys and the values that were not taken, of which there may be one without a list,
// or a list of keys.
func (a *ImportAnswer) readConflicts(said json.RawMessage) error {
	if saysNothing(said) {
		return nil
	}
	unreadable := errors.New("another shape")
	kind := first(said)
	if kind != '{' && kind != '[' {
		return unreadable
	}
	a.ConflictingKeyValues = make(map[string][]string)
	list := json.NewDecoder(bytes.NewReader(said))
	_, err := list.Token()
	for err == nil && list.More() {
		token, _ := list.Token()
		key, is := token.(string)
		if !is || len(a.ConflictingKeyValues) == maxImportConflicts {
			return unreadable
		}
		a.ConflictingKeyValues[key] = nil
		if kind == '[' {
			continue
		}
		var values json.RawMessage
		if err = list.Decode(&values); err != nil {
			return err
		}
		var one string
		var several []string
		switch {
		case json.Unmarshal(values, &several) == nil:
			a.ConflictingKeyValues[key] = several
		case json.Unmarshal(values, &one) == nil:
			a.ConflictingKeyValues[key] = []string{one}
		default: // the key says enough
			a.ConflictingKeyValues[key] = []string{clip(values)}
		}
	}
	return err
}

// saysNothing tells a value that is absent, null or empty.
func saysNothing(said json.RawMessage) bool {
	var b bytes.Buffer
	if len(said) > 100 || json.Compact(&b, said) != nil {
		return len(said) == 0
	}
	switch b.String() {
	case "", "null", `""`, "[]", "{}":
		return true
	}
	return false
}

// clip is the begin of a JSON value, for a message.
func clip(said json.RawMessage) string {
	const longest = 200
	if said = bytes.TrimSpace(said); len(said) > longest {
		return string(said[:longest]) + "…"
	}
	return string(said)
}
