package jsonfile

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/messages"
	"github.com/locsync/locsync/formats/resource"
)

// Flags are the names that an entry of a browser extension defines beside its message.
func (g grammar) Flags(f *resource.File, i int) string {
	n := f.Node(i)
	up := f.Node(int(n.Parent))
	if f.Node(0).Style&messageEntry == 0 || n.Parent == 0 || up.Style&messageEntry == 0 {
		return ""
	}
	object := up.Value.Of(f.Source())
	if !strings.Contains(object, `"`+messages.Placeholders+`"`) {
		return ""
	}
	var entry struct{ Placeholders map[string]json.RawMessage }
	if json.Unmarshal([]byte(object), &entry) != nil {
		return ""
	}
	names := slices.Sorted(maps.Keys(entry.Placeholders))
	return "placeholders=" + strings.ToLower(strings.Join(names, " "))
}
