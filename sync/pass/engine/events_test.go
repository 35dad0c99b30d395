package engine

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge/forgetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/local"
)

// told are the events since there were some, oldest first, as "what result: text", with "×n" of repeated ones; commits are named COMMIT.
func (w *world) told(since int) []string {
	w.tb.Helper()
	events := slices.Clone(w.Status(w.tb.Context()).Projects[0].Events)
	slices.Reverse(events)
	var all []string
	for _, e := range events[since:] {
		text := e.Text
		if e.Commit != "" {
			text = strings.ReplaceAll(text, e.Commit[:10], "COMMIT")
		}
		if e.Count > 1 {
			text += fmt.Sprintf(" ×%d", e.Count)
		}
		all = append(all, e.What+" "+e.Result+": "+text)
	}
	return all
}

// tells compares the events since there were some, and returns how many there are now.
func (w *world) tells(since int, want ...string) int {
	w.tb.Helper()
	got := w.told(since)
	same := len(got) == len(want)
	for i := range want {
		same = same && strings.HasPrefix(got[i], want[i])
	}
	if !same {
		w.tb.Fatalf("the events are\n  %s\nwant\n  %s", strings.Join(got, "\n  "), strings.Join(want, "\n  "))
	}
	return since + len(got)
}

func refusing(status int) func(*http.Request) local.Fault {
	return func(*http.Request) local.Fault { return local.Fault{Refuse: status} }
}

