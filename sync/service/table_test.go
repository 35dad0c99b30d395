package service_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net/url"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

// row is one operation of the service.
type row struct {
	method, path string // of package wire, relative to wire.Prefix
	client       string // the type and method that make it; empty: none does, and do uses HTTP
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

// table is every operation of the service interface, and those of the published description that an integration needs
// beside them. README.md shows it.
var table = []row{
	{"GET", wire.PathAccount, "Client.Ping", published, "2026-11-21",
		func(ctx context.Context, w *world) error { return second(w.c.Ping(ctx)) }},
	{"GET", wire.PathDirectory, "Client.Languages", published, "2026-11-21",
		func(ctx context.Context, w *world) error { return second(w.c.Languages(ctx)) }},
	{"GET", wire.PathDirectoryV1, "", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.raw(ctx, "GET", wire.PathDirectoryV1+"?type=language")
	}},

	{"GET", wire.PathBalance, "Client.Balance", published, "2026-11-29",
		func(ctx context.Context, w *world) error { return second(w.c.Balance(ctx)) }},
	{"GET", wire.PathAudit, "Client.Audit", published, "2026-11-29", func(ctx context.Context, w *world) error {
		id := w.newKeys()
		all, err := w.c.Audit(ctx, time.Now().Add(-time.Hour))
		if err == nil && (len(all) == 0 || !strings.Contains(string(all[0].Payload), id)) {
			err = fmt.Errorf("it is %+v", all)
		}
		return err
	}},

	// Document-based projects.
	{"POST", wire.PathProjectCreate, "Projects.Create", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(w.c.Projects().Create(ctx, service.NewProject{Name: w.name("created"), SourceLanguage: "en",
				TargetLanguages: []string{"de"}, Documents: true}))
		}},
	{"GET", wire.PathProjectListV1, "Projects.ForDocuments", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			for id, want := range map[string]bool{w.keys(): false, w.documents(): true} {
				p, err := w.c.Projects().Read(ctx, id)
				if err != nil {
					return err
				}
				got, err := w.c.Projects().ForDocuments(ctx, p)
				if err != nil || got != want {
					return fmt.Errorf("of %s it says %t, %w", p.Name, got, err)
				}
			}
			return nil
		}},
	{"GET", wire.PathProjectList, "Projects.List", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.Projects().List(ctx, service.ProjectFilter{}))
	}},
	{"GET", wire.PathProject, "Projects.Read", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(w.c.Projects().Read(ctx, w.keys()))
	}},
	{"PUT", wire.PathProject, "Projects.Update", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		deadline := "2031-01-01T00:00:00Z"
		return w.c.Projects().Update(ctx, w.keys(), service.ProjectChange{Deadline: &deadline})
	}},
	{"DELETE", wire.PathProject, "Projects.Delete", published, "2026-11-21",
		func(ctx context.Context, w *world) error { return w.c.Projects().Delete(ctx, w.newKeys()) }},
	{"POST", wire.PathProjectComplete, "Projects.Complete", named, "2026-11-21",
		func(ctx context.Context, w *world) error { return w.c.Projects().Complete(ctx, w.newKeys()) }},
	{"POST", wire.PathProjectCancel, "Projects.Cancel", published, "2026-11-21",
		func(ctx context.Context, w *world) error { return w.c.Projects().Cancel(ctx, w.newKeys()) }},
	{"POST", wire.PathProjectRestore, "Projects.Restore", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			id := w.newKeys()
			return errors.Join(w.c.Projects().Cancel(ctx, id), w.c.Projects().Restore(ctx, id))
		}},
	{"POST", wire.PathProjectLanguage, "Projects.AddLanguage", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.c.Projects().AddLanguage(ctx, w.newKeys(), "fr", true)
		}},
	{"GET", wire.PathTemplates, "Projects.Templates", published, "2026-11-29",
		func(ctx context.Context, w *world) error { return second(w.c.Projects().Templates(ctx)) }},
	{"POST", wire.PathProjectDocument, "Documents.Add", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			added, err := documents.Of(w.c).Add(ctx, w.documents(), []service.NewDocument{
				{File: content(w.name("added")+".txt", "One more.")}})
			if err == nil && len(added) != 1 {
				err = fmt.Errorf("%d records", len(added))
			}
			return err
		}},
	{"PUT", wire.PathDocumentUpdate, "Documents.Update", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(documents.Of(w.c).Update(ctx, w.newDocument("txt", "Old."), content("new.txt", "Old. New."),
				documents.DocumentUpdateModel{}))
		}},
	// the client's UpdateDocument turns to it where there is no other
	{"PUT", wire.PathDocumentUpdateV2, "Documents.UpdateAll", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(documents.Of(w.c).UpdateAll(ctx, w.newDocument("txt", "Old."),
				content("new.txt", "Old. New."),
				documents.DocumentUpdateModel{}))
		}},
	{"DELETE", wire.PathDocument, "Documents.Delete", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return documents.Of(w.c).Delete(ctx, w.newDocument("txt", "Gone soon."))
		}},
	{"GET", wire.PathDocument, "Documents.Read", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error { return second(documents.Of(w.c).Read(ctx, w.document())) }},
	// another name of PathProjectDocument
	{"POST", wire.PathDocument, "", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.upload(ctx, "POST", wire.PathDocument+"?projectId="+w.documents(), w.name("alias")+".txt", "Here too.")
	}},
	{"PUT", wire.PathDocumentRename, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.raw(ctx, "PUT", wire.PathDocumentRename+"?documentId="+w.newDocument("txt", "Renamed.")+"&name="+
				url.QueryEscape(w.name("renamed")))
		}},
	{"PUT", wire.PathDocumentMetaInfo, "Documents.SetMetaInfo", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return documents.Of(w.c).SetMetaInfo(ctx, w.document(), "seen")
		}},
	{"POST", wire.PathDocumentComplete, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.raw(ctx, "POST", wire.PathDocumentComplete+"?documentId="+w.newDocument("txt", "Complete."))
		}},
	{"PUT", wire.PathDocumentTranslate, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return translate(ctx, w.c, wire.PathDocumentTranslate, w.newDocument("json", `{"hello": "Hello"}`),
				content("de.json", `{"hello": "Hallo"}`))
		}},
	{"GET", wire.PathDocumentTranslateStatus, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(translationState(ctx, w.c, w.translated()))
		}},
	{"GET", wire.PathDocumentTranslateResult, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.raw(ctx, "GET", wire.PathDocumentTranslateResult+"?documentId="+w.translated())
		}},
	{"PUT", wire.PathDocumentTranslateXLIFF, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			id := w.newDocument("txt", "Hello.")
			xliff, err := w.exported(ctx, documents.ExportRequest{Documents: []string{id}, Type: wire.ExportXLIFF})
			if err != nil {
				return err
			}
			return translate(ctx, w.c, wire.PathDocumentTranslateXLIFF, id, content("de.xliff", xliff))
		}},
	{"GET", wire.PathDirectoryFormats, "Documents.Formats", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(documents.Of(w.c).Formats(ctx))
		}},

	// Statistics.
	// of a service that has only this one Statistics.TryByDocument takes it
	{"GET", wire.PathProjectStatistics, "", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.statistics(ctx, func(ctx context.Context, project string, _ bool) (documents.ProjectStatistics, error) {
				return service.WaitFor(ctx, w.c, func(ctx context.Context) (documents.ProjectStatistics, error) {
					return service.Get[documents.ProjectStatistics](ctx, w.c, service.Call{Op: "read project statistics",
						Path: service.PathOf(wire.PathProjectStatistics, project)}, service.Reader.WhenReady)
				})
			})
		}},
	{"GET", wire.PathProjectStatisticsV2, "Statistics.TryByDocument", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.statistics(ctx, documents.StatisticsOf(w.c).ByDocument)
		}},
	{"GET", wire.PathDocumentStatistics, "Statistics.TryDocument", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			s, err := documents.StatisticsOf(w.c).Document(ctx, w.document(), false)
			if err == nil && len(s.Statistics) == 0 {
				err = errors.New("no rows")
			}
			return err
		}},
	{"PUT", wire.PathFuzzyRepetitions, "Statistics.SetFuzzyRepetitions", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return documents.StatisticsOf(w.c).SetFuzzyRepetitions(ctx, w.documents(), true)
		}},
	{"POST", wire.PathProjectStatisticsBuild, "Statistics.Build", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return documents.StatisticsOf(w.c).Build(ctx, w.documents(), false)
		}},
	{"GET", wire.PathCompletedWorkStatistics, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.raw(ctx, "GET", service.PathOf(wire.PathCompletedWorkStatistics, w.documents()))
		}},

	{"GET", wire.PathConfirmations, "Statistics.Confirmations", published, "2026-11-29",
		func(ctx context.Context, w *world) error {
			return second(documents.StatisticsOf(w.c).Confirmations(ctx, w.documents(), time.Now().Add(-time.Hour)))
		}},

	// Export of document translations.
	{"POST", wire.PathDocumentExport, "Documents.StartExport", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(documents.Of(w.c).StartExport(ctx,
				documents.ExportRequest{Documents: []string{w.document()}}))
		}},
	{"GET", wire.PathDownload, "Documents.TryDownload", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			got, err := w.exported(ctx, documents.ExportRequest{Documents: []string{w.document()},
				Type: wire.ExportSource})
			if err == nil && got != theText {
				err = fmt.Errorf("came back as %q", got)
			}
			return err
		}},

	// Project configuration.
	{"GET", wire.PathEnginesAvailable, "Engines.Available", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.EnginesOf(w.c).Available(ctx, w.documents()))
		}},
	{"GET", wire.PathEngines, "Engines.Attached", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(memories.EnginesOf(w.c).Attached(ctx, w.documents()))
	}},
	{"POST", wire.PathEngines, "Engines.Set", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		available, err := memories.EnginesOf(w.c).Available(ctx, w.documents())
		if err != nil || len(available) == 0 {
			return errors.Join(err, errors.New("no engine"))
		}
		return memories.EnginesOf(w.c).Set(ctx, w.documents(), []memories.Engine{
			{ID: available[0].ID, Languages: []string{"de"}}})
	}},
	{"GET", wire.PathMemories, "Memories.List", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(memories.Of(w.c).List(ctx, memories.Filter{}))
	}},
	{"POST", wire.PathMemories, "Memories.Create", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(memories.Of(w.c).Create(ctx, w.name("memory"), "en", []string{"de"}))
	}},
	{"POST", wire.PathMemory, "Memories.Import", published, "2026-11-21", func(ctx context.Context, w *world) error {
		return memories.Of(w.c).Import(ctx, w.memory(), content("units.tmx", theMemory), true)
	}},
	{"GET", wire.PathMemoryFile, "Memories.Export", published, "2026-11-21", func(ctx context.Context, w *world) error {
		var tmx bytes.Buffer
		n, err := memories.Of(w.c).Export(ctx, w.memory(), "", &tmx)
		if err == nil && (n == 0 || !strings.Contains(tmx.String(), "<tmx")) {
			err = fmt.Errorf("it is %.100q", tmx.String())
		}
		return err
	}},
	{"GET", wire.PathProjectMemories, "Memories.Attached", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.Of(w.c).Attached(ctx, w.documents()))
		}},
	{"POST", wire.PathProjectMemories, "Memories.Attach", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return memories.Of(w.c).Attach(ctx, w.documents(), []memories.ProjectMemory{
				{ID: w.memory(), MatchThreshold: 75, IsWritable: true}})
		}},
	{"POST", wire.PathProjectMemoriesByLanguage, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.c.Do(ctx, service.Call{Method: "POST",
				Path: service.PathOf(wire.PathProjectMemoriesByLanguage, w.documents()), Body: []wire.MemoriesOfLanguage{
					{Language: "de", TranslationMemories: []memories.ProjectMemory{{ID: w.memory(), MatchThreshold: 75}}},
				}})
		}},
	{"GET", wire.PathPretranslationRules, "Rules.Read", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.RulesOf(w.c).Read(ctx, w.documents()))
		}},
	{"PUT", wire.PathPretranslationRules, "Rules.Set", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			quality := 80
			want := []memories.Rule{
				{RuleType: wire.RuleMemory, Order: 1, MinAssuranceLevel: "qualified"}, {RuleType: wire.RuleMachine, Order: 2},
				{RuleType: wire.RuleQuality, Order: 3, MinTQSQualityThreshold: &quality},
				{RuleType: wire.RuleAssurance, Order: 4, LQAProfileID: "p", BlockingSeverityIDs: []string{"major"}}}
			err := memories.RulesOf(w.c).Set(ctx, w.documents(), want, false)
			if err != nil {
				return err
			}
			got, err := memories.RulesOf(w.c).Read(ctx, w.documents())
			if err == nil && !reflect.DeepEqual(got, want) {
				err = fmt.Errorf("the rules are %+v", got)
			}
			return err
		}},
	{"PUT", wire.PathPlaceholders, "Placeholders.Set", published, "2026-11-29",
		func(ctx context.Context, w *world) error {
			return memories.PlaceholdersOf(w.c).Set(ctx, []string{`\{\w+\}`, `%\d`})
		}},
	{"GET", wire.PathPlaceholders, "Placeholders.Read", published, "2026-11-29",
		func(ctx context.Context, w *world) error {
			got, err := memories.PlaceholdersOf(w.c).Read(ctx)
			if err == nil && !slices.Equal(got, []string{`\{\w+\}`, `%\d`}) {
				err = fmt.Errorf("they are %q", got)
			}
			return err
		}},
	{"GET", wire.PathPlaceholderCheck, "Placeholders.Check", published, "2026-11-29",
		func(ctx context.Context, w *world) error {
			for _, bad := range []string{`(`, `a*`} {
				if err := memories.PlaceholdersOf(w.c).Check(ctx, bad); !errors.Is(err, service.ErrRefused) {
					return fmt.Errorf("%q: %w", bad, err)
				}
			}
			return memories.PlaceholdersOf(w.c).Check(ctx, `\$\w+ & more`)
		}},
	{"GET", wire.PathGlossaries, "Glossaries.List", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error { return second(memories.GlossariesOf(w.c).List(ctx)) }},
	{"GET", wire.PathGlossariesDefault, "Glossaries.Default", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.GlossariesOf(w.c).Default(ctx))
		}},
	{"GET", wire.PathProjectGlossaries, "Glossaries.Attached", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.GlossariesOf(w.c).Attached(ctx, w.keys()))
		}},
	{"GET", wire.PathProjectGlossaryDefault, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.raw(ctx, "GET", service.PathOf(wire.PathProjectGlossaryDefault, w.keys())+"?"+
				wire.QueryFallbackToAccount+"=true")
		}},
	{"PUT", wire.PathProjectGlossaries, "Glossaries.Attach", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return memories.GlossariesOf(w.c).Attach(ctx, w.keys(), []string{w.glossary()})
		}},
	{"POST", wire.PathGlossaryImport, "Glossaries.StartImport", named, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.GlossariesOf(w.c).StartImport(ctx, w.glossary(), content("terms.csv", theTerms),
				true))
		}},
	{"GET", wire.PathGlossaryImportState, "Glossaries.ImportState", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			id, err := memories.GlossariesOf(w.c).StartImport(ctx, w.glossary(), content("terms.csv", theTerms), true)
			if err != nil {
				return err
			}
			return memories.GlossariesOf(w.c).WaitImport(ctx, id)
		}},
	{"POST", wire.PathGlossaryExport, "Glossaries.StartExport", named, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.GlossariesOf(w.c).StartExport(ctx, w.glossary()))
		}},
	{"GET", wire.PathGlossaryExportPending, "Glossaries.PendingExports", named, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.GlossariesOf(w.c).PendingExports(ctx))
		}},
	{"GET", wire.PathGlossaryExportResult, "Glossaries.TryDownload", named, "2026-11-21",
		func(ctx context.Context, w *world) error {
			id, err := memories.GlossariesOf(w.c).StartExport(ctx, w.glossary())
			if err != nil {
				return err
			}
			var book bytes.Buffer
			n, err := memories.GlossariesOf(w.c).Download(ctx, id, &book)
			if err == nil && (n == 0 || !strings.HasPrefix(book.String(), "PK")) {
				err = fmt.Errorf("no workbook: %.20q", book.String())
			}
			return err
		}},

	// Project tasks and team.
	{"POST", wire.PathTeam, "Tasks.SearchTeam", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		team, err := documents.TasksOf(w.c).Team(ctx)
		if err == nil && len(team) < 2 {
			err = fmt.Errorf("%d members", len(team))
		}
		return err
	}},
	{"GET", wire.PathTasks, "Tasks.List", inInterface, "2026-11-21", func(ctx context.Context, w *world) error {
		return second(documents.TasksOf(w.c).List(ctx, w.documents(), documents.TaskFilter{}))
	}},
	{"PUT", wire.PathTaskAssignment, "Tasks.Assign", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			team, err := documents.TasksOf(w.c).Team(ctx)
			if err != nil {
				return err
			}
			return documents.TasksOf(w.c).Assign(ctx, w.documents(), w.task(), []string{team[0].ID, team[1].ID}, false)
		}},
	{"PUT", wire.PathTaskDeadline, "Tasks.SetDeadline", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return documents.TasksOf(w.c).SetDeadline(ctx, w.documents(), w.task(),
				time.Date(2031, 1, 1, 0, 0, 0, 0, time.UTC))
		}},

	// Software localization.
	{"POST", wire.PathImport, "Strings.StartImport", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(w.c.Strings().StartImport(ctx, jsonFile(w.keys(), "en", `{"hello":"Hello"}`)))
		}},
	{"GET", wire.PathImportResult, "Strings.ImportResult", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			id, err := w.c.Strings().StartImport(ctx, jsonFile(w.keys(), "en", `{"hello":"Hello"}`))
			if err != nil {
				return err
			}
			return second(w.c.Strings().WaitImport(ctx, id))
		}},
	{"GET", wire.PathImportResultV2, "", published, "2026-11-29",
		func(ctx context.Context, w *world) error {
			id, err := w.c.Strings().StartImport(ctx, jsonFile(w.keys(), "en", `{"hello":"Hello"}`))
			if err != nil {
				return err
			}
			return w.raw(ctx, "GET", strings.ReplaceAll(wire.PathImportResultV2, "{importId}", string(id)))
		}},
	{"POST", wire.PathExport, "Strings.StartExport", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			id, err := w.c.Strings().StartExport(ctx,
				service.ExportRequest{Project: w.keys(), Languages: []string{"de"}})
			if err != nil {
				return err
			}
			return closed(w.c.Strings().Download(ctx, id, ""))
		}},
	{"POST", wire.PathExportV1, "Strings.StartExportV1", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(w.c.Strings().StartExportV1(ctx, w.keys(), []string{"de"}))
		}},
	{"POST", wire.PathTargets, "Projects.AddTargets", inInterface, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.c.Projects().AddTargets(ctx, w.newKeys(), []string{"fr"})
		}},

	// Real-time translation, notification callbacks, storage.
	{"POST", wire.PathSmartTranslation, "Engines.Translate", named, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(memories.EnginesOf(w.c).Translate(ctx, memories.TranslateRequest{
				SourceLanguage: "en", TargetLanguages: []string{"de"}, Texts: []wire.TranslateText{{Text: "Hello"}},
				Profile: "11111111-2222-3333-4444-555555555555",
			}))
		}},
	{"POST", wire.PathCallback, "Callbacks.Set", named, "2026-11-21", func(ctx context.Context, w *world) error {
		return w.c.Callbacks().Set(ctx, service.Callback{URL: w.server.URL + "/nobody",
			AdditionalHeaders: []wire.CallbackHeader{{Name: "X-Secret", Value: "s"}}})
	}},
	{"GET", wire.PathCallback, "Callbacks.Read", published, "2026-11-21", func(ctx context.Context, w *world) error {
		got, err := w.c.Callbacks().Read(ctx)
		if err == nil && (got.URL != w.server.URL+"/nobody" || len(got.AdditionalHeaders) != 1) {
			err = fmt.Errorf("it is %+v", got)
		}
		return err
	}},
	{"GET", wire.PathCallbackLastErrors, "Callbacks.Errors", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return second(w.c.Callbacks().Errors(ctx, 10))
		}},
	{"DELETE", wire.PathCallback, "Callbacks.Delete", published, "2026-11-21",
		func(ctx context.Context, w *world) error { return w.c.Callbacks().Delete(ctx) }},
	{"PUT", wire.PathStorageFiles, "Storage.UploadFiles", named, "2026-11-21",
		func(ctx context.Context, w *world) error {
			stored, err := documents.StorageOf(w.c).UploadFiles(ctx, "in/box",
				[]service.File{content("a.txt", "A"), content("b.txt", "B")}, false)
			if err == nil && len(stored) != 2 {
				err = fmt.Errorf("stored %+v", stored)
			}
			return err
		}},
	{"PUT", wire.PathStorageFile, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			return w.upload(ctx, "PUT", wire.PathStorageFile+"in/"+url.PathEscape("ö ä.txt"), "c.txt", theText)
		}},
	{"GET", wire.PathStorageFile, "Storage.Download", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			var got bytes.Buffer
			_, err := documents.StorageOf(w.c).Download(ctx, "in/ö ä.txt", &got)
			if err == nil && got.String() != theText {
				err = fmt.Errorf("came back as %q", got.String())
			}
			return err
		}},
	{"GET", wire.PathStorageFileInfo, "", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			got, err := service.Get[documents.StoredFile](ctx, w.c, service.Call{Op: "read file info",
				Path: wire.PathStorageFileInfo + "in/" + url.PathEscape("ö ä.txt")})
			if err == nil && got.Size != int64(len(theText)) {
				err = fmt.Errorf("it is %+v", got)
			}
			return err
		}},
	{"GET", wire.PathStorageFileList, "Storage.List", published, "2026-11-21",
		func(ctx context.Context, w *world) error {
			got, err := documents.StorageOf(w.c).List(ctx, "in")
			if err == nil && len(got) != 3 {
				err = fmt.Errorf("there are %+v", got)
			}
			return err
		}},
	{"DELETE", wire.PathStorageFile, "Storage.Delete", published, "2026-11-21",
		func(ctx context.Context, w *world) error { return documents.StorageOf(w.c).Delete(ctx, "in/ö ä.txt") }},
}

