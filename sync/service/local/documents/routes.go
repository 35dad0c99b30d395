package documents

import (
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/jobs"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
)

// New adds the jobs of documents to a runner. They keep their order in one queue: a document is
// written after the translations that were accepted before.
func New(st *store.Store, jobs *jobs.Runner, q *jobs.Queue, pseudo bool, engines *machine.Engines,
	log *zap.Logger) *Service {
	s := &Service{st, jobs, pseudo, translator{engines, log}}
	jobs.Handle(store.KindDocumentExport, q, s.runDocumentExport, nil)
	jobs.Handle(store.KindPretranslation, q, s.runPretranslation, dropPretranslation)
	jobs.Handle(store.KindTranslation, q, s.runTranslation, nil)
	return s
}

// Routes are the calls that are answered here, by path.
func (s *Service) Routes() map[string]api.Methods {
	return map[string]api.Methods{
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
		wire.PathEngines:                 {"GET": s.getEngines, "POST": s.setEngines},
		wire.PathEnginesAvailable:        {"GET": s.availableEngines},
		wire.PathPretranslationRules: {"GET": s.getPretranslationRules, "POST": s.setPretranslationRules,
			"PUT": s.setPretranslationRules},
	}
}
