package pull

import (
	"github.com/locsync/locsync/sync/events"
)

// tell tells what a pull did.
func (r *pulling) tell(d *events.Entry, err error) {
	if r.earlier != nil {
		d.Delivered(*r.earlier)
	}
	switch { // also where the pass failed after that
	case r.redelivered:
		d.DeliveredAgain(r.report.Commit)
	case r.brought:
		d.Brought(r.report.ProjectPull, r.branch.Project.SourceLanguage)
	}
	d.Finished(r.report.Finished)
	if err == nil && r.tip != nil {
		d.Holds("pull", r.holds)
	}
	d.Request()
	d.Conflicts()
	d.Ended("pull", err)
}