// notYet are the operations that the embedded service does not have yet. It only shrinks: the test fails when one of
// them works, too.
var notYet []string

// around are the methods that make no operation of their own: they wait for one of the table, ask for more pages of it,
// or make none.
var around = []string{
	"Client.Offered", "Client.Own",
	"Client.Blocked", "Client.Budget", "Client.Callbacks", "Client.Close", "Client.Contact", "Client.Do",
	"Client.Format", "Client.Projects", "Client.Queued", "Client.ServiceTime", "Client.Strings",
	"Client.TryArchive", "Client.Wait", "Client.WaitArchive", "Documents.Download",
	"Documents.WaitAll", "Glossaries.Download", "Glossaries.WaitImport",
	"Projects.WithDocuments", "Projects.WithSome",
	"Statistics.ByDocument", "Statistics.Document", "Strings.Download", "Strings.Downloads",
	"Strings.TryDownload", "Strings.WaitImport", "Strings.WaitImports", "Tasks.Team",
}

const (
	theText   = "The first sentence. The second one.\n"
	theTerms  = "en,de\nbell,Glocke\n"
	theMemory = `<?xml version="1.0" encoding="utf-8"?>
<tmx version="1.4"><header creationtool="t" creationtoolversion="1" segtype="sentence" o-tmf="t" adminlang="en" srclang="en" datatype="plaintext"/><body>
<tu><tuv xml:lang="en"><seg>The first sentence.</seg></tuv><tuv xml:lang="de"><seg>Der erste Satz.</seg></tuv></tu>
</body></tmx>
`
)
