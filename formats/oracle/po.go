package oracle

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
)

// poEntry is an entry of a PO file, by keyword.
type poEntry struct {
	from, to int // of its comments and keywords
	fuzzy    bool
	texts    map[string]string
	ends     map[string]int
	order    []string // of keywords
}

func newPOEntry(at int) *poEntry {
	return &poEntry{from: at, to: at, texts: make(map[string]string), ends: make(map[string]int)}
}

// read reads one entry, and returns the one that begins behind it; nil at the end.
func (e *poEntry) read(text string) (next *poEntry, err error) {
	keyword := ""
	for at := e.from; at < len(text); {
		line, _, _ := strings.Cut(text[at:], "\n")
		end := at + len(line) + 1
		words := strings.TrimSpace(line)
		switch {
		case strings.HasPrefix(words, "#"):
			if len(e.order) > 0 {
				return newPOEntry(at), nil
			}
			if flags, is := strings.CutPrefix(words, "#,"); is {
				for flag := range strings.SplitSeq(flags, ",") {
					e.fuzzy = e.fuzzy || strings.TrimSpace(flag) == "fuzzy"
				}
			} else if strings.HasPrefix(words, "#~") { // an obsolete entry: what is above it is its
				return newPOEntry(min(end, len(text))), nil
			}
		case words == "":
			if at == e.from {
				e.from = min(end, len(text)) // a blank line is between entries
			}
		default:
			name, spelled, _ := strings.Cut(words, `"`)
			if name = strings.TrimSpace(name); name != "" {
				if name != "msgstr" && !strings.HasPrefix(name, "msgstr[") && e.has("msgstr") {
					return newPOEntry(at), nil
				}
				if e.has(name) && name != "msgstr[" {
					return nil, fmt.Errorf("%q is there twice", name)
				}
				keyword = name
				e.order, e.texts[name] = append(e.order, name), ""
			}
			part, err := strconv.Unquote(`"` + spelled)
			if err != nil || keyword == "" {
				return nil, errors.New("a line without a string")
			}
			e.texts[keyword] += part
			e.to = at + len(strings.TrimRight(line, " \t\r\f\v"))
			e.ends[keyword] = e.to
		}
		at = end
	}
	return nil, nil
}

// name is the key of an entry.
func (e *poEntry) name() string {
	if e.has("msgctxt") {
		return e.texts["msgctxt"] + "␄" + e.texts["msgid"]
	}
	return e.texts["msgid"]
}

// has reports whether a keyword was read; of msgstr, with an index as well.
func (e *poEntry) has(name string) bool {
	if _, is := e.texts[name]; is {
		return true
	}
	_, is := e.texts["msgstr[0]"]
	return is && name == "msgstr"
}
