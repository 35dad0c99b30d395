package engine

import (
	"encoding/json"
	"fmt"
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"pgregory.net/rapid"
)

// What a status holds, after any passes, troubles and repairs: no secret that anybody has put anywhere; the same for the same state; a list wherever the
// contract shows one; numbers that add up; no address that is not one of the web; problems with their remedies; events newest first, at most 50.
func TestStatusLaws(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := troubled(t)
		secret := "s3cr3t-" + rapid.StringMatching(`[a-z]{12}`).Draw(rt, "secret")
		gittest.Bare(t, w.dir)
		host := rapid.SampledFrom([]string{"github.com", "gitlab.example.org", "git.example.org", "bitbucket.org"}).Draw(rt, "host")
		w.git("remote", "set-url", "--push", "origin", "https://user-of-it:"+secret+"@"+host+"/team/app.git?token="+secret)
		wrong := make(map[string]bool)
		for range rapid.IntRange(0, 4).Draw(rt, "steps") {
			x := rapid.SampledFrom(troubles).Draw(rt, "trouble")
			if wrong[x.name] {
				continue
			}
			x.make(w)
			wrong[x.name] = true
			if rapid.Bool().Draw(rt, "fails") {
				w.wire.failing(refusing(401))
			}
			_, perr := w.Push(t.Context(), push.Options{})
			_, lerr := w.Pull(t.Context(), pull.Options{})
			w.wire.failing(nil)
			if rapid.Bool().Draw(rt, "repairs") && perr == nil && lerr == nil {
				x.repair(w)
				wrong[x.name] = false
			}
		}
		w.configure(w.config + "\n") // another process
		w.Now = func() time.Time { return time.Date(2026, 11, 21, 12, 0, 0, 0, time.UTC) }
		first, second := w.Status(t.Context()), w.Status(t.Context())
		one, err := json.Marshal(first)
		w.check(err)
		two, err := json.Marshal(second)
		w.check(err)
		if string(one) != string(two) {
			rt.Fatalf("two looks at one state differ:\n%s\n%s", one, two)
		}
		for _, secret := range []string{secret, "user-of-it"} {
			if strings.Contains(string(one), secret) {
				rt.Fatalf("the status holds %q: %s", secret, one)
			}
		}
		var back report.Status
		w.check(json.Unmarshal(one, &back))
		if again, err := json.Marshal(back); err != nil || string(again) != string(one) {
			rt.Fatalf("read and written again it is another: %s, %v", again, err)
		}
		noNulls(rt, "status", reflect.ValueOf(first))
		addsUp(rt, first.Projects[0])
	})
}

// noNulls looks for lists that JSON would show as null.
func noNulls(t *rapid.T, at string, v reflect.Value) {
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			noNulls(t, at, v.Elem())
		}
	case reflect.Slice:
		if v.IsNil() {
			t.Fatalf("%s is null", at)
		}
		for i := range v.Len() {
			noNulls(t, fmt.Sprintf("%s[%d]", at, i), v.Index(i))
		}
	case reflect.Struct:
		if v.Type() == reflect.TypeFor[time.Time]() {
			return
		}
		for i := range v.NumField() {
			if f := v.Type().Field(i); f.IsExported() && f.Tag.Get("json") != "-" && !(strings.Contains(f.Tag.Get("json"), ",omitempty") && v.Field(i).IsZero()) {
				noNulls(t, at+"."+f.Name, v.Field(i))
			}
		}
	}
}

func addsUp(t *rapid.T, s report.ProjectStatus) {
	keys, pending := 0, 0
	for _, f := range s.Files {
		keys, pending = keys+f.Keys, pending+f.Pending
	}
	for _, l := range s.Languages {
		pending += l.Pending
	}
	if pending != s.Pending || s.Removed != len(s.Orphaned) {
		t.Fatalf("pending %d and %d, removed %d and %d", pending, s.Pending, s.Removed, len(s.Orphaned))
	}
	for _, l := range s.Languages {
		if l.Keys+l.Missing != keys || l.HeldMissing > l.Missing || l.Held-l.HeldMissing > l.Keys || l.Held < l.HeldMissing {
			t.Fatalf("of %d keys: %+v", keys, l)
		}
		if good, held, missing := l.Parts(); min(good, held, missing) < 0 || good+held+missing != keys || held != l.Held {
			t.Fatalf("%+v in parts: %d, %d, %d", l, good, held, missing)
		}
	}
	if len(s.Events) > 50 || len(s.Activity) != 30 || !slices.IsSortedFunc(s.Events, func(a, b report.Event) int { return b.At.Compare(a.At) }) {
		t.Fatalf("%d events, %d days", len(s.Events), len(s.Activity))
	}
	for i, d := range s.Activity {
		if d.Date != time.Date(2026, 11, 21+1+i-30, 0, 0, 0, 0, time.UTC).Format(time.DateOnly) {
			t.Fatalf("day %d is %s", i, d.Date)
		}
	}
	addresses := map[string]string{"branch": s.BranchURL}
	for i, e := range s.Events {
		if addresses[fmt.Sprint("event ", i)] = e.URL; e.Text == "" || e.What == "" || e.Result == "" || strings.ContainsAny(e.Text, "\n\x00") || len([]rune(e.Text)) > 600 {
			t.Fatalf("%+v", e)
		}
	}
	if s.LastPull != nil {
		addresses["commit"] = s.LastPull.CommitURL
	}
	for what, address := range addresses {
		if address != "" && (!strings.HasPrefix(address, "https://") || strings.ContainsAny(address, "@ ")) {
			t.Fatalf("%s: %s", what, address)
		}
	}
	for _, p := range slices.Concat(s.Problems, s.Orphaned) {
		if p.Code == "" || p.Severity == "" || p.Problem == "" || p.Remedy == "" || strings.Contains(p.Problem, p.Remedy) {
			t.Fatalf("%+v", p)
		}
	}
	if unique := maps.Collect(func(yield func(report.Problem, bool) bool) {
		for _, p := range s.Problems {
			yield(p, true)
		}
	}); len(unique) != len(s.Problems) {
		t.Fatalf("told twice: %v", s.Problems)
	}
}

// Where the remote is a forge's, the branch, the last commit and the commits of events have their pages.
func TestStatusLinks(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings, nil)
	gittest.Bare(t, w.dir)
	w.configure(settings + jsonFiles)
	if s := w.Status(t.Context()).Projects[0]; s.Branch != "l10n" || s.BranchURL != "" {
		t.Errorf("%q, %q", s.Branch, s.BranchURL)
	}
	w.final("de", "a", "A1")
	p := w.pulls(pull.Options{})
	w.git("remote", "set-url", "origin", "git@github.com:team/app.git")
	s := w.Status(t.Context()).Projects[0]
	page := "https://github.com/team/app/commit/" + p.Commit
	if s.BranchURL != "https://github.com/team/app/tree/l10n" || s.LastPull.CommitURL != page || s.Events[0].URL != page {
		t.Errorf("%q, %q, %q", s.BranchURL, s.LastPull.CommitURL, s.Events[0].URL)
	}
	w.configure(settings + "[project.pull]\nremote = \"\"\n" + jsonFiles)
	if s := w.Status(t.Context()).Projects[0]; s.BranchURL+s.LastPull.CommitURL+s.Events[0].URL != "" {
		t.Errorf("commits stay here: %q, %q", s.BranchURL, s.LastPull.CommitURL)
	}
}
