package engine

import (
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/local"
	"go.uber.org/zap"
	"go.uber.org/zap/zaptest/observer"
)

// Another file at the path of one that is gone is somebody's own: what was remembered of the old one says nothing about it.
func TestAnotherFileAtAnOldPath(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.write("locales/en/other.json", "{}")
	w.commit()
	w.translate("main", "de", service.Final, "a", "A 2", "b", "B 2")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.clean(push.Options{})
	old := w.git("rev-parse", "HEAD")
	w.git("rm", "-q", enApp, deApp)
	w.commit()
	w.git("branch", "-f", "l10n", "main")
	w.clean(push.Options{})

	// The same file again, by a revert: nobody changed anything.
	w.git("checkout", "-q", "--detach", old)
	w.sends()
	w.git("checkout", "-q", "main")
	w.clean(push.Options{})

	w.write(enApp, `{"a": "A", "b": "B", "c": "C", "d": "D"}`, deApp, `{"a": "Anders", "b": "B de", "c": "C neu", "d": "D neu"}`)
	w.write(deApp, `{"a": "Anders", "b": "B de", "c": "C neu", "d": "D neu"}`)
	// Of a and b, which the old file had too, one is as it was: it may be the old file.
	w.pushes(push.Options{DryRun: true})
	w.write(deApp, `{"a": "Anders", "b": "Besser", "c": "C neu", "d": "D neu"}`)
	p := w.pushes(push.Options{})
	if fmt.Sprint(p.Files[len(p.Files)-1].Keys) != "[c d]" || len(p.Problems) != 2 {
		t.Errorf("%+v", p) // the service has a and b differently, and nobody knows what both agreed on
	}
}

// A file that moved takes along what is remembered of it, and not what is remembered of another one that is gone.
func TestMovedFileInheritsItsOwn(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"title": "One", "x": "X"}`, "locales/en/old.json": `{"title": "One", "y": "Y"}`})
	w.clean(push.Options{})
	w.translate("main", "de", service.Final, "title", "Eins", "x", "X de", "y", "Y de")
	w.pulls(pull.Options{})
	w.git("merge", "-q", "l10n")
	w.sends()
	w.git("rm", "-q", "locales/en/old.json", "locales/de/old.json")
	w.commit()
	w.git("branch", "-f", "l10n", "main")
	w.clean(push.Options{})
	w.git("mv", enApp, "locales/en/new.json")
	w.git("mv", deApp, "locales/de/new.json")
	w.commit()
	w.git("branch", "-f", "l10n", "main")
	w.sends()
	w.write("locales/de/new.json", `{"title": "Eins", "x": "X hand"}`)
	w.sends("locales/de/new.json (de): x")
}

// A push that a change here has woken asks the remote for nothing when no translation changed here; any other push looks at the branch.
func TestPushLeavesTheRemoteAlone(t *testing.T) {
	t.Parallel()
	w := mergedWorld(t, settings+jsonFiles)
	w.git("remote", "add", "origin", filepath.Join(w.dir, "nowhere"))
	core, logs := observer.New(zap.WarnLevel)
	w.Engine = New(Parts{Config: w.Config, Service: w.Service, State: w.store, Log: zap.New(core)})
	sent := func(o push.Options) bool {
		t.Helper()
		if _, err := w.projects[0].push(t.Context(), o); err != nil {
			t.Fatal(err)
		}
		asked := logs.TakeAll()
		return slices.ContainsFunc(asked, func(line observer.LoggedEntry) bool {
			return !strings.Contains(line.Message, "the memory is saved here") // what was learned is sent at the end
		})
	}
	if sent(push.Options{Near: true}) {
		t.Error("the remote was asked though nothing changed here")
	}
	w.write(enApp, `{"a": "A!", "b": "B"}`)
	if sent(push.Options{Near: true}) {
		t.Error("the remote was asked for a changed source text")
	}
	if !sent(push.Options{}) {
		t.Error("the branch was not looked at")
	}
	for what, change := range map[string]func(){
		"a changed translation": func() { w.write(deApp, de("A hand", "B de")) },
		"another commit":        func() { w.commit() },
		"a new file":            func() { w.write("locales/fr/app.json", `{"a": "A fr"}`) },
		"a deleted file":        func() { w.remove(deApp) },
	} {
		change()
		if !sent(push.Options{Near: true}) {
			t.Errorf("the branch was not looked at after %s", what)
		}
	}
}

// The last push that sent something stays to be seen behind those that found nothing to do.
func TestLastPushThatSentSomething(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A", "b": "B"}`})
	last := func() *report.Past { return w.Status(t.Context()).Projects[0].LastPush }
	w.clean(push.Options{})
	sent := last()
	if sent.Keys != 2 || sent.SentAt == nil || !sent.SentAt.Equal(sent.At) {
		t.Fatalf("%+v", sent)
	}
	w.clean(push.Options{})
	if p := last(); p.Keys != 2 || !p.SentAt.Equal(*sent.SentAt) || !p.At.After(sent.At) || p.Result != report.ResultOK {
		t.Errorf("%+v after %+v", p, sent)
	}
	w.write(enApp, `{"a": "A!", "b": "B"}`)
	w.wire.failing(func(r *http.Request) local.Fault { return when(isImport(r), local.Fault{Refuse: 500}) })
	if _, err := w.Push(t.Context(), push.Options{}); err == nil {
		t.Fatal("the push went well")
	}
	if p := last(); p.Result != report.ResultFailed || p.Error == "" {
		t.Errorf("%+v", p)
	}
}

