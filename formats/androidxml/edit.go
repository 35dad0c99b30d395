package androidxml

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xmlscan"
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
	var in scope
	if strings.ContainsAny(text, "<&") {
		in = scopeOf(src, n)
	}
	spelled, missing, err := sp.spell(text, in)
	if err != nil {
		return resource.Splice{}, err
	}
	declared := ""
	for _, prefix := range missing {
		switch uri, known := namespaceOf(prefix, nil); {
		case strings.Contains(raw, "<"+prefix+":"):
		case !known:
			return resource.Splice{}, errUndeclared(prefix)
		default: // on the element, as an entry that is inserted has it
			declared += " xmlns:" + prefix + `="` + uri + `"`
		}
	}
	at := n.Value
	switch {
	case n.Style&styleClosed != 0 && spelled != "":
		spelled = declared + ">" + spelled + "</" + startTagOf(src, n).name + ">"
	case declared != "":
		at.Start--
		spelled = declared + ">" + spelled
	}
	return resource.Splice{At: at, Text: spelled}, nil
}

func errUndeclared(prefix string) error {
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

// attributeValue spells a name with its quotes.
func attributeValue(text string, quote byte) (string, error) {
	if text == "" {
		return "", errors.New("a resource needs a name")
	}
	if err := writable(text); err != nil {
		return "", err
	}
	spelled, err := xmlscan.AttributeValue(text, quote)
	if err != nil {
		return "", err
	}
	if len(spelled) > resource.MaxName+2 { // quotes
		return "", fmt.Errorf("the name has more than %d KiB", resource.MaxName>>10)
	}
	return spelled, nil
}

// Remove takes entries out with their comments: whole lines where nothing else is on them.
func (grammar) Remove(f *resource.File, gone []int) ([]resource.Splice, error) {
	return xmlscan.Removed(f, gone), nil
}
