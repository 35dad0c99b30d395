// Package position tells where the keys of a TOML document are, and whether a document is one that may be read at all.
//
// Its law: for a valid document, every key and element has its line; anything else is scanned as far as the TOML
// library reads it before it meets a fault, ends, and does not panic. It reads no value, and knows no key of the
// configuration.
package position

import (
	"strconv"
	"strings"
	"unicode/utf8"
)

// Lines tells for each value of a TOML document the line of its key. The TOML library
// reports lines for broken syntax only, and nothing for a key that is well-formed and wrong; this
// fills that gap. Paths are written with indexes: project[0].files[1].output. Keys that hold dots or
// brackets are quoted in them, so that no two values share a path.
type Lines map[string]int

// Of is the line of a path, or of the nearest table around it where it is not in the file; 1
// where nothing of it does.
func (l Lines) Of(path string) int {
	for path != "" {
		if line, ok := l[path]; ok {
			return line
		}
		cut := strings.LastIndexAny(path, ".[")
		if cut < 0 {
			break
		}
		path = path[:cut]
	}
	return 1
}

// The most of a configuration that is handed to the TOML library, which takes kilobytes for each part of a key and more
// than linear time for what is nested.
const (
	mostNested = 32      // arrays and tables inside one another, parts of one key
	mostParts  = 100_000 // parts of all keys, and elements of lists
	mostPath   = 1000    // bytes of a key with those of the tables around it: each value has a path of its own
)

// Document is what a scan found.
type Document struct {
	Lines Lines
	Parts int // of all its keys, with its arrays, tables and elements
	// TooMuch says why it is not a configuration, and Line where that shows; "" and 0 when it may be one.
	TooMuch string
	Line    int
}

// lineScanner walks a document. It knows just enough of the grammar to find keys: on a document that is not valid TOML
// its lines mean nothing.
type lineScanner struct {
	src   string
	pos   int
	line  int
	depth int // of arrays and tables inside one another
	Document
	// tables counts, for each [[array]] by its path, the elements so far: a header below it means the last.
	tables map[string]int
}

// Scan finds the line of every key of a valid document, and ends at what is too much of any.
func Scan(src string) Document {
	s := &lineScanner{src: strings.TrimPrefix(src, "\ufeff"), line: 1, tables: map[string]int{}}
	s.Lines = Lines{}
	table := ""
	for {
		s.space(true)
		switch {
		case s.pos >= len(s.src):
			return s.Document
		case strings.HasPrefix(s.src[s.pos:], "[["):
			s.pos += 2
			table = s.arrayHeader(s.keys())
		case s.src[s.pos] == '[':
			s.pos++
			table = s.header(s.keys())
		default:
			s.keyValue(table)
		}
		s.restOfLine()
	}
}

// count adds a part of a key, an array, a table or an element.
func (s *lineScanner) count() {
	s.Parts++
	if s.Parts > mostParts {
		s.refuse("more than 100,000 keys, tables and elements of lists: divide the projects among several files, and " +
			"include them")
	}
}

// refuse ends the scan.
func (s *lineScanner) refuse(why string) {
	if s.TooMuch == "" {
		s.TooMuch, s.Line = why, s.line
	}
	s.pos = len(s.src)
}

// header enters [a.b.c].
func (s *lineScanner) header(keys []string) string {
	path := ""
	for _, k := range keys {
		path = Join(path, k)
		s.note(path)
		if n := s.tables[path]; n > 0 {
			path += "[" + strconv.Itoa(n-1) + "]"
		}
	}
	return path
}

// arrayHeader enters a new element of [[a.b.c]].
func (s *lineScanner) arrayHeader(keys []string) string {
	if len(keys) == 0 {
		return ""
	}
	path := Join(s.header(keys[:len(keys)-1]), keys[len(keys)-1])
	s.note(path)
	n := s.tables[path]
	s.tables[path] = n + 1
	path += "[" + strconv.Itoa(n) + "]"
	s.note(path)
	return path
}

// keyValue reads `a.b = value` inside the table with this path.
func (s *lineScanner) keyValue(table string) {
	path := table
	for _, k := range s.keys() {
		path = Join(path, k)
		s.note(path)
	}
	s.space(false)
	if s.pos < len(s.src) && s.src[s.pos] == '=' {
		s.pos++
	}
	s.space(false)
	s.value(path)
}

// value passes over a value and notes the keys and elements inside it.
func (s *lineScanner) value(path string) {
	if s.pos >= len(s.src) {
		return
	}
	switch c := s.src[s.pos]; c {
	case '"', '\'':
		s.text()
	case '[':
		s.enter()
		for i := 0; s.more(']'); i++ {
			element := path + "[" + strconv.Itoa(i) + "]"
			s.count()
			s.note(element)
			s.value(element)
		}
		s.depth--
	case '{':
		s.enter()
		for s.more('}') {
			s.keyValue(path)
		}
		s.depth--
	default:
		s.bare()
	}
}

// enter goes into an array or inline table.
func (s *lineScanner) enter() {
	s.pos++
	s.count()
	s.depth++
	if s.depth > mostNested {
		s.refuse("arrays and tables are nested more than 32 deep: this is not a configuration")
	}
}

