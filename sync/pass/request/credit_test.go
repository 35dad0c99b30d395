package request

import (
	"reflect"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Names come by how much each confirmed; a machine's words count until a person confirmed as many of them.
func TestCreditTo(t *testing.T) {
	row := func(language, user string, words, mt float64, machine bool) service.Confirmation {
		return service.Confirmation{Language: language, UserID: user, ByPretranslation: machine,
			WordCounts: wire.ConfirmedWords{ConfirmedWithoutAny: words, MT: mt}}
	}
	long := strings.Repeat("ä", longestName)
	names := map[string]string{"a": "Ann  B.", "b": "Bo", "c": "Cy\x1b[31m", "d": "D", "long": long + "ä", "blank": " "}
	for _, c := range []struct {
		name string
		rows []service.Confirmation
		want config.RequestCount
	}{
		{"nothing", nil, config.RequestCount{}},
		{"another language", []service.Confirmation{row("fr", "a", 5, 0, false)}, config.RequestCount{}},
		{"by words", []service.Confirmation{row("de", "a", 5, 0, false), row("DE", "b", 3, 0, false), row("de", "b", 4, 0, false)},
			config.RequestCount{Translators: []string{"Bo", "Ann B."}}},
		{"a machine", []service.Confirmation{row("de", "", 0, 9, true)}, config.RequestCount{Machine: 9}},
		{"reviewed in part", []service.Confirmation{row("de", "", 0, 9, true), row("de", "a", 0, 4, false)},
			config.RequestCount{Machine: 5, Translators: []string{"Ann B."}}},
		{"post-edited", []service.Confirmation{row("de", "a", 0, 4, false)}, config.RequestCount{Translators: []string{"Ann B."}}},
		{"an import", []service.Confirmation{row("de", "", 7, 0, false)}, config.RequestCount{}},
		{"many, and strangers", []service.Confirmation{row("de", "a", 9, 0, false), row("de", "b", 8, 0, false),
			row("de", "x", 7, 0, false), row("de", "c", 6, 0, false), row("de", "d", 5, 0, false), row("de", "blank", 4, 0, false)},
			config.RequestCount{Translators: []string{"Ann B.", "Bo", `Cy\u001b[31m`}, Others: 3}},
		{"a long name", []service.Confirmation{row("de", "long", 1, 0, false)}, config.RequestCount{Translators: []string{long + "…"}}},
	} {
		got := config.RequestCount{Language: "de"}
		c.want.Language = "de"
		if creditTo(&got, c.rows, names); !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, want %+v", c.name, got, c.want)
		}
	}
}
