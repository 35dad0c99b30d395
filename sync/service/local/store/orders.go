package store

import (
	"github.com/locsync/locsync/sync/service/wire"
)

// ExportJob is what an export was asked for, and what came of it.
type ExportJob struct {
	Languages   []string    `json:"languages"`
	Collections []string    `json:"collections"`
	Format      wire.Format `json:"format"`
	Separator   string      `json:"separator"`
	State       State       `json:"state"`
	Incomplete  Incomplete  `json:"incomplete"`
	Template    string      `json:"template"`
	Zip         bool        `json:"zip,omitempty"`
	Since       int64       `json:"since,omitempty"` // Unix nanoseconds; 0: everything
	Labels      []string    `json:"labels,omitempty"`
	Keys        []string    `json:"keys,omitempty"`
	OnlyKeys    bool        `json:"onlyKeys,omitempty"` // Keys counts, also when it is empty
	Indent      string      `json:"indent"`
}

// Incomplete says what stands for a key that has no translation of the wanted state. The words are stored.
type Incomplete string

const (
	IncompleteFallback Incomplete = "fallback"
	IncompleteBlank    Incomplete = "blank"
	IncompleteSkip     Incomplete = "skip"
)

// ImportJob is what an import was asked for, how far it has come, and what came of it.
type ImportJob struct {
	Collection string `json:"collection"`
	Language   string `json:"language"`
	Source     bool   `json:"source"` // Language is the project's source language
	// where the targets of LocJSON units go: the one target language given
	Target        string       `json:"target,omitempty"`
	Separator     string       `json:"separator"`
	State         State        `json:"state"`
	Conflicts     Conflicts    `json:"conflicts"`
	Labels        []string     `json:"labels,omitempty"`
	FileLabels    bool         `json:"fileLabels,omitempty"`
	DeleteMissing bool         `json:"deleteMissing,omitempty"`
	Files         []ImportFile `json:"files"`
	Done          int          `json:"done"` // entries that are stored already
	Result        wireResult   `json:"result"`
}

// ImportFile is one uploaded file; its bytes lie in the uploads bucket until the import ended.
type ImportFile struct {
	Name   string      `json:"name"` // as it was sent, folders and all
	Format wire.Format `json:"format"`
}

// Conflicts says what becomes of a stored value that an import has differently. The words are stored.
type Conflicts string

const (
	ReportConflicts    Conflicts = "report" // the stored value stays, the offered one is listed in the result
	SkipConflicts      Conflicts = "skip"   // the stored value stays and counts as not changed
	OverwriteConflicts Conflicts = "overwrite"
)

// wireResult is the result without its status, which is the job's.
type wireResult = wire.ImportResult

// GlossaryImport is a table of terms on its way into a glossary. The file was read when the call was answered, so
// that what is wrong with it is said there and nothing of it is stored; the table waits as the job's upload.
type GlossaryImport struct {
	Glossary string `json:"glossary"`
	Clear    bool   `json:"clear,omitempty"`
}

// GlossaryExport is the workbook of a glossary on its way out.
type GlossaryExport struct {
	Glossary string `json:"glossary"`
}

// DocumentExportJob is which documents are to be written, and how.
type DocumentExportJob struct {
	Documents []string        `json:"documents"` // composite identifiers
	Type      wire.ExportType `json:"type"`
	Mode      wire.ExportMode `json:"mode"`
	Stage     int             `json:"stage,omitempty"` // of ExportConfirmed; 0: any
}

// TranslationJob brings an uploaded translation into a document. Its file is the job's only upload.
type TranslationJob struct {
	Document  string `json:"document"` // composite
	File      string `json:"file"`
	XLIFF     bool   `json:"xliff,omitempty"` // it is one from an export, not the document in another language
	Overwrite bool   `json:"overwrite,omitempty"`
	Confirm   bool   `json:"confirm,omitempty"`
	Changed   int    `json:"changed"`
	Kept      int    `json:"kept"`    // segments that have another translation, which stays
	Unknown   int    `json:"unknown"` // texts of the file that the document does not have (any more)
}
