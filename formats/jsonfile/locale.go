package jsonfile

import (
	"fmt"

	"github.com/locsync/locsync/formats/resource"
)

// In returns the bytes of a file with a language as its "locale", where it has that setting.
func In(f *resource.File, language string) ([]byte, error) {
	for i := range f.Children(0) {
		if !f.Node(i).Meta || f.Name(i) != "locale" {
			continue
		}
		s, err := (grammar{}).Set(f, i, language)
		if err != nil {
			return nil, fmt.Errorf("its locale: %w", err)
		}
		return []byte(f.Source()[:s.At.Start] + s.Text + f.Source()[s.At.End:]), nil
	}
	return f.Bytes(), nil
}
