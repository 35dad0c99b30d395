package oracle

import "errors"

// Kind says what a leaf is.
type Kind uint8

// The kinds of leaves.
const (
	Text  Kind = iota + 1
	Null       // holds no text yet
	Other      // not text: a number, a reference, a value that is not looked into
	Empty      // a container without anything in it
)

// Leaf is one value of a file, as the independent reader sees it.
type Leaf struct {
	Path      []string // the names from the outermost; items of lists by index
	Key, Form string   // as the service knows it; Form: plural category or item index
	Keyed     bool     // it has a key: nothing that is nested in a flat format has
	Kind      Kind
	Text      string // decoded; of other kinds as it is spelled

	at, end  int   // where it is in the document's text; at -1: not known
	lists    []int // which parts of Path are indexes
	repeats  bool  // it repeats another one's value by pointing at it
	shares   bool  // its bytes have a copy of a text of its key, which changes with that one
	doubtful bool  // some readers take it for a text and some for something else
	block    bool  // white space behind it may belong to it
	loose    bool  // a new text changes what is around it as well
	closed   bool  // it is not looked into, and cannot be asked for
	metadata bool  // it describes the file or another entry, and is the source's own
}

// bare reports whether a leaf is nothing but its name, and so can be a map without entries.
func (l *Leaf) bare() bool { return l.Kind == Null && l.Text == "" }

// outermost is the first name of the path.
func (l *Leaf) outermost() string {
	if len(l.Path) == 0 {
		return ""
	}
	return l.Path[0]
}

// document is a file as it was read.
type document struct {
	text      string // decoded, byte order mark included
	encoding  string // what has to stay the same besides
	leaves    []Leaf
	describes bool // it may be a message file
	sealed    bool // positions cannot be had for some reason of the library's; the data half of a proof remains
}

const mark = "\xef\xbb\xbf"

// maxDepth is how many containers may be inside one another in what is read a second time.
const maxDepth = 10_000

// walk is the path that a reader is at.
type walk struct {
	path  []string
	lists []int
	names int // in the paths of all leaves so far
	bytes int // of the file
}

// tooLarge refuses what no file that people write comes near, and what would ask for far more memory than the file has
// bytes.
func (w *walk) tooLarge() error {
	if len(w.path) > maxDepth || w.names > w.bytes+1<<20 {
		return errors.New("nested too deeply to be read a second time")
	}
	return nil
}

func (w *walk) in(name string, list bool) {
	if list {
		w.lists = append(w.lists, len(w.path))
	}
	w.path = append(w.path, name)
}

func (w *walk) out() {
	w.path = w.path[:len(w.path)-1]
	if n := len(w.lists); n > 0 && w.lists[n-1] == len(w.path) {
		w.lists = w.lists[:n-1]
	}
}

// leaf is a leaf that is here.
func (w *walk) leaf(kind Kind, text string, at, end int) Leaf {
	w.names += len(w.path)
	l := Leaf{Path: append([]string(nil), w.path...), Kind: kind, Text: text, at: at, end: end}
	if len(w.lists) > 0 {
		l.lists = append([]int(nil), w.lists...)
	}
	return l
}

// catalogParts is what is needed to cut a catalog between its entries.
type catalogParts struct {
	src     []byte
	source  string // the language
	entries []catalogEntry
	index   map[string]int // of the entries; it has fewer where a name is there twice
}

// catalogEntry is a key of a catalog, and where its name begins.
type catalogEntry struct {
	name          string
	at            int
	localizations []localization
}

// localization is what an entry has of a language, from behind its name to the end of its value.
type localization struct {
	language string
	at, end  int
}

// Catalogs keeps where the entries are of the catalog that was proven last: the languages of one file are written one
// after the other, each into what the one before made.
type Catalogs struct{ last *catalogParts }
