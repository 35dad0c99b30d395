package engine

import (
	"github.com/locsync/locsync/sync/pass/events"
	"github.com/locsync/locsync/sync/report"
)

// Reloaded tells all projects that the configuration was read again: with an error, that the new one was refused.
func (e *Engine) Reloaded(err error) {
	event := report.Event{What: "reload", Result: report.ResultOK, Text: "The configuration was read again."}
	if err != nil {
		event.Result, event.Text = report.ResultFailed,
			"A new configuration is not used, and the old one stays: "+events.Brief(err.Error())
	}
	if e.Cluster != nil {
		return // each process would tell it, of every project; its log does
	}
	for _, p := range e.projects {
		p.tellNow(event)
	}
}