// What people are told of a month, in order; looks that find nothing are no events, and the end of the process takes nothing along.
func TestEvents(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`, "locales/en/b.json": `{"c": "C"}`})
	n := w.tells(0)
	w.clean(push.Options{})
	n = w.tells(n, "push ok: Sent 3 keys of 2 files.")
	w.sends()
	w.brings()
	w.pushes(push.Options{DryRun: true, All: true})
	w.final("de", "a", "A de", "b", "B de")
	w.final("fr", "a", "A fr")
	w.pulls(pull.Options{DryRun: true})
	w.tells(n)
	p := w.pulls(pull.Options{})
	n = w.tells(n, "pull ok: Brought 3 translations in 2 languages; commit COMMIT on l10n.")
	if e := w.Status(t.Context()).Projects[0].Events[0]; e.Commit != p.Commit || e.At.IsZero() {
		t.Errorf("%+v", e)
	}
	w.git("merge", "-q", "l10n")
	w.sends()
	w.write(deApp, `{"a": "A hand", "b": "B de"}`, enApp, `{"a": "A", "b": "B 2"}`)
	w.clean(push.Options{})
	n = w.tells(n, "push ok: Sent 1 key of "+enApp+" and 1 translation in 1 language.")

	// Equal failures in a row are one, others are others, and that it works again is told once.
	w.write(enApp, `{"a": "A 2", "b": "B 2"}`)
	fails := func(status int) {
		t.Helper()
		w.wire.failing(refusing(status))
		if _, err := w.Push(t.Context(), push.Options{}); err == nil {
			t.Fatalf("the push worked although the service answers %d", status)
		}
	}
	for range 3 {
		fails(http.StatusUnauthorized)
	}
	fails(http.StatusForbidden)
	fails(http.StatusUnauthorized)
	w.tells(n, "push failed: Push did not work: a fault on request: status 403 (403 on start import; account",
		"push failed: Push did not work: ")
	got := w.told(n)
	if !strings.HasSuffix(got[1], "×4") || !strings.Contains(got[1], "401") || strings.Contains(got[0], "×") {
		t.Errorf("%q", got)
	}
	first := w.Status(t.Context()).Projects[0].Events[0]
	if !first.Since.Before(first.At) || first.Count != 4 {
		t.Errorf("%+v", first)
	}
	w.restart(w.Config) // nothing is lost by that
	w.wire.failing(nil)
	w.clean(push.Options{})
	w.sends()
	n = w.tells(n+2, "push ok: Sent 1 key", "push recovered: Push works again, after 5 failures.")
	if e := w.Status(t.Context()).Projects[0].Events[0]; !e.Since.Before(e.At) || e.Count != 5 {
		t.Errorf("%+v", e)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	w.write(enApp, `{"a": "A 3", "b": "B 2"}`)
	if _, err := w.Push(ctx, push.Options{}); err == nil {
		t.Error("it went on")
	}
	w.tells(n) // who ends it knows
	w.clean(push.Options{})
	n = w.tells(n, "push ok")

	// Both sides change a key, and somebody decides.
	w.write(deApp, `{"a": "A other", "b": "B de"}`)
	w.final("de", "a", "A service")
	w.pushes(push.Options{})
	n = w.tells(n, `conflict began: "a" of `+deApp+" differs between the repository and the service; until it is decided, pulls take the service's text.")
	w.pushes(push.Options{})
	w.tells(n)
	w.pushes(push.Options{Theirs: true})
	n = w.tells(n, "conflict ended: 1 conflict is over")
	w.pulls(pull.Options{})
	n = w.tells(n, "pull ok")

	w.Reloaded(nil)
	w.Reloaded(errors.New("locsync.toml:3:1: nonsense"))
	w.tells(n, "reload ok: The configuration was read again.", "reload failed: A new configuration is not used, and the old one stays: locsync.toml:3:1: nonsense")

	today := time.Now().UTC().Format(time.DateOnly)
	days := w.Status(t.Context()).Projects[0].Activity
	if last := days[len(days)-1]; len(days) != 30 || last.Date != today || last.Pushed != 3+2+1+1 || last.Pulled != 3+1 || !reflect.DeepEqual(days[0], report.Day{Date: time.Now().AddDate(0, 0, -29).UTC().Format(time.DateOnly)}) {
		t.Errorf("%d days, the first %+v, today %+v", len(days), days[0], last)
	}
}

// What the brake and the guard hold back is told when it begins and when it ends.
func TestEventsOfHolds(t *testing.T) {
	t.Parallel()
	all := many("k", 20)
	w := newWorld(t, localOnly+jsonFiles, map[string]string{enApp: jsonOf(all)})
	w.clean(push.Options{})
	var pairs []string
	for key, text := range all {
		pairs = append(pairs, key, text+" de")
	}
	w.final("de", pairs...)
	w.pulls(pull.Options{})
	n := w.tells(0, "push ok", "pull ok: Brought 20 translations in 1 language")
	w.write(enApp, jsonOf(many("k", 4)))
	for range 2 {
		w.pushes(push.Options{})
	}
	n = w.tells(n, "hold began: "+enApp+" lost 16 of its 20 keys, more than push.guard = 0.3 allows; it is held back, and nothing is concluded from it.")
	w.write(enApp, jsonOf(all))
	w.clean(push.Options{})
	n = w.tells(n, "hold ended: "+enApp+" is not held back any more.")

	w.write(enApp, jsonOf(many("k", 4)))
	w.commit()
	for range 2 {
		w.pulls(pull.Options{})
	}
	n = w.tells(n, "hold began: "+deApp+" would lose 16 of its 20 translations, more than the guard of 0.3 allows; the file is left as it is.")
	s := w.Status(t.Context()).Projects[0]
	if de := s.Languages[0]; s.Held != 2 || de.Held != 0 { // what it would lose is of keys that the source has no more
		t.Errorf("%d files held, %+v", s.Held, de)
	}
	w.pulls(pull.Options{Force: true})
	w.tells(n, "pull ok: Brought 16 translations in 1 language", "hold ended: "+deApp+" is not held back any more.")
}

// A commit that the remote could not take is told when it has arrived, and counts on that day.
func TestEventsOfALateDelivery(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := abc(t, settings, nil)
	bare := gittest.Bare(t, w.dir)
	w.configure(settings + jsonFiles)
	w.final("de", "a", "A1", "b", "B1")
	gittest.Hook(t, bare, "pre-receive", "#!/bin/sh\necho closed for today\nexit 1\n")
	n := len(w.told(0))
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Fatal("it was delivered")
	}
	n = w.tells(n, "pull failed: Pull did not work: deliver commit ")
	if d := w.Status(t.Context()).Projects[0].Activity[29]; d.Pulled != 0 {
		t.Errorf("what has not arrived is counted: %+v", d)
	}
	w.check(os.Remove(filepath.Join(bare, "hooks", "pre-receive")))
	w.pulls(pull.Options{})
	got := w.told(n)
	if len(got) != 2 || !strings.Contains(got[0], "COMMIT") || !strings.HasPrefix(got[1], "pull recovered: Pull works again, after 1 failure.") {
		t.Errorf("%q", got)
	}
	if d := w.Status(t.Context()).Projects[0].Activity[29]; d.Pulled != 2 {
		t.Errorf("%+v", d)
	}
}

// A branch that is checked out and not pushed from, and git that takes long, are told once.
func TestEventsOfWhatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.push]\nbranches = [\"main\"]\n[project.pull]\nremote = \"\"\nbase = \"main\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	w.clean(push.Options{})
	n := w.tells(0, "push ok")
	w.git("checkout", "-q", "-b", "mine")
	w.sends()
	w.sends()
	w.git("checkout", "-q", "main")
	w.sends()
	w.git("checkout", "-q", "mine")
	w.sends()
	w.tells(n, `skip skipped: Nothing is pushed: branch "mine" is checked out, and push.branches covers only main. ×2`)
	n++

	p, now := w.projects[0], time.Now()
	ends := func(after time.Duration, err error) {
		w.check(w.store.Update(func(tx ledger.Writer) error {
			d := p.branch.Events().Open(tx, now.Add(after))
			d.Ended("push", err)
			d.Close()
			return nil
		}))
	}
	busy := fmt.Errorf("%w: rebase in progress; it is tried again when that is over", gitops.ErrBusy)
	ends(0, busy)
	ends(time.Minute, nil)
	ends(time.Hour, busy)
	ends(time.Hour+9*time.Minute, busy)
	w.tells(n)
	ends(time.Hour+11*time.Minute, busy)
	ends(time.Hour+30*time.Minute, busy)
	n = w.tells(n, "git began: Nothing is done for 11 minutes now, for git is busy")
	ends(time.Hour+31*time.Minute, nil)
	w.tells(n, "git ended: Push goes on: git is done")
}

// Lines write into one log of events, and each event names its branch; so does the end of a branch.
func TestEventsOfLines(t *testing.T) {
	t.Parallel()
	w := newWorld(t, lineSettings, map[string]string{appFile: mainText})
	bare := gittest.Bare(t, w.dir)
	w.git("push", "-q", "origin", "main")
	w.configure(lineSettings)
	w.check(os.Rename(bare, bare+".away")) // what fails before it is known for which branch is over when a branch's pass works
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Error("there is no remote, and the pull worked")
	}
	w.check(os.Rename(bare+".away", bare))
	w.pulls(pull.Options{})
	w.clean(push.Options{})
	w.git("checkout", "-q", "-b", "feature/x")
	w.write(appFile, featText)
	w.commit()
	w.git("push", "-q", "origin", "feature/x")
	w.clean(push.Options{})
	w.wire.failing(refusing(http.StatusForbidden))
	if _, err := w.Pull(t.Context(), pull.Options{}); err == nil {
		t.Error("the pull worked")
	}
	w.wire.failing(nil)
	w.pulls(pull.Options{})
	w.git("checkout", "-q", "main")
	w.git("push", "-q", "origin", ":feature/x")
	w.git("branch", "-D", "-q", "feature/x")
	w.pulls(pull.Options{})
	events := slices.Clone(w.Status(t.Context()).Projects[0].Events)
	slices.Reverse(events)
	var got []string
	for _, e := range events {
		got = append(got, e.What+" "+e.Base+" "+e.Result)
	}
	want := []string{"pull  failed", "pull main recovered", "push main ok", "push feature/x ok", "pull main failed", "pull feature/x failed", "pull main recovered", "pull feature/x recovered", "branch main ended"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if last := events[len(events)-1].Text; last != "Branch feature/x is gone; the translations on l10n/feature/x are not used any more." {
		t.Error(last)
	}
	standing, _, err := ledger.Standing.Get(w.store, w.projects[0].branch.ProjectName(), ledger.StandingID)
	if err != nil || len(standing) > 0 {
		t.Errorf("%v, %v", standing, err)
	}
}

// A clone that is made again is told.
func TestEventOfAClone(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	f := newFar(t, settings+jsonFiles)
	f.clean(push.Options{})
	f.check(os.WriteFile(filepath.Join(f.clone(), "config"), []byte("[core\n"), 0o600))
	f.clean(push.Options{})
	f.tells(1, "clone ok: The clone of the repository was damaged, and is made again.")
}

// Whatever happens to the events, passes and the status go on, and it begins anew.
func TestDamagedEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A 0"}`})
	w.clean(push.Options{})
	name := w.projects[0].branch.ProjectName()
	for i, damage := range []string{`"nonsense"`, `7`, `{"x": "y"}`, `["z"]`} {
		for _, part := range []string{ledger.EventsID, ledger.DaysID, ledger.StandingID} {
			w.check(w.store.PutRecord(ledger.Key{Scope: name, Kind: "diary", ID: part}, []byte(damage)))
		}
		if s := w.Status(t.Context()).Projects[0]; len(s.Events) > 0 || len(s.Activity) != 30 || len(s.Problems) > 0 || s.Activity[29].Pushed != 0 {
			t.Errorf("%+v", s)
		}
		w.write(enApp, fmt.Sprintf(`{"a": "A %d"}`, i+1))
		w.sends(enApp + " (en): a")
		w.tells(0, "push ok: Sent 1 key")
		if s := w.Status(t.Context()).Projects[0]; s.Activity[29].Pushed != 1 {
			t.Errorf("%+v", s.Activity[29])
		}
	}
}

