package schedule

import (
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"
)

func schedule(t testing.TB, text string) Schedule {
	t.Helper()
	s, err := Parse(text)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func zone(t testing.TB, name string) *time.Location {
	t.Helper()
	z, err := time.LoadLocation(name)
	if err != nil {
		t.Fatal(err)
	}
	return z
}

// runs lists what a schedule is due at in a span, as clocks in the zone show it.
func runs(t testing.TB, s Schedule, from, to time.Time, z *time.Location) []string {
	t.Helper()
	var all []string
	for at := s.Next(from); at.Before(to); at = s.Next(at) {
		if at.IsZero() || len(all) > 10000 {
			t.Fatal("no end")
		}
		all = append(all, at.In(z).Format("01-02 15:04:05 MST"))
	}
	return all
}

func TestScheduleWhereClocksChange(t *testing.T) {
	const york = "America/New_York"
	for _, c := range []struct {
		name, zone, spec string
		day              string // the day before the change
		want             string
	}{
		{"a time that does not exist", york, "30 2 * * *", "2026-03-07", "03-07 02:30:00 EST, 03-08 03:00:00 EDT"},
		{"every quarter of an hour that does not exist, once", york, "*/15 2 8 3 *", "2026-03-07", "03-08 03:00:00 EDT"},
		{"a time that exists twice", york, "30 1 * * *", "2026-10-31", "10-31 01:30:00 EDT, 11-01 01:30:00 EDT"},
		{"several times of an hour that comes twice", york, "*/30 1 1 11 *", "2026-10-31", "11-01 01:00:00 EDT, 11-01 01:30:00 EDT"},
		{"hourly goes on through the gap", york, "0 * 8 3 *", "2026-03-07",
			"03-08 00:00:00 EST, 03-08 01:00:00 EST, 03-08 03:00:00 EDT, 03-08 04:00:00 EDT, 03-08 05:00:00 EDT"},
		{"hourly goes on through the repeat", york, "0 * 1 11 *", "2026-10-31",
			"11-01 00:00:00 EDT, 11-01 01:00:00 EDT, 11-01 01:00:00 EST, 11-01 02:00:00 EST, 11-01 03:00:00 EST"},
		{"a change of half an hour", "Australia/Lord_Howe", "15 2 * * *", "2026-10-03", "10-03 02:15:00 +1030, 10-04 02:30:00 +11"},
		{"midnight that does not exist", "America/Havana", "0 0 * * *", "2026-03-07", "03-07 00:00:00 CST, 03-08 01:00:00 CDT"},
	} {
		t.Run(c.name, func(t *testing.T) {
			z := zone(t, c.zone)
			from, err := time.ParseInLocation("2006-01-02", c.day, z)
			if err != nil {
				t.Fatal(err)
			}
			from = from.Add(-time.Second)
			got := strings.Join(runs(t, schedule(t, "TZ="+c.zone+" "+c.spec), from, from.Add(28*time.Hour+30*time.Minute), z), ", ")
			if got != c.want {
				t.Errorf("got  %s\nwant %s", got, c.want)
			}
		})
	}
}

// 120 days of a daily schedule are 120 runs, whatever clocks do.
func TestDailyIsDaily(t *testing.T) {
	z := zone(t, "America/New_York")
	for _, spec := range []string{"30 2 * * *", "30 1 * * *", "@daily", "0 30 2 * * *"} {
		for _, start := range []string{"2026-01-15", "2026-08-15"} {
			from, err := time.ParseInLocation("2006-01-02 15:04", start+" 12:00", z)
			if err != nil {
				t.Fatal(err)
			}
			if got := len(runs(t, schedule(t, "TZ=America/New_York "+spec), from, from.AddDate(0, 0, 120), z)); got != 120 {
				t.Errorf("%s from %s: %d runs", spec, start, got)
			}
		}
	}
}

func TestScheduleSpellings(t *testing.T) {
	from := time.Date(2026, 11, 21, 10, 7, 30, 5, time.UTC)
	for spec, want := range map[string]string{
		"*/15 * * * *":                 "2026-11-21T10:15:00Z",
		"10 */15 * * * *":              "2026-11-21T10:15:10Z",
		"@hourly":                      "2026-11-21T11:00:00Z",
		"@daily":                       "2026-11-22T00:00:00Z",
		"@weekly":                      "2026-11-22T00:00:00Z",
		"@yearly":                      "2027-01-01T00:00:00Z",
		" 0 6 * * mon-fri ":            "2026-11-23T06:00:00Z",
		"TZ=Europe/Berlin 0 6 * * *":   "2026-11-22T05:00:00Z",
		"CRON_TZ=Asia/Tokyo  @daily":   "2026-11-21T15:00:00Z",
		"0 0 29 2 *":                   "2028-02-29T00:00:00Z",
		"@every 90s":                   "2026-11-21T10:09:00.000000005Z",
		"TZ=Europe/Berlin @every 1h1s": "2026-11-21T11:07:31.000000005Z",
	} {
		if got := schedule(t, spec).Next(from).Format(time.RFC3339Nano); got != want {
			t.Errorf("%q: got %s, want %s", spec, got, want)
		}
	}
	if !(Schedule{}).IsZero() || !(Schedule{}).Next(from).IsZero() {
		t.Error("no schedule is never due")
	}
	berlin := from.In(zone(t, "Europe/Berlin"))
	if got := schedule(t, "0 12 * * *").Next(berlin); got.Location() != berlin.Location() || got.UTC().Hour() != 12 {
		t.Errorf("without TZ=, hours are UTC: got %v", got)
	}
}

func TestBadSchedules(t *testing.T) {
	for spec, says := range map[string]string{
		"":                           "nothing in it",
		"TZ=0":                       "must follow",
		"TZ=":                        "must follow",
		"TZ= * * * * *":              "must follow",
		"TZ=Europe/Berlin ":          "must follow",
		"TZ=Mars/Base * * * * *":     "no time zone is called",
		"TZ=../etc/passwd * * * * *": "no time zone is called",
		"TZ=UTC TZ=UTC * * * * *":    "one zone",
		"0 0 30 2 *":                 "never be due",
		"@every 0s":                  "least interval",
		"@every -5m":                 "least interval",
		"@every 500ms":               "least interval",
		"@every":                     "wants a duration",
		"@every90s":                  "wants a duration",
		"@reboot":                    "unrecognized descriptor",
		"* * * *":                    "expected 5 to 6 fields",
		"60 * * * *":                 "above maximum",
		"a b c d e":                  "failed to parse",
		strings.Repeat("1,", 300):    "longer than",
	} {
		if _, err := Parse(spec); err == nil || !strings.Contains(err.Error(), says) {
			t.Errorf("%q: got %v, want %q", spec, err, says)
		}
	}
}

// The laws of Next: always later, never in between what it skipped, the same whatever zone the question is
// asked in.
func TestScheduleLaws(t *testing.T) {
	zones := []string{"UTC", "America/New_York", "Europe/Berlin", "Australia/Lord_Howe", "America/Havana", "Asia/Kathmandu", "Pacific/Apia"}
	rapid.Check(t, func(t *rapid.T) {
		name := rapid.SampledFrom(zones).Draw(t, "zone")
		spec := rapid.SampledFrom([]string{"30 2 * * *", "*/20 1 * * *", "0 0 * * *", "*/15 * * * *", "15 0,1,2,3 * * sun", "0 12 1 * *"}).Draw(t, "spec")
		s, err := Parse("TZ=" + name + " " + spec)
		if err != nil {
			t.Fatal(err)
		}
		from := time.Unix(rapid.Int64Range(1_600_000_000, 2_000_000_000).Draw(t, "from"), 0).UTC()
		next := s.Next(from)
		if !next.After(from) {
			t.Fatalf("%v: next is %v", from, next)
		}
		z, err := time.LoadLocation(name)
		if err != nil {
			t.Fatal(err)
		}
		if other := s.Next(from.In(z)); !other.Equal(next) {
			t.Fatalf("asked in %s: %v, in UTC: %v", name, other, next)
		}
		between := from.Add(time.Duration(rapid.Int64Range(0, int64(next.Sub(from)/time.Second)-1).Draw(t, "between")) * time.Second)
		if again := s.Next(between); !again.Equal(next) {
			t.Fatalf("from %v it is %v, from %v it is %v", from, next, between, again)
		}
	})
}

func FuzzSchedule(f *testing.F) {
	for _, s := range []string{"*/15 * * * *", "@every 90s", "TZ=Europe/Berlin 0 6 * * *", "TZ=0", "CRON_TZ= @daily", "0 0 30 2 *", "1-5/2 0 ? * MON-FRI"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		s, err := Parse(text)
		if err != nil {
			return
		}
		from := time.Date(2026, 3, 7, 0, 0, 0, 0, time.UTC)
		for range 5 {
			next := s.Next(from)
			if !next.After(from) {
				t.Fatalf("%q: after %v comes %v", text, from, next)
			}
			from = next
		}
	})
}

func BenchmarkScheduleNext(b *testing.B) {
	s := schedule(b, "TZ=America/New_York 30 2 * * 1-5")
	from := time.Date(2026, 3, 7, 12, 0, 0, 0, time.UTC)
	b.ReportAllocs()
	for b.Loop() {
		s.Next(from)
	}
}
