// Package wire holds the shapes that travel between a client and the translation service: paths,
// names of query parameters and parts, the words that parameters and records use, and the JSON
// bodies. The client (package service) and the embedded service (package local) speak through it, so
// that a name is spelled in one place.
//
// Its law: writing is strict, reading is tolerant. What is marshalled has the one spelling that the
// service interface shows; what is unmarshalled may have any spelling that the service or its
// published descriptions are known to use, unknown members are ignored and unknown words are kept.
//
// It contains no behaviour beyond that: no requests, no checks of what a caller wants, no clock, no
// disk. LocJSON, being a file format, is not here.
package wire

// Query parameters of an import (PathImport).
const (
	QueryCollection         = "collection"
	QueryLanguage           = "language"
	QueryTargetLanguages    = "target-languages" // comma list; also of PathTargets
	QueryFormat             = "format"           // also of an export
	QueryPathSeparator      = "path-separator"   // also of an export
	QueryCompletionState    = "completion-state" // also of an export
	QuerySkipConflicts      = "skip-conflicting-values"
	QueryOverwriteConflicts = "overwrite-conflicting-values"
	// comma list; also of an export, at import in the published description only
	QueryLabels            = "labels"
	QueryAutoFileLabels    = "auto-file-labels"    // published description only
	QueryDeleteMissingKeys = "delete-missing-keys" // published description only
)

// Query parameters of an export (PathExport), beside those that it shares with an import.
const (
	QueryLanguages      = "languages"   // comma list
	QueryCollections    = "collections" // one in the service interface, a comma list in the published description
	QueryFallback       = "fallback-to-default-language"
	QueryBlank          = "export-incomplete-as-blank"
	QuerySkipIncomplete = "skip-incomplete-keys"
	QueryIncludeDefault = "include-default-language"
	QueryOutputTemplate = "output-file-path-template"
	QueryZip            = "zip"
	QueryModifiedSince  = "modified-since" // ISO 8601, UTC
	QueryIndent         = "indent"         // published description only
)

// Query parameters of projects, their lists and the directory.
const (
	QueryProjectID      = "projectId"
	QueryTargetLanguage = "targetLanguage"         // of PathProjectLanguage, one code
	QueryAddToDocuments = "addLanguageToDocuments" // of PathProjectLanguage
	QueryOffset         = "offset"
	QueryLimit          = "limit"
	QueryProjectName    = "projectName" // a part of the name
	QueryProjectType    = "projectType" // of PathProjectListV1: ProjectTypeLocalization or ProjectTypeOthers
	QueryWithDocuments  = "includeDocuments"
	QueryExternalTag    = "externalTag" // a part of the tag
	QueryCreatedByUser  = "createdByUserId"
	QueryAssignedToUser = "assignedToUserId"
	QueryClients        = "clientIds"
	QueryDirectoryType  = "type"
)

// DirectoryTypeLanguage is the QueryDirectoryType that lists languages.
const DirectoryTypeLanguage = "language"

// MaxProjectsPerPage is the largest QueryLimit of PathProjectList, and its default. A page with fewer
// records is the last one.
const MaxProjectsPerPage = 100

// What holds where a parameter is not given.
const (
	DefaultCollection    = "main"
	DefaultPathSeparator = "/"
)

// Placeholders of QueryOutputTemplate. PlaceholderLabel is followed by the prefix of a label and "}".
const (
	PlaceholderLanguage      = "{LANGUAGE}"
	PlaceholderLocaleIOS     = "{LOCALE:IOS}"
	PlaceholderLocaleAndroid = "{LOCALE:ANDROID}"
	PlaceholderLabel         = "{LABEL:"
)

// Multipart bodies. Part names are hints: a part with a file name is a file.
const (
	PartFile                = "file"                // a file of an import; the published description says "files"
	PartFileType            = "text/plain"          // content type of an imported file
	PartModel               = "model"               // the model of a created project
	PartDocumentModel       = "documentModel"       // the models of uploaded documents, an array
	PartUpdateDocumentModel = "updateDocumentModel" // the model of a document's new version
	PartTranslationFile     = "translationFile"     // a translation that is brought into a document
	PartFiles               = "files"               // the files of PathStorageFiles
	PartMemoryFile          = "tmxFile"             // the file of PathMemory
	LocJSONExtension        = ".locjson"            // an import recognises LocJSON by this end of the file name
)

// The values of ProjectCreate.Type. Keys can be imported into a ProjectTypeLocalization only.
const (
	ProjectTypeDefault      = "default"
	ProjectTypeOthers       = "nonSoftwareLocalization" // of QueryProjectType alone
	ProjectTypeLocalization = "softwareLocalization"
)
