package push

import (
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/spelling"
)

// eachKind calls send with the texts of keys that the service has, then with further forms of plurals that it may not
// have: these travel in an import of their own, because its result counts what had no source text, and names none.
func (r *pushing) eachKind(
	target bundle.Target, sent, theirs catalog.Catalog, send func(sent catalog.Catalog, further bool) error,
) error {
	source, ok := r.tree.SourceTexts(target)
	if !ok {
		return send(sent, false)
	}
	keys := source.Keys()
	maps.Copy(keys, theirs.Keys()) // what it has translated it has a source text for
	known := sent.Restrict(keys)
	if err := send(known, false); err != nil || len(known) == len(sent) {
		return err
	}
	declined, err := r.branch.Ledger.Marks(r.branch.Slot(ledger.Further, target.Path, target.Language.Code))
	if err != nil {
		return err
	}
	return send(slices.DeleteFunc(slices.Clone(sent), func(u catalog.Unit) bool {
		return keys[u.Key] || declined.Has(u.Name, u.Text) && !r.o.All
	}), true)
}

// furtherProblem names what the service left out since the source lacks it. It is not sent again until it is changed.
func (r *pushing) furtherProblem(f ledger.JobFile, language string) report.Problem {
	var forms, singles []string
	for _, u := range f.Units {
		if spelling.MayBeForm(u.Key, "") {
			forms = append(forms, u.Key)
		} else {
			singles = append(singles, u.Key)
		}
	}
	var what, advice []string
	if len(forms) > 0 {
		what = append(what, "plural forms that only this language has ("+strings.Join(forms, ", ")+")")
		advice = append(advice, "To have the forms translated at the service, write them into the source file as well")
	}
	if len(singles) > 0 {
		what = append(what, "texts that only this language has in the place of a plural ("+strings.Join(singles, ", ")+")")
		advice = append(advice, "To have the plurals translated at the service, write their forms in the place of the single texts")
	}
	p := report.Problem{Code: report.CodeService, File: f.Memory.Path, Language: language,
		Problem: "the service has no source text for " + strings.Join(what, " and ") +
			"; they stay in the repository. " + strings.Join(advice, ". ")}
	if r.met[ledger.TargetID(f.Memory.Path, language)] {
		p.Severity = report.Warning
	}
	return p
}
