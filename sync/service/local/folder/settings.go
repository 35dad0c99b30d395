package folder

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"

	"github.com/locsync/locsync/sync/bound"
)

// Settings reads a file of settings of at most so many bytes, JSON without unknown members, into a value; false where
// there is no such file. The error for other contents names the file and says what is wanted.
func Settings(file string, most int64, wanted string, into any) (there bool, err error) {
	text, err := bound.ReadFile(file, most)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	d := json.NewDecoder(bytes.NewReader(text))
	d.DisallowUnknownFields()
	if err := d.Decode(into); err != nil {
		return false, fmt.Errorf("%s: want %s: %w", file, wanted, err)
	}
	return true, nil
}
