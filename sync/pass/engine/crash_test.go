package engine

import (
	"fmt"
	"math/rand/v2"
	"net/http"
	"os/exec"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/memory/ledger/boltledger"
	"github.com/locsync/locsync/sync/service"
)

// The story of the crash tests. Everything is in sync; then a person changes a source text, renames a key, adds one,
// and changes a translation; translators change translations of both files; a colleague changes a translation on the
// branch at the remote.
const crashProject = `
source_language = "en"
target_languages = ["de", "fr"]
[project.push]
completion_state = "final"
[project.pull]
schedule = "@every 1h"
[[project.files]]
source = "app/en.json"
output = "app/{LANGUAGE}.json"
[[project.files]]
source = "conf/en.yaml"
format = "yaml"
output = "conf/{LANGUAGE}.yaml"
collection = "conf"
`

func crashScene(tb testing.TB) *scene {
	s := newScene(tb, crashProject, map[string]string{
		"app/en.json": flat(map[string]string{"open": "Open", "save": "Save", "quit": "Quit",
			"old.name": "Find the file"}),
		"conf/en.yaml": "hello: Hello\nbye: Good bye\n",
		"code.go":      "package code\n",
	})
	s.runs("push")
	for _, l := range []string{"de", "fr"} {
		s.upload("main", l, "json", service.Final,
			[]byte(flat(map[string]string{"open": "Open " + l, "save": "Save " + l, "quit": "Quit " +
				l, "old.name": "Find " + l})))
		s.upload("conf", l, "yaml", service.Final, []byte("hello: Hello "+l+"\nbye: Bye "+l+"\n"))
	}
	s.runs("pull")
	s.git("fetch", "-q")
	s.git("merge", "-q", "--no-edit", "origin/l10n")
	s.git("push", "-q", "origin", "main")
	s.runs("sync")
	s.runs("sync")

	gittest.Commit(tb, s.repo(), "by a person", map[string]string{
		"app/en.json": flat(map[string]string{"open": "Open it", "save": "Save", "quit": "Quit",
			"new.name": "Find the file", "close": "Close"}),
		"app/de.json": flat(map[string]string{"open": "Open de", "save": "Save by hand",
			"quit": "Quit de", "old.name": "Find de"}),
		"code.go": "package code // changed\n",
	})
	s.git("push", "-q", "origin", "main")
	s.upload("main", "fr", "json", service.Final, []byte(flat(map[string]string{"quit": "Quit again fr"})))
	s.upload("conf", "de", "yaml", service.Final, []byte("hello: Hello again de\n"))
	rival := gittest.Clone(tb, s.path("origin.git"), "-q", "-b", "l10n")
	gittest.Commit(tb, rival, "by a colleague",
		map[string]string{"conf/fr.yaml": "hello: Hello by hand\nbye: Bye fr\n"})
	gittest.Git(tb, rival, "push", "-q", "origin", "l10n")
	gittest.Write(tb, s.repo(), map[string]string{"code.go": "package code // not committed\n"})
	s.close()
	return s
}

// rested is what is there when everything is done: all that the service holds, the branch at the remote, how many
// commits it took, and what a person's tree says.
func rested(s *scene) string {
	s.tb.Helper()
	var b strings.Builder
	for collection, format := range map[string]string{"main": "json", "conf": "yaml"} {
		for _, l := range []string{"en", "de", "fr"} {
			for _, c := range []service.CompletionState{service.Draft, service.Final} {
				fmt.Fprintf(&b, "%s %s %s %v\n", collection, l, c, s.holds(collection, l, format, c))
			}
		}
	}
	lines := strings.Split(b.String(), "\n")
	slices.Sort(lines)
	return strings.Join(lines, "\n") + "\n" + s.origin("ls-tree", "-r", "l10n") +
		"\ncommits " + s.origin("rev-list", "--count", "l10n") + "\nours " + s.origin("rev-list", "--count",
		"--grep=^Locsync-Project:", "l10n") +
		"\nhere " + s.git("rev-parse", "HEAD") + " " + s.git("status", "--porcelain")
}

// settled runs a disturbed scene to rest and holds it against an undisturbed one: the same texts at the service, the
// same branch, as many commits, sound repositories, a state without anything in flight, and a further pass that does
// nothing.
func settled(s *scene, want string) {
	s.tb.Helper()
	comeToRest(s)
	s.endsAs(want)
}

// comeToRest is settle without the comparison.
func comeToRest(s *scene) {
	s.tb.Helper()
	s.relay.set(nil)
	s.runs("sync")
	s.runs("sync")
	tip := s.origin("rev-parse", "l10n")
	s.relay.set(nil)
	s.runs("sync")
	if _, imports := s.relay.seen(); len(imports) > 0 {
		s.tb.Errorf("another pass sent %v", imports)
	}
	if now := s.origin("rev-parse", "l10n"); now != tip {
		s.tb.Errorf("another pass made commit %s", now)
	}
	if strings.Contains(s.reports(), "rebuilt") {
		s.tb.Error("the state was put aside")
	}
	gittest.Sound(s.tb, s.repo())
	gittest.Sound(s.tb, s.path("origin.git"))
	store, err := boltledger.Open(s.path("state"))
	s.must(err)
	defer store.Close()
	project := s.stateName()
	jobs, err := ledger.Jobs.List(store, project)
	s.must(err)
	deliveries, err := ledger.Deliveries.List(store, project)
	s.must(err)
	if len(jobs)+len(deliveries) > 0 {
		s.tb.Errorf("left in the state: %v %v", jobs, deliveries)
	}
}

