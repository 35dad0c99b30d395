package yamlfile

import "github.com/locsync/locsync/formats/resource"

// Compose writes block mappings indented by two columns, texts plain where every reader reads them back and in double
// quotes otherwise, and notes as comments above their entries. Without entries that is {}.
func (grammar) Compose(top []resource.New) ([]byte, error) {
	if len(top) == 0 {
		return []byte("{}\n"), nil
	}
	w := writer{lineFeed: "\n", name: plain, value: plain}
	if err := w.blockEntries(top, 0, areItems(top)); err != nil {
		return nil, err
	}
	w.line(0)
	return []byte(w.out.String()), nil
}
