package segment

import (
	"bytes"
	"context"
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
	parse      func(ctx context.Context, src []byte, o Options) (*Document, error)
	binary     bool // not text: nothing is said about its bytes
	cost       cost
}

// cost is the memory that a format's reader takes, in bytes, beside that for segments.
type cost struct {
	fixed, perByte, perMark int
	marks                   string // the signs that begin an element, an entry, a paragraph or an inline mark
}

var table = []Format{
	{Name: "Plain text", MIME: "text/plain", Extensions: []string{".txt"}, parse: parseText, cost: cost{perByte: 3}},
	{Name: "Markdown", MIME: "text/markdown", Extensions: []string{".md", ".markdown"}, parse: parseMarkdown,
		cost: cost{perByte: 10, perMark: 700, marks: "\n\r\f\v*_`[!|~<"}},
	{Name: "HTML", MIME: "text/html", Extensions: []string{".html", ".htm", ".xhtml"}, parse: parseHTML,
		cost: cost{perByte: 8, perMark: 400, marks: "<&"}},
	{Name: "JSON", MIME: "application/json", Extensions: []string{".json"},
		parse: resourceFile(wire.FormatStructuredJSON), cost: entries},
	{Name: "YAML", MIME: "application/yaml", Extensions: []string{".yaml", ".yml"},
		parse: resourceFile(wire.FormatStructuredYAML), cost: entries},
	{Name: "iOS strings", MIME: "text/plain", Extensions: []string{".strings"},
		parse: resourceFile(wire.FormatIOSStrings), cost: entries},
	{Name: "Android XML", MIME: "application/xml", Extensions: []string{".xml"},
		parse: resourceFile(wire.FormatAndroidXML), cost: elements},
	{Name: "LocJSON", MIME: "application/json", Extensions: []string{".locjson"},
		parse: resourceFile(wire.FormatLocJSON), cost: entries},
	{Name: "XLIFF", MIME: "application/xliff+xml", Extensions: []string{".xlf", ".xliff"}, parse: parseXLIFF,
		cost: elements},
	{Name: "gettext", MIME: "text/x-gettext-translation", Extensions: []string{".po", ".pot"}, parse: parsePO,
		cost: cost{perByte: 5, perMark: 100, marks: "\n"}},
	{Name: "Excel", MIME: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
		Extensions: []string{".xlsx"}, parse: parseSheet, binary: true, cost: cost{fixed: sheetCost}},
}

// What the readers of package formats take, and that of XLIFF.
var (
	entries  = cost{perByte: 5, perMark: 500, marks: ",;\n"}
	elements = cost{perByte: 5, perMark: 250, marks: "<="}
)

// segmentCost is the memory that a segment takes with its span, in bytes, and leastSegment how short it is in a file.
const (
	segmentCost  = 350
	leastSegment = 4
)

// Weight is an estimate of the memory that it takes to take a file apart, in bytes: rather too much.
func Weight(name string, src []byte) int64 {
	f, known := FormatOf(name)
	if !known {
		return 0
	}
	marks := 0
	if f.cost.marks != "" {
		var counts [256]int
		for _, c := range src {
			counts[c]++
		}
		for _, c := range []byte(f.cost.marks) {
			marks += counts[c]
		}
	}
	segments := min(len(src)/leastSegment, MaxSegments)
	if f.binary {
		segments = 0 // its fixed cost has them: its bytes say nothing
	}
	return int64(f.cost.fixed) + int64(len(src))*int64(f.cost.perByte) + int64(marks)*int64(f.cost.perMark) +
		int64(segments)*segmentCost
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

// Parse takes a file apart, until ctx ends. The error says what is wrong with the file, with line and column where they
// are known.
func Parse(ctx context.Context, name string, src []byte, o Options) (*Document, error) {
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
	if weight := Weight(name, src); weight > MaxWeight {
		return nil, fmt.Errorf("it has so many lines, marks or entries that it would take %d MB of memory, of which it may "+
			"take %d; cut it into smaller documents", weight>>20, MaxWeight>>20)
	}
	d, err := f.parse(ctx, src, o)
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
