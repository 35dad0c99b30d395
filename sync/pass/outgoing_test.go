package pass

import (
	"testing"
	"time"

	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What a text of the service is, beside those that it accepted from here and those that were sent without an answer.
func TestShows(t *testing.T) {
	t.Parallel()
	now, none := time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC), catalog.Mark{}
	mark := func(text string) catalog.Mark {
		if text == "" {
			return none
		}
		return catalog.MarkOf(text)
	}
	sent := func(before, text string, ago time.Duration) ledger.SentText {
		return ledger.SentText{Mark: mark(text), Before: mark(before), At: now.Add(-ago)}
	}
	recent, old := 9*time.Minute, 10*time.Minute
	for _, c := range []struct {
		what    string
		text    string
		sent    []ledger.SentText
		unheard string
		want    Showing
	}{
		{"nothing was sent", "x", nil, "", Present},
		{"what was sent", "new", []ledger.SentText{sent("old", "new", recent)}, "", Present},
		{"what was there before", "old", []ledger.SentText{sent("old", "new", recent)}, "", Late},
		{"so, for ten minutes", "old", []ledger.SentText{sent("old", "new", old)}, "", Overdue},
		{"another text", "else", []ledger.SentText{sent("old", "new", recent)}, "", Present},
		{"none, where there was none", "", []ledger.SentText{sent("", "new", recent)}, "", Late},
		{"none, where there was one", "", []ledger.SentText{sent("old", "new", recent)}, "", Present},
		{"what was there before both", "0", []ledger.SentText{sent("0", "1", old), sent("1", "2", recent)}, "", Late},
		{"the first of two", "1", []ledger.SentText{sent("0", "1", old), sent("0", "2", recent)}, "", Late},
		{"so, long ago: it was written again", "1", []ledger.SentText{sent("0", "1", old), sent("0", "2", old)}, "", Present},
		{"one without an answer", "1", []ledger.SentText{sent("0", "2", old)}, "1", Superseded},
		{"one without an answer, alone", "1", nil, "1", Superseded},
	} {
		var unheard []catalog.Mark
		if c.unheard != "" {
			unheard = append(unheard, mark(c.unheard))
		}
		if got := Shows(mark(c.text), c.sent, unheard, now); got != c.want {
			t.Errorf("%s: %d, want %d", c.what, got, c.want)
		}
	}
}
