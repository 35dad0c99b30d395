package engine

import (
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A clone that lacks a commit of the past is no branch that was made anew: what was seen there was seen, and a text
// that a person brings back is sent.
func TestBringingBackInAShallowClone(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	const project = settings + "[project.push]\ncompletion_state = \"final\"\n" + jsonFiles
	for _, on := range []string{"main", "l10n"} {
		for _, first := range []string{"push", "pull"} {
			for how, next := range map[string]func(w *world, bare string){
				"is made again": func(w *world, bare string) {
					w.dir = gittest.Clone(w.tb, "file://"+bare, "--depth=1")
					w.configure(project)
				},
				"is cut": func(w *world, bare string) {
					w.git("remote", "set-url", "origin", "file://"+bare)
					w.git("fetch", "-q", "--depth=1", "origin", "+refs/heads/*:refs/remotes/origin/*")
					w.git("reset", "-q", "--hard", "origin/main")
				},
			} {
				t.Run(on+" "+first+" "+how, func(t *testing.T) {
					t.Parallel()
					w := newWorld(t, project, map[string]string{enApp: `{"a": "A", "b": "B"}`})
					bare := w.bare()
					w.configure(project)
					w.clean(push.Options{})
					for _, text := range []string{"A1", "A2"} {
						w.final("de", "a", text, "b", "B1")
						w.pulls(pull.Options{})
						gittest.Git(t, bare, "branch", "-f", "main", "l10n")
						next(w, bare)
						w.clean(push.Options{})
						next(w, bare)
						w.pulls(pull.Options{})
					}
					w.elsewhere(bare, on, map[string]string{deApp: de("A1", "B1"), "code": "x"})
					next(w, bare)
					if first == "pull" {
						w.pulls(pull.Options{})
						next(w, bare)
					}
					w.clean(push.Options{})
					w.holds("main", "de", "a", "A1")
				})
			}
		}
	}
}

// A shallow clone that cannot have its history sends source texts; translations wait.
func TestPushOfAShallowCloneWithoutItsRemote(t *testing.T) {
	t.Parallel()
	w := newWorld(t, settings+jsonFiles, map[string]string{enApp: `{"a": "A"}`})
	bare := w.bare()
	w.configure(settings + jsonFiles)
	w.clean(push.Options{})
	w.elsewhere(bare, "main", map[string]string{enApp: `{"a": "A", "n": "N"}`})
	w.dir = gittest.Clone(t, "file://"+bare, "--depth=1")
	w.configure(settings + jsonFiles)
	w.git("remote", "set-url", "origin", "file:///nowhere")
	if p := w.pushes(push.Options{}); p.Keys != 1 {
		t.Errorf("%d keys are sent: %v", p.Keys, p.Problems)
	}
}
