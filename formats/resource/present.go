package resource

import (
	"strconv"
	"strings"
)

// Present is what a file has under keys, in whatever shape: texts, values that are not text, and containers. It answers
// whether a key is an orphan in another file, which Entries and Lookup cannot: a map has no entry, and what is above or
// below a key may be of another kind there.
type Present struct {
	kinds     map[string]Kind // Other for a container that repeats another: what is in there is not known by its keys
	separator string          // empty in a flat format
}

// Present tells all keys that the file has something under; none where there is no file. Forms are under one key.
func (f *File) Present() Present {
	if f == nil {
		return Present{}
	}
	p := Present{kinds: make(map[string]Kind, len(f.nodes))}
	if f.keys.Structured {
		p.separator = f.keys.Separator
	}
	type level struct {
		end    int32
		list   bool
		count  int // children so far, in a List
		prefix int // how much of names the children's keys begin with
	}
	levels := []level{{end: f.nodes[f.top].End, list: f.nodes[f.top].Kind == List, prefix: len(f.prefix)}}
	names := []byte(f.prefix)
	var shared keyMemory
	for i := f.top + 1; i < int(f.nodes[f.top].End); {
		for int32(i) >= levels[len(levels)-1].end {
			levels = levels[:len(levels)-1]
		}
		up, n := &levels[len(levels)-1], &f.nodes[i]
		name := strconv.Itoa(up.count)
		if up.count++; !up.list {
			name = f.grammar.Name(f.src, n)
		}
		names = names[:up.prefix]
		kind := n.Kind
		if kind > Other && n.Ref != 0 {
			kind = Other
		}
		key := shared.join(names, name)
		p.kinds[key] = kind
		if at := f.grouped(id{key: key}); at.form != "" && kind <= Other {
			p.kinds[at.key] = max(p.kinds[at.key], Forms)
		}
		if (kind == Map || kind == List) && f.keys.Structured {
			names = append(append(names, name...), p.separator...)
			levels = append(levels, level{end: n.End, list: kind == List, prefix: len(names)})
			i++
			continue
		}
		i = int(n.End)
	}
	return p
}

// Has reports whether the file has something under this key, or above it in a shape that the key cannot go on from: a
// text, another value, forms, a list for a name. What is below the key makes a container of it, which counts too. A key
// that has nothing but a map above it, or is an item behind the last one of a list, is not there.
func (p Present) Has(key string) bool {
	if _, ok := p.kinds[key]; ok {
		return true
	}
	for end := len(key); p.separator != ""; {
		if end = strings.LastIndex(key[:end], p.separator); end < 0 {
			break
		}
		kind, ok := p.kinds[key[:end]]
		if !ok {
			continue
		}
		name, _, _ := strings.Cut(key[end+len(p.separator):], p.separator)
		return kind != Map && (kind != List || !counted(name))
	}
	return false
}