// A file that may not be read is a problem of its own, and no deletion.
func TestFileThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`, "locales/en/two.json": `{"b": "B"}`})
	w.clean(push.Options{})
	tree, err := w.projects[0].branch.FindTree(forbidding{os.DirFS(w.dir), enApp}, nil)
	w.check(err)
	w.problem(tree.Problems, enApp, "permission denied", "skipped until")
	a, err := w.projects[0].branch.Keeper().Compare(tree, false)
	w.check(err)
	if len(a.Removed()) != 0 || len(tree.Sources) != 2 {
		t.Errorf("%v count as removed, %d files", a.Removed(), len(tree.Sources))
	}
}

// A folder that may not be read is a problem of what it has, which is not gone either: every other file goes on.
func TestFolderThatMayNotBeRead(t *testing.T) {
	t.Parallel()
	for pattern, problems := range map[string]int{"locales/en/*.json": 2, "locales/**/en/*.json": 1} {
		more := "[[project.files]]\nsource = \"other/en/*.json\"\noutput = \"other/{LANGUAGE}/{NAME}.json\"\n"
		w := newWorld(t, settings+strings.Replace(jsonFiles, "locales/en/*.json", pattern, 1)+more,
			map[string]string{enApp: `{"a": "A"}`, "other/en/two.json": `{"b": "B"}`})
		w.clean(push.Options{})
		tree, err := w.projects[0].branch.FindTree(forbidding{os.DirFS(w.dir), "locales/en"}, nil)
		w.check(err)
		w.problem(tree.Problems[problems-1:], enApp, "permission denied", "skipped until")
		a, err := w.projects[0].branch.Keeper().Compare(tree, false)
		w.check(err)
		if len(a.Removed()) != 0 || len(tree.Sources) != 2 || len(tree.Problems) != problems {
			t.Errorf("%s: %v count as removed, %d files, %v", pattern, a.Removed(), len(tree.Sources), tree.Problems)
		}
	}
}

// forbidding is a tree with a file or folder that the process has no right to read; the tests may run as root, who has it.
type forbidding struct {
	fs.FS
	path string
}

func (f forbidding) Open(name string) (fs.File, error) {
	if name == f.path || strings.HasPrefix(name, f.path+"/") {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
	}
	return f.FS.Open(name)
}
