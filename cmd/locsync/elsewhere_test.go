//go:build unix

package main

import (
	"fmt"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/locsync/locsync/gitops/gittest"
)

// A daemon on a server, of a repository that is elsewhere and of which several branches are translated: a push event
// brings what was pushed there to the service, and a pull brings translations back.
func TestDaemonOfARepositoryElsewhere(t *testing.T) {
	t.Parallel()
	w := newDaemonWorld(t)
	bare := gittest.Bare(t, w.repo)
	gittest.Git(t, bare, "config", "uploadpack.allowFilter", "true")
	address := gittest.Serve(t, bare, gittest.Options{})
	text := fmt.Sprintf("state_dir = \"state\"\n[service]\nurl = %q\naccount_id = \"acc\"\nrequests_per_second = 200\n[daemon]\nlisten = %q\nwebhook_secret_env = \"HOOK_SECRET\"\n", w.service.URL, strings.TrimPrefix(w.url, "http://"))
	text += fmt.Sprintf("[[project]]\nname = \"app\"\nid = %q\nrepository = %q\nsource_language = \"en\"\ntarget_languages = [\"de\"]\n", daemonProject, address)
	text += "[project.push]\nbranches = [\"feature/*\"]\n[project.pull]\nschedule = \"0 0 1 1 *\"\nbranch = \"l10n/{base}\"\n"
	text += "[[project.files]]\nsource = \"locales/en.json\"\noutput = \"locales/{LANGUAGE}.json\"\ncollection = \"{BRANCH}\"\n"
	developer := w.repo
	w.repo = t.TempDir()
	w.check(os.WriteFile(filepath.Join(w.repo, "locsync.toml"), []byte(text), 0o600))
	cmd := w.start()
	status := func(what string) bool {
		_, body := w.get("/api/status")
		return strings.Contains(body, what)
	}
	w.until("the first push", func() bool { return w.called("/import") > 0 && status("everything is pushed") })

	event := `{"ref": "refs/heads/feature/x", "project": {"path_with_namespace": "group/origin"}}`
	gittest.Git(t, developer, "checkout", "-q", "-b", "feature/x")
	gittest.Commit(t, developer, "a feature", map[string]string{"locales/en.json": `{"a": "A", "b": "B", "c": "C"}`})
	gittest.Git(t, developer, "push", "-q", "origin", "feature/x")
	before := w.called("/import")
	if code := w.post("/webhook/gitlab", event, "X-Gitlab-Token", "hook"); code != http.StatusAccepted {
		t.Errorf("an event of the repository: %d", code)
	}
	w.until("the feature's push", func() bool { return w.called("/import") > before && status(`"base": "feature/x"`) })
	if code := w.post("/trigger?action=pull", ""); code != http.StatusAccepted {
		t.Error(code)
	}
	w.until("the feature's translations", func() bool {
		out, err := gittest.TryGit(t, bare, "show", "l10n/feature/x:locales/de.json")
		return err == nil && strings.Contains(out, "Ç")
	})
	w.until("the page", func() bool {
		_, page := w.get("/")
		return strings.Contains(page, "l10n/feature/x")
	})
	w.check(cmd.Process.Signal(syscall.SIGTERM))
	w.ends(cmd, 10*time.Second)
	gittest.Sound(t, bare)
}
