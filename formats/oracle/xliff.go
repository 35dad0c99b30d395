package oracle

import (
	"encoding/xml"
	"regexp"
	"slices"
	"strings"
)

// xliffReader reads units with encoding/xml, and codes as they are spelled.
type xliffReader struct {
	src     string
	d       *xml.Decoder
	angular bool // it is a file of Angular's
	file    string
}

// fileOf is the name of a file, which in Xcode's exports is in front of the names of its units.
func fileOf(start xml.StartElement) string {
	for _, a := range start.Attr {
		if a.Name.Space == "" && a.Name.Local == "original" {
			return a.Value
		}
	}
	return ""
}

// ofXcode reports whether a document is an export of Xcode's.
func ofXcode(src string) bool {
	type tool struct {
		ID string `xml:"tool-id,attr"`
	}
	var doc struct {
		Tools []tool `xml:"file>header>tool"`
	}
	err := xml.Unmarshal([]byte(src), &doc)
	return err == nil && slices.Contains(doc.Tools, tool{"com.apple.dt.xcode"})
}

// xliffUnit is what a unit has.
type xliffUnit struct {
	sources, targets int
	source, target   xliffText
	state            string
	segmented        bool // it has a <segment>
}

// copied reports whether the target says what the source says.
func (u xliffUnit) copied() bool {
	return u.source == u.target && !u.source.odd
}

// xliffText is a content; odd says that it has what is neither characters nor a code, or characters like one.
type xliffText struct {
	text string
	odd  bool
}

// skip passes over an element whose start tag was read.
func (x *xliffReader) skip() error {
	for depth := 1; depth > 0; {
		t, err := x.d.RawToken()
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// unit reads what is in a unit, its end tag included.
func (x *xliffReader) unit() (u xliffUnit, err error) {
	for depth := 1; depth > 0; {
		t, err := x.d.RawToken()
		if err != nil {
			return u, err
		}
		if _, is := t.(xml.EndElement); is {
			depth--
		}
		start, is := t.(xml.StartElement)
		if !is {
			continue
		}
		name := start.Name.Local
		for _, a := range start.Attr {
			if a.Name.Local == "state" && (name == "segment" || name == "target" && u.targets == 0) {
				u.state = a.Value
			}
		}
		switch name {
		case "segment", "notes":
			depth++
			u.segmented = u.segmented || name == "segment"
			continue
		case "source", "target":
			text, err := x.content()
			if err != nil {
				return u, err
			}
			if name == "source" {
				u.sources, u.source = u.sources+1, text
			} else {
				u.targets, u.target = u.targets+1, text
			}
			continue
		}
		if err := x.skip(); err != nil {
			return u, err
		}
	}
	return u, nil
}

var xliffCodes = strings.Fields("g x bx ex ph it bpt ept mrk sub pc sc ec cp sm em")

// content reads what is in an element, its end tag included.
func (x *xliffReader) content() (c xliffText, err error) {
	tags := 0
	var out strings.Builder
	for depth := 1; ; {
		at := int(x.d.InputOffset())
		t, err := x.d.RawToken()
		if err != nil {
			return c, err
		}
		spelled := x.src[at:x.d.InputOffset()]
		name := ""
		switch t := t.(type) {
		case xml.CharData:
			out.Write(t)
			continue
		case xml.Comment:
			continue
		case xml.ProcInst, xml.Directive:
			c.odd = true
			continue
		case xml.StartElement:
			depth++
			name = t.Name.Local
			c.odd = c.odd || t.Name.Space != ""
			tags++
		case xml.EndElement:
			if depth--; depth == 0 {
				c.text = out.String()
				c.odd = c.odd || countCodes(c.text) != tags
				return c, nil
			}
			name = t.Name.Local
			if spelled == "" { // of <x/>
				continue
			}
			tags++
		}
		c.odd = c.odd || !slices.Contains(xliffCodes, name)
		out.WriteString(spelled)
	}
}

const xliffAttribute = `\s+[A-Za-z_:][\w:.-]*\s*=\s*(?:"[^"]*"|'[^']*')`

// xliffCode is what is behind the < of a code. The last two are markers, which are empty and have an attribute.
var xliffCode = regexp.MustCompile(`^(?:/?(?:` + strings.Join(xliffCodes[:len(xliffCodes)-2], "|") +
	`)(?:` + xliffAttribute + `)*\s*/?>|(?:sm|em)(?:` + xliffAttribute + `)+\s*/>)`)

// countCodes is how many tags a text has that can be those of codes.
func countCodes(text string) (n int) {
	for _, piece := range strings.Split(text, "<")[1:] {
		if xliffCode.MatchString(piece) {
			n++
		}
	}
	return n
}
