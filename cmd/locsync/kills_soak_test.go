//go:build soak && unix

package main

import (
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"math/rand/v2"
	"net/http"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service"
)

var (
	killSeed   = flag.Uint64("kills.seed", 0, "what TestKills draws from; 0 takes one from the clock")
	killRounds = flag.Int("kills", 200, "how often TestKills kills")
)

// A push, a pull or a reload of the daemon is killed at a random moment, again and again, while people and translators
// go on. After each kill both repositories are sound and the status can be told; whenever it is left alone, everything
// that was written is at the service and on the branch, and another sync has nothing to do.
func TestKills(t *testing.T) {
	seed := *killSeed
	if seed == 0 {
		seed = uint64(time.Now().UnixNano())
	}
	t.Logf("-kills.seed %d", seed)
	k := &killing{daemonWorld: newDaemonWorld(t), rnd: rand.New(rand.NewPCG(seed, 15)), en: make(map[string]string),
		de: make(map[string]string), fresh: make(map[string]bool)}
	k.begin()
	k.rest()
	for round := 1; k.kills.Push+k.kills.Pull+k.kills.Reload < *killRounds; round++ {
		k.edit(round)
		if what := []string{"push", "pull", "reload"}[k.rnd.IntN(3)]; what == "reload" {
			k.killReload(round)
		} else {
			k.killPass(what)
		}
		gittest.Sound(t, k.repo)
		if got := k.says("status", "--json"); got.code != 0 {
			t.Fatalf("round %d: status ends with %d: %s", round, got.code, got.err)
		}
		if round%10 == 0 {
			k.rest()
		}
	}
	k.rest()
	t.Logf("kills: %+v", k.kills)
}

// killing is a world in which processes are killed, and all that was written there.
type killing struct {
	*daemonWorld
	rnd    *rand.Rand
	en, de map[string]string
	fresh  map[string]bool                        // source texts that the service need not have yet
	kills  struct{ Push, Pull, Reload, Late int } // late: it had ended
}

const killedKeys = 12

// begin has every key at the service, and one translated.
func (k *killing) begin() {
	for i := range killedKeys {
		k.en[fmt.Sprint("key", i)] = fmt.Sprint("text ", i)
	}
	k.commit("begin")
	k.says("sync")
	k.de["key0"] = "Text 0"
	k.translator(k.json(k.de))
}

// edit is a person's round, or a translator's.
func (k *killing) edit(round int) {
	key := fmt.Sprint("key", k.rnd.IntN(killedKeys))
	if k.fresh[key] || k.rnd.IntN(2) == 0 {
		k.en[key] = fmt.Sprintf("text of round %d", round)
		k.commit(k.en[key])
		k.fresh[key] = true
		delete(k.de, key) // a translation of what it said before
	} else {
		k.de[key] = fmt.Sprintf("Text der Runde %d", round)
		k.translator(k.json(map[string]string{key: k.de[key]}))
	}
}

func (k *killing) commit(why string) {
	k.write("locales/en.json", k.json(k.en))
	gittest.Git(k.t, k.repo, "commit", "-q", "-m", why, "locales/en.json")
}

func (k *killing) json(texts map[string]string) string {
	b, err := json.MarshalIndent(texts, "", "  ")
	k.check(err)
	return string(b) + "\n"
}

func (k *killing) killPass(what string) {
	cmd := k.command(what)
	k.check(cmd.Start())
	time.Sleep(time.Duration(k.rnd.IntN(250)) * time.Millisecond)
	_ = cmd.Process.Kill() // it may have ended
	switch err := cmd.Wait(); {
	case err == nil:
		k.kills.Late++
	case what == "push":
		k.kills.Push++
	default:
		k.kills.Pull++
	}
}

func (k *killing) killReload(round int) {
	cmd := k.command("run")
	k.check(cmd.Start())
	k.until("the daemon answers", func() bool {
		resp, err := http.Get(k.url + "/healthz")
		if err == nil {
			resp.Body.Close()
		}
		return err == nil
	})
	k.labels = fmt.Sprintf("labels = [\"round-%d\"]", round)
	k.configure("")
	k.check(cmd.Process.Signal(syscall.SIGHUP))
	time.Sleep(time.Duration(k.rnd.IntN(250)) * time.Millisecond)
	k.check(cmd.Process.Kill())
	_ = cmd.Wait() // it was killed
	k.kills.Reload++
}

// rest lets everything be done, and holds what is there against what was written.
func (k *killing) rest() {
	k.t.Helper()
	clear(k.fresh)
	for range 2 {
		if got := k.says("sync"); got.code != 0 {
			k.t.Fatalf("sync ends with %d: %s%s", got.code, got.out, got.err)
		}
	}
	imports, tip := k.called("/import"), gittest.Git(k.t, k.repo, "rev-parse", "l10n^{tree}", "l10n")
	if got := k.says("sync"); got.code != 0 || k.called("/import") != imports || gittest.Git(k.t, k.repo, "rev-parse",
		"l10n^{tree}", "l10n") != tip {
		k.t.Fatalf("another sync does something: %d %s%s", got.code, got.out, got.err)
	}
	k.holds("at the service, en", k.exported("en"), k.en)
	k.holds("at the service, de", k.exported("de"), k.de)
	var onBranch map[string]string
	k.check(json.Unmarshal([]byte(gittest.Git(k.t, k.repo, "show", "l10n:locales/de.json")), &onBranch))
	k.holds("on the branch, de", onBranch, k.de)
}

func (k *killing) holds(place string, got, want map[string]string) {
	k.t.Helper()
	for key, text := range want {
		if got[key] != text {
			k.t.Errorf("%s: %s is %q, and %q was written", place, key, got[key], text)
		}
	}
}

// exported are the texts that the service has in a language.
func (k *killing) exported(language string) map[string]string {
	k.t.Helper()
	c, err := service.New(service.Options{BaseURL: k.service.URL, AccountID: "acc", APIKey: "secret"})
	k.check(err)
	defer c.Close()
	ctx, cancel := context.WithTimeout(k.t.Context(), guard)
	defer cancel()
	id, err := c.Strings().StartExport(ctx, service.ExportRequest{Project: daemonProject, Languages: []string{language},
		Collection:      "main",
		CompletionState: service.Draft, OutputTemplate: "{LANGUAGE}.json", Zip: true})
	k.check(err)
	archive, err := c.Strings().Download(ctx, id, k.t.TempDir())
	k.check(err)
	defer archive.Close()
	texts := make(map[string]string)
	for _, e := range archive.Entries {
		body, err := e.ReadAll()
		k.check(err)
		k.check(json.Unmarshal(body, &texts))
	}
	return texts
}
