package engine

import (
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service"
)

const teamProject = `
source_language = "en"
target_languages = ["de"]
[project.push]
completion_state = %q
[project.pull]
schedule = "@every 1h"
[[project.files]]
source = "en/*.json"
output = "{LANGUAGE}/{NAME}.json"
collection = "{NAME}"
`

// team is clones of one repository at one service, which make passes at once. Each text has one writer: those of "dev" are edited in
// the repository, in both languages, those of "tr" at the service.
type team struct {
	*scene
	clones []*scene
	dev    string // a developer's clone

	source, fresh, edited, translated map[string]string // what was written last
}

func newTeam(tb testing.TB, completion string) *team {
	tb.Helper()
	t := &team{source: make(map[string]string), fresh: map[string]string{"new": "New"}, edited: make(map[string]string), translated: make(map[string]string)}
	for n := range 4 {
		key := fmt.Sprint("key", n)
		t.source[key], t.edited[key], t.translated[key] = "source "+key, "edited "+key, "translated "+key
	}
	t.scene = newScene(tb, fmt.Sprintf(teamProject, completion), map[string]string{"en/dev.json": flat(t.source), "en/new.json": flat(t.fresh),
		"de/dev.json": flat(t.edited), "en/tr.json": flat(t.source), "de/tr.json": flat(t.translated)})
	t.dev = gittest.Clone(tb, t.path("origin.git"))
	t.clones = []*scene{t.scene}
	for range 2 {
		clone := *t.scene
		clone.root = tb.TempDir()
		t.clones = append(t.clones, &clone)
		text, err := os.ReadFile(t.path("locsync.toml"))
		t.must(err)
		t.must(os.WriteFile(clone.path("locsync.toml"), text, 0o600))
	}
	for n, c := range t.clones {
		t.must(os.RemoveAll(c.repo()))
		gittest.Git(tb, "", append([]string{"clone", "-q", "file://" + t.path("origin.git"), c.repo()},
			[][]string{nil, {"--depth=1"}, {"--filter=blob:none"}}[n]...)...)
		c.runs("sync")
	}
	return t
}

// works is what people do between passes: a developer edits texts, may merge the translations, and translators write.
func (t *team) works(r *rand.Rand, round int) {
	t.tb.Helper()
	git := func(args ...string) { gittest.Git(t.tb, t.dev, args...) }
	key := fmt.Sprint("key", r.IntN(4))
	git("fetch", "-q", "origin")
	git("reset", "-q", "--hard", "origin/main")
	_, err := gittest.TryGit(t.tb, t.dev, "rev-parse", "-q", "--verify", "origin/l10n")
	switch how := r.IntN(3); {
	case err != nil: // no pass has got as far
	case how == 0:
		git("merge", "-q", "--no-edit", "origin/l10n")
	case how == 1:
		git("merge", "-q", "--squash", "origin/l10n")
		git("commit", "-q", "--allow-empty", "-m", "squashed")
	}
	if r.IntN(3) == 0 {
		t.fresh[fmt.Sprint("new", round)] = fmt.Sprint("new in round ", round)
	}
	t.edited[key] = fmt.Sprint("edited in round ", round)
	gittest.Commit(t.tb, t.dev, "by a developer", map[string]string{"en/new.json": flat(t.fresh),
		"de/dev.json": flat(t.edited)})
	git("push", "-q", "origin", "HEAD:main")
	key = fmt.Sprint("key", r.IntN(4))
	t.translated[key] = fmt.Sprint("translated in round ", round)
	t.upload("tr", "de", "json", service.Final, []byte(flat(map[string]string{key: t.translated[key]})))
}

// updates brings a clone to main, as it is at the remote.
func (c *scene) updates() {
	c.tb.Helper()
	c.git("fetch", "-q", "origin")
	c.git("reset", "-q", "--hard", "origin/main")
}

