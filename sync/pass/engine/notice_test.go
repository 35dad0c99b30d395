package engine

import (
	"fmt"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
)

// sourceAt writes a source text at the service, as somebody else there would.
func (w *world) sourceAt(key, text string) {
	w.tb.Helper()
	w.upload(service.ImportRequest{Project: w.id, Collection: "main", Language: "en", Format: "json", Conflicts: service.Overwrite,
		Files: []service.Upload{{Name: "a.json", Body: fmt.Appendf(nil, "{%q: %q}", key, text)}}})
}

// reset puts a service without anything in the place of the one that there is.
func (w *world) reset() {
	w.tb.Helper()
	svc, err := local.Open(w.tb.TempDir(), local.Options{AccountID: "account", Keys: []string{worldKey}, Faults: w.wire.next})
	w.check(err)
	w.tb.Cleanup(func() { _ = svc.Close() })
	w.check(svc.EnsureProject(w.id, "app", "en", []string{"de", "fr"}))
	w.server.Config.Handler = w.wire.around(svc)
}

// noticing has texts at a service, which a pull has merged.
func noticing(t *testing.T, project string) *world {
	t.Helper()
	w := metWorld(t, project)
	w.sends(enApp + " (en): k0 k1")
	w.write(enApp, `{"k0": "Text 0 new", "k1": "Text 1"}`)
	w.commit()
	w.git("push", "-q", "origin", "main")
	w.sends(enApp + " (en): k0")
	w.final("de", "k0", "Wort 0", "k1", "Wort 1")
	w.pulls(pull.Options{})
	w.pulls(pull.Options{})
	w.sends()
	return w
}

// A source text that the service has as it was before is noticed by the next pull, however often; the push after it sends the present one.
func TestServiceThatWasRestored(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := noticing(t, "")
	for range 2 {
		w.sourceAt("k0", "Text 0")
		w.pulls(pull.Options{})
		if p := w.pushes(push.Options{}); len(p.Replaced) > 0 {
			t.Errorf("a text that the repository had is named: %v", p.Replaced)
		}
		w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1")
		w.pulls(pull.Options{})
		w.sends()
	}
}

// A service that lost everything gets the source texts again, and so does one that lost them a second time, once it
// cannot be that it shows late what was sent.
func TestServiceThatWasReset(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := noticing(t, "")
	c := new(clock)
	w.now = c.now
	w.restart(w.Config)
	for range 2 {
		c.pass(time.Hour)
		w.reset()
		w.pulls(pull.Options{})
		w.sends(enApp + " (en): k0 k1")
		w.final("de", "k0", "Wort 0", "k1", "Wort 1")
		w.pulls(pull.Options{})
		w.sends()
	}
}

// A source text that was written at the service is replaced and named where conflicts says so, once: whoever writes it again meant it.
func TestSourceTextThatIsWrittenAtTheService(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := noticing(t, "")
	w.sourceAt("k1", "Text 1 by an editor")
	w.pulls(pull.Options{})
	p := w.pushes(push.Options{})
	w.reports(p, enApp+" (en): k1")
	w.problem(p.Replaced, `the service's text "Text 1 by an editor", which is not in the history of this tree, is replaced by "Text 1"`)
	w.pulls(pull.Options{})
	w.sourceAt("k1", "Text 1 by an editor")
	w.pulls(pull.Options{})
	w.sends()
	w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1 by an editor")

	w = noticing(t, "[project.push]\nconflicts = \"skip\"\n")
	w.sourceAt("k1", "Text 1 by an editor")
	w.pulls(pull.Options{})
	w.sends()
	w.holds("main", "en", "k0", "Text 0", "k1", "Text 1 by an editor")
}

// Of two clones the one that lies behind leaves what the other one has sent.
func TestSourceTextOfAnotherClone(t *testing.T) {
	t.Parallel()
	w := noticing(t, "")
	w.sourceAt("k1", "Text 1 of the other clone")
	w.commitOn("main", enApp, `{"k0": "Text 0 new", "k1": "Text 1 of the other clone"}`)
	w.git("push", "-q", "origin", "main")
	w.git("reset", "-q", "--hard", "HEAD~1")
	for range 2 {
		w.pulls(pull.Options{})
		w.sends()
		w.holds("main", "en", "k0", "Text 0 new", "k1", "Text 1 of the other clone")
	}
}
