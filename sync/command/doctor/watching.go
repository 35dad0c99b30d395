package doctor

import (
	"context"
	"errors"
	"fmt"
	"time"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass/watch"
	"github.com/locsync/locsync/sync/report"
)

func (d *doctor) probeLimits(_ context.Context, n *notes) {
	l := watch.SystemLimits()
	if l.Watches == 0 {
		n.ok("limits", "there are none that can be told on this system")
		return
	}
	told := fmt.Sprintf("%d of %d watched folders and %d of %d watchers that this user may have are taken", l.UsedWatches,
		l.Watches, l.UsedInstances, l.Instances)
	switch {
	case l.UsedWatches*10 >= l.Watches*9:
		n.warn("limits", "raise the sysctl fs.inotify.max_user_watches", "%s: nearly used up", told)
	case l.UsedInstances*10 >= l.Instances*9:
		n.warn("limits", "raise the sysctl fs.inotify.max_user_instances", "%s: nearly used up", told)
	default:
		n.ok("limits", "%s", told)
	}
}

// probeWatching looks whether changes of files would be heard of, by a real event: of a file that is made and removed
// in the git folder, which has no work of people, and where the daemon takes no notice of it.
func probeWatching(ctx context.Context, d *doctor, n *notes, c *checkout) {
	repo, err := c.repo.get(ctx)
	if err != nil {
		n.skip("folders", "the repository cannot be opened")
		return
	}
	facts := repo.Facts()
	if facts.WorkTree == "" {
		n.fault("folders", report.ExitWrong, "set push.source to a branch", "a bare repository has no files to watch")
		return
	}
	o := watch.Options{Root: facts.WorkTree, GitDir: facts.GitDir, CommonDir: facts.CommonDir}
	for _, p := range c.projects {
		if p.Push.Source == config.Worktree {
			o.Patterns = append(o.Patterns, p.WatchPatterns()...)
		}
	}
	prospect, err := watch.Foresee(o)
	if most := watch.SystemLimits().Watches; most > 0 {
		prospect.Most = min(prospect.Most, most)
	}
	switch {
	case err != nil:
		n.failed("folders", err, "correct the patterns")
	case prospect.Unreliable != "":
		n.warn("folders", "nothing has to be done: files are compared every few seconds instead; on a disk of this machine "+
			"changes are seen at once", "%s", prospect.Unreliable)
	case prospect.Folders > prospect.Most:
		n.warn("folders", "raise the sysctl fs.inotify.max_user_watches, or make the patterns narrower",
			"%d have to be watched, %d can be: files are compared every few seconds instead", prospect.Folders, prospect.Most)
	default:
		n.ok("folders", "%d to watch, of %d at most", prospect.Folders, prospect.Most)
	}
	took, err := watch.Hear(ctx, facts.GitDir)
	switch {
	case errors.Is(err, watch.ErrNoWatches), errors.Is(err, watch.ErrNoInstances):
		n.warn("event", "raise it; until then files are compared every few seconds", "%v", err)
	case err != nil:
		n.failed("event", err, "let this user write in the git folder")
	default:
		n.ok("event", "a change in the git folder was seen after %s", took.Round(time.Microsecond))
	}
}