// A look that finds nothing writes nothing into the events.
func TestQuietPassesWriteNoEvents(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	w.clean(push.Options{})
	w.brings()
	name := w.projects[0].branch.ProjectName()
	parts := []string{ledger.EventsID, ledger.DaysID, ledger.StandingID}
	for _, part := range parts {
		w.check(w.store.DeleteRecord(ledger.Key{Scope: name, Kind: "diary", ID: part}))
	}
	for range 3 {
		w.sends()
		w.brings()
	}
	for _, part := range parts {
		if record, err := w.store.Record(ledger.Key{Scope: name, Kind: "diary", ID: part}); record != nil || err != nil {
			t.Errorf("%s was written: %v", part, err)
		}
	}
}

// A commit that waits, since the branch is checked out and has changes of somebody's, is told and counted when it arrives: not when it is made, and not at
// every pull that finds it waiting.
func TestEventsOfACommitThatWaits(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+"[project.pull]\nbranch = \"main\"\nremote = \"\"\n"+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	w.clean(push.Options{})
	committed := 0
	w.Meter.Passed = func(p pass.Passed) {
		if p.Committed {
			committed++
		}
	}
	w.final("de", "a", "A de")
	w.write(enApp, `{"a": "A is edited"}`)
	n := len(w.told(0))
	for range 3 {
		w.problem(w.pulls(pull.Options{}).Problems, "not committed")
	}
	w.tells(n)
	today := func() report.Day { days := w.Status(t.Context()).Projects[0].Activity; return days[len(days)-1] }
	if committed != 0 || today().Pulled != 0 {
		t.Errorf("%d commits, %+v", committed, today())
	}
	w.git("checkout", "-q", "--", ".")
	if p := w.pulls(pull.Options{}); len(p.Problems) > 0 {
		t.Fatalf("%v", p.Problems)
	}
	w.pulls(pull.Options{})
	w.tells(n, "pull ok: Delivered commit COMMIT to main, which an earlier pull had made, with 1 text.")
	if committed != 1 || today().Pulled != 1 {
		t.Errorf("%d commits, %+v", committed, today())
	}
}

