package androidxml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

var errLocked = errors.New(`it is marked translatable="false"; take the mark away to translate it`)

// Set writes a text in the spelling of the old one.
func (g grammar) Set(f *resource.File, i int, text string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	if n.Style&styleLocked != 0 {
		return resource.Splice{}, errLocked
	}
	raw := valueOf(src, n)
	sp := g.spelling(raw)
	var in place
	if strings.ContainsAny(text, "<&") {
		in = placeOf(src, n)
	}
	spelled, missing, err := sp.spell(text, in)
	if err != nil {
		return resource.Splice{}, err
	}
	for _, prefix := range missing {
		if !strings.Contains(raw, "<"+prefix+":") {
			return resource.Splice{}, errUndeclared(prefix)
		}
	}
	if n.Style&styleClosed != 0 && spelled != "" {
		spelled = ">" + spelled + "</" + startTagOf(src, n).name + ">"
	}
	return resource.Splice{At: n.Value, Text: spelled}, nil
}

func errUndeclared(prefix string) error {
	if prefix == "xliff" {
		return errors.New("<resources> does not declare the prefix xliff: that the text uses; " +
			`add xmlns:xliff="` + xliffURI + `" to it`)
	}
	return fmt.Errorf("<resources> does not declare the prefix %s: that the text uses; add it", prefix)
}

// Rename gives an entry another name, in the quotes that it has.
func (grammar) Rename(f *resource.File, i int, name string) (resource.Splice, error) {
	src, n := f.Source(), f.Node(i)
	if n.Name.Len() < 2 {
		return resource.Splice{}, errors.New("it has no name of its own")
	}
	if n.Style&styleProduct != 0 {
		base, ok := strings.CutSuffix(name, "@"+product(src, n))
		if !ok {
			return resource.Splice{}, fmt.Errorf("the new name must end in @%s, the product of the entry", product(src, n))
		}
		name = base
	}
	if up := f.Node(int(n.Parent)); up.Kind == resource.Forms && !slices.Contains(quantities, name) {
		return resource.Splice{}, errQuantity(name)
	}
	spelled, err := attributeValue(name, src[n.Name.Start])
	if err != nil {
		return resource.Splice{}, err
	}
	return resource.Splice{At: n.Name, Text: spelled}, nil
}

func errQuantity(name string) error {
	return fmt.Errorf("%q is not a quantity; Android knows %s", name, strings.Join(quantities, " "))
}

// What attributes have to escape, by their quotes. White space would be read as blanks.
var (
	inDouble = strings.NewReplacer(`"`, "&quot;", "&", "&amp;", "<", "&lt;", "\n", "&#10;", "\t", "&#9;", "\r", "&#13;")
	inSingle = strings.NewReplacer(`'`, "&apos;", "&", "&amp;", "<", "&lt;", "\n", "&#10;", "\t", "&#9;", "\r", "&#13;")
)

// attributeValue spells a name with its quotes.
func attributeValue(text string, quote byte) (string, error) {
	if text == "" {
		return "", errors.New("a resource needs a name")
	}
	if err := writable(text); err != nil {
		return "", err
	}
	escape := inDouble
	if quote == '\'' {
		escape = inSingle
	}
	spelled := string(quote) + escape.Replace(text) + string(quote)
	if len(spelled) > resource.MaxName+2 { // quotes
		return "", fmt.Errorf("the name has more than %d KiB", resource.MaxName>>10)
	}
	return spelled, nil
}

// Remove takes entries out with their comments: whole lines where nothing else is on them.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	nodes := make([]resource.Node, len(gone))
	for k, i := range gone {
		nodes[k] = *f.Node(i)
	}
	return removal(f.Source(), nodes), nil
}

// removal cuts out elements, in the order in which they stand.
func removal(src string, gone []resource.Node) (out []resource.Splice) {
	for k := 0; k < len(gone); k++ {
		start, end := extent(src, &gone[k])
		for k+1 < len(gone) { // neighbours on one line go together
			from, to := extent(src, &gone[k+1])
			if strings.Trim(src[end:from], " \t") != "" {
				break
			}
			end, k = to, k+1
		}
		line, first := lineStart(src, start)
		rest, alone := lineTail(src, end)
		switch {
		case first && alone:
			start, end = line, afterBreak(src, rest)
		case first:
			end += blanks(src[end:])
		default:
			start = line
		}
		out = append(out, resource.Splice{At: resource.At(start, end)})
	}
	return out
}

// extent is what goes with an entry: from the comment above it to the one behind it on its last line.
func extent(src string, n *resource.Node) (start, end int) {
	start, end = int(n.Whole.Start), int(n.Whole.End)
	if n.Note.Len() > 0 {
		start = int(n.Note.Start)
	}
	if rest, alone := lineTail(src, end); alone {
		end = rest - trailing(src[end:rest])
	}
	return start, end
}

// lineStart returns whether an offset is the first on its line but for blanks, and where those begin.
func lineStart(src string, at int) (start int, first bool) {
	start = at - trailing(src[:at])
	return start, start == 0 || src[start-1] == '\n'
}

// lineTail returns the line break that follows an offset, ok when only blanks and comments are before it.
func lineTail(src string, at int) (end int, ok bool) {
	for {
		at += blanks(src[at:])
		switch {
		case strings.HasPrefix(src[at:], "<!--"):
			n := strings.Index(src[at+4:], "-->")
			at += 4 + n + 3
		case strings.HasPrefix(src[at:], "\n") || strings.HasPrefix(src[at:], "\r\n"):
			return at, true
		default:
			return at, false
		}
	}
}

// afterBreak returns the offset behind the line break at an offset.
func afterBreak(src string, at int) int { return at + strings.IndexByte(src[at:], '\n') + 1 }

// blanks is the number of blanks and tabs that text begins with.
func blanks(text string) int { return len(text) - len(strings.TrimLeft(text, " \t")) }

// trailing is the number of blanks and tabs that text ends with.
func trailing(text string) int { return len(text) - len(strings.TrimRight(text, " \t")) }

// indentOf is the indentation of the line that an offset is on.
func indentOf(src string, at int) string {
	start, first := lineStart(src, at)
	if first {
		return src[start:at]
	}
	start = strings.LastIndexByte(src[:at], '\n') + 1
	return src[start : start+blanks(src[start:at])]
}
