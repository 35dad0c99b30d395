package engine

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
)

// A sync saves its memory once, at its end; where no pull follows the push, that is the push's.
func TestASyncSavesItsMemoryOnce(t *testing.T) {
	gittest.Need(t)
	project := fmt.Sprintf(cloneProject, "final", "final")
	for name, project := range map[string]string{
		"push and pull": project, "push alone": strings.Replace(project, "[project.pull]\n", "[project.pull]\nenabled = false\n", 1),
	} {
		t.Run(name, func(t *testing.T) {
			u := newUniverse(t, project, nil, 0)
			u.passes("sync", push.Options{}, pull.Options{})
			saved := strings.Fields(gittest.Git(t, u.bare, "log", "--format=%H", "--grep=memory of project", "refs/locsync/app"))
			if len(saved) != 1 {
				t.Errorf("the memory was saved %d times", len(saved))
			}
		})
	}
}
