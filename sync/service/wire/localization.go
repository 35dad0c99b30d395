package wire

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
)

// ImportResult is the answer of PathImportResult. A server fills Errors and FailedFileNames alike;
// a reader takes the union, since the service interface shows the one and the published description
// the other. A file may have failed although Status is Completed.
type ImportResult struct {
	Status              Status        `json:"status"`
	Errors              []ImportError `json:"errors"`
	FailedFileNames     []string      `json:"failedFileNames"`
	KeysCreated         int           `json:"keysCreated"`
	KeysUpdated         int           `json:"keysUpdated"`
	KeysDeleted         int           `json:"keysDeleted"` // published description only
	KeyValuesNotChanged int           `json:"keyValuesNotChanged"`
	KeysWithoutSource   int           `json:"keysWithoutSource"`
	// key -> the values that were offered and not taken
	ConflictingKeyValues map[string][]string `json:"conflictingKeyValues"`
}

// ImportError is what went wrong with one file of an import. FileName is empty where the error
// belongs to no file.
type ImportError struct {
	Error    string `json:"error"`
	FileName string `json:"fileName"`
}

// UnmarshalJSON reads the object, or a bare string as the error of no file.
func (e *ImportError) UnmarshalJSON(b []byte) error {
	if first(b) == '"' {
		*e = ImportError{}
		return json.Unmarshal(b, &e.Error)
	}
	type object ImportError
	return json.Unmarshal(b, (*object)(e))
}

// ExportBody is the optional body of PathExport (published description): only these keys.
type ExportBody struct {
	Keys []string `json:"keys,omitempty"`
}

// ExportBodyV1 is the body of PathExportV1.
type ExportBodyV1 struct {
	Languages []string `json:"languages"`
}

// Identifier is how the service answers a call that starts something: a JSON string. Reading also
// takes an object whose member is called id or taskId, as the document export answers.
type Identifier string

// UnmarshalJSON reads the string or the object; an error means that there is no identifier in it.
func (id *Identifier) UnmarshalJSON(b []byte) error {
	var word string
	switch first(b) {
	case '"':
		if err := json.Unmarshal(b, &word); err != nil {
			return err
		}
	case '{':
		var object struct {
			ID     string `json:"id"`
			TaskID string `json:"taskId"`
		}
		if err := json.Unmarshal(b, &object); err != nil {
			return err
		}
		word = object.ID
		if word == "" {
			word = object.TaskID
		}
	}
	if word == "" {
		return fmt.Errorf("no identifier in %.60q", b)
	}
	*id = Identifier(word)
	return nil
}

// List is an array of records. Reading also takes an object whose member "items" is the array, as some
// lists of the service come.
type List[T any] []T

// UnmarshalJSON reads the array or the object.
func (l *List[T]) UnmarshalJSON(b []byte) error {
	if first(b) != '{' {
		return json.Unmarshal(b, (*[]T)(l))
	}
	var paged struct {
		Items *[]T `json:"items"`
	}
	err := json.Unmarshal(b, &paged)
	if paged.Items == nil {
		if err == nil {
			err = errors.New("an object without items, where a list is wanted")
		}
		return err
	}
	*l = *paged.Items
	return err
}

// first is the first byte of a JSON value, 0 when there is none.
func first(b []byte) byte {
	b = bytes.TrimLeft(b, " \t\r\n")
	if len(b) == 0 {
		return 0
	}
	return b[0]
}
