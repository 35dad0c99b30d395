package bundle

import (
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/plural"
	"github.com/locsync/locsync/sync/text/spelling"
)

// Upload is one file of an import: some texts of one file of the repository, in its format.
type Upload struct {
	Name  string // as the import carries it; unique within the import
	Path  string // of the file in the repository that the texts come from
	Body  []byte
	Units catalog.Catalog // the texts in it, those that travel along with a changed one included
}

// Compose makes the upload that carries the wanted texts of a source file, with the texts that cannot travel without
// them: the other forms of a plural, the other items of a list.
func Compose(b *Bundle, f *resource.File, path string, wanted func(catalog.Name) bool) (Upload, error) {
	return compose(b, b.Format.Sent(), f, path, wanted, nil, nil)
}

// ComposeTranslations makes the upload that carries the wanted texts of a translated file, likewise. instead has texts
// that are sent instead of the file's own; without has those that are never sent; nil for none of either.
func ComposeTranslations(
	b *Bundle, f *resource.File, path string, wanted func(catalog.Name) bool, instead, without map[catalog.Name]string,
) (Upload, error) {
	return compose(b, b.Format.Exchanged(), f, path, wanted, instead, without)
}

func compose(b *Bundle, format formats.Format, f *resource.File, path string,
	wanted func(catalog.Name) bool, instead, without map[catalog.Name]string,
) (Upload, error) {
	entries := f.Together(func(e resource.Entry) bool { return wanted(catalog.Name{Key: e.Key, Form: e.Form}) })
	entries = slices.DeleteFunc(entries, func(e resource.Entry) bool {
		return without[catalog.Name{Key: e.Key, Form: e.Form}] != ""
	})
	for i, e := range entries {
		if text, ok := instead[catalog.Name{Key: e.Key, Form: e.Form}]; ok {
			entries[i].Text = text
		}
	}
	return upload(b, format, f, path, entries)
}

// ComposeUnits makes an upload of translations, in the format that they are exchanged in.
func ComposeUnits(b *Bundle, path string, units catalog.Catalog) (Upload, error) {
	entries := make([]resource.Entry, len(units))
	for i, u := range units {
		entries[i] = resource.Entry{Key: u.Key, Form: u.Form, Kind: resource.Text, Text: u.Text}
	}
	return upload(b, b.Format.Exchanged(), nil, path, entries)
}

func upload(b *Bundle, format formats.Format, f *resource.File, name string, entries []resource.Entry) (Upload, error) {
	sent := entries
	if format.Name != b.Format.Name || b.KeyPrefix != "" {
		f = nil // of another grammar, or with other names
	}
	if !format.Programs.Categories {
		sent = messages(entries, Rules(b, b.Source))
	}
	body, err := format.Compose(resource.Keys{Separator: b.Separator}, f, sent)
	if err != nil {
		return Upload{}, fmt.Errorf("compose %s for the import: %w", name, err)
	}
	up := Upload{Name: path.Base(name), Path: name, Body: body}
	if format.Name != b.Format.Name { // the service goes by the extension
		up.Name = strings.TrimSuffix(up.Name, path.Ext(up.Name)) + format.Extensions[0]
	}
	index := make(map[catalog.Name]int, len(entries))
	up.Units = make(catalog.Catalog, 0, len(entries))
	for _, e := range entries {
		u := catalog.Unit{Name: catalog.Name{Key: e.Key, Form: e.Form}, Text: e.Text}
		if i, twice := index[u.Name]; twice {
			up.Units[i] = u
			continue
		}
		index[u.Name] = len(up.Units)
		up.Units = append(up.Units, u)
	}
	return up, nil
}

// messages puts the plural forms of a key together as one message, for formats that have no forms.
func messages(entries []resource.Entry, rules spelling.Rules) []resource.Entry {
	if !slices.ContainsFunc(entries, func(e resource.Entry) bool { return e.Form != "" }) {
		return entries
	}
	of := make(map[string][]plural.Form)
	var all []resource.Entry
	for _, e := range entries {
		if e.Form == "" || of[e.Key] == nil {
			all = append(all, e)
		}
		if e.Form != "" {
			of[e.Key] = append(of[e.Key], plural.Form{Category: e.Form, Text: e.Text})
		}
	}
	for i := range all {
		if e := &all[i]; e.Form != "" {
			plural.Sort(of[e.Key])
			e.Form, e.Text = "", plural.Join("count", rules.Kind(e.Key), of[e.Key])
		}
	}
	return all
}

// Distinguish gives uploads of one import names that differ, since the service reports errors by file name: where two
// files have one name, their folders are put in front of it.
func Distinguish(uploads []Upload) {
	count := make(map[string]int)
	for _, u := range uploads {
		count[strings.ToLower(u.Name)]++
	}
	taken := make(map[string]bool)
	for i := range uploads {
		u := &uploads[i]
		if count[strings.ToLower(u.Name)] > 1 {
			u.Name = strings.ReplaceAll(path.Join(path.Dir(u.Path), u.Name), "/", "__")
		}
		for plain, n := u.Name, 2; taken[strings.ToLower(u.Name)]; n++ {
			u.Name = fmt.Sprintf("%d__%s", n, plain)
		}
		taken[strings.ToLower(u.Name)] = true
	}
}
