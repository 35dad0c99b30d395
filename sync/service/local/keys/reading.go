package keys

import (
	"fmt"
	"strings"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/locjson"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// entry is what one file has for one key.
type entry struct {
	key    string
	plural bool
	texts  []store.Text
	note   string
	lists  []int        // see row
	format wire.Format  // of its file
	target []store.Text // the translation that a LocJSON unit carries; nil for none
	kinds  bool         // the format tells plurals from single texts: a plural and a single text of one name are two keys
}

// readFile reads one imported file. An error says what about the file cannot be imported, with line and column where
// they are known.
func readFile(f store.ImportFile, in *store.ImportJob, body []byte) ([]entry, error) {
	if f.Format == wire.FormatQtTS {
		return readQtTS(body, in.Source)
	}
	format, ok := formats.Named(string(f.Format))
	if !ok {
		return nil, fmt.Errorf("no reader for the format %s", f.Format)
	}
	file, err := format.Parse(resource.Keys{Separator: in.Separator}, body)
	if err != nil {
		return nil, err
	}
	if nested := file.Nested(); len(nested) > 0 {
		return nil, fmt.Errorf("%q holds other entries, which %s has no keys for; import the file as structured-%s",
			nested[0], f.Format, f.Format)
	}
	r := reader{file: file, format: f.Format, lengths: map[int32]int{}}
	for e := range file.Entries() {
		if err := r.add(e); err != nil {
			return nil, err
		}
	}
	for i := range r.entries {
		if r.entries[i].plural {
			sortForms(r.entries[i].texts)
		}
	}
	if f.Format == wire.FormatLocJSON {
		return bilingual(r.entries, locjson.Targets(file), in.Source), nil
	}
	return r.entries, nil
}

// bilingual puts the targets of LocJSON units where they belong. In a file of the source language they are
// translations, into a language that the file does not tell. In a file of a target language they, and not the sources
// beside them, are its texts; a unit without one is not translated.
func bilingual(entries []entry, targets map[string]string, source bool) []entry {
	if len(targets) == 0 {
		return entries
	}
	kept := entries[:0]
	for _, e := range entries {
		target, ok := targets[e.key]
		switch {
		case source && ok:
			e.target = []store.Text{{Form: "", Value: target}}
		case ok:
			e.texts = []store.Text{{Form: "", Value: target}}
		case !source:
			continue
		}
		kept = append(kept, e)
	}
	return kept
}

// reader gathers a file's leaves into entries.
type reader struct {
	file    *resource.File
	format  wire.Format
	entries []entry
	forms   int32         // the node whose plural forms the last entry is being given
	lengths map[int32]int // of the keys of lists, by node
}

func (r *reader) add(leaf resource.Entry) error {
	android := r.format == wire.FormatAndroidXML
	if leaf.Kind != resource.Text {
		if android {
			return nil // a reference to another resource, or marked as not translatable: none of ours
		}
		return r.noText(leaf)
	}
	e := entry{key: leaf.Key, texts: []store.Text{{Form: "", Value: leaf.Text}}, note: leaf.Note, kinds: android,
		format: r.format}
	up := r.file.Node(leaf.Node).Parent
	switch {
	case leaf.Form == "":
		e.lists = r.listsAbove(leaf.Node)
	case leaf.Form[0] >= '0' && leaf.Form[0] <= '9': // an item of a string-array
		e.lists = []int{len(leaf.Key)}
		e.key += wire.DefaultPathSeparator + leaf.Form
	default:
		form := store.Text{Form: leaf.Form, Value: leaf.Text}
		if r.forms == up {
			last := &r.entries[len(r.entries)-1]
			last.texts = append(last.texts, form)
			return nil
		}
		r.forms = up
		e.plural, e.texts = true, []store.Text{form}
	}
	r.entries = append(r.entries, e)
	return nil
}

// listsAbove are the lengths of the keys of the lists that a node is in, the outermost first.
func (r *reader) listsAbove(node int) []int {
	var lists []int
	for up := r.file.Node(node).Parent; up > 0; up = r.file.Node(int(up)).Parent {
		if r.file.Node(int(up)).Kind != resource.List {
			continue
		}
		n, known := r.lengths[up]
		if !known {
			n = len(r.file.KeyOf(int(up)))
			r.lengths[up] = n
		}
		lists = append([]int{n}, lists...)
	}
	return lists
}

// noText is the error about a leaf that is not text.
func (r *reader) noText(leaf resource.Entry) error {
	n := r.file.Node(leaf.Node)
	line, col := r.file.Position(int(n.Value.Start))
	value := strings.Join(strings.Fields(n.Value.Of(r.file.Source())), " ")
	if value == "" {
		value = "nothing"
	}
	why := ""
	for _, w := range r.file.Warnings() {
		if w.Node == leaf.Node {
			why = " (" + w.Msg + ")"
		}
	}
	return fmt.Errorf("%d:%d: %q is %s, which is not text%s; only texts can be imported", line, col, leaf.Key,
		api.Clip([]byte(value)), why)
}
