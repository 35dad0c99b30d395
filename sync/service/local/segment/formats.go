package segment

import (
	"bytes"
	"fmt"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/sync/service/wire"
)

// Format is a kind of file that can be taken apart.
type Format struct {
	Name       string
	MIME       string
	Extensions []string
	parse      func(src []byte, o Options) (*Document, error)
	binary     bool // not text: nothing is said about its bytes
}

var table = []Format{
	{Name: "Plain text", MIME: "text/plain", Extensions: []string{".txt"}, parse: parseText},
	{Name: "Markdown", MIME: "text/markdown", Extensions: []string{".md", ".markdown"}, parse: parseMarkdown},
	{Name: "HTML", MIME: "text/html", Extensions: []string{".html", ".htm", ".xhtml"}, parse: parseHTML},
	{Name: "JSON", MIME: "application/json", Extensions: []string{".json"},
		parse: resourceFile(wire.FormatStructuredJSON)},
	{Name: "YAML", MIME: "application/yaml", Extensions: []string{".yaml", ".yml"},
		parse: resourceFile(wire.FormatStructuredYAML)},
	{Name: "iOS strings", MIME: "text/plain", Extensions: []string{".strings"},
		parse: resourceFile(wire.FormatIOSStrings)},
	{Name: "Android XML", MIME: "application/xml", Extensions: []string{".xml"},
		parse: resourceFile(wire.FormatAndroidXML)},
	{Name: "LocJSON", MIME: "application/json", Extensions: []string{".locjson"},
		parse: resourceFile(wire.FormatLocJSON)},
	{Name: "XLIFF", MIME: "application/xliff+xml", Extensions: []string{".xlf", ".xliff"}, parse: parseXLIFF},
	{Name: "gettext", MIME: "text/x-gettext-translation", Extensions: []string{".po", ".pot"}, parse: parsePO},
	{Name: "Excel", MIME: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		Extensions: []string{".xlsx"}, parse: parseSheet, binary: true},
}

// Formats lists what can be taken apart.
func Formats() []Format { return slices.Clone(table) }

// FormatOf returns the format of a file by its name.
func FormatOf(name string) (Format, bool) {
	extension := strings.ToLower(path.Ext(name))
	i := slices.IndexFunc(table, func(f Format) bool { return slices.Contains(f.Extensions, extension) })
	if i < 0 {
		return Format{}, false
	}
	return table[i], true
}

// Extensions lists the file name extensions that FormatOf knows, for messages.
func Extensions() []string {
	var all []string
	for _, f := range table {
		all = append(all, f.Extensions...)
	}
	return all
}

// Parse takes a file apart. The error says what is wrong with the file, with line and column where they are known.
func Parse(name string, src []byte, o Options) (*Document, error) {
	f, ok := FormatOf(name)
	if !ok {
		return nil, fmt.Errorf("the extension of %q is none of %s", name, strings.Join(Extensions(), ", "))
	}
	if len(src) > MaxBytes {
		return nil, fmt.Errorf("it has more than %d bytes; cut it into smaller documents", MaxBytes)
	}
	// Those of Apple may be UTF-16, which their reader knows.
	if !f.binary && !strings.HasSuffix(strings.ToLower(name), ".strings") {
		if err := checkUTF8(src); err != nil {
			return nil, err
		}
	}
	if !f.binary && signs(src) > maxSigns {
		return nil, errSegments
	}
	d, err := f.parse(src, o)
	if err == nil {
		err = d.refused
	}
	if err != nil {
		return nil, err
	}
	return d, nil
}

func checkUTF8(src []byte) error {
	if bytes.HasPrefix(src, []byte("\xff\xfe")) || bytes.HasPrefix(src, []byte("\xfe\xff")) {
		return syntaxError(src, 0, "the file is UTF-16; save it as UTF-8")
	}
	for at := 0; at < len(src); {
		r, size := utf8.DecodeRune(src[at:])
		if r == utf8.RuneError && size == 1 {
			return syntaxError(src, at, "byte %#x is not valid UTF-8; save the file as UTF-8", src[at])
		}
		at += size
	}
	return nil
}