// A pull fails after its commit has arrived, while the forge is asked: what it brought is told and counted.
func TestEventsOfAPullThatFailsAfterItsCommit(t *testing.T) {
	t.Parallel()
	a := asks(t, "github", "")
	a.final("de", "a", "A de")
	n := len(a.told(0))
	ctx, cancel := context.WithCancel(t.Context())
	a.forge.Fault = func(*http.Request, int) *forgetest.Fault {
		cancel()
		return nil
	}
	if _, err := a.Pull(ctx, pull.Options{}); !errors.Is(err, context.Canceled) {
		t.Fatalf("%v", err)
	}
	if days := a.Status(t.Context()).Projects[0].Activity; days[len(days)-1].Pulled != 1 {
		t.Errorf("%+v", days[len(days)-1])
	}
	n = a.tells(n, "pull ok: Brought 1 translation in 1 language; commit COMMIT on l10n.")
	a.forge.Fault = nil
	a.pulls(pull.Options{})
	a.tells(n, "request made: Asked for l10n to be merged.")
}

// A pull is killed between the arrival of its commit and its memory: the next one tells of it, once.
func TestEventsOfAPullThatIsKilledAfterItsCommit(t *testing.T) {
	t.Parallel()
	w := abc(t, settings, nil)
	hook, then := filepath.Join(gittest.Bare(t, w.dir), "hooks", "post-receive"), filepath.Join(t.TempDir(), "state")
	w.check(os.MkdirAll(filepath.Dir(hook), 0o777))
	w.check(os.WriteFile(hook, fmt.Appendf(nil, "#!/bin/sh\ncp -R '%s' '%s'\n", w.home, then), 0o777))
	w.final("de", "a", "A de")
	n := len(w.told(0))
	w.pulls(pull.Options{})
	w.home = then // as it was when the remote had taken the commit
	w.restart(w.Config)
	w.tells(n)
	for range 2 {
		if p := w.pulls(pull.Options{}); p.Commit != "" || len(p.Problems) > 0 {
			t.Fatalf("%+v", p)
		}
		w.tells(n, "pull ok: Delivered commit COMMIT to l10n, which an earlier pull had made, with 1 text.")
	}
	if days := w.Status(t.Context()).Projects[0].Activity; days[len(days)-1].Pulled != 1 {
		t.Errorf("%+v", days[len(days)-1])
	}
}
