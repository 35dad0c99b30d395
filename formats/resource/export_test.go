package resource

import "errors"

// Unproven makes edits of texts that are there and does not read the result: what a rewrite would cost without its
// proof.
func (f *File) Unproven(edits []Edit) ([]byte, error) {
	splices := make([]Splice, len(edits))
	for k, e := range edits {
		copies := f.copies(id{e.Key, e.Form})
		if len(copies) == 0 {
			return nil, errors.New("no such entry")
		}
		s, err := f.grammar.Set(f, int(copies[len(copies)-1]), e.Text)
		if err != nil {
			return nil, err
		}
		splices[k] = s
	}
	return apply(f.src, splices)
}
