package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// row is one operation of the service.
type row struct {
	method, path string // of package wire, relative to wire.Prefix
	client       string // the method of Client that makes it; empty: none does, and do uses HTTP
	from         source
	embedded     string // since when the embedded service has it
	do           func(ctx context.Context, w *world) error
}

func (r row) String() string { return r.method + " " + r.path }

// source is what describes an operation.
type source string

const (
	inInterface source = "interface" // the service interface, with path
	named       source = "named"     // the service interface names it and shows no path; the published description does
	published   source = "published" // the published description only
)

// table is every operation of the service interface, and those of the published description that an integration needs beside them. README.md
// shows it.
var table = []row{
	{"GET", wire.PathAccount, "Ping", published, "2026-11-21", func(ctx context.Context, w *world) error { return second(w.c.Ping(ctx)) }},
	{"GET", wire.PathDirectory, "Languages", published, "2026-11-21", func(ctx context.Context, w *world) error { return second(w.c.Languages(ctx)) }},
	{"GET", wire.PathDirectoryV1, "", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.raw(ctx, "GET", wire.PathDirectoryV1+"?type=language")
	}},

	// Document-based projects.
	{"POST", wire.PathProjectCreate, "CreateProject", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.CreateProject(ctx, service.NewProject{Name: w.name("created"), SourceLanguage: "en", TargetLanguages: []string{"de"}, Documents: true}))
	}},
	{"GET", wire.PathProjectListV1, "", inInterface, "2026-11-21", func(ctx context.Context, w *world) error { // deprecated: the client never calls it
		return w.raw(ctx, "GET", wire.PathProjectListV1)
	}},
	{"GET", wire.PathProjectList, "ListProjects", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.ListProjects(ctx, service.ProjectFilter{}))
	}},
	{"GET", wire.PathProject, "Project", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.Project(ctx, w.keys()))
	}},
	{"PUT", wire.PathProject, "UpdateProject", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		deadline := "2031-01-01T00:00:00Z"
		return w.c.UpdateProject(ctx, w.keys(), service.ProjectChange{Deadline: &deadline})
	}},
	{"DELETE", wire.PathProject, "DeleteProject", published, "2026-11-21", func(ctx context.Context, w *world) error { return w.c.DeleteProject(ctx, w.newKeys()) }},
	{"POST", wire.PathProjectComplete, "CompleteProject", named, "2026-11-21", func(ctx context.Context, w *world) error { return w.c.CompleteProject(ctx, w.newKeys()) }},
	{"POST", wire.PathProjectCancel, "CancelProject", published, "2026-11-21", func(ctx context.Context, w *world) error { return w.c.CancelProject(ctx, w.newKeys()) }},
	{"POST", wire.PathProjectRestore, "RestoreProject", published, "2026-11-21", func(ctx context.Context, w *world) error {
		id := w.newKeys()
		return errors.Join(w.c.CancelProject(ctx, id), w.c.RestoreProject(ctx, id))
	}},
	{"POST", wire.PathProjectLanguage, "AddLanguage", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.AddLanguage(ctx, w.newKeys(), "fr", true)
	}},
	{"POST", wire.PathProjectDocument, "AddDocuments", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		added, err := w.c.AddDocuments(ctx, w.documents(), []service.NewDocument{{File: content(w.name("added")+".txt", "One more.")}})
		if err == nil && len(added) != 1 {
			err = fmt.Errorf("%d records", len(added))
		}
		return err
	}},
	{"PUT", wire.PathDocumentUpdate, "UpdateDocument", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.UpdateDocument(ctx, w.newDocument("txt", "Old."), content("new.txt", "Old. New."), service.DocumentUpdateModel{}))
	}},
	{"PUT", wire.PathDocumentUpdateV2, "", published, "2026-11-21", func(ctx context.Context, w *world) error { // the client's UpdateDocument turns to it where there is no other
		document, _ := wire.SplitDocumentID(w.newDocument("txt", "Old."))
		return w.upload(ctx, "PUT", wire.PathDocumentUpdateV2+"?documentId="+document, "new.txt", "Old. New.")
	}},
	{"DELETE", wire.PathDocument, "DeleteDocuments", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.DeleteDocuments(ctx, w.newDocument("txt", "Gone soon."))
	}},
	{"GET", wire.PathDocument, "Document", inInterface, "2026-11-21", func(ctx context.Context, w *world) error { return second(w.c.Document(ctx, w.document())) }},
	{"POST", wire.PathDocument, "", published, "2026-11-21", func(ctx context.Context, w *world) error { // another name of PathProjectDocument
		return w.upload(ctx, "POST", wire.PathDocument+"?projectId="+w.documents(), w.name("alias")+".txt", "Here too.")
	}},
	{"PUT", wire.PathDocumentRename, "RenameDocument", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.RenameDocument(ctx, w.newDocument("txt", "Renamed."), w.name("renamed"))
	}},
	{"PUT", wire.PathDocumentMetaInfo, "SetDocumentMetaInfo", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetDocumentMetaInfo(ctx, w.document(), "seen")
	}},
	{"POST", wire.PathDocumentComplete, "CompleteDocument", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.CompleteDocument(ctx, w.newDocument("txt", "Complete."))
	}},
	{"PUT", wire.PathDocumentTranslate, "TranslateDocument", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.TranslateDocument(ctx, w.newDocument("json", `{"hello": "Hello"}`), content("de.json", `{"hello": "Hallo"}`), true, true)
	}},
	{"GET", wire.PathDocumentTranslateStatus, "TranslationState", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.TranslationState(ctx, w.translated()))
	}},
	{"GET", wire.PathDocumentTranslateResult, "TranslationReport", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.TranslationReport(ctx, w.translated()))
	}},
	{"PUT", wire.PathDocumentTranslateXLIFF, "TranslateDocumentWithXLIFF", published, "2026-11-21", func(ctx context.Context, w *world) error {
		id := w.newDocument("txt", "Hello.")
		xliff, err := w.exported(ctx, service.DocumentExportRequest{Documents: []string{id}, Type: wire.ExportXLIFF})
		if err != nil {
			return err
		}
		return w.c.TranslateDocumentWithXLIFF(ctx, id, content("de.xliff", xliff), true, true)
	}},
	{"GET", wire.PathDirectoryFormats, "DocumentFormats", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.DocumentFormats(ctx))
	}},

	// Statistics.
	{"GET", wire.PathProjectStatistics, "TryProjectStatistics", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.statistics(ctx, w.c.ProjectStatistics)
	}},
	{"GET", wire.PathProjectStatisticsV2, "TryProjectStatisticsByDocument", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.statistics(ctx, w.c.ProjectStatisticsByDocument)
	}},
	{"GET", wire.PathDocumentStatistics, "TryDocumentStatistics", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		s, err := w.c.DocumentStatistics(ctx, w.document(), false)
		if err == nil && len(s.Statistics) == 0 {
			err = errors.New("no rows")
		}
		return err
	}},
	{"PUT", wire.PathFuzzyRepetitions, "SetFuzzyRepetitions", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetFuzzyRepetitions(ctx, w.documents(), true)
	}},
	{"POST", wire.PathProjectStatisticsBuild, "BuildStatistics", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.BuildStatistics(ctx, w.documents(), false)
	}},
	{"GET", wire.PathCompletedWorkStatistics, "CompletedWork", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.CompletedWork(ctx, w.documents()))
	}},

	// Export of document translations.
	{"POST", wire.PathDocumentExport, "StartDocumentExport", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.StartDocumentExport(ctx, service.DocumentExportRequest{Documents: []string{w.document()}}))
	}},
	{"GET", wire.PathDownload, "TryDownloadDocument", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		got, err := w.exported(ctx, service.DocumentExportRequest{Documents: []string{w.document()}, Type: wire.ExportSource})
		if err == nil && got != theText {
			err = fmt.Errorf("came back as %q", got)
		}
		return err
	}},

	// Project configuration.
	{"GET", wire.PathEnginesAvailable, "AvailableEngines", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.AvailableEngines(ctx, w.documents()))
	}},
	{"GET", wire.PathEngines, "Engines", inInterface, "2026-11-21", func(ctx context.Context, w *world) error { return second(w.c.Engines(ctx, w.documents())) }},
	{"POST", wire.PathEngines, "SetEngines", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		available, err := w.c.AvailableEngines(ctx, w.documents())
		if err != nil || len(available) == 0 {
			return errors.Join(err, errors.New("no engine"))
		}
		return w.c.SetEngines(ctx, w.documents(), []service.Engine{{ID: available[0].ID, Languages: []string{"de"}}})
	}},
	{"GET", wire.PathMemories, "Memories", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.Memories(ctx, service.MemoryFilter{}))
	}},
	{"POST", wire.PathMemories, "CreateMemory", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.CreateMemory(ctx, w.name("memory"), "en", []string{"de"}))
	}},
	{"POST", wire.PathMemory, "ImportMemory", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.ImportMemory(ctx, w.memory(), content("units.tmx", theMemory), true)
	}},
	{"GET", wire.PathMemoryFile, "ExportMemory", published, "2026-11-21", func(ctx context.Context, w *world) error {
		var tmx bytes.Buffer
		n, err := w.c.ExportMemory(ctx, w.memory(), "", &tmx)
		if err == nil && (n == 0 || !strings.Contains(tmx.String(), "<tmx")) {
			err = fmt.Errorf("it is %.100q", tmx.String())
		}
		return err
	}},
	{"GET", wire.PathProjectMemories, "ProjectMemories", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.ProjectMemories(ctx, w.documents()))
	}},
	{"POST", wire.PathProjectMemories, "SetProjectMemories", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetProjectMemories(ctx, w.documents(), []service.ProjectMemory{{ID: w.memory(), MatchThreshold: 75, IsWritable: true}})
	}},
	{"POST", wire.PathProjectMemoriesByLanguage, "SetProjectMemoriesByLanguage", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetProjectMemoriesByLanguage(ctx, w.documents(), []service.MemoriesOfLanguage{
			{Language: "de", TranslationMemories: []service.ProjectMemory{{ID: w.memory(), MatchThreshold: 75}}},
		})
	}},
	{"GET", wire.PathPretranslationRules, "PretranslationRules", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.PretranslationRules(ctx, w.documents()))
	}},
	{"PUT", wire.PathPretranslationRules, "SetPretranslationRules", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetPretranslationRules(ctx, w.documents(), []service.PretranslationRule{{RuleType: wire.RuleMemory, Order: 1}}, false)
	}},
	{"GET", wire.PathGlossaries, "Glossaries", inInterface, "2026-11-21", func(ctx context.Context, w *world) error { return second(w.c.Glossaries(ctx)) }},
	{"GET", wire.PathGlossariesDefault, "DefaultGlossary", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.DefaultGlossary(ctx))
	}},
	{"GET", wire.PathProjectGlossaries, "ProjectGlossaries", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.ProjectGlossaries(ctx, w.keys()))
	}},
	{"GET", wire.PathProjectGlossaryDefault, "ProjectDefaultGlossary", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.ProjectDefaultGlossary(ctx, w.keys(), true))
	}},
	{"PUT", wire.PathProjectGlossaries, "SetProjectGlossaries", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetProjectGlossaries(ctx, w.keys(), []string{w.glossary()})
	}},
	{"POST", wire.PathGlossaryImport, "StartGlossaryImport", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.StartGlossaryImport(ctx, w.glossary(), content("terms.csv", theTerms), true))
	}},
	{"GET", wire.PathGlossaryImportState, "GlossaryImportState", published, "2026-11-21", func(ctx context.Context, w *world) error {
		id, err := w.c.StartGlossaryImport(ctx, w.glossary(), content("terms.csv", theTerms), true)
		if err != nil {
			return err
		}
		return w.c.WaitGlossaryImport(ctx, id)
	}},
	{"POST", wire.PathGlossaryExport, "StartGlossaryExport", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.StartGlossaryExport(ctx, w.glossary()))
	}},
	{"GET", wire.PathGlossaryExportPending, "PendingGlossaryExports", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.PendingGlossaryExports(ctx))
	}},
	{"GET", wire.PathGlossaryExportResult, "TryDownloadGlossary", named, "2026-11-21", func(ctx context.Context, w *world) error {
		id, err := w.c.StartGlossaryExport(ctx, w.glossary())
		if err != nil {
			return err
		}
		var book bytes.Buffer
		n, err := w.c.DownloadGlossary(ctx, id, &book)
		if err == nil && (n == 0 || !strings.HasPrefix(book.String(), "PK")) {
			err = fmt.Errorf("no workbook: %.20q", book.String())
		}
		return err
	}},

	// Project tasks and team.
	{"POST", wire.PathTeam, "SearchTeam", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		team, err := w.c.Team(ctx)
		if err == nil && len(team) < 2 {
			err = fmt.Errorf("%d members", len(team))
		}
		return err
	}},
	{"GET", wire.PathTasks, "Tasks", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.Tasks(ctx, w.documents(), service.TaskFilter{}))
	}},
	{"PUT", wire.PathTaskAssignment, "AssignTask", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		team, err := w.c.Team(ctx)
		if err != nil {
			return err
		}
		return w.c.AssignTask(ctx, w.documents(), w.task(), []string{team[0].ID, team[1].ID}, false)
	}},
	{"PUT", wire.PathTaskDeadline, "SetTaskDeadline", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetTaskDeadline(ctx, w.documents(), w.task(), time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC))
	}},

	// Software localization.
	{"POST", wire.PathImport, "StartImport", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.StartImport(ctx, jsonFile(w.keys(), "en", `{"hello":"Hello"}`)))
	}},
	{"GET", wire.PathImportResult, "ImportResult", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		id, err := w.c.StartImport(ctx, jsonFile(w.keys(), "en", `{"hello":"Hello"}`))
		if err != nil {
			return err
		}
		return second(w.c.WaitImport(ctx, id))
	}},
	{"POST", wire.PathExport, "StartExport", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		id, err := w.c.StartExport(ctx, service.ExportRequest{Project: w.keys(), Languages: []string{"de"}})
		if err != nil {
			return err
		}
		return closed(w.c.Download(ctx, id, ""))
	}},
	{"POST", wire.PathExportV1, "StartExportV1", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.StartExportV1(ctx, w.keys(), []string{"de"}))
	}},
	{"POST", wire.PathTargets, "AddTargets", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.AddTargets(ctx, w.newKeys(), []string{"fr"})
	}},

	// Real-time translation, notification callbacks, storage.
	{"POST", wire.PathSmartTranslation, "Translate", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.Translate(ctx, service.TranslateRequest{
			SourceLanguage: "en", TargetLanguages: []string{"de"}, Texts: []wire.TranslateText{{Text: "Hello"}}, Profile: "11111111-2222-3333-4444-555555555555",
		}))
	}},
	{"POST", wire.PathCallback, "SetCallback", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.SetCallback(ctx, service.Callback{URL: w.server.URL + "/nobody", AdditionalHeaders: []wire.CallbackHeader{{Name: "X-Secret", Value: "s"}}})
	}},
	{"GET", wire.PathCallback, "Callback", published, "2026-11-21", func(ctx context.Context, w *world) error {
		got, err := w.c.Callback(ctx)
		if err == nil && (got.URL != w.server.URL+"/nobody" || len(got.AdditionalHeaders) != 1) {
			err = fmt.Errorf("it is %+v", got)
		}
		return err
	}},
	{"GET", wire.PathCallbackLastErrors, "CallbackErrors", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.CallbackErrors(ctx, 10))
	}},
	{"DELETE", wire.PathCallback, "DeleteCallback", published, "2026-11-21", func(ctx context.Context, w *world) error { return w.c.DeleteCallback(ctx) }},
	{"PUT", wire.PathStorageFiles, "UploadFiles", named, "2026-11-21", func(ctx context.Context, w *world) error {
		stored, err := w.c.UploadFiles(ctx, "in/box", []service.File{content("a.txt", "A"), content("b.txt", "B")}, false)
		if err == nil && len(stored) != 2 {
			err = fmt.Errorf("stored %+v", stored)
		}
		return err
	}},
	{"PUT", wire.PathStorageFile, "UploadFile", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.UploadFile(ctx, "in/ö ä.txt", content("c.txt", theText)))
	}},
	{"GET", wire.PathStorageFile, "DownloadFile", published, "2026-11-21", func(ctx context.Context, w *world) error {
		var got bytes.Buffer
		_, err := w.c.DownloadFile(ctx, "in/ö ä.txt", &got)
		if err == nil && got.String() != theText {
			err = fmt.Errorf("came back as %q", got.String())
		}
		return err
	}},
	{"GET", wire.PathStorageFileInfo, "StoredFile", published, "2026-11-21", func(ctx context.Context, w *world) error {
		got, err := w.c.StoredFile(ctx, "in/ö ä.txt")
		if err == nil && got.Size != int64(len(theText)) {
			err = fmt.Errorf("it is %+v", got)
		}
		return err
	}},
	{"GET", wire.PathStorageFileList, "StoredFiles", published, "2026-11-21", func(ctx context.Context, w *world) error {
		got, err := w.c.StoredFiles(ctx, "in")
		if err == nil && len(got) != 3 {
			err = fmt.Errorf("there are %+v", got)
		}
		return err
	}},
	{"DELETE", wire.PathStorageFile, "DeleteFile", published, "2026-11-21", func(ctx context.Context, w *world) error { return w.c.DeleteFile(ctx, "in/ö ä.txt") }},
}

// notYet are the operations that the embedded service does not have yet. It only shrinks: the test fails when one of them works, too.
var notYet []string

// around are the methods of Client that make no operation of their own: they wait for one of the table, ask for more pages of it, or make
// none.
var around = []string{"Blocked", "Budget", "Close", "Contact", "Format", "Queued", "ServiceTime", "Team", "TryDownload", "Download", "Downloads", "DownloadDocument", "DownloadGlossary", "WaitImport", "WaitImports", "WaitDocument",
	"WaitTranslation", "WaitGlossaryImport", "ProjectStatistics", "ProjectStatisticsByDocument", "DocumentStatistics"}

const (
	theText   = "The first sentence. The second one.\n"
	theTerms  = "en,de\nbell,Glocke\n"
	theMemory = `<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en" datatype="plaintext"/><body>
<tu><tuv xml:lang="en"><seg>The first sentence.</seg></tuv><tuv xml:lang="de"><seg>Der erste Satz.</seg></tuv></tu>
</body></tmx>
`
)
