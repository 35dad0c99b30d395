package workbook

import (
	"encoding/xml"

	"github.com/locsync/locsync/sync/bound"
)

// mostNested is how deep the elements of a part may be within each other: encoding/xml keeps each that is open.
const mostNested = 200

// decoder reads the XML of a part.
type decoder struct {
	xml   *xml.Decoder
	depth int
}

// Token is the next piece of the part.
func (d *decoder) Token() (xml.Token, error) {
	t, err := d.xml.Token()
	switch t.(type) {
	case xml.StartElement:
		if d.depth++; d.depth > mostNested {
			return nil, &bound.Exceeded{What: "elements within each other", Most: mostNested}
		}
	case xml.EndElement:
		d.depth--
	}
	return t, err
}

// skip passes over an element that has begun.
func (d *decoder) skip() error {
	for outer := d.depth - 1; d.depth > outer; {
		if _, err := d.Token(); err != nil {
			return err
		}
	}
	return nil
}
