// Package memories is the operations of the service for what translators are given: translation memories, glossaries,
// machine translation, the rules by which texts are translated before them, and placeholders. They are calls of package
// service, whose budget, repeats and errors hold.
package memories

import "github.com/locsync/locsync/sync/service/wire"

// The records of the wire that callers handle; the spelling is the service interface's.
type (
	Memory         = wire.Memory
	Rule           = wire.PretranslationRule
	ProjectMemory  = wire.ProjectMemory
	Glossary       = wire.Glossary
	GlossaryExport = wire.GlossaryExport
	TaskState      = wire.TaskState

	Engine           = wire.Engine
	TranslateRequest = wire.TranslateRequest
	TranslatedText   = wire.TranslatedText
)
