package push

import (
	"github.com/locsync/locsync/sync/events"
)

// tell tells what a push did.
func (r *pushing) tell(d *events.Entry, err error) {
	d.Sent(r.report.ProjectPush, r.branch.Project.SourceLanguage)
	d.Skips(r.skipped)
	if r.skipped != "" {
		return
	}
	d.Finished(r.report.Finished)
	if err == nil && r.accepted != nil {
		d.Holds("push", r.accepted.Holdings())
	}
	d.Conflicts()
	d.Ended("push", err)
}
