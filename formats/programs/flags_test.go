package programs

import "testing"

func TestFlagged(t *testing.T) {
	row := Programs{Named: true, Categories: true}
	by := func(r Reader) Programs {
		with := row
		with.Reader, with.Because = r, "the flag "+string(r)+"-format"
		return with
	}
	for flags, want := range map[string]Programs{
		"":                              row,
		"fuzzy":                         row,
		"python-format, range: 0..9":    by(Python),
		"c-format":                      by(CFormat),
		" fuzzy, c-format":              by(CFormat),
		"no-c-format":                   {Printf: None, Named: true, Categories: true},
		"no-c-format,python-format":     by(Python),
		"python-brace-format":           by(PythonBrace),
		"java-format":                   by(JavaMessage),
		"java-printf-format":            by(JavaPrintf),
		"objc-format":                   by(ObjC),
		"kde-kuit-format":               by(KUIT),
		"rust-format":                   {Printf: None, Named: true, Categories: true},
		"gcc-internal-format":           by(GCC),
		"scheme-format, no-wrap, other": by(Scheme),
	} {
		if got := row.Flagged(flags); got != want {
			t.Errorf("%q: %+v, want %+v", flags, got, want)
		}
	}
}
