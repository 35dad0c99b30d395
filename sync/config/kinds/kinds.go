// Package kinds is what [project.check] says: what becomes of texts that are wrong and harmless to a program, and the
// terms that must stay, or be translated in one way.
//
// Its law: what it takes is what the example shows; a word that it does not know is named, with what is allowed.
//
// It finds nothing in texts; package check does.
package kinds

import (
	"bytes"
	"encoding/csv"
	"errors"
	"fmt"
	"iter"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bound"
)

// Check is what becomes of texts that are wrong and harmless to the program, by kind: error (they are held back),
// warning or off.
type Check struct {
	// Same is the source text where a translation is expected, of three words or more.
	Same string `toml:"same"`
	// Script is letters of a script that neither the language nor the source text is written in.
	Script string `toml:"script"`
	// Language is the text that another language of the project has under the key.
	Language string `toml:"language"`
	// URL is an address whose host or scheme the source text does not have.
	URL string `toml:"url"`
	// Number is a number of two digits or more that the source text has and the translation does not.
	Number string `toml:"number"`
	// Ends is other punctuation, blanks or line breaks at either end.
	Ends string `toml:"ends"`
	// Blank is white space alone.
	Blank string `toml:"blank"`
	// Length is more characters than the text's comment allows ("max. 20 characters").
	Length string `toml:"length"`
	// Hidden is signs that show nothing or reorder a text, and letters that look like others inside a word.
	Hidden string `toml:"hidden"`
	// Stale is a translation whose source text changed after it, as git's history has it: of check --stale.
	Stale string `toml:"stale"`
	// Terms is a TOML or CSV file, relative to the configuration file, of terms that must stay as they are, or be
	// translated in one way: a warning. Empty: there is none.
	Terms string `toml:"terms"`
	// Paths are other levels for some files: by pattern for paths of source files or translations, by kind. Of patterns
	// that match a path the longest counts.
	Paths map[string]map[string]string `toml:"paths"`

	words   Terms
	matches func(pattern, path string) bool
}

// All are what is wrong with texts and harmless to a program, as [project.check] and skip_checks name them.
var All = []string{"same", "script", "language", "url", "number", "ends", "blank", "length", "hidden",
	"stale", "terms"}

// Levels are what may become of a kind.
var Levels = []string{"error", "warning", "off"}

// Default is what holds where [project.check] says nothing.
func Default() Check {
	return Check{Same: "warning", Script: "warning", Language: "warning", URL: "error", Number: "warning",
		Ends: "warning", Blank: "warning", Length: "warning", Hidden: "warning", Stale: "warning"}
}

// LevelAt is what becomes of a kind in a file that has one of these paths: one of Levels.
func (c *Check) LevelAt(kind string, paths ...string) string {
	level, longest := c.Level(kind), -1
	for pattern, levels := range c.Paths {
		own, said := levels[kind]
		is := func(path string) bool { return c.matches(pattern, path) }
		if said && len(pattern) > longest && slices.ContainsFunc(paths, is) {
			level, longest = own, len(pattern)
		}
	}
	return level
}

// Level is what becomes of a kind where no pattern says more: one of Levels.
func (c *Check) Level(kind string) string {
	if value := c.of(kind); value != nil {
		return *value
	}
	return "warning"
}

// All yields the kinds and their levels, in order.
func (c *Check) All() iter.Seq2[string, string] {
	return func(yield func(kind, level string) bool) {
		for _, kind := range All {
			if value := c.of(kind); value != nil && !yield(kind, *value) {
				return
			}
		}
	}
}

// of is the value of a kind; nil of terms.
func (c *Check) of(kind string) *string {
	return map[string]*string{"same": &c.Same, "script": &c.Script, "language": &c.Language, "url": &c.URL,
		"number": &c.Number, "ends": &c.Ends, "blank": &c.Blank, "length": &c.Length, "hidden": &c.Hidden,
		"stale": &c.Stale}[kind]
}

// Words are the terms of the file that Terms names.
func (c *Check) Words() Terms { return c.words }

// Terms are words that must stay, and words with their translations: by language and term, in small letters, what may
// stand for it.
type Terms struct {
	Keep      []string
	Translate map[string]map[string][]string
}

// Read reads the file of terms, relative to a configuration file. unmarshal reads TOML, matches compares paths.
func (c *Check) Read(
	from string, unmarshal func([]byte, any) error, matches func(pattern, path string) bool,
) (err error) {
	c.matches = matches
	if c.Terms != "" {
		c.words, err = readTerms(c.Terms, from, unmarshal)
	}
	return err
}

// mostTerms is how long a file of terms may be.
const mostTerms = 4 << 20

func readTerms(name, from string, unmarshal func([]byte, any) error) (t Terms, _ error) {
	path := name
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(from), path)
	}
	b, err := bound.ReadFile(path, mostTerms)
	if err != nil {
		return t, err
	}
	b = bytes.TrimPrefix(b, []byte("\ufeff"))
	switch strings.ToLower(filepath.Ext(path)) {
	case ".toml":
		var all map[string]any
		if err := unmarshal(b, &all); err != nil {
			return t, fmt.Errorf("%s: %w", name, err)
		}
		return tableTerms(name, all)
	case ".csv":
		return csvTerms(name, b)
	}
	return t, fmt.Errorf("%q must end in .toml or .csv", name)
}

// tableTerms reads keep = ["GitHub"] and a table [LANGUAGE] of terms for each language.
func tableTerms(name string, all map[string]any) (t Terms, _ error) {
	for key, value := range all {
		words, isList := value.([]any)
		table, isTable := value.(map[string]any)
		switch {
		case key == "keep" && isList:
			for _, word := range words {
				t.Keep = append(t.Keep, fmt.Sprint(word))
			}
		case key != "keep" && isTable:
			for term, translation := range table {
				spelled, is := translation.(string)
				if !is {
					return t, fmt.Errorf("%s: %s.%q must be a text", name, key, term)
				}
				t.add(key, term, spelled)
			}
		default:
			return t, fmt.Errorf(`%s: %q is neither keep = ["TERM"] nor a table [LANGUAGE] of terms`, name, key)
		}
	}
	return t, nil
}

// csvTerms reads a head of term and languages, and terms below; one without translations must stay.
func csvTerms(name string, b []byte) (t Terms, _ error) {
	r := csv.NewReader(bytes.NewReader(b))
	r.FieldsPerRecord = -1
	rows, err := r.ReadAll()
	if err != nil {
		return t, fmt.Errorf("%s: %w", name, err)
	}
	if len(rows) == 0 || !strings.EqualFold(strings.TrimSpace(rows[0][0]), "term") {
		return t, errors.New(name + `: the first line must be "term" and the codes of languages`)
	}
	for _, row := range rows[1:] {
		term, translated := strings.TrimSpace(row[0]), false
		for i, cell := range row[1:] {
			cell = strings.TrimSpace(cell)
			if cell == "" || i+1 >= len(rows[0]) {
				continue
			}
			translated = true
			t.add(strings.TrimSpace(rows[0][i+1]), term, cell)
		}
		if !translated && term != "" {
			t.Keep = append(t.Keep, term)
		}
	}
	return t, nil
}

// add enters a term; bars are between translations that are all right.
func (t *Terms) add(language, term, translations string) {
	if t.Translate == nil {
		t.Translate = make(map[string]map[string][]string)
	}
	if t.Translate[language] == nil {
		t.Translate[language] = make(map[string][]string)
	}
	var all []string
	for one := range strings.SplitSeq(translations, "|") {
		all = append(all, strings.TrimSpace(one))
	}
	t.Translate[language][strings.ToLower(term)] = all
}
