package gitops

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strconv"
	"strings"
	"unicode/utf8"
)

// What .gitattributes says about a path that we write: its line ends, and whether its content passes through a filter.
// The files are read from the tree that is written to, not from the working tree, which may be on another branch;
// info/attributes and the user's own file count as in git. After gitattributes(5): the nearest file first, in a file the
// last line, in a line the last mention, and a macro where it is mentioned. (The library's matcher lets the first line
// win and panics on a pattern with a slash at its end.)

// attribute is one word of a line.
type attribute struct {
	name  string
	state byte // 's' set, '-' unset, '!' unspecified, '=' a value
	value string
}

func (a attribute) String() string {
	if a.state == '=' {
		return a.name + "=" + a.value
	}
	return a.name
}

// attrLine is a line for paths of one folder and below.
type attrLine struct {
	folder  string // "" is the top
	pattern string
	words   []attribute
	text    string // as written
	where   string // file and line
}

// String is for messages: the line, and where it stands.
func (l attrLine) String() string { return fmt.Sprintf("%q in %s", l.text, l.where) }

// matches applies the pattern: one without a slash to the last name at any depth, others to the path below the folder. A
// pattern for folders matches nothing: attributes belong to files.
func (l attrLine) matches(name string) bool {
	below := name
	if l.folder != "" {
		var ok bool
		if below, ok = strings.CutPrefix(name, l.folder+"/"); !ok {
			return false
		}
	}
	switch {
	case strings.HasSuffix(l.pattern, "/"):
		return false
	case !strings.Contains(l.pattern, "/"):
		return wildmatch(l.pattern, path.Base(below))
	}
	// As git does, compare the plain beginning first and match the rest on its own: a ** right behind it counts as a
	// component.
	pattern := strings.TrimPrefix(l.pattern, "/")
	plain := strings.IndexAny(pattern, `*?[\`)
	if plain < 0 {
		return pattern == below
	}
	rest, ok := strings.CutPrefix(below, pattern[:plain])
	return ok && wildmatch(pattern[plain:], rest)
}

// attributes answers for one tip.
type attributes struct {
	t      *Tip
	loaded bool
	user   []attrLine // core.attributesFile: weakest
	info   []attrLine // info/attributes: strongest
	macros map[string][]attribute
	byDir  map[string][]attrLine
}

func (t *Tip) attributes() *attributes {
	return &attributes{t: t, byDir: map[string][]attrLine{}, macros: map[string][]attribute{
		"binary": {{"diff", '-', ""}, {"merge", '-', ""}, {"text", '-', ""}}, // git brings this one along
	}}
}

// load reads the files that may define macros, weakest first: a later definition replaces an earlier one.
func (a *attributes) load() error {
	if a.loaded {
		return nil
	}
	r := a.t.repo
	file := r.set.file("core.attributesfile")
	if file == "" {
		if home, err := os.UserHomeDir(); err == nil {
			file = filepath.Join(or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "attributes")
		}
	}
	a.user = a.readFile(file)
	if _, err := a.inDir("."); err != nil {
		return err
	}
	a.info = a.readFile(filepath.Join(r.common, "info", "attributes"))
	a.loaded = true
	return nil
}

func (a *attributes) readFile(name string) []attrLine {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil // git overlooks a file it cannot read as well
	}
	return a.parse(content, "", name)
}

// parse reads one file; lines that git would warn about and skip are skipped. Macros are defined in files of the top
// only.
func (a *attributes) parse(content []byte, folder, where string) []attrLine {
	var lines []attrLine
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	number := 0
	for text := range strings.Lines(string(content)) {
		number++
		text = strings.Trim(text, " \t\r\n")
		if text == "" || text[0] == '#' {
			continue
		}
		pattern, rest := splitPattern(text)
		words, ok := parseWords(rest)
		macro, isMacro := strings.CutPrefix(pattern, "[attr]")
		switch {
		case !ok, pattern == "", pattern[0] == '!':
		case isMacro && folder == "" && validAttribute(macro):
			a.macros[macro] = words
		case !isMacro:
			lines = append(lines, attrLine{folder, pattern, words, text, fmt.Sprintf("%s:%d", where, number)})
		}
	}
	return lines
}

// splitPattern takes the pattern off a line; one that begins with a quote is quoted as in C.
func splitPattern(text string) (pattern, rest string) {
	if text[0] == '"' {
		if quoted, err := strconv.QuotedPrefix(text); err == nil {
			if plain, err := strconv.Unquote(quoted); err == nil {
				return plain, text[len(quoted):]
			}
		}
	}
	end := strings.IndexAny(text, " \t\r")
	if end < 0 {
		return text, ""
	}
	return text[:end], text[end:]
}

func parseWords(text string) (words []attribute, ok bool) {
	for _, word := range strings.Fields(text) {
		w := attribute{state: 's'}
		name, value, given := strings.Cut(word, "=")
		switch {
		case name != "" && (name[0] == '-' || name[0] == '!'):
			w.state, name = name[0], name[1:] // a value behind it is overlooked, as in git
		case given:
			w.state, w.value = '=', value
		}
		if w.name = name; !validAttribute(name) {
			return nil, false
		}
		words = append(words, w)
	}
	return words, true
}

func validAttribute(name string) bool {
	return name != "" && name[0] != '-' && !strings.ContainsFunc(name, func(c rune) bool {
		return !(c == '-' || c == '.' || c == '_' || c >= '0' && c <= '9' || c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z')
	})
}

// inDir gives the lines of a folder's .gitattributes in the tree.
func (a *attributes) inDir(folder string) ([]attrLine, error) {
	if lines, ok := a.byDir[folder]; ok {
		return lines, nil
	}
	name := path.Join(folder, ".gitattributes")
	var lines []attrLine
	e, err := a.t.lookup(name, false)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, errNotDir), err == nil && !e.isFile():
	case err != nil:
		return nil, err
	default:
		content, err := a.t.blob(e.hash)
		if err != nil {
			return nil, err
		}
		lines = a.parse(content, strings.TrimPrefix(folder, "."), name)
	}
	a.byDir[folder] = lines
	return lines, nil
}

// decided is an attribute of a path with the line that decided it.
type decided struct {
	attribute
	line attrLine
}

// of gives the attributes of a path.
func (a *attributes) of(name string) (map[string]decided, error) {
	if err := a.load(); err != nil {
		return nil, err
	}
	result := map[string]decided{}
	apply := func(lines []attrLine) {
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].matches(name) {
				a.set(result, lines[i].words, lines[i])
			}
		}
	}
	apply(a.info)
	for folder := path.Dir(name); ; folder = path.Dir(folder) {
		lines, err := a.inDir(folder)
		if err != nil {
			return nil, err
		}
		apply(lines)
		if folder == "." {
			break
		}
	}
	apply(a.user)
	return result, nil
}

// set keeps what a stronger line decided.
func (a *attributes) set(result map[string]decided, words []attribute, line attrLine) {
	for i := len(words) - 1; i >= 0; i-- {
		w := words[i]
		if _, ok := result[w.name]; ok {
			continue
		}
		result[w.name] = decided{w, line}
		if w.state == 's' {
			a.set(result, a.macros[w.name], line)
		}
	}
}

// lineRule is how the bytes of a path are stored.
type lineRule int

const (
	asGiven   lineRule = iota // binary, or nothing said
	always                    // text: LF in the repository
	unlessOld                 // text=auto: LF, unless CRLF is what lies there
)

// storing is how the content of a path is stored.
type storing struct {
	lines   lineRule
	ident   bool // $Id$ stands without its value
	utf8    bool // it is another encoding in a working tree, and always UTF-8 here
	filter  bool // git runs a program over it, and does all the rest too
	because decided
}

// rule says how a path is stored. An errStop when it would have to pass a filter that cannot be run here, or be in an
// encoding that could not hold every text: a plain blob on an LFS path breaks every checkout.
func (a *attributes) rule(name string) (storing, error) {
	of, err := a.of(name)
	if err != nil {
		return storing{}, err
	}
	s := storing{ident: of["ident"].state == 's'}
	if d := of["filter"]; d.state == '=' {
		if err := a.t.repo.runnable(d); err != nil {
			return s, err
		}
		s.filter, s.because = true, d
	}
	if d := of["working-tree-encoding"]; d.state == '=' && !s.filter {
		if !holdsAllText(d.value) {
			return s, stop("%s applies to it (%s), and locsync writes no encoding but those of Unicode; change the encoding to UTF-8 or UTF-16, or take the file out of that pattern",
				d, d.line)
		}
		s.utf8, s.because = true, d
	}
	s.lines = a.lineRule(of)
	return s, nil
}

// holdsAllText is whether an encoding, by the names that git takes, can hold whatever a translation may be.
func holdsAllText(encoding string) bool {
	return strings.HasPrefix(strings.ReplaceAll(strings.ToUpper(encoding), "-", ""), "UTF")
}

func (a *attributes) lineRule(of map[string]decided) lineRule {
	switch text := of["text"]; {
	case text.state == '-':
		return asGiven
	case text.state == '=' && text.value == "auto":
		return unlessOld
	case text.state == 's':
		return always
	}
	if eol := of["eol"]; eol.state == '=' && (eol.value == "lf" || eol.value == "crlf") {
		return always
	}
	set := a.t.repo.set
	if strings.EqualFold(set.get("core.autocrlf"), "input") || set.bool("core.autocrlf", false) {
		return unlessOld
	}
	return asGiven
}

// normalise gives the bytes to store, where no filter does. Old is the blob that lies there, nil for none. In git's order:
// the encoding, the line ends, the identity.
func (s storing) normalise(data, old []byte) ([]byte, error) {
	if s.utf8 && !utf8.Valid(data) {
		return nil, stop("%s applies to it (%s), so it is stored in UTF-8, and this content is not", s.because, s.because.line)
	}
	data = s.lines.normalise(data, old)
	if s.ident && bytes.Contains(data, []byte("$Id:")) {
		data = identLine.ReplaceAll(data, []byte("$$Id$$"))
	}
	return data, nil
}

// normalise gives the bytes with the line ends to store.
func (rule lineRule) normalise(data, old []byte) []byte {
	switch {
	case rule == asGiven || !bytes.Contains(data, []byte("\r\n")):
		return data
	case rule == unlessOld && (bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 || bytes.Contains(old, []byte("\r\n"))):
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}
