package memory

import (
	"bytes"
	"cmp"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"hash/fnv"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// How a scope is stored, in a folder of the memory:
//
//	format         the number of this layout
//	branch/        the tree of the commit of the translation branch that marks are read from
//	source/        the tree of the commit of the base branch, or of the one that is pushed
//	marks/XX       marks, those of files of one name together
//	records/KIND   the records of a kind, by id
//
// Marks are stored as what differs from the texts of a file in one of the two trees. How the file is read is stored
// with it, so that no configuration is needed to load it; a sum tells where another version of a grammar reads other
// texts.

// layoutNumber is that of the layout. A memory with a later one is of a newer locsync.
const layoutNumber = 1

// The names in a folder.
const (
	formatFile    = "format"
	branchTree    = "branch"
	sourceTree    = "source"
	marksFolder   = "marks"
	recordsFolder = "records"
)

// mostStored bounds one file of a memory.
const mostStored = 256 << 20

// Reading is how the texts of a file are read.
type Reading struct {
	Path    text          `json:"path"`
	Format  string        `json:"format"`
	Keys    resource.Keys `json:"keys"`
	Prefix  text          `json:"prefix,omitempty"`  // before all keys
	Plurals string        `json:"plurals,omitempty"` // the language, where plurals spelled as keys are put together
}

// readingOf is how a bundle reads one of its files.
func readingOf(b *bundle.Bundle, path string, l config.Language) Reading {
	r := Reading{Path: text(path), Format: b.Format.Name, Keys: b.Keys(l), Prefix: text(b.KeyPrefix)}
	if bundle.JoinsPlurals(b) {
		r.Plurals = l.Code
	}
	return r
}

// read is a file in a tree, without its plurals; nil where it cannot be read there.
func (r Reading) read(tree fs.FS) *resource.File {
	format, ok := formats.Named(r.Format)
	if tree == nil || !ok {
		return nil
	}
	src, err := bound.ReadFS(tree, string(r.Path), resource.MaxBytes)
	if err != nil {
		return nil
	}
	f, err := format.At(string(r.Path)).Parse(r.Keys, src)
	if err != nil {
		return nil
	}
	return f.Prefixed(string(r.Prefix))
}

// texts are those of a file in a tree. A translation has the plurals that its source file has: of, where that is there.
func (r Reading) texts(tree fs.FS, of *spelling.Joined) catalog.Catalog {
	f := r.read(tree)
	if f == nil || r.Plurals == "" {
		return bundle.Texts(f)
	}
	own := bundle.Texts(f)
	if of == nil {
		return bundle.Texts(f.Join(spelling.Join(own, r.Keys.Separator, r.Plurals)))
	}
	return bundle.Texts(f.Join(of.In(r.Plurals, own)))
}

// plurals are those that the keys of a source file spell; nil where it is not there, or spells none so.
func (r Reading) plurals(tree fs.FS) *spelling.Joined {
	if r.Plurals == "" {
		return nil
	}
	f := r.read(tree)
	if f == nil {
		return nil
	}
	return spelling.Join(cloneKeys(bundle.Texts(f)), r.Keys.Separator, r.Plurals)
}

// text is a name that JSON keeps whatever its bytes are.
type text string

const rawText = "base64:"

// MarshalText is the name, or where JSON would change it, its bytes.
func (t text) MarshalText() ([]byte, error) {
	if utf8.ValidString(string(t)) && !strings.HasPrefix(string(t), rawText) {
		return []byte(t), nil
	}
	return []byte(rawText + base64.StdEncoding.EncodeToString([]byte(t))), nil
}

// UnmarshalText is the inverse of MarshalText.
func (t *text) UnmarshalText(content []byte) error {
	raw, is := strings.CutPrefix(string(content), rawText)
	if !is {
		*t = text(content)
		return nil
	}
	decoded, err := base64.StdEncoding.DecodeString(raw)
	*t = text(decoded)
	return err
}

// entry are the marks of one file, or of one collection.
type entry struct {
	Path    text        `json:"path,omitempty"`
	Of      text        `json:"of,omitempty"`
	Reads   []Reading   `json:"reads,omitempty"`   // the file, or those of the collection
	Sources []Reading   `json:"sources,omitempty"` // of a target file
	Slots   []entrySlot `json:"slots"`
	Sum     uint64      `json:"sum"`
}

// entrySlot are the marks of one kind: those of a base, without some and with others.
type entrySlot struct {
	Kind string `json:"kind"`
	Base string `json:"base,omitempty"` // one of bases
	Gone []byte `json:"gone,omitempty"`
	Set  []byte `json:"set,omitempty"`
}

// bases are the texts that marks may be stored as the difference from: of the file in one of the trees (b, s), or of
// these what is not blank and has a source text there (w); the source texts in one of the trees (B, S), for the names
// that the file has in the branch or in the base behind them, or one mark for all source texts of each of its keys (D);
// as they are, or as the only ones of a history (h). The marks of a kind before it in its entry are "=" and the kind.
var bases = []string{"b", "s", "hb", "hs", "B", "S", "Bs", "Ss", "wb", "ws", "hwb", "hws", "DB", "DS", "DBs", "DSs"}

// plain is how many of bases, the first, are tried for marks that are very many: each base of theirs takes megabytes.
const (
	plain    = 8
	veryMany = 20_000
)

// trees are what the marks of a scope are read from. They keep what many entries need of source files.
type trees struct {
	branch, source fs.FS
	kept           map[keptID]catalog.Marks
	plurals        map[keptID]*spelling.Joined
}

// keptID is a source file in one of the trees.
type keptID struct {
	inBranch bool
	file     string // its Reading
}

func newKeptID(inBranch bool, r Reading) keptID {
	id, _ := json.Marshal(r)
	return keptID{inBranch, string(id)}
}

func newTrees(branch, source fs.FS) *trees {
	return &trees{branch, source, make(map[keptID]catalog.Marks), make(map[keptID]*spelling.Joined)}
}

// treeOf is the tree that a base names; the branch's, where the files are the same objects in both.
func (t *trees) treeOf(from byte, files ...[]Reading) (tree fs.FS, isBranch bool) {
	isBranch = from == 'b' || from == 'B' || !slices.ContainsFunc(slices.Concat(files...), func(r Reading) bool {
		return !sameObject(t.branch, t.source, string(r.Path))
	})
	if isBranch {
		return t.branch, true
	}
	return t.source, false
}

// sameObject says whether a file is one object of git in two trees.
func sameObject(a, b fs.FS, path string) bool {
	if a == nil || b == nil {
		return a == b
	}
	one, err := fs.Stat(a, path)
	other, oerr := fs.Stat(b, path)
	return err == nil && oerr == nil && one.Mode().IsRegular() && one.Sys() != nil && one.Sys() == other.Sys()
}

// pluralsOf are those that the source file of a translation spells with keys; nil where that is not there.
func (t *trees) pluralsOf(tree fs.FS, isBranch bool, sources []Reading) *spelling.Joined {
	if len(sources) == 0 {
		return nil
	}
	id := newKeptID(isBranch, sources[0])
	j, is := t.plurals[id]
	if !is {
		j = sources[0].plurals(tree)
		t.plurals[id] = j
	}
	return j
}

// marks are those of some files together, in the tree that a base names. sources are those of a translation.
func (t *trees) marks(from byte, all, sources []Reading) catalog.Marks {
	tree, isBranch := t.treeOf(from, all, sources)
	together := make(catalog.Marks)
	for _, r := range all {
		id := newKeptID(isBranch, r)
		one, is := t.kept[id]
		if !is {
			one = cloneKeys(r.texts(tree, t.pluralsOf(tree, isBranch, sources))).Marks()
			if len(sources) == 0 {
				t.kept[id] = one
			}
		}
		if len(all) == 1 {
			return one
		}
		maps.Copy(together, one)
	}
	return together
}

// cloneKeys gives texts keys that do not keep the file in memory that they are a part of.
func cloneKeys(texts catalog.Catalog) catalog.Catalog {
	key := ""
	for i := range texts {
		if texts[i].Key != key {
			key = strings.Clone(texts[i].Key)
		}
		texts[i].Key = key
	}
	return texts
}

// blank is the mark of a text that is not translated.
var blank = catalog.MarkOf("")

// derived are the bases of an entry, each made once.
type derived struct {
	trees *trees
	entry *entry
	made  map[string]catalog.Marks
	codes []string // bases, and those of the slots before
}

func newDerived(from *trees, e *entry) *derived {
	return &derived{trees: from, entry: e, made: make(map[string]catalog.Marks), codes: bases}
}

// keep makes the marks of a kind a base of the slots after it.
func (d *derived) keep(kind string, marks catalog.Marks) {
	d.made["="+kind] = marks
	d.codes = append(slices.Clip(d.codes), "="+kind, "h="+kind, "S="+kind, "DS="+kind)
}

func (d *derived) base(code string) catalog.Marks {
	if made, is := d.made[code]; is {
		return made
	}
	var marks catalog.Marks
	switch {
	case code == "":
	case code[0] == 'h':
		marks = make(catalog.Marks)
		for n, m := range d.base(code[1:]) {
			ledger.Learn(marks, n, m)
		}
	case code[0] == 'w':
		marks = maps.Clone(d.base(code[1:]))
		sources := d.trees.marks(code[1], d.entry.Sources, nil).Keys()
		maps.DeleteFunc(marks, func(n catalog.Name, m catalog.Mark) bool { return m == blank || !sources[n.Key] })
	case code[0] == 'D':
		own := d.base(cmp.Or(code[2:], "b"))
		marks = make(catalog.Marks, len(own))
		digests := catalog.Digests(d.trees.marks(code[1], d.entry.Sources, nil))
		for n := range own {
			if m, is := digests[catalog.Name{Key: n.Key}]; is {
				marks[catalog.Name{Key: n.Key}] = m
			}
		}
	case code[0] == 'B' || code[0] == 'S':
		source, own := d.trees.marks(code[0], d.entry.Sources, nil), d.base(cmp.Or(code[1:], "b"))
		marks = make(catalog.Marks, len(own))
		for n := range own {
			if m, is := source[n]; is {
				marks[n] = m
			}
		}
	case code == "b" || code == "s":
		marks = d.trees.marks(code[0], d.entry.Reads, d.entry.Sources)
	}
	d.made[code] = marks
	return marks
}

// encode stores marks as the difference from the base that is nearest.
func (d *derived) encode(kind string, marks catalog.Marks) entrySlot {
	best, least, codes := "", len(marks), d.codes
	if len(marks) > veryMany {
		codes = codes[:plain]
	}
	for _, code := range codes {
		if least == 0 {
			break
		}
		if n := distance(d.base(code), marks, least); n < least {
			best, least = code, n
		}
	}
	base := d.base(best)
	gone, set := make(catalog.Marks), make(catalog.Marks)
	for n := range base {
		if _, is := marks[n]; !is {
			gone[n] = catalog.Mark{}
		}
	}
	for n, m := range marks {
		if was, is := base[n]; !is || was != m {
			set[n] = m
		}
	}
	d.keep(kind, marks)
	s := entrySlot{Kind: kind, Base: best}
	if len(gone) > 0 {
		s.Gone = gone.Encode()
	}
	if len(set) > 0 {
		s.Set = set.Encode()
	}
	return s
}

// distance is in how many names two marks differ, up to most.
func distance(base, marks catalog.Marks, most int) int {
	n := max(len(base)-len(marks), 0)
	if n >= most {
		return n
	}
	same := 0
	for name, m := range marks {
		was, is := base[name]
		if is {
			same++
		}
		if !is || was != m {
			if n++; n >= most {
				return n
			}
		}
	}
	return max(n, len(base)-same)
}

func (d *derived) decode(s entrySlot) (catalog.Marks, error) {
	if s.Base != "" && !slices.Contains(d.codes, s.Base) {
		return nil, fmt.Errorf("no base is called %q", s.Base)
	}
	marks := maps.Clone(d.base(s.Base))
	if marks == nil {
		marks = make(catalog.Marks)
	}
	for i, stored := range [][]byte{s.Gone, s.Set} {
		if stored == nil {
			continue
		}
		change, err := catalog.DecodeMarks(stored)
		if err != nil {
			return nil, err
		}
		for n, m := range change {
			if i == 0 {
				delete(marks, n)
			} else {
				marks[n] = m
			}
		}
	}
	d.keep(s.Kind, marks)
	return marks, nil
}

// sum is one number of marks, in whatever order.
func sum(kind string, marks catalog.Marks) (all uint64) {
	var zero [1]byte
	for n, m := range marks {
		h := fnv.New64a()
		for _, s := range []string{kind, n.Key, n.Form} {
			_, _ = h.Write([]byte(s))
			_, _ = h.Write(zero[:])
		}
		_, _ = h.Write(m[:])
		all += h.Sum64()
	}
	return all + uint64(len(marks))
}

// fileOfMarks groups the kinds of one file.
type fileOfMarks struct {
	source   bool
	path, of string
}

func marksFile(id slotID) fileOfMarks {
	return fileOfMarks{ledger.OfSource(id.kind), id.path, id.of}
}

// Layout is how the files of a project are read.
type Layout struct {
	targets     map[fileOfMarks]*entry
	collections map[string][]Reading
}

// encodeMarks stores the marks of a bucket.
func encodeMarks(marks map[slotID]catalog.Marks, from *trees, layout *Layout) ([]byte, error) {
	groups := make(map[fileOfMarks][]slotID)
	for id := range marks {
		groups[marksFile(id)] = append(groups[marksFile(id)], id)
	}
	order := slices.SortedFunc(maps.Keys(groups), func(a, b fileOfMarks) int {
		return cmp.Or(cmp.Compare(a.path, b.path), cmp.Compare(a.of, b.of),
			cmp.Compare(fmt.Sprint(a.source), fmt.Sprint(b.source)))
	})
	var entries []entry
	for _, at := range order {
		e := entry{Path: text(at.path), Of: text(at.of)}
		if known := layout.targets[at]; known != nil {
			e.Reads, e.Sources = known.Reads, known.Sources
		}
		if at.source && at.path == "" {
			e.Reads = layout.collections[at.of]
		}
		d := newDerived(from, &e)
		ids := groups[at]
		slices.SortFunc(ids, func(a, b slotID) int { return cmp.Compare(a.kind, b.kind) })
		derives := false
		for _, id := range ids {
			s := d.encode(id.kind, marks[id])
			derives = derives || s.Base != ""
			e.Slots = append(e.Slots, s)
			e.Sum += sum(id.kind, marks[id])
		}
		if !derives {
			e.Reads, e.Sources = nil, nil
		}
		entries = append(entries, e)
	}
	return marshal(entries)
}

// marshal writes JSON with a line for each value of a list, so that versions of it share what did not change.
func marshal(entries []entry) ([]byte, error) {
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	for _, e := range entries {
		if err := to.Encode(e); err != nil {
			return nil, err
		}
	}
	return b.Bytes(), nil
}

// errSum is of an entry whose file is read otherwise than when it was stored.
var errSum = errors.New("its texts are read otherwise than when they were stored")

// decodeMarks is the inverse of encodeMarks. What cannot be read is left out, and told.
func decodeMarks(content []byte, from *trees, lost func(path string, err error)) (map[slotID]catalog.Marks, error) {
	marks := make(map[slotID]catalog.Marks)
	in := json.NewDecoder(bytes.NewReader(content))
	for in.More() {
		var e entry
		if err := in.Decode(&e); err != nil {
			return nil, fmt.Errorf("read marks: %w", err)
		}
		d := newDerived(from, &e)
		found, total := make(map[slotID]catalog.Marks), uint64(0)
		var err error
		for _, s := range e.Slots {
			one, derr := d.decode(s)
			if derr != nil {
				err = derr
				break
			}
			found[slotID{s.Kind, string(e.Path), string(e.Of)}] = one
			total += sum(s.Kind, one)
		}
		if err == nil && total != e.Sum {
			err = errSum
		}
		if err != nil {
			lost(string(e.Path)+string(e.Of), err)
			continue
		}
		maps.Copy(marks, found)
	}
	return marks, nil
}

// encodeRecords stores the records of one kind.
func encodeRecords(records map[recordID]string) ([]byte, error) {
	kind := ""
	all := make(map[text]json.RawMessage, len(records))
	for id, content := range records {
		kind, all[text(id.id)] = id.kind, json.RawMessage(content)
	}
	var b bytes.Buffer
	to := json.NewEncoder(&b)
	to.SetEscapeHTML(false)
	err := to.Encode(storedRecords{kind, all})
	return b.Bytes(), err
}

// storedRecords is the file of a kind of records.
type storedRecords struct {
	Kind    string                   `json:"kind"`
	Records map[text]json.RawMessage `json:"records"`
}

func decodeRecords(content []byte) (map[recordID]string, error) {
	var all storedRecords
	if err := json.Unmarshal(content, &all); err != nil {
		return nil, fmt.Errorf("read records: %w", err)
	}
	records := make(map[recordID]string, len(all.Records))
	for id, raw := range all.Records {
		records[recordID{all.Kind, string(id)}] = string(raw)
	}
	return records, nil
}

// fileOf is the file of a kind of records.
func fileOf(kind string) string { return recordsFolder + "/" + strings.ReplaceAll(kind, " ", "-") }

// readNumber says whether a folder is one that this program reads.
func readNumber(folder fs.FS) error {
	content, err := bound.ReadFS(folder, formatFile, 64)
	if err != nil {
		return fmt.Errorf("read the memory: %w", err)
	}
	number, err := strconv.Atoi(strings.TrimSpace(string(content)))
	switch {
	case err != nil:
		return fmt.Errorf("read the memory: its format is %.20q", content)
	case number > layoutNumber:
		return &ledger.NewerError{Format: number, Known: layoutNumber, Own: `memory = "local"`}
	}
	return nil
}
