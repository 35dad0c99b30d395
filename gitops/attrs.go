package gitops

import (
	"bytes"
	"errors"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/format/gitattributes"
)

// What .gitattributes says about a path that we write: its line ends, and whether its content passes through a filter. The files are
// read from the tree that is written to, not from the working tree, which may be on another branch; info/attributes and the user's
// own file count as in git. The library parses lines and patterns; which line wins is decided here, after gitattributes(5):
// the nearest file first, in a file the last line, and a macro where it is mentioned.

// attributes answers for one tip.
type attributes struct {
	t      *Tip
	user   []attrLine // core.attributesFile: weakest
	info   []attrLine // info/attributes: strongest
	macros map[string][]gitattributes.Attribute
	byDir  map[string][]attrLine
}

type attrLine struct {
	gitattributes.MatchAttribute
	text  string // as written
	where string
}

// lineRule is how the bytes of a path are stored.
type lineRule int

const (
	asGiven   lineRule = iota // binary, or nothing said
	always                    // text: LF in the repository
	unlessOld                 // text=auto: LF, unless CRLF is what lies there
)

func (t *Tip) attributes() *attributes {
	r := t.repo
	file := r.set.file("core.attributesfile")
	if file == "" {
		if home, err := os.UserHomeDir(); err == nil {
			file = filepath.Join(or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "attributes")
		}
	}
	a := &attributes{t: t, byDir: map[string][]attrLine{}, macros: map[string][]gitattributes.Attribute{}}
	// The one macro that git brings along.
	binary, _ := gitattributes.ParseAttributesLine("[attr]binary -diff -merge -text", nil, true)
	a.macros["binary"] = binary.Attributes
	a.user = a.readFile(file)
	a.info = a.readFile(filepath.Join(r.common, "info", "attributes"))
	return a
}

func (a *attributes) readFile(name string) []attrLine {
	content, err := os.ReadFile(name)
	if err != nil {
		return nil // git overlooks a file it cannot read as well
	}
	return a.parse(content, nil, name, true)
}

// parse reads one file. A line that git would warn about and skip is skipped. Macros may stand in the top folder's files only.
func (a *attributes) parse(content []byte, domain []string, where string, macros bool) []attrLine {
	var lines []attrLine
	content = bytes.TrimPrefix(content, []byte("\ufeff"))
	for line := range strings.Lines(string(content)) {
		parsed, err := gitattributes.ParseAttributesLine(strings.TrimSpace(line), domain, macros)
		switch {
		case err != nil || parsed.Name == "":
		case parsed.Pattern == nil:
			a.macros[parsed.Name] = parsed.Attributes
		default:
			lines = append(lines, attrLine{parsed, strings.TrimSpace(line), where})
		}
	}
	return lines
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
		var domain []string
		if folder != "." {
			domain = strings.Split(folder, "/")
		}
		lines = a.parse(content, domain, name, folder == ".")
	}
	a.byDir[folder] = lines
	return lines, nil
}

// of gives the attributes of a path, each with the line that decided it.
func (a *attributes) of(name string) (map[string]decided, error) {
	result := map[string]decided{}
	parts := strings.Split(name, "/")
	apply := func(lines []attrLine) {
		for i := len(lines) - 1; i >= 0; i-- {
			if lines[i].Pattern.Match(parts) {
				a.set(result, lines[i].Attributes, lines[i])
			}
		}
	}
	// Macros may be defined in the top folder's file, which is read last: make sure that it was.
	if _, err := a.inDir("."); err != nil {
		return nil, err
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

type decided struct {
	gitattributes.Attribute
	line attrLine
}

// set keeps what was decided by a stronger line. In one line the last mention counts, so it is read backwards too.
func (a *attributes) set(result map[string]decided, list []gitattributes.Attribute, line attrLine) {
	for i := len(list) - 1; i >= 0; i-- {
		name := list[i].Name()
		if _, ok := result[name]; ok {
			continue
		}
		result[name] = decided{list[i], line}
		if macro, ok := a.macros[name]; ok && list[i].IsSet() {
			a.set(result, macro, line)
		}
	}
}

// rule says how a path's line ends are stored. An errStop when its content would have to pass a filter: a plain blob on an
// LFS path breaks every checkout.
func (a *attributes) rule(name string) (lineRule, error) {
	of, err := a.of(name)
	if err != nil {
		return asGiven, err
	}
	for _, filter := range []string{"filter", "ident", "working-tree-encoding"} {
		if d, ok := of[filter]; ok && (d.IsValueSet() || d.IsSet()) {
			return asGiven, stop("%s applies to it (%q in %s), which locsync does not run yet; take the file out of that pattern",
				d.String(), d.line.text, d.line.where)
		}
	}
	text, said := of["text"]
	switch {
	case said && text.IsSet():
		return always, nil
	case said && text.IsUnset():
		return asGiven, nil
	case said && text.IsValueSet() && text.Value() == "auto":
		return unlessOld, nil
	}
	if eol, ok := of["eol"]; ok && eol.IsValueSet() {
		return always, nil
	}
	if auto := strings.ToLower(a.t.repo.set.get("core.autocrlf")); auto == "input" || a.t.repo.set.bool("core.autocrlf", false) {
		return unlessOld, nil
	}
	return asGiven, nil
}

// normalise gives the bytes to store. Old is the blob that lies there, nil for none.
func (rule lineRule) normalise(data, old []byte) []byte {
	switch {
	case rule == asGiven || !bytes.Contains(data, []byte("\r\n")):
		return data
	case rule == unlessOld && (bytes.IndexByte(data[:min(len(data), 8000)], 0) >= 0 || bytes.Contains(old, []byte("\r\n"))):
		return data
	}
	return bytes.ReplaceAll(data, []byte("\r\n"), []byte("\n"))
}
