package imports

import (
	"fmt"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Import is one import: files of one collection, language and format, and what is remembered when the service
// accepted them.
type Import struct {
	request  service.ImportRequest
	Uploads  []bundle.Upload
	Remember []ledger.Destination       // beside each upload
	accepts  []catalog.Catalog          // beside each upload: what is remembered of it
	over     []func() []ledger.SentText // beside each upload: those of them that replace others
	texts    int
}

// mostTexts is how many texts one import has, unless a single file has more: what is remembered of an import while it
// is under way is one record, and what a service takes at once has its bounds too.
const mostTexts = 20_000

// Over is what is known of the texts that an upload is about to replace: the service's and the translation branch's.
// Where the latter is nil, nothing is to be brought there. Of a service that keeps its own, neither is known.
type Over struct {
	Service, Branch catalog.Marks
	Met             bool // the file was met before: texts that the service lacks count, too
}

// Texts are those of an upload that the service or the branch has otherwise.
func (o Over) Texts(accepts catalog.Catalog) (all []ledger.SentText) {
	for _, u := range accepts {
		s := ledger.SentText{Name: u.Name, Mark: catalog.MarkOf(u.Text), Before: o.Service[u.Name]}
		if o.Branch != nil && o.Branch[u.Name] != s.Mark {
			s.Text = u.Text
		}
		if (o.Met || s.Before != catalog.Mark{}) && s.Before != s.Mark || s.Text != "" {
			all = append(all, s)
		}
	}
	return all
}

// Batch gathers uploads into the fewest imports: one for each collection, language, format, state and set of labels,
// and another one where that would have too many texts.
type Batch struct {
	All   []*Import
	Bytes int // of what is uploaded
	index map[string]*Import
}

// Add puts an upload into an import of its kind. accepts are the texts of it that are remembered when it is accepted.
func (s *Batch) Add(
	req service.ImportRequest, up bundle.Upload, m ledger.Destination, accepts catalog.Catalog, over Over,
) {
	key := fmt.Sprintf("%q", []string{
		req.Collection, req.Language, string(req.Format), req.PathSeparator, string(req.CompletionState),
		string(req.Conflicts), fmt.Sprintf("%q %v", req.Labels, m.Further()),
	})
	if s.index == nil {
		s.index = make(map[string]*Import)
	}
	at := s.index[key]
	if at == nil || at.texts+len(up.Units) > mostTexts {
		at = &Import{request: req}
		s.index[key] = at
		s.All = append(s.All, at)
	}
	at.Uploads, at.texts = append(at.Uploads, up), at.texts+len(up.Units)
	s.Bytes += len(up.Body)
	at.Remember = append(at.Remember, m)
	at.accepts = append(at.accepts, accepts)
	replaced := func() []ledger.SentText { return over.Texts(accepts) }
	if !m.OfSource() { // what is known of a target file is let go of; of all sources it is one map
		texts := replaced()
		replaced = func() []ledger.SentText { return texts }
	}
	at.over = append(at.over, replaced)
}

// rounds are imports that may be under way at once: of one collection and language one at a time, since of two the
// older text could arrive last.
func rounds(all []*Import) [][]*Import {
	var rounds [][]*Import
	before := make(map[[2]string]int)
	for _, s := range all {
		bundle.Distinguish(s.Uploads)
		to := [2]string{s.request.Collection, s.request.Language}
		at := before[to]
		if before[to]++; at == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[at] = append(rounds[at], s)
	}
	return rounds
}

// Request is an import of a bundle's format as the configuration wants it (the contract: "What a push sends").
func Request(p *config.Project, b *bundle.Bundle, language, format, completion string) service.ImportRequest {
	return service.ImportRequest{
		Project: p.ID, Collection: b.Collection, Language: language,
		Format: service.Format(format), PathSeparator: b.Separator, Labels: b.Labels,
		CompletionState: service.CompletionState(completion),
		Conflicts:       service.Conflicts(p.Push.Conflicts),
	}
}
