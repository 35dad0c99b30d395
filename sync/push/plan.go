package push

import (
	"fmt"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/service"
)

// shipment is one import: files of one collection, language and format, and what is remembered when the service
// accepted them.
type shipment struct {
	request  service.ImportRequest
	uploads  []bundle.Upload
	remember []ledger.Destination // beside each upload
	accepts  []catalog.Catalog    // beside each upload: what is remembered of it
}

// shipping gathers uploads into the fewest imports: one for each collection, language, format, state and set of labels.
type shipping struct {
	shipments []*shipment
	index     map[string]*shipment
}

// add puts an upload into an import of its kind. accepts are the texts of it that are remembered when it is accepted.
func (s *shipping) add(req service.ImportRequest, up bundle.Upload, m ledger.Destination, accepts catalog.Catalog) {
	key := fmt.Sprintf("%q", []string{
		req.Collection, req.Language, string(req.Format), req.PathSeparator, string(req.CompletionState),
		string(req.Conflicts), fmt.Sprintf("%q %v", req.Labels, m.Further()),
	})
	if s.index == nil {
		s.index = make(map[string]*shipment)
	}
	at := s.index[key]
	if at == nil {
		at = &shipment{request: req}
		s.index[key] = at
		s.shipments = append(s.shipments, at)
	}
	at.uploads = append(at.uploads, up)
	at.remember = append(at.remember, m)
	at.accepts = append(at.accepts, accepts)
}

// rounds are imports that may be under way at once: of one collection and language one at a time, since of two the
// older text could arrive last.
func rounds(all []*shipment) [][]*shipment {
	var rounds [][]*shipment
	before := make(map[[2]string]int)
	for _, s := range all {
		bundle.Distinguish(s.uploads)
		to := [2]string{s.request.Collection, s.request.Language}
		at := before[to]
		if before[to]++; at == len(rounds) {
			rounds = append(rounds, nil)
		}
		rounds[at] = append(rounds[at], s)
	}
	return rounds
}

// request is an import of a bundle's format as the configuration wants it (the contract: "What a push sends").
func request(p *config.Project, b *bundle.Bundle, language, format, completion string) service.ImportRequest {
	return service.ImportRequest{
		Project: p.ID, Collection: b.Collection, Language: language,
		Format: service.Format(format), PathSeparator: b.Separator, Labels: b.Labels,
		CompletionState: service.CompletionState(completion),
		Conflicts:       service.Conflicts(p.Push.Conflicts),
	}
}
