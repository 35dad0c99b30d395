package request

import (
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/config"
)

// Names cannot break the table, be markup or notify the people who have them at the host.
func TestTable(t *testing.T) {
	lines := func(data config.RequestData, oneLine bool) []string { return strings.Split(table(data, oneLine), "\n") }
	got := lines(config.RequestData{Counts: []config.RequestCount{
		{Language: "de", Added: 2, Changed: 1, Complete: 50, Translators: []string{"Ann Berger", "@ada"}, Others: 3, Machine: 120},
		{Language: "fr", Others: 1},
		{Language: "it", Translators: []string{"a | b\n| c |", "`x`", "<script>alert(1)</script> [l](http://x) \\"}},
		{Language: "ja", Others: 2},
	}}, false)
	want := []string{
		"| language | new | changed | complete | who translated | machine-made, not reviewed |",
		"| --- | ---: | ---: | ---: | --- | ---: |",
		"| `de` | 2 | 1 | 50 % | `Ann Berger`, `@ada`, 3 more | 120 words |",
		"| `fr` | 0 | 0 | 0 % | 1 person |  |",
		"| `it` | 0 | 0 | 0 % | `a ¦ b ¦ c ¦`, `` `x` ``, `<script>alert(1)</script> [l](http://x) \\` |  |",
		"| `ja` | 0 | 0 | 0 % | 2 people |  |",
	}
	if !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
	got = lines(config.RequestData{Counts: []config.RequestCount{{Language: "de", Added: 2}, {Language: "fr"}}}, true)
	if want := []string{"- `de`: 2 added, 0 changed, 0 removed", "- `fr`: 0 added, 0 changed, 0 removed"}; !slices.Equal(got, want) {
		t.Errorf("%q", got)
	}
}
