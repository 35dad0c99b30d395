package pass

import (
	"context"
	"errors"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
)

// Below asks what the service has of groups in the state in which texts were sent lately, where pulls ask for a higher
// one: what a late request puts over others would be seen by none. news has the groups in which it is another text than
// the accepted one.
func (p *Branch) Below(
	ctx context.Context, t *tree.Tree, groups []*bundle.Group, languages []config.Language,
) (answers []*Exported, news map[*bundle.Group]bool, err error) {
	state, pulled := p.Project.Push.CompletionState, service.CompletionState(p.Project.Pull.CompletionState)
	if service.LeastState(service.CompletionState(state), pulled) == pulled {
		return nil, nil, nil
	}
	stored, err := ledger.Outgoing.List(p.Ledger, p.StateName())
	unanswered, uerr := p.Memory().Unanswered(p.Now())
	err = errors.Join(err, uerr)
	if err != nil || len(stored)+len(unanswered) == 0 {
		return nil, nil, err
	}
	var asks []ExportAsk
	for _, g := range groups {
		ask := ExportAsk{Group: g, Completion: state, first: true, Spooled: true, Wanted: t.Wanted(g)}
		targets, err := bundle.Existing(t.FS, g.Bundles, languages)
		if err != nil {
			return nil, nil, err
		}
		for _, x := range targets {
			id := ledger.TargetID(x.Path, x.Language.Code)
			accepted, err := p.Memory().Accepted(id)
			if err != nil {
				return nil, nil, err
			}
			if len(accepted.recent(p.Now()))+len(unanswered[id]) > 0 && !slices.Contains(ask.Languages, x.Language) {
				ask.Languages = append(ask.Languages, x.Language)
			}
		}
		if len(ask.Languages) > 0 {
			asks = append(asks, ask)
		}
	}
	answers, err = p.ExportAll(ctx, asks)
	if err != nil {
		return nil, nil, err
	}
	news = make(map[*bundle.Group]bool)
	for _, answer := range answers {
		for _, x := range answer.Targets(answer.Group) {
			other, err := p.belowOther(x, unanswered[ledger.TargetID(x.Path, x.Language.Code)])
			if err != nil {
				return answers, nil, err
			}
			news[answer.Group] = news[answer.Group] || other
		}
	}
	return answers, news, nil
}

// belowOther reports whether the service has another text of a file than one that it accepted lately, or one that was
// sent without an answer.
func (p *Branch) belowOther(x Translated, unanswered []UnansweredTexts) (bool, error) {
	accepted, err := p.Memory().Accepted(ledger.TargetID(x.Path, x.Language.Code))
	recent := accepted.recent(p.Now())
	if err != nil || len(recent)+len(unanswered) == 0 {
		return false, err
	}
	texts, err := x.All()
	for n, is := range texts.Marks() {
		mark, accepted := recent[n]
		if accepted && mark != is || holds(unanswered, n, is) {
			return true, err
		}
	}
	return false, err
}
