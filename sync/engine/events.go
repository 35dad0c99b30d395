package engine

import (
	"github.com/locsync/locsync/sync/events"
	"github.com/locsync/locsync/sync/report"
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

// Reloaded tells all projects that the configuration was read again: with an error, that the new one was refused.
func (e *Engine) Reloaded(err error) {
	event := report.Event{What: "reload", Result: report.ResultOK, Text: "The configuration was read again."}
	if err != nil {
		event.Result, event.Text = report.ResultFailed, "A new configuration is not used, and the old one stays: "+events.Brief(err.Error())
	}
	for _, p := range e.projects {
		p.tellNow(event)
	}
}
