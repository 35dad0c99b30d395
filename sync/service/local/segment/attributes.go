package segment

import (
	"html"
	"regexp"
	"slices"
	"strings"
)

// attribute is one attribute of a tag. Its value's place is without the quotes; quote is 0 where there are none.
type attribute struct {
	name     string
	from, to int
	quote    byte
}

// attributePattern is an attribute, with its value if it has one, as HTML's tokenizer reads it behind what precedes.
var attributePattern = regexp.MustCompile(`^[\s/]*([^\s/>][^\s/>=]*)` +
	`(?:\s*=\s*(?:"([^"]*)"|'([^']*)'|([^\s"'>][^\s>]*)))?`)

// tagName is what precedes the attributes of a tag; quotes and equals signs are a part of it.
var tagName = regexp.MustCompile(`^<[^\s/>]*`)

// attributesOf reads the attributes with values of a tag, which begins at an offset.
func attributesOf(tag string, at int) []attribute {
	var out []attribute
	read := len(tagName.FindString(tag))
	for n := 0; n < maxAttributes; n++ {
		m := attributePattern.FindStringSubmatchIndex(tag[read:])
		if m == nil {
			break
		}
		a := attribute{name: strings.ToLower(tag[read+m[2] : read+m[3]])}
		for i, quote := range []byte{'"', '\'', 0} {
			if from := m[4+2*i]; from >= 0 {
				a.from, a.to, a.quote = at+read+from, at+read+m[5+2*i], quote
				out = append(out, a)
			}
		}
		read += m[1]
	}
	return out
}

// attributes makes segments of the attributes that people read. Those within a segment are a part of its text already.
func (r *htmlReader) attributes() {
	taken := slices.Clone(r.d.spans) // in the order of the file
	for _, t := range r.tags {
		for len(taken) > 0 && taken[0].to <= t.from {
			taken = taken[1:]
		}
		if len(taken) > 0 && taken[0].from <= t.from {
			continue
		}
		all := attributesOf(string(r.src[t.from:t.to]), t.from)
		for _, a := range all {
			if !spoken[a.name] && !r.isDescription(t.name, a.name, all) {
				continue
			}
			r.d.add(a.from, a.to, Segment{Text: html.UnescapeString(string(r.src[a.from:a.to]))}, spellAttribute(a.quote))
		}
	}
}

// isDescription tells whether an attribute is the content of a meta element that people read, or the label of a button.
func (r *htmlReader) isDescription(tag, name string, all []attribute) bool {
	value := func(names ...string) string {
		for _, a := range all {
			if slices.Contains(names, a.name) {
				return strings.ToLower(string(r.src[a.from:a.to]))
			}
		}
		return ""
	}
	switch {
	case tag == "meta" && name == "content":
		return describing[value("name", "property")]
	case tag == "input" && name == "value":
		return slices.Contains([]string{"submit", "button", "reset"}, value("type"))
	}
	return false
}

func spellAttribute(quote byte) func(string) (string, error) {
	return func(text string) (string, error) {
		text = strings.NewReplacer("&", "&amp;", "<", "&lt;", `"`, "&quot;", "'", "&#39;").Replace(text)
		if quote == 0 {
			return `"` + text + `"`, nil
		}
		if quote == '"' {
			text = strings.ReplaceAll(text, "&#39;", "'")
		}
		return text, nil
	}
}
