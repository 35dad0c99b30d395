package bound

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
)

// JSON is the budget of one JSON document. Zero members do not bound.
type JSON struct {
	Bytes   int64 // as it comes
	Memory  int64 // that its decoded form is estimated to take
	Element int64 // bytes of one element of a list that is read element by element
}

// What a value takes when it is decoded, whatever its Go type: an empty record has two bytes on the wire.
const (
	objectWeight = 400
	arrayWeight  = 48
	valueWeight  = 16
	mostDepth    = 100
)

// meter measures a JSON document as it passes by. It need not be valid: what is not ends in the decoder.
type meter struct {
	budget                 JSON
	bytes, memory, element int64
	depth                  int
	text, escaped          bool
}

// pass takes the next bytes into account.
func (m *meter) pass(p []byte) error {
	for _, c := range p {
		switch {
		case m.escaped:
			m.escaped = false
		case m.text:
			m.text, m.escaped = c != '"', c == '\\'
		case c == '"':
			m.text = true
		case c == '{':
			m.memory, m.depth = m.memory+objectWeight, m.depth+1
		case c == '[':
			m.memory, m.depth = m.memory+arrayWeight, m.depth+1
		case c == '}' || c == ']':
			m.depth--
		case c == ',':
			m.memory += valueWeight
		}
		if m.depth > mostDepth {
			return &Exceeded{"values inside one another", mostDepth}
		}
	}
	n := int64(len(p))
	m.bytes, m.element, m.memory = m.bytes+n, m.element+n, m.memory+n
	switch b := m.budget; {
	case b.Bytes > 0 && m.bytes > b.Bytes:
		return &Exceeded{"bytes", b.Bytes}
	case b.Memory > 0 && m.memory > b.Memory:
		return fmt.Errorf("too many values for a memory of %d MB: %w", b.Memory>>20, &Exceeded{"bytes", b.Memory})
	case b.Element > 0 && m.element > b.Element:
		return fmt.Errorf("one element: %w", &Exceeded{"bytes", b.Element})
	}
	return nil
}

// Weigh measures a document that was read.
func (b JSON) Weigh(src []byte) error {
	return (&meter{budget: b}).pass(src)
}

// metered is a reader whose bytes are measured before they are handed on.
type metered struct {
	from io.Reader
	*meter
}

func (m metered) Read(p []byte) (int, error) {
	n, err := m.from.Read(p)
	if over := m.pass(p[:n]); over != nil {
		return 0, over
	}
	return n, err
}

// Object reads one object. The elements of its list of this name go to each, one by one, which decodes them or leaves
// them; the object without that list is returned, with its other members as they were.
func (b JSON) Object(r io.Reader, list string, each func(element *json.Decoder) error) ([]byte, error) {
	m := &meter{budget: b}
	d := json.NewDecoder(metered{skipMark(r), m})
	if t, err := d.Token(); err != nil || t != json.Delim('{') {
		return nil, errors.Join(errors.New("it is not a JSON object"), err)
	}
	rest := []byte{'{'}
	for d.More() {
		name, err := d.Token()
		if err != nil {
			return nil, err
		}
		m.element = 0
		if name == list {
			if err := elements(d, m, each); err != nil {
				return nil, err
			}
			continue
		}
		var value json.RawMessage
		if err := d.Decode(&value); err != nil {
			return nil, err
		}
		key, err := json.Marshal(name)
		if err != nil {
			return nil, err
		}
		if len(rest) > 1 {
			rest = append(rest, ',')
		}
		if rest = append(append(append(rest, key...), ':'), value...); b.Element > 0 && int64(len(rest)) > b.Element {
			return nil, &Exceeded{"bytes", b.Element}
		}
	}
	if _, err := d.Token(); err != nil {
		return nil, err
	}
	if _, err := d.Token(); err != io.EOF {
		return nil, errors.Join(errors.New("something follows the JSON object"), err)
	}
	return append(rest, '}'), nil
}

// elements hands on the elements of a list. Anything else instead, as null, is an empty one.
func elements(d *json.Decoder, m *meter, each func(*json.Decoder) error) error {
	t, err := d.Token()
	switch {
	case err != nil:
		return err
	case t == json.Delim('{'):
		return errors.New("an object where a list is expected")
	case t != json.Delim('['):
		return nil
	}
	for d.More() {
		m.element = 0
		if err := each(d); err != nil {
			return err
		}
	}
	_, err = d.Token()
	return err
}

// Leave passes over an element.
func Leave(element *json.Decoder) error { return element.Decode(new(left)) }

type left struct{}

func (*left) UnmarshalJSON([]byte) error { return nil }

const byteOrderMark = "\xef\xbb\xbf"

// skipMark is a document without a byte order mark.
func skipMark(document io.Reader) io.Reader {
	r := bufio.NewReader(document)
	if head, err := r.Peek(len(byteOrderMark)); err == nil && string(head) == byteOrderMark {
		_, _ = r.Discard(len(byteOrderMark)) // they are there
	}
	return r
}
