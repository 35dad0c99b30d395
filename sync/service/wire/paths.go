package wire

// Prefix comes between the address of the server and every path below.
const Prefix = "/api/integration"

// ResultPrefix is the prefix that the service interface prints for the import result only
// ("/api/v1/project/import-result/{importId}"). The published description has it under Prefix like
// everything else; a server answers on both.
const ResultPrefix = "/api"

// Paths, relative to Prefix. What is in braces is the caller's; the spelling is that of
// http.ServeMux patterns. A path that ends with a slash goes on with a path in the storage, slashes and
// all.

// Projects, of documents and of keys.
const (
	PathAccount         = "/v1/account"
	PathDirectory       = "/v2/directory"
	PathDirectoryV1     = "/v1/directory"
	PathProjectCreate   = "/v1/project/create"
	PathProject         = "/v1/project/{projectId}"
	PathProjectList     = "/v2/project/list"
	PathProjectListV1   = "/v1/project/list"
	PathProjectComplete = "/v1/project/complete"
	PathProjectCancel   = "/v1/project/cancel"
	PathProjectRestore  = "/v1/project/restore"
	PathProjectLanguage = "/v1/project/language"
	PathTemplates       = "/v1/template"
)

// The account.
const (
	PathBalance = "/v1/smartwords/balance"
	PathAudit   = "/v1/audit/logs"
)

// Documents and their export.
const (
	PathProjectDocument         = "/v1/project/document" // POST adds documents
	PathDocument                = "/v1/document"         // GET, DELETE; POST is another name of PathProjectDocument
	PathDocumentUpdate          = "/v1/document/update"  // takes "<documentId>_<languageId>"
	PathDocumentUpdateV2        = "/v2/document/update"  // takes the document's id without its language
	PathDocumentRename          = "/v1/document/rename"
	PathDocumentMetaInfo        = "/v1/document/updateMetaInfo"
	PathDocumentComplete        = "/v1/document/complete"
	PathDocumentTranslate       = "/v1/document/translate"
	PathDocumentTranslateStatus = "/v1/document/translate/status"
	PathDocumentTranslateResult = "/v1/document/translate/result"
	PathDocumentTranslateXLIFF  = "/v1/document/translateWithXliff"
	PathDirectoryFormats        = "/v1/directory/formats"
	PathDocumentExport          = "/v1/document/export"
	PathDownload                = "/v1/document/export/{exportId}" // also of an export of keys
)

// Statistics.
const (
	PathDocumentStatistics      = "/v1/document/statistics"
	PathProjectStatistics       = "/v1/project/{projectId}/statistics"
	PathProjectStatisticsV2     = "/v2/project/{projectId}/statistics"
	PathProjectStatisticsBuild  = "/v1/project/{projectId}/statistics/build"
	PathFuzzyRepetitions        = "/v1/project/{projectId}/fuzzyRepetitions"
	PathCompletedWorkStatistics = "/v1/project/{projectId}/completedWorkStatistics"
	PathConfirmations           = "/v2/segment-confirmation-statistics/{projectId}"
)

// Configuration of a project: machine translation, translation memories.
const (
	PathEngines                   = "/v1/project/{projectId}/mt"
	PathEnginesAvailable          = "/v1/project/{projectId}/mt/available"
	PathMemories                  = "/v1/translationmemory"
	PathMemory                    = "/v1/translationmemory/{memoryId}"
	PathMemoryFile                = "/v1/translationmemory/{memoryId}/file"
	PathProjectMemories           = "/v1/project/{projectId}/translationmemories"
	PathProjectMemoriesByLanguage = "/v1/project/{projectId}/translationmemories/bylanguages"
	PathPretranslationRules       = "/v1/project/{projectId}/pretranslation-rules"
	PathPlaceholders              = "/v1/placeholders" // of the whole account
	PathPlaceholderCheck          = "/v1/placeholders/validate"
)

// Glossaries.
const (
	PathGlossaries             = "/v1/glossaries"
	PathGlossariesDefault      = "/v1/glossaries/default"
	PathProjectGlossaries      = "/v1/project/{projectId}/glossaries"
	PathProjectGlossaryDefault = "/v1/project/{projectId}/glossaries/default"
	PathGlossaryImport         = "/v1/glossary/import"
	PathGlossaryImportState    = "/v1/glossary/importTaskState/{taskId}"
	PathGlossaryExport         = "/v1/glossary/export"
	PathGlossaryExportPending  = "/v1/glossary/export/pendingTasks"
	PathGlossaryExportResult   = "/v1/glossary/export/{taskId}"
)

// Tasks and team, real-time translation, notifications, storage.
const (
	PathTeam               = "/v1/account/searchMyTeam"
	PathTasks              = "/v1/projectTask/{projectId}/list"
	PathTaskAssignment     = "/v1/projectTask/{projectId}/{taskId}/individual-assignment"
	PathTaskDeadline       = "/v1/projectTask/{projectId}/{taskId}/deadline"
	PathSmartTranslation   = "/v1/smartTranslation/translate"
	PathCallback           = "/v1/callback"
	PathCallbackLastErrors = "/v1/callback/lastErrors"
	PathStorageFiles       = "/v1/file-management/files/"          // + the folder that several files go to
	PathStorageFile        = "/v1/file-management/file/"           // + path of one file
	PathStorageFileInfo    = "/v1/file-management/file-info/"      // + path of one file
	PathStorageFileList    = "/v1/file-management/file-info-list/" // + what the paths begin with
)

// Software localization.
const (
	PathTargets      = "/v1/project/{projectId}/software-localization/targets"
	PathImport       = "/v2/project/{projectId}/import"
	PathImportResult = "/v1/project/import-result/{importId}"

	// PathImportResultV2 is another spelling of it, which the client asks for under ResultPrefix.
	PathImportResultV2 = "/v2/project/import-result/{importId}"
	PathExport         = "/v2/project/{projectId}/export"
	PathExportV1       = "/v1/project/{projectId}/export"
)

// What is in braces in the paths above, as http.Request.PathValue names it.
const (
	ProjectID = "projectId"
	ImportID  = "importId"
	ExportID  = "exportId"
	TaskID    = "taskId"
	MemoryID  = "memoryId"
)
