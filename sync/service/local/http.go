package local

import (
	"encoding/json"
	"fmt"
	"maps"
	"net/http"
	"path"
	"runtime/debug"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/wire"
)

// call is one request on its way through a handler.
type call struct {
	*http.Request
	w       http.ResponseWriter
	params  params
	service *Service
	held    int64 // bytes of the body that are in memory
}

// json answers with a JSON value.
func (c *call) json(status int, value any) error {
	body, err := json.Marshal(value)
	if err != nil {
		return err
	}
	c.w.Header().Set("Content-Type", "application/json")
	c.w.WriteHeader(status)
	c.w.Write(body)
	return nil
}

// empty answers without a body.
func (c *call) empty(status int) error {
	c.w.WriteHeader(status)
	return nil
}

// methods are the handlers of one path by HTTP method. A handler that returns an error has not answered.
type methods map[string]func(*call) error

// ServeHTTP answers a call. In this order: the fault that a test wants, the path, the credentials, the account's type, the rate limit, the
// call itself.
func (s *Service) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	began := time.Now()
	seen := &statusWriter{ResponseWriter: w}
	if s.o.Faults == nil {
		s.serve(seen, r)
	} else {
		s.serveWithFault(seen, r, s.o.Faults(r))
	}
	s.log.Debug("call", zap.String("method", r.Method), zap.String("path", r.URL.Path), zap.Int("status", seen.status), zap.Duration("took", time.Since(began)))
}

func (s *Service) serve(w http.ResponseWriter, r *http.Request) {
	defer func() {
		if p := recover(); p == http.ErrAbortHandler {
			panic(p)
		} else if p != nil {
			s.answerError(w, r, fmt.Errorf("panic: %v\n%s", p, debug.Stack()))
		}
	}()
	climbs := slices.Contains(strings.Split(r.URL.Path, "/"), "..")
	r = withPlainPath(r)
	if err := s.admit(r); err != nil {
		s.answerError(w, r, err)
		return
	}
	if climbs {
		s.answerError(w, r, refuse(http.StatusBadRequest, "the path has a .. element; write it out"))
		return
	}
	if h := s.routes.find(r, r.URL.Path); h != nil {
		h.ServeHTTP(w, r)
		return
	}
	s.answerError(w, r, refuse(http.StatusNotFound, "there is nothing at %s; the service's paths begin with %s", r.URL.Path, wire.Prefix))
}

// statusWriter remembers the status for the log.
type statusWriter struct {
	http.ResponseWriter
	status int
}

func (w *statusWriter) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
	w.ResponseWriter.WriteHeader(status)
}

func (w *statusWriter) Unwrap() http.ResponseWriter { return w.ResponseWriter }

// withPlainPath collapses double slashes and drops the one at the end, so that such paths are answered rather than redirected: clients
// do not repeat the body of a redirected call.
func withPlainPath(r *http.Request) *http.Request {
	plain := path.Clean("/" + r.URL.Path)
	if plain == r.URL.Path && r.URL.RawPath == "" {
		return r
	}
	r2 := *r
	u := *r.URL
	u.Path, u.RawPath = plain, ""
	r2.URL = &u
	return &r2
}

