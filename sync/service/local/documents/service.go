// Package documents is the document translation of the embedded service: files that are added, updated, pretranslated,
// translated and exported as documents of a project.
//
// Its law: a translation stays with the text that it translates, through every version of the document, and one that a
// document would not take back is refused. What a segment is, is in package segment; it does not translate but by
// memories, rules, pseudo-translation and engines that run elsewhere.
package documents

import (
	"github.com/locsync/locsync/sync/service/local/jobs"
	"github.com/locsync/locsync/sync/service/local/store"
)

// Service answers the calls about documents and does their jobs.
type Service struct {
	store   *store.Store
	jobs    *jobs.Runner
	pseudo  bool // segments without a better translation get a pseudo-translation
	machine translator
}
