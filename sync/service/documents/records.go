// Package documents is the operations of the service for documents: the documents of a project, their exports,
// tasks and statistics, and the account's storage of files. They are calls of package service, whose budget,
// repeats and errors hold.
package documents

import "github.com/locsync/locsync/sync/service/wire"

// The words and records of the wire that callers handle; the spelling is the service interface's.
type (
	Document            = wire.Document
	DocumentUpdateModel = wire.DocumentUpdateModel
	FileFormat          = wire.FileFormat
	ExportType          = wire.ExportType
	ExportMode          = wire.ExportMode

	StatisticsRow      = wire.StatisticsRow
	DocumentStatistics = wire.DocumentStatistics
	ProjectStatistics  = wire.ProjectStatistics

	Task       = wire.Task
	TeamMember = wire.TeamMember
	TeamSearch = wire.TeamSearch
	StoredFile = wire.StoredFile
)