// table is everything that is served, by path.
func (s *Service) table() map[string]methods {
	return map[string]methods{
		wire.PathAccount:         {"GET": s.getAccount},
		wire.PathDirectory:       {"GET": s.getDirectory},
		wire.PathDirectoryV1:     {"GET": s.getDirectory},
		wire.PathProjectCreate:   {"POST": s.createProject},
		wire.PathProjectList:     {"GET": s.listProjects},
		wire.PathProjectListV1:   {"GET": s.listProjectsV1},
		wire.PathProject:         {"GET": s.getProject, "PUT": s.updateProject, "DELETE": s.deleteProject},
		wire.PathProjectComplete: {"POST": s.completeProject},
		wire.PathProjectCancel:   {"POST": s.cancelProject},
		wire.PathProjectRestore:  {"POST": s.restoreProject},
		wire.PathProjectLanguage: {"POST": s.addLanguage, "DELETE": s.removeLanguage},
		wire.PathTargets:         {"POST": s.addTargets},
		wire.PathImport:          {"POST": s.startImport},
		wire.PathImportResult:    {"GET": s.importResult},
		wire.PathExport:          {"POST": s.startExport},
		wire.PathExportV1:        {"POST": s.startExportV1},
		wire.PathDownload:        {"GET": s.download},
		wire.PathCallback:        {"GET": s.getCallback, "POST": s.setCallback, "DELETE": s.deleteCallback},

		wire.PathCallbackLastErrors: {"GET": s.lastCallbackErrors},
		wire.PathGlossaries:         {"GET": s.listGlossaries, "POST": s.createGlossary},
		wire.PathGlossariesDefault:  {"GET": s.defaultGlossary},
		wire.PathProjectGlossaries:  {"GET": s.projectGlossaries, "PUT": s.attachGlossaries},
		wire.PathGlossaryImport:     {"POST": s.startGlossaryImport},
		wire.PathGlossaryExport:     {"POST": s.startGlossaryExport},
		wire.PathTeam:               {"POST": s.searchTeam},

		wire.PathProjectDocument:         {"POST": s.addDocuments},
		wire.PathDocument:                {"GET": s.getDocument, "POST": s.addDocuments, "DELETE": s.deleteDocuments},
		wire.PathDocumentUpdate:          {"PUT": s.updateDocument},
		wire.PathDocumentUpdateV2:        {"PUT": s.updateDocument},
		wire.PathDocumentRename:          {"PUT": s.renameDocument},
		wire.PathDocumentMetaInfo:        {"PUT": s.updateMetaInfo},
		wire.PathDocumentComplete:        {"POST": s.completeDocument},
		wire.PathDocumentTranslate:       {"PUT": s.translateDocument},
		wire.PathDocumentTranslateStatus: {"GET": s.translationStatus},
		wire.PathDocumentTranslateResult: {"GET": s.translationResult},
		wire.PathDocumentTranslateXLIFF:  {"PUT": s.translateWithXLIFF},
		wire.PathDocumentExport:          {"POST": s.exportDocuments},
		wire.PathDirectoryFormats:        {"GET": s.listFormats},

		wire.PathDocumentStatistics:      {"GET": s.documentStatistics},
		wire.PathProjectStatistics:       {"GET": s.projectStatistics},
		wire.PathProjectStatisticsV2:     {"GET": s.projectStatisticsV2},
		wire.PathProjectStatisticsBuild:  {"POST": s.rebuildStatistics},
		wire.PathFuzzyRepetitions:        {"PUT": s.setFuzzyRepetitions},
		wire.PathCompletedWorkStatistics: {"GET": s.completedWork},

		wire.PathEngines:                   {"GET": s.getEngines, "POST": s.setEngines},
		wire.PathEnginesAvailable:          {"GET": s.availableEngines},
		wire.PathMemories:                  {"GET": s.listMemories, "POST": s.newMemory},
		wire.PathMemory:                    {"POST": s.importMemory, "DELETE": s.deleteMemory},
		wire.PathMemoryFile:                {"GET": s.exportMemory},
		wire.PathProjectMemories:           {"GET": s.getProjectMemories, "POST": s.setProjectMemories},
		wire.PathProjectMemoriesByLanguage: {"POST": s.setProjectMemoriesByLanguage},
		wire.PathPretranslationRules:       {"GET": s.getPretranslationRules, "POST": s.setPretranslationRules, "PUT": s.setPretranslationRules},

		wire.PathTasks:          {"GET": s.listTasks},
		wire.PathTaskAssignment: {"PUT": s.assignTask},
		wire.PathTaskDeadline:   {"PUT": s.setTaskDeadline},

		wire.PathSmartTranslation: {"POST": s.translate},
		wire.PathStorageFiles:     {"PUT": s.putFiles},
		wire.PathStorageFile:      {"PUT": s.putFile, "GET": s.getFile, "DELETE": s.deleteFile},
		wire.PathStorageFileInfo:  {"GET": s.fileInfo},
		wire.PathStorageFileList:  {"GET": s.listFiles},

		wire.PathProjectGlossaryDefault: {"GET": s.projectDefaultGlossary},
		wire.PathGlossaryImportState:    {"GET": s.glossaryImportState},
		wire.PathGlossaryExportPending:  {"GET": s.glossaryExports},
		wire.PathGlossaryExportResult:   {"GET": s.downloadGlossary},
	}
}

// newRoutes finds what is in the table.
func (s *Service) newRoutes() *router {
	t := &router{}
	for pattern, m := range s.table() {
		t.handle(wire.Prefix+pattern, s.route(m))
	}
	t.handle(wire.ResultPrefix+wire.PathImportResult, s.route(methods{"GET": s.importResult}))
	return t
}

// route answers the calls of one path.
func (s *Service) route(m methods) http.Handler {
	allowed := slices.Sorted(maps.Keys(m))
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		do, ok := m[method]
		if !ok {
			s.answerError(w, r, &problem{status: http.StatusMethodNotAllowed, allow: allowed, detail: r.Method + " is not for this path; it takes " + strings.Join(allowed, ", ")})
			return
		}
		q, err := readParams(r)
		if err == nil {
			c := &call{Request: r, w: w, params: q, service: s}
			defer c.release()
			err = do(c)
		}
		if err != nil {
			s.answerError(w, r, err)
		}
	})
}
