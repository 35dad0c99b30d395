package mcp

import (
	"crypto/sha256"
	"encoding/base64"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/failure"
)

const (
	usualItems = 20
	mostItems  = 500
	mostBytes  = 64 << 10 // of the items of an answer; one is always in it
	mostKey    = 200      // bytes of a key in what is said about it
	mostText   = 1000     // bytes of what is said about it
	mostReason = 4000     // bytes of why a call failed
)

// cut is a text that is said about something, not to be written back: a long one ends with how long it is.
func cut(text string, most int) string {
	if len(text) <= most {
		return text
	}
	return fmt.Sprintf("%s… (cut, %d bytes)", strings.ToValidUTF8(text[:most], ""), len(text))
}

// fitting is how many of the first items an answer has: it is bounded in items and bytes.
func fitting[T any](items []T, most int) (int, error) {
	size := 0
	for i, item := range items[:min(most, len(items))] {
		text, err := json.Marshal(item)
		if err != nil {
			return 0, err
		}
		size += len(text)
		if size > mostBytes && i > 0 {
			return i, nil
		}
	}
	return min(most, len(items)), nil
}

// firstOf are the items of a list without a cursor that an answer has, and how many there are.
func firstOf[T any](all []T) ([]T, int, error) {
	n, err := fitting(all, mostItems)
	return append([]T{}, all[:n]...), len(all), err
}

// page is which part of a list is wanted.
type page struct {
	Limit  int    `json:"limit,omitempty" jsonschema:"most items of the answer: 1 to 500, else 20"`
	Cursor string `json:"cursor,omitempty" jsonschema:"next of the answer before, for the items after those"`
}

// list is a part of a list.
type list[T any] struct {
	Total int    `json:"total"`
	Items []T    `json:"items"`
	Next  string `json:"next,omitempty"` // the cursor of what follows
}

// in is the page of one of several lists of an answer: a cursor is of one of them, and the others begin anew.
func (p page) in(name string) page {
	if from, err := positionOf(p.Cursor); err == nil && len(from) > 0 && from[0] != name {
		p.Cursor = ""
	}
	return p
}

// position is where an item belongs in its list: what names it, in the order by which the list is sorted. A cursor is
// the position of the last item of a page, and stays right when items go or come.
type position []string

// cursor is a position of the list that is called name, as answers have it.
func (p position) cursor(name string) string {
	text, _ := json.Marshal(append(position{name}, p...)) // texts alone
	return base64.RawURLEncoding.EncodeToString(text)
}

// positionOf reads a cursor: the name of its list, and the position.
func positionOf(cursor string) (p position, err error) {
	text, err := base64.RawURLEncoding.DecodeString(cursor)
	if err == nil && cursor != "" {
		err = json.Unmarshal(text, &p)
	}
	return p, err
}

// mostOfPart bounds what a cursor has of a long key.
const mostOfPart = 120

// at makes a position. Long parts are cut, with a digest of the whole.
func at(parts ...string) position {
	for i, part := range parts {
		if len(part) > mostOfPart {
			sum := sha256.Sum256([]byte(part))
			part = part[:mostOfPart] + hex.EncodeToString(sum[:8])
		}
		parts[i] = strings.ToValidUTF8(part, "\ufffd")
	}
	return parts
}

// sourceKey is a key of a source file.
type sourceKey struct{ project, file, key string }

// order is which key of its source file each is. Translating changes nothing in it.
type order map[sourceKey]int

// add adds the keys of a source file, as it has them.
func (o order) add(project, file string, keys []string) {
	for i, key := range keys {
		parts := at(project, file, key)
		o[sourceKey{parts[0], parts[1], parts[2]}] = i
	}
}

// of is where a key belongs. One that the file has no longer precedes all others: rather twice than never.
func (o order) of(project, file, key string) position {
	parts := at(project, file, key)
	number := ""
	if n, is := o[sourceKey{parts[0], parts[1], parts[2]}]; is {
		number = fmt.Sprintf("%08d", n)
	}
	return position{parts[0], parts[1], number, parts[2]}
}

// now is a position of before as the source files are now.
func (o order) now(p position) position {
	if len(p) < 4 {
		return p
	}
	return o.of(p[0], p[1], p[3])
}

// sorted says of a list how it is called in cursors and where its items belong. Where now is not nil, it makes the
// position of a cursor one of today.
type sorted[T any] struct {
	name string
	of   func(T) position
	now  func(position) position
}

// paged is the part of a list that is wanted, in an answer of bounded size.
func paged[T any](all []T, p page, by sorted[T]) (list[T], error) {
	part := list[T]{Total: len(all), Items: []T{}}
	type placed struct {
		position
		item T
	}
	items := make([]placed, len(all))
	for i, item := range all {
		items[i] = placed{by.of(item), item}
	}
	slices.SortStableFunc(items, func(a, b placed) int { return slices.Compare(a.position, b.position) })
	for i, same := 1, 0; i < len(items); i++ { // equal ones are counted, so that a page can end between them
		same++
		if !slices.Equal(items[i].position, items[i-same].position) {
			same = 0
			continue
		}
		items[i].position = append(slices.Clip(items[i].position), fmt.Sprintf("%08d", same))
	}
	from := 0
	if p.Cursor != "" {
		last, err := positionOf(p.Cursor)
		if err != nil || len(last) < 2 || last[0] != by.name {
			return part, failure.Usage(fmt.Errorf("the cursor %q is not one of this list; pass next of the answer before",
				p.Cursor))
		}
		last = last[1:]
		if by.now != nil {
			last = by.now(last)
		}
		from, _ = slices.BinarySearchFunc(items, last, func(item placed, last position) int {
			if slices.Compare(item.position, last) > 0 {
				return 1
			}
			return -1
		})
	}
	limit := usualItems
	if p.Limit > 0 {
		limit = min(p.Limit, mostItems)
	}
	for _, p := range items[from:min(from+limit, len(items))] {
		part.Items = append(part.Items, p.item)
	}
	n, err := fitting(part.Items, limit)
	part.Items = part.Items[:n]
	if end := from + n; n > 0 && end < len(items) {
		part.Next = items[end-1].position.cursor(by.name)
	}
	return part, err
}
