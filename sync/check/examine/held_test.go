package examine

import (
	"testing"

	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A single text whose name holds texts in the source is never sent; one beside a plural's forms may be its only one.
func TestHeld(t *testing.T) {
	text := func(key string) catalog.Unit { return catalog.Unit{Name: catalog.Name{Key: key}, Text: "x"} }
	source := catalog.Catalog{text("a"), text("line/label"), text("line/more/aria"), text("days/one"), text("days/other"),
		text("liner")}
	texts := catalog.Catalog{text("a"), text("line"), text("line/more"), text("days"), text("lin"), text("other")}
	got := held(&bundle.Bundle{Separator: "/"}, source, texts)
	if len(got) != 2 || got["line"] != 2 || got["line/more"] != 1 {
		t.Errorf("%v", got)
	}
	if got := held(&bundle.Bundle{}, source, texts); len(got) > 0 {
		t.Errorf("names without separators: %v", got)
	}
}
