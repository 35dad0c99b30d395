package transfer

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/wire"
)

// SentDocument is what became of one file.
type SentDocument struct {
	Path   string   `json:"path"`
	Action string   `json:"action"` // added, updated, unchanged, failed
	IDs    []string `json:"ids"`    // one for each target language
	Error  string   `json:"error,omitempty"`
}

// DocumentsSent is what became of the files of a push.
type DocumentsSent struct {
	Project   string         `json:"project"`
	Documents []SentDocument `json:"documents"`
}

// Actions of a push.
const (
	added     = "added"
	updated   = "updated"
	unchanged = "unchanged"
	// Failed is the action of a file that the service did not take.
	Failed = "failed"
)

// together is how many files travel in one request.
const together = 20

// push is one push under way.
type push struct {
	Transfer
	model   service.DocumentModel // what is said of every file
	notes   *notes
	there   map[string][]documents.Document // by path
	sent    DocumentsSent
	pending map[string]int // documents that may not be taken apart yet, by their index in sent
	// perLanguage says that the service has no update of a document in all languages at once.
	perLanguage bool
}

// Push adds files as documents, or replaces those of the same path that changed, and waits until the service has taken
// them apart. The model is what is said of every file: its languages, and how it is taken apart.
func (t Transfer) Push(ctx context.Context, paths []string, model service.DocumentModel) (DocumentsSent, error) {
	p := &push{Transfer: t, model: model, notes: newNotes(), there: map[string][]documents.Document{},
		pending: map[string]int{}, sent: DocumentsSent{Project: t.Project, Documents: []SentDocument{}}}
	versions, err := versionsOf(paths)
	if err != nil {
		return p.sent, err
	}
	wanted := map[string]bool{}
	for _, v := range versions {
		wanted[v.name] = true
	}
	project, err := t.Client.Projects().WithSome(ctx, t.Project, func(doc *documents.Document) bool {
		slim(doc)
		p.notes.sees(doc)
		return wanted[PathOf(*doc)]
	})
	if err != nil {
		return p.sent, err
	}
	for _, doc := range project.Documents {
		path := PathOf(doc)
		p.there[path] = append(p.there[path], doc)
	}
	var fresh, changed []int
	for i, v := range versions {
		one := SentDocument{Path: v.name, Action: p.actionFor(v)}
		for _, doc := range p.there[v.name] {
			one.IDs = append(one.IDs, doc.ID)
		}
		p.sent.Documents = append(p.sent.Documents, one)
		switch one.Action {
		case added:
			fresh = append(fresh, i)
		case updated:
			changed = append(changed, i)
		}
	}
	if err := p.update(ctx, versions, changed); err != nil {
		return p.sent, err
	}
	done := 0
	for some := range slices.Chunk(fresh, together) {
		t.Show(report.Doing{What: "sending new documents", Done: int64(done), Total: int64(len(fresh))})
		if err := p.add(ctx, versions, some); err != nil {
			return p.sent, err
		}
		done += len(some)
	}
	return p.sent, p.takenApart(ctx)
}

// actionFor is what has to be done with a file.
func (p *push) actionFor(v fileVersion) string {
	action := added
	for _, doc := range p.there[v.name] {
		if id, _ := wire.SplitDocumentID(doc.ID); !p.notes.says(id, v.digest) {
			return updated
		}
		action = unchanged
	}
	return action
}

// received keeps which documents are still being taken apart, and names those that cannot be.
func (p *push) received(i int, doc documents.Document) {
	delete(p.pending, doc.ID)
	switch doc.DocumentDisassemblyStatus {
	case wire.DisassemblySuccess:
	case wire.DisassemblyError:
		p.sent.Documents[i].Action, p.sent.Documents[i].Error = Failed, documents.Broken(doc).Error()
	default:
		p.pending[doc.ID] = i
	}
}

// takenApart waits until the service has taken apart what was sent.
func (p *push) takenApart(ctx context.Context) error {
	if len(p.pending) == 0 {
		return nil
	}
	p.Show(report.Doing{What: "waiting until the service has taken them apart"})
	ctx, cancel := p.Patient(ctx)
	defer cancel()
	var ids []string
	for id := range p.pending {
		ids = append(ids, id)
	}
	records, err := documents.Of(p.Client).WaitAll(ctx, p.Project, ids)
	for _, doc := range records {
		if i, is := p.pending[doc.ID]; is {
			p.received(i, doc)
		}
	}
	return err
}

