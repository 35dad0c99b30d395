package memory

import (
	"strings"
	"testing"
)

// Whatever the units of a file are made of, those that join a memory at once take a bounded memory.
func TestUnitsOfOneTransactionAreBounded(t *testing.T) {
	for name, c := range map[string]struct {
		unit  string
		units int
	}{
		"empty variants": {"<tu>" + strings.Repeat("<tuv/>", maxVariants) + "</tu>", 100},
		"long languages": {`<tu><tuv xml:lang="` + strings.Repeat("x", 100_000) + `"><seg>a</seg></tuv></tu>`, 50},
		"long texts":     {`<tu><tuv xml:lang="en"><seg>` + strings.Repeat("x", 100_000) + `</seg></tuv></tu>`, 50},
		"empty units":    {"<tu/>", 5000},
	} {
		all := 0
		file := strings.NewReader("<tmx><body>" + strings.Repeat(c.unit, c.units) + "</body></tmx>")
		err := eachBatch(file, func(batch []tmxUnit) error {
			variants, bytes := 0, 0
			for _, u := range batch {
				variants += len(u.Variants)
				for _, v := range u.Variants {
					bytes += len(v.Lang) + len(v.Seg.Inner)
				}
			}
			if all += len(batch); variants > 40_000 || bytes > 2*maxUnit || len(batch) > unitsAtOnce {
				t.Errorf("%s: %d units at once have %d variants and %d bytes", name, len(batch), variants, bytes)
			}
			return nil
		})
		if err != nil || all != c.units {
			t.Errorf("%s: %d units, %v", name, all, err)
		}
	}
}

func TestVariantsOfOneUnitAreBounded(t *testing.T) {
	file := strings.NewReader("<tmx><body>\n<tu>" + strings.Repeat("<tuv/>", 150_000) + "</tu></body></tmx>")
	err := readTMX(file, func(u tmxUnit) error {
		t.Errorf("a unit with %d variants was read", len(u.Variants))
		return nil
	})
	if err == nil || !strings.Contains(err.Error(), "line 2: it has more than 1000 variants in one unit") {
		t.Errorf("%v", err)
	}
}
