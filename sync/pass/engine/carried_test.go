package engine

import (
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A clone that sees a rename later than another one leaves alone what was translated under the new key since.
func TestRenameThatAnotherCloneHasCarried(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const project = settings + "[project.push]\ncompletion_state = \"final\"\n" + jsonFiles
	w := newWorld(t, project, map[string]string{enApp: `{"old": "Old", "b": "B"}`})
	bare := w.bare()
	w.configure(project)
	w.pushes(push.Options{})
	w.final("de", "old", "A1", "b", "B1")
	w.pulls(pull.Options{})
	w.git("fetch", "-q")
	w.git("merge", "-q", "origin/l10n")
	w.git("push", "-q", "origin", "main")
	w.pushes(push.Options{})
	dir, home := w.dir, w.home

	w.dir = gittest.Clone(t, "file://"+bare)
	w.lose()
	w.configure(project)
	w.pushes(push.Options{})
	w.write(enApp, `{"new": "Old", "b": "B"}`)
	w.commit()
	w.git("push", "-q", "origin", "main")
	w.pushes(push.Options{})
	w.holds("main", "de", "new", "A1")
	w.pulls(pull.Options{})
	w.final("de", "new", "A2")
	w.pulls(pull.Options{})

	w.dir, w.home = dir, home
	w.configure(project)
	w.pulls(pull.Options{}) // the base branch has the rename, this working tree does not
	w.git("pull", "-q", "origin", "main")
	w.pushes(push.Options{})
	w.holds("main", "de", "new", "A2")
}