// add adds files in one request. Where the service refuses that, each gets one of its own, so that only those files
// stay out that it does not want.
func (p *push) add(ctx context.Context, versions []fileVersion, some []int) error {
	records, err := p.addTogether(ctx, versions, some)
	switch {
	case errors.Is(err, service.ErrRefused) && len(some) > 1:
		for i := range some {
			if err := p.add(ctx, versions, some[i:i+1]); err != nil {
				return err
			}
		}
		return nil
	case errors.Is(err, service.ErrRefused):
		p.sent.Documents[some[0]].Action, p.sent.Documents[some[0]].Error = Failed, err.Error()
		return nil
	case err != nil:
		return err
	}
	for _, r := range records {
		path := PathOf(r)
		if i := slices.IndexFunc(p.sent.Documents, func(s SentDocument) bool { return s.Path == path }); i >= 0 {
			p.sent.Documents[i].IDs = append(p.sent.Documents[i].IDs, r.ID)
			p.received(i, r)
		}
	}
	return nil
}

// addTogether is the one request; the files are open during it only.
func (p *push) addTogether(ctx context.Context, versions []fileVersion, some []int) ([]documents.Document, error) {
	var all []service.NewDocument
	for _, i := range some {
		content, f, err := Open(versions[i].path, versions[i].name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		model := p.model
		model.ExternalID, model.MetaInfo = versions[i].name, ownNote+versions[i].digest
		all = append(all, service.NewDocument{File: content, Model: model})
	}
	return documents.Of(p.Client).Add(ctx, p.Project, all)
}

// update replaces documents by new versions, and notes that at the service.
func (p *push) update(ctx context.Context, versions []fileVersion, changed []int) error {
	for _, i := range changed {
		for _, doc := range p.there[versions[i].name] {
			if doc.DocumentDisassemblyStatus == wire.DisassemblyInProgress {
				p.pending[doc.ID] = i
			}
		}
	}
	// One that is still being taken apart cannot be updated; one that could not be is what an update mends.
	if err := p.takenApart(ctx); err != nil {
		return err
	}
	done := 0
	for some := range slices.Chunk(changed, inOneNote) {
		var ids []string
		digests := map[string]string{}
		var failed error
		for _, i := range some {
			p.Show(report.Doing{What: "sending changed documents", Done: int64(done), Total: int64(len(changed))})
			var replaced []string
			if replaced, failed = p.replace(ctx, i, versions[i]); failed != nil {
				failed = fmt.Errorf("%s: %w", versions[i].path, failed)
				break
			}
			for _, id := range replaced {
				ids, digests[id] = append(ids, id), versions[i].digest
			}
			done++
		}
		// After the updates: when this is lost, the next push sends the same versions again, which does no harm.
		if err := p.note(ctx, ids, digests); err != nil || failed != nil {
			return errors.Join(failed, err)
		}
	}
	return nil
}

// note writes down of which files documents are made now.
func (p *push) note(ctx context.Context, ids []string, digests map[string]string) error {
	for _, n := range p.notes.plan(ids, digests) {
		if err := documents.Of(p.Client).SetMetaInfo(ctx, n.document, n.text); err != nil {
			return err
		}
	}
	return nil
}

// replace replaces the documents of one path that are not this version yet, and returns their identifiers without a
// language. What the service refuses is told of the file.
func (p *push) replace(ctx context.Context, i int, v fileVersion) ([]string, error) {
	one := &p.sent.Documents[i]
	one.Action, one.Error = updated, "" // whatever became of the former version
	byID := map[string][]string{}
	var order, done []string
	for _, doc := range p.there[v.name] {
		id, _ := wire.SplitDocumentID(doc.ID)
		if byID[id] == nil && !p.notes.says(id, v.digest) {
			order = append(order, id)
		}
		byID[id] = append(byID[id], doc.ID)
	}
	for _, id := range order {
		records, err := p.replaceDocument(ctx, byID[id], v)
		switch {
		case errors.Is(err, service.ErrRefused):
			one.Action, one.Error = Failed, err.Error()
			return done, nil
		case err != nil:
			return done, err
		}
		done = append(done, id)
		for _, doc := range records {
			p.received(i, doc)
		}
	}
	return done, nil
}

// replaceDocument replaces one document in all of its languages: in one request where the service can do that.
func (p *push) replaceDocument(ctx context.Context, ids []string, v fileVersion) ([]documents.Document, error) {
	content, f, err := Open(v.path, v.name)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	model := documents.DocumentUpdateModel{BilingualSettings: p.model.BilingualSettings,
		EnablePlaceholders: p.model.EnablePlaceholders}
	if !p.perLanguage {
		records, err := documents.Of(p.Client).UpdateAll(ctx, ids[0], content, model)
		if !service.Missing(err) {
			return records, err
		}
		p.perLanguage = true
	}
	var all []documents.Document
	for _, id := range ids {
		if _, err := f.Seek(0, 0); err != nil {
			return all, err
		}
		records, err := documents.Of(p.Client).Update(ctx, id, content, model)
		if err != nil {
			return all, fmt.Errorf("%s: %w", id, err)
		}
		all = append(all, records...)
	}
	return all, nil
}