// more moves to the next element of an array or inline table, or past its end.
func (s *lineScanner) more(end byte) bool {
	for {
		s.space(true)
		if s.pos >= len(s.src) {
			return false
		}
		switch s.src[s.pos] {
		case ',':
			s.pos++
		case end:
			s.pos++
			return false
		case ']', '}', '=':
			s.pos++ // not valid here: step over it, so that the scan always ends
		default:
			return true
		}
	}
}

// keys reads a dotted key.
func (s *lineScanner) keys() []string {
	var keys []string
	for {
		s.space(false)
		if len(keys) == mostNested {
			s.refuse("a key has more than 32 parts: this is not a configuration")
		}
		if s.pos >= len(s.src) {
			return keys
		}
		switch c := s.src[s.pos]; {
		case c == '"' || c == '\'':
			keys = append(keys, Key(s.text()))
		case isBareKey(c):
			start := s.pos
			for s.pos < len(s.src) && isBareKey(s.src[s.pos]) {
				s.pos++
			}
			keys = append(keys, s.src[start:s.pos])
		default:
			s.step() // not valid here
			return keys
		}
		s.count()
		s.space(false)
		if s.pos >= len(s.src) || s.src[s.pos] != '.' {
			return keys
		}
		s.pos++
	}
}

// text reads a string of any of the four kinds and returns its content; escapes are resolved as far as
// keys need them.
func (s *lineScanner) text() string {
	quote := s.src[s.pos]
	if long := strings.Repeat(string(quote), 3); strings.HasPrefix(s.src[s.pos:], long) {
		s.pos += 3
		start := s.pos
		for s.pos < len(s.src) && !strings.HasPrefix(s.src[s.pos:], long) {
			if s.src[s.pos] == '\\' && quote == '"' {
				s.step()
			}
			s.step()
		}
		content := s.src[start:min(s.pos, len(s.src))]
		for s.pos < len(s.src) && s.src[s.pos] == quote {
			s.pos++ // the closing three, and up to two quotes that belong to the text
		}
		return content
	}
	s.pos++
	start := s.pos
	for s.pos < len(s.src) && s.src[s.pos] != quote && s.src[s.pos] != '\n' {
		if s.src[s.pos] == '\\' && quote == '"' {
			s.step()
		}
		s.step()
	}
	content := s.src[start:min(s.pos, len(s.src))]
	if s.pos < len(s.src) && s.src[s.pos] == quote {
		s.pos++ // else the line ends, which the library does not accept
	}
	if quote == '"' && strings.Contains(content, `\`) {
		if plain, err := strconv.Unquote(`"` + content + `"`); err == nil {
			return plain
		}
	}
	return content
}

// bare passes over a number, a date or a boolean.
func (s *lineScanner) bare() {
	start := s.pos
	for s.pos < len(s.src) && !strings.ContainsRune(",]}#\n", rune(s.src[s.pos])) {
		s.pos++
	}
	if s.pos == start {
		s.step() // always forward
	}
}

// space passes over blanks, and over line ends and comments where the grammar allows them.
func (s *lineScanner) space(lines bool) {
	for s.pos < len(s.src) {
		switch c := s.src[s.pos]; {
		case c == ' ' || c == '\t' || c == '\r':
			s.pos++
		case c == '\n' && lines:
			s.step()
		case c == '#' && lines:
			for s.pos < len(s.src) && s.src[s.pos] != '\n' {
				s.pos++
			}
		default:
			return
		}
	}
}

func (s *lineScanner) restOfLine() {
	for s.pos < len(s.src) && s.src[s.pos] != '\n' {
		s.pos++
	}
}

// step moves one byte on and counts lines.
func (s *lineScanner) step() {
	if s.pos < len(s.src) {
		if s.src[s.pos] == '\n' {
			s.line++
		}
		s.pos++
	}
}

// note records where a path is for the first time.
func (s *lineScanner) note(path string) {
	if len(path) > mostPath {
		s.refuse("a key is longer than 1000 bytes, with the tables around it: this is not a configuration")
		return
	}
	if _, ok := s.Lines[path]; !ok {
		s.Lines[path] = s.line
	}
}

func isBareKey(c byte) bool {
	return c == '_' || c == '-' || '0' <= c && c <= '9' || 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' ||
		c >= utf8.RuneSelf
}

// Key spells a key as part of a path.
func Key(key string) string {
	for i := range len(key) {
		if !isBareKey(key[i]) {
			return strconv.Quote(key)
		}
	}
	if key == "" {
		return `""`
	}
	return key
}

// WithoutIndexes turns the path of a value into the key as a person would say it.
func WithoutIndexes(path string) string {
	if !strings.Contains(path, "[") {
		return path
	}
	var b strings.Builder
	quoted, index := false, false
	for i := range len(path) {
		c := path[i]
		switch {
		case c == '"' && (i == 0 || path[i-1] != '\\'):
			quoted = !quoted
		case c == '[' && !quoted:
			index = true
		case c == ']' && !quoted:
			index = false
			continue
		}
		if !index {
			b.WriteByte(c)
		}
	}
	return b.String()
}

// Join is the path of a key below another path.
func Join(path, key string) string {
	if path == "" {
		return key
	}
	return path + "." + key
}
