package pass

import (
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// Part is what a pass is narrowed to: languages of a pull, or files of a push. An empty one is the whole.
//
// What a pass of a part did is remembered text by text, as always. What only a whole pass can know is not touched: when
// the last one was and how it ended, what lasts, and that there is nothing to do.
type Part []string

// Whole reports whether nothing is left out.
func (p Part) Whole() bool { return len(p) == 0 }

// Has reports whether a language or a file belongs to the part.
func (p Part) Has(name string) bool { return p.Whole() || slices.Contains(p, name) }

// Languages are those that belong to the part.
func (p Part) Languages(all []config.Language) []config.Language {
	return slices.DeleteFunc(slices.Clone(all), func(l config.Language) bool { return !p.Has(l.Code) })
}

// Problems are those of the part; of says what a problem belongs to, "" for one that concerns any part.
func (p Part) Problems(all []report.Problem, of func(report.Problem) string) []report.Problem {
	return slices.DeleteFunc(all, func(x report.Problem) bool { return of(x) != "" && !p.Has(of(x)) })
}

// MergedAt remembers the commit of the translation branch that everything was merged into, which is also the last one
// that was looked at there. begun says that the branch was made anew, and that not all languages were merged since.
func (p Memory) MergedAt(tx ledger.Writer, commit string, begun bool) error {
	if commit != "" {
		if err := ledger.RecollectedAt.Put(tx, p.Scope, p.Branch, commit); err != nil {
			return err
		}
	}
	merged := commit
	if begun {
		merged = ledger.MergedAnew
	}
	if err := ledger.MergedAt.Put(tx, p.Scope, p.Branch, merged); err != nil {
		return err
	}
	return ledger.SeenAt.Put(tx, p.Scope, LookAt(p.Branch).Record(), commit)
}

// LanguageOf tells the target language that a problem of a project is about; "" where it concerns all of them.
func LanguageOf(p *config.Project) func(report.Problem) string {
	return func(x report.Problem) string {
		if x.Language == p.SourceLanguage {
			return ""
		}
		return x.Language
	}
}
