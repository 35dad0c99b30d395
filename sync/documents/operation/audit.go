package operation

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

// Audit is what was done in the account, the newest first.
type Audit struct {
	Entries []service.AuditEntry `json:"entries"`
}

// longestPayload is how much of an entry's payload people see.
const longestPayload = 200

// Table is what people see of it.
func (d Audit) Table() *terminal.Table {
	rows := terminal.NewTable("TIME", "WHO", "WHAT", "ABOUT")
	rows.Times(0)
	for _, e := range d.Entries {
		rows.Row(oneLine(e.Time),
			terminal.OrNone(oneLine(cmp.Or(e.UserEmail, e.UserNickName, e.UserID))), oneLine(e.Type),
			terminal.OrNone(payload(e.Payload)))
	}
	return rows
}

// oneLine keeps a row one: texts of the service may have line ends.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// payload is the beginning of an entry's payload, as compact JSON.
func payload(raw json.RawMessage) string {
	var compact bytes.Buffer
	if json.Compact(&compact, raw) != nil {
		return ""
	}
	if text := []rune(compact.String()); len(text) > longestPayload {
		return string(text[:longestPayload]) + "…"
	}
	return compact.String()
}

func auditOperation() *Operation {
	limit, since := 100, "7d"
	return &Operation{
		Name: "audit", On: Account, Document: Audit{},
		Short: "List what was done in the account, and by whom",
		Long: "Lists the newest entries of the account's audit log at the service: who deleted, archived, imported or " +
			"invited.\nThe embedded service notes what it knows itself; a call with the API key has no person.",
		Example: "  locsync audit\n  locsync audit --since 2027-01-31 --limit 1000 --json",
		Flags: []Flag{
			{Name: "since", Usage: "`TIME` of the oldest entry: 7d, 12h, 2027-01-31 or 2027-01-31T18:00:00Z", Value: &since},
			{Name: "limit", Usage: "at most `N` entries; 0: all", Value: &limit},
		},
		Check: func([]string) error {
			if limit < 0 {
				return fmt.Errorf("invalid --limit %d; use 0 or more", limit)
			}
			_, err := Since(since, time.Now())
			return err
		},
		Run: func(ctx context.Context, s *Session, _ []string) (Result, error) {
			from, err := Since(since, time.Now())
			if err != nil {
				return Result{}, err
			}
			all, err := s.Client.Audit(ctx, from)
			return AuditOf(all, limit, from), err
		},
	}
}

// AuditOf is the result with the newest entries since a time, not more than limit unless that is 0.
func AuditOf(all []service.AuditEntry, limit int, since time.Time) Result {
	return Listed(Audit{newest(all, limit)}, "nothing was noted since "+since.UTC().Format(time.RFC3339))
}

// newest are the newest entries, not more than limit unless that is 0. Times are ISO 8601 in UTC; what is none is old.
func newest(all []service.AuditEntry, limit int) []service.AuditEntry {
	at := func(e service.AuditEntry) time.Time {
		t, _ := time.Parse(time.RFC3339Nano, e.Time)
		return t
	}
	all = append([]service.AuditEntry{}, all...)
	slices.SortStableFunc(all, func(a, b service.AuditEntry) int { return at(b).Compare(at(a)) })
	if limit > 0 {
		all = all[:min(limit, len(all))]
	}
	return all
}

// Since is a time, or one before now: so many days, or a duration as Go writes it.
func Since(text string, now time.Time) (time.Time, error) {
	if days, is := strings.CutSuffix(text, "d"); is {
		if n, err := strconv.Atoi(days); err == nil && n >= 0 && n < 100_000 {
			return now.AddDate(0, 0, -n), nil
		}
	}
	if d, err := time.ParseDuration(text); err == nil && d >= 0 {
		return now.Add(-d), nil
	}
	for _, layout := range []string{time.RFC3339, time.DateOnly} {
		if t, err := time.Parse(layout, text); err == nil {
			return t, nil
		}
	}
	return time.Time{}, fmt.Errorf("invalid --since %q; use 7d, 12h, 2027-01-31 or 2027-01-31T18:00:00Z", text)
}