// endsAs compares what is there with what is there after an undisturbed journey.
func (s *scene) endsAs(want string) {
	s.tb.Helper()
	if got := rested(s); got != want {
		s.tb.Errorf("it ended as\n%s\nand undisturbed it ends as\n%s", got, want)
	}
}

// undisturbed is the story without a kill: how it ends, the requests it makes, and the changes of the file system.
type undisturbed struct {
	from     *scene
	end      string
	requests int
	imports  []string
	steps    []string
}

func tellCrashStory(tb testing.TB) *undisturbed {
	tb.Helper()
	u := &undisturbed{from: crashScene(tb)}
	s := u.from.copied(tb)
	s.relay.set(nil)
	s.runs("sync")
	u.requests, u.imports = s.relay.seen()
	u.end = rested(s)
	settled(s, u.end)
	if canTrace {
		s = u.from.copied(tb)
		var err error
		if u.steps, _, err = traced(s, "sync", 0); err != nil {
			tb.Logf("no kills between requests: %v", err)
		}
		if got := rested(s); got != u.end {
			tb.Fatalf("traced it ended as\n%s\nand undisturbed as\n%s", got, u.end)
		}
	}
	return u
}

// killAtRequest kills a victim around its nth request: before the service sees it, or when it had its effect and the
// answer is on its way.
func (u *undisturbed) killAtRequest(tb testing.TB, n int, after bool) {
	tb.Helper()
	s := u.from.copied(tb)
	var cmd *exec.Cmd
	started, dead := make(chan struct{}), make(chan struct{})
	kill := func() {
		<-started
		_ = cmd.Process.Kill()
		<-dead
	}
	s.relay.set(func(i int, _ *http.Request, _ []byte) fate {
		switch {
		case i != n:
			return fate{}
		case after:
			return fate{after: kill}
		}
		return fate{before: kill}
	})
	cmd, out := s.start("sync")
	close(started)
	err := cmd.Wait()
	close(dead)
	if err == nil {
		tb.Logf("only %d requests this time\n%s", s.relay.count(), out)
	}
	settled(s, u.end)
	u.sentOnce(s)
}

// killAtStep kills a victim as it is about to make its nth change of the file system.
func (u *undisturbed) killAtStep(tb testing.TB, n int) {
	tb.Helper()
	s := u.from.copied(tb)
	steps, killed, err := traced(s, "sync", n)
	if err != nil {
		tb.Fatal(err)
	}
	if !killed {
		tb.Logf("only %d steps this time", len(steps))
	} else {
		tb.Logf("killed before: %s", steps[len(steps)-1])
	}
	settled(s, u.end)
	u.sentOnce(s)
}

// sentOnce checks that of all imports only the one whose fate was not known was sent again, with the same content.
func (u *undisturbed) sentOnce(s *scene) {
	s.tb.Helper()
	again := 0
	times := make(map[string]int)
	for _, sent := range s.relay.all {
		if times[sent]++; times[sent] > 1 {
			again++
		}
	}
	for sent := range times {
		if !slices.Contains(u.imports, sent) {
			s.tb.Errorf("only after a kill this was sent: %s", sent)
		}
	}
	if again > 1 {
		s.tb.Errorf("%d imports were sent again: %q", again, s.relay.all)
	}
}

// TestKilledBetweenEffectAndRecord kills a sync wherever its journey can be cut and holds what comes of it against the
// journey that was not cut:
//
//	plan -> sent -> identified -> finished -> applied            imports
//	plan -> identified -> finished -> downloaded                 exports
//	merged -> committed -> staged -> delivered -> forgotten      commits
//
// It is cut from outside: at every request before and after its effect, and at every sync, rename, creation and removal
// of a file, be it the state's or git's. Nothing in the engine knows of the test. -tags soak cuts at all of them, fifty
// times and more; without it, at some, other ones each time.
func TestKilledBetweenEffectAndRecord(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	u := tellCrashStory(t)
	t.Logf("%d requests, %d of them imports; %d steps", u.requests, len(u.imports), len(u.steps))
	type cut struct {
		n     int
		what  string
		after bool
	}
	var cuts []cut
	for n := range u.requests {
		cuts = append(cuts, cut{n + 1, "request", false}, cut{n + 1, "request", true})
	}
	for n := range u.steps {
		cuts = append(cuts, cut{n + 1, "step", false})
	}
	rounds := crashRounds
	if rounds == 0 {
		rand.Shuffle(len(cuts), func(i, j int) { cuts[i], cuts[j] = cuts[j], cuts[i] })
		cuts, rounds = cuts[:min(20, len(cuts))], 1
	}
	for round := range rounds {
		for _, c := range cuts {
			name := fmt.Sprintf("%d/%s %d", round, c.what, c.n)
			if c.after {
				name += " after"
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if c.what == "step" {
					u.killAtStep(t, c.n)
				} else {
					u.killAtRequest(t, c.n, c.after)
				}
			})
		}
	}
}
