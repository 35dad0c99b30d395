package engine

import (
	"fmt"
	"maps"
	"os/exec"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/pass/passtest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"pgregory.net/rapid"
)

const fromMain = settings + "[project.push]\nsource = \"main\"\n" + jsonFiles

// lookedAt is the commit of main up to which it is known that there is nothing to send; "" for none.
func (w *world) lookedAt() string {
	w.tb.Helper()
	l, _, err := ledger.Fingerprints.Get(w.store, w.projects[0].branch.StateName(), "main")
	w.check(err)
	return l.Source
}

func TestTheSameCommitsAreNotReadAgain(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	w := newWorld(t, fromMain, map[string]string{appFile: mainText})
	w.sends(appFile + " (en): a b")
	if w.lookedAt() != "" {
		t.Fatal("a push that sent something may have more to do")
	}
	scope, id := w.projects[0].branch.StateName(), pass.LookAt("main").Record()
	reads := func() bool { // a push that reads the tree remembers its commit
		w.check(ledger.SeenAt.Put(w.store, scope, id, "another"))
		w.pushes(push.Options{})
		seen, _, err := ledger.SeenAt.Get(w.store, scope, id)
		w.check(err)
		return seen != "another"
	}
	w.git("branch", "l10n", "main")
	for _, c := range []struct {
		name   string
		change func()
	}{
		{"a source text", func() { w.write(appFile, strings.Replace(mainText, "Bread", "Bun", 1)); w.commit() }},
		{"a translation", func() { w.write("locales/de/app.json", "{}\n"); w.commit() }},
		{"a history that was rewritten", func() { w.git("reset", "-q", "--hard", "HEAD~2") }},
		{"a translation on the branch", func() { w.commitOn("l10n", "locales/fr/app.json", "{\n  \"a\": \"Pomme\"\n}\n") }},
		{"a branch that is there no more", func() { w.git("branch", "-D", "l10n") }},
		{"a branch that was not there", func() { w.git("branch", "l10n", "main") }},
		{"another configuration", func() { w.configure(strings.Replace(fromMain, "de", "nl", 1)) }},
	} {
		for range 3 { // until there is nothing to do
			w.pushes(push.Options{})
		}
		if head := w.git("rev-parse", "main"); w.lookedAt() != head || reads() {
			t.Fatalf("before %s: looked at %q, not %s", c.name, w.lookedAt(), head)
		}
		if c.change(); !reads() {
			t.Errorf("after %s there was no full look", c.name)
		}
	}
}

// Law: whoever pushes after every commit, and skips what needs no look, has sent what somebody who remembers no look would have.
func TestSkippedReadsMissNothing(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(t, fromMain, map[string]string{appFile: mainText})
		texts := textsOf(t, mainText)
		var did []string
		for step := range rapid.IntRange(4, 12).Draw(rt, "steps") {
			what := rapid.SampledFrom([]string{"other file", "other file", "edit", "translate", "rewind", "push", "pull"}).Draw(rt, "step")
			did = append(did, what)
			switch what {
			case "other file":
				w.write(fmt.Sprintf("src/%d.txt", step), "text")
				w.commit()
			case "edit":
				texts[rapid.SampledFrom([]string{"a", "b", "c"}).Draw(rt, "key")] = fmt.Sprint("text ", step)
				w.write(appFile, jsonOf(texts))
				w.commit()
			case "translate":
				if len(w.at("main", "en")) > 0 {
					w.translate("main", "de", service.Final, "a", fmt.Sprint("Text ", step))
				}
			case "rewind":
				if w.git("rev-list", "--count", "main") != "1" {
					w.git("reset", "-q", "--hard", "HEAD~1")
					texts = textsOf(t, w.show("main", appFile))
				}
			case "pull":
				w.pulls(pull.Options{})
			}
			w.pushes(push.Options{})
		}
		en := w.at("main", "en")
		maps.DeleteFunc(en, func(key, _ string) bool { return texts[key] == "" }) // the service keeps what the source lost
		if !maps.Equal(en, texts) {
			rt.Fatalf("after %v the service has %v, want %v", did, en, texts)
		}
		w.check(w.projects[0].forgetLook())
		if p := w.pushes(push.Options{}); p.Requests > 0 {
			rt.Fatalf("after %v a full look finds %v", did, p.Files)
		}
	})
}

func (p *project) forgetLook() error {
	return ledger.Fingerprints.Delete(p.branch.Ledger, p.branch.StateName(), "main")
}

// BenchmarkPushEvent is a push from a branch that is as the last one saw it, in repositories of different sizes; the listing of the branches is in it.
func BenchmarkPushEvent(b *testing.B) {
	for _, files := range []int{100, 20000} {
		b.Run(fmt.Sprintf("%dfiles", files), func(b *testing.B) {
			dir := b.TempDir()
			gittest.Git(b, dir, "init", "-q", "-b", "main")
			commit(b, dir, files)
			p := benchProject(b, dir, []string{"de"})
			p.branch.Project.Push.Source = "main"
			l := ledger.Fingerprint{Config: p.branch.Configured(), Source: gittest.Git(b, dir, "rev-parse", "main")}
			b.ReportAllocs()
			for b.Loop() {
				if err := ledger.Fingerprints.Put(p.branch.Ledger, p.branch.StateName(), "main", l); err != nil {
					b.Fatal(err)
				}
				if reports, err := p.push(b.Context(), push.Options{}); err != nil || len(reports[0].Files) > 0 {
					b.Fatal(reports, err)
				}
			}
		})
	}
}

// commit makes the first commit, of many files, by git fast-import.
func commit(b *testing.B, dir string, files int) {
	b.Helper()
	var s strings.Builder
	s.WriteString("commit refs/heads/main\ncommitter a <a@localhost> 1700000000 +0000\ndata 1\nx\n")
	for i := range files {
		text := fmt.Sprintf("%d\n", i)
		fmt.Fprintf(&s, "M 644 inline src/%d/%d/file%d.txt\ndata %d\n%s\n", i/400, i/20%20, i, len(text), text)
	}
	text := passtest.JSONFile(100, "English", 0)
	fmt.Fprintf(&s, "M 644 inline locales/en/app.json\ndata %d\n%s\n", len(text), text)
	cmd := exec.Command("git", "-C", dir, "fast-import", "--quiet")
	cmd.Stdin = strings.NewReader(s.String())
	if out, err := cmd.CombinedOutput(); err != nil {
		b.Fatalf("%v\n%s", err, out)
	}
}
