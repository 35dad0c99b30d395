package examine

import (
	"maps"
	"slices"
	"strings"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/check"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/plural"
	"github.com/locsync/locsync/sync/spelling"
)

// Forms checks the forms of a plural, those that are there only as a blank left out.
func Forms(b *bundle.Bundle, l config.Language, key string, source, forms map[string]string) []check.Finding {
	in := check.Plural{Source: slices.Collect(maps.Keys(source)), Language: l.Code, SourceLanguage: b.Source.Code,
		Skip: Skips(b, key)}
	for form, text := range forms {
		if text != "" {
			in.Forms = append(in.Forms, form)
		}
	}
	return check.Forms(in)
}

// LackingForms are the plurals of a file of translations that lack forms, by the key of a form that is there:
// Android's, and those of Rails' maps for which Rails would raise an error. By which rules other programs choose
// among keys is not known.
func LackingForms(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog) map[string]check.Finding {
	lacks := make(map[string]check.Finding)
	of := spelling.Of(source)
	for key, s := range spelling.Of(texts) {
		if s.Forms == nil || of[key].Forms == nil {
			continue
		}
		for _, f := range Forms(b, l, key, of[key].Forms, s.Forms) {
			lacks[key] = f
		}
	}
	if b.Format.Name != Rails {
		return lacks
	}
	for _, m := range RailsMaps(b, l, source, texts) {
		lacks[m.first] = m.Finding
	}
	return lacks
}

// RailsMap is a plural of Rails that lacks forms: the source's key for "other", and the first key that is there.
type RailsMap struct {
	Other, first string
	check.Finding
}

// RailsMaps are the plurals of texts for which Rails would raise an error. It takes "zero" for 0 where that is there.
func RailsMaps(b *bundle.Bundle, l config.Language, source, texts catalog.Catalog) (all []RailsMap) {
	of := spelling.PluralsIn(source, b.Separator, b.Source.Code)
	at := make(map[string]int)
	var forms []check.Plural
	for _, u := range texts {
		other := of.MapOf(u.Key)
		if other == "" && of.Others[strings.TrimSuffix(u.Key, plural.Other)].Key == u.Key {
			other = u.Key
		}
		if other == "" || u.Text == "" {
			continue
		}
		i, ok := at[other]
		if !ok {
			i = len(all)
			at[other] = i
			all = append(all, RailsMap{Other: other, first: u.Key})
			forms = append(forms, check.Plural{Source: []string{plural.Other}, Language: l.Code,
				SourceLanguage: b.Source.Code, Skip: Skips(b, u.Key)})
		}
		forms[i].Forms = append(forms[i].Forms, strings.TrimPrefix(u.Key, strings.TrimSuffix(other, plural.Other)))
	}
	kept := all[:0]
	for i, m := range all {
		if found := check.Breaking(check.Forms(forms[i])); len(found) > 0 {
			m.Finding = found[0]
			kept = append(kept, m)
		}
	}
	return kept
}

// Rails is the format of Rails' files, in which plurals are maps.
const Rails = "structured-yaml"