// Three clones that make passes at once, some without a state, each killed at any request: in the end every text is the one that was
// written last, at the service and on the branch, and no question is asked.
func TestThreeClonesKilledAnywhere(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	seed := rand.Uint64()
	if given := os.Getenv("LOCSYNC_SEED"); given != "" {
		_, err := fmt.Sscan(given, &seed)
		if err != nil {
			t.Fatal(err)
		}
	}
	t.Logf("LOCSYNC_SEED=%d", seed)
	r := rand.New(rand.NewPCG(seed, 1))
	team := newTeam(t, []string{"draft", "final"}[r.IntN(2)])
	for round := range 4 {
		team.works(r, round)
		var running sync.WaitGroup
		kills := make(map[string]fateAt)
		var mu sync.Mutex
		for _, c := range team.clones {
			c.updates()
			if r.IntN(4) == 0 {
				team.must(os.RemoveAll(c.path("state")))
			}
			kills[filepath.Base(c.root)] = fateAt{request: 1 + r.IntN(25), after: r.IntN(2) == 0}
		}
		processes := make(map[string]*exec.Cmd)
		started := make(chan struct{})
		seen := make(map[string]int)
		team.relay.set(func(_ int, req *http.Request, _ []byte) fate {
			_, who, _ := strings.Cut(req.UserAgent(), victimAgent+" ")
			mu.Lock()
			defer mu.Unlock()
			seen[who]++
			at := kills[who]
			if seen[who] != at.request {
				return fate{}
			}
			kill := func() {
				<-started
				_ = processes[who].Process.Kill()
			}
			if at.after {
				return fate{after: kill}
			}
			return fate{before: kill}
		})
		for _, c := range team.clones {
			cmd, _ := c.start("sync")
			processes[filepath.Base(c.root)] = cmd
			running.Go(func() { _ = cmd.Wait() })
		}
		close(started)
		running.Wait()
		t.Logf("round %d: killed at %v, of %v requests", round, kills, seen)
	}
	team.relay.set(nil)
	for range 2 {
		for _, c := range team.clones {
			c.updates()
			c.runs("sync")
		}
	}
	git := func(args ...string) { gittest.Git(t, team.dev, args...) }
	git("fetch", "-q", "origin")
	git("reset", "-q", "--hard", "origin/main")
	git("merge", "-q", "--no-edit", "origin/l10n")
	for name, want := range map[string]map[string]string{"en/dev": team.source, "en/tr": team.source, "en/new": team.fresh,
		"de/dev": team.edited, "de/tr": team.translated} {
		language, collection, _ := strings.Cut(name, "/")
		if got := team.holds(collection, language, "json", service.Draft); !maps.Equal(got, want) {
			t.Errorf("the service has for %s %v, want %v", name, got, want)
		}
		text, err := os.ReadFile(filepath.Join(team.dev, name+".json"))
		team.must(err)
		if got := textsIn(t, "json", text); !maps.Equal(got, want) {
			t.Errorf("merged main has for %s %v, want %v", name, got, want)
		}
	}
	for _, c := range team.clones {
		if said := c.reports(); strings.Contains(said, `"conflict"`) || strings.Contains(said, `"rebuilt"`) {
			lines := slices.DeleteFunc(strings.Split(said, "\n"), func(l string) bool { return !strings.Contains(l, "conflict") })
			t.Errorf("a question was asked:\n%s", strings.Join(lines, "\n"))
		}
		gittest.Sound(t, c.repo())
	}
}

// fateAt is the request at which a pass is killed, before or after its effect.
type fateAt struct {
	request int
	after   bool
}

// A clone whose state is gone, with the memory of an older pass in it, goes on from what others have remembered since.
func TestAnOlderMemoryOfACloneWithoutAState(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	team := newTeam(t, "final")
	writes := func(key string) {
		t.Helper()
		team.translated[key] += " again"
		team.upload("tr", "de", "json", service.Final, []byte(flat(map[string]string{key: team.translated[key]})))
	}
	for n, clone := range team.clones[1:] {
		for _, key := range []string{"key0", "key1", "key0"} {
			writes(key)
			team.clones[0].runs("sync")
		}
		writes("key0")
		team.must(os.RemoveAll(clone.path("state")))
		clone.updates()
		clone.runs("sync")
		if said := clone.reports(); strings.Contains(said, `"conflict"`) {
			t.Errorf("clone %d asks: %s", n+1, said)
		}
		if got := textsIn(t, "json", []byte(team.origin("show", "l10n:de/tr.json"))); !maps.Equal(got, team.translated) {
			t.Errorf("l10n has %v, want %v", got, team.translated)
		}
	}
}
