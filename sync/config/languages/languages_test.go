package languages

import (
	"slices"
	"strings"
	"testing"
)

func TestWellFormed(t *testing.T) {
	for code, want := range map[string]bool{
		"en": true, "pt-BR": true, "zh-Hans-CN": true, "az-AZ": true, "ckb": true, "nds-NL": true, "isv-Latn": true, "en-001": true, "ca-valencia": true, "be-tarask": true,
		"cbk-zam": true, "de-1996": true, "zh-Latn-pinyin": true, "hy-arevela": true, "en-u-ca-buddhist": true,
		"x-pirate": true, "EN": true, "sr-CS": true, "zh-cmn-Hans": true,
		"": false, "e": false, "english": false, "pt_BR": false, "pt-": false, "-BR": false, "en-": false, "xx": false,
		"zz-ZZ": false, "not-a-language": false, "de DE": false, "en-$": false,
		"en-" + strings.Repeat("a", 9): false, "en" + strings.Repeat("-abcde", 20): false, "ün": false,
	} {
		if got := WellFormed(code); got != want {
			t.Errorf("%q: well formed %v, want %v", code, got, want)
		}
	}
	for _, l := range All() {
		if !WellFormed(l.Code) {
			t.Errorf("%s of the table is not well formed", l.Code)
		}
	}
}

// What to write instead depends on the codes beside it: none of them is proposed.
func TestReplacementsOfLanguageCodes(t *testing.T) {
	for _, c := range []struct{ code, others, want string }{
		{"az-AZ", "de", "az"}, {"kk-KZ", "", "kk"}, {"pa-IN", "", "pa"}, {"my-MM", "", "my"}, {"nn-NO", "nb-NO",
			"nn"}, {"uz-UZ", "", "uz"}, {"si-LK", "", "si"},
		{"pa-PK", "pa", "pa-Arab"}, {"sr-CS", "", "sr"}, {"sr-CS", "sr", ""}, {"sr-Cyrl-RS", "sr-Latn-RS", "sr-Cyrl"},
		{"sr-Latn-RS", "", "sr-Latn"}, {"kk-Cyrl", "", "kk"},
		{"tt-Latn", "", ""}, {"be-Latn", "be", ""}, {"en-001", "de", "en"}, {"en-Shaw", "", ""},
		{"zh", "", "zh-Hans"}, {"zh", "zh-Hant", "zh-Hans"}, {"zh", "zh-Hans", "zh-Hant"},
		{"zh", "zh-Hans-CN", "zh-Hant"}, {"zh", "zh-Hans zh-Hant", ""}, {"zh-TW", "", "zh-Hant-TW"},
		{"ckb", "", "ckb-Arab"}, {"sat", "", ""}, {"gsw", "", ""}, {"nds", "", ""}, {"isv-Latn", "", ""},
		{"x-pirate", "", ""}, {"iw", "", "he"}, {"in", "", "id"}, {"mo", "", "ro-MD"},
		{"en-PT", "en-US de", ""}, {"en-PT", "de", "en"}, {"en-PT", "en-GB", ""},
		{"ja-KS", "ja", ""}, {"tw", "ak", "tw-Latn"},
		{"zh", "zh-Hant-TW", "zh-Hans"}, {"sr-CS", "sr-Latn", "sr"}, {"es-LA", "es-ES", ""}, {"ko-KP", "ko-KP", "ko"},
		{"kab-KAB", "", "kab"}, {"es-formal", "es", ""}, {"ca-valencia", "", ""}, {"be-tarask", "", ""}, {"en", "", ""},
		{"pt-br", "", ""}, {"no", "", ""},
	} {
		if got := Instead(c.code, strings.Fields(c.others)); got != c.want {
			t.Errorf("instead of %s beside %q: %q, want %q", c.code, c.others, got, c.want)
		}
	}
	if got := Alternatives("sat", []string{"sat-Latn"}); !slices.Equal(got,
		[]string{"sat-Beng", "sat-Olck", "sat-Orya"}) {
		t.Errorf("of sat there are %v", got)
	}
	if got := Alternatives("ja-KS", []string{"ja"}); len(got) > 0 {
		t.Errorf("of ja-KS there are %v", got)
	}
}

func TestOfCountry(t *testing.T) {
	for _, c := range [][3]string{
		{"tw", "設定 Wi-Fi", "zh-Hant"}, {"tw", "Nkaebɔ", ""}, {"kr", "창 닫기", "ko"}, {"kr", "Kitawu", ""}, {"am",
			"Կարգավորումներ", "hy"},
		{"am", "ቅንብሮች", ""}, {"de", "設定", ""}, {"tt", "Könlälär", ""}, {"sr", "Podešavanja", ""}, {"zh", "設定", ""},
		{"xx", "設定", ""}, {"tw", "", ""},
		{"sa", "الإعدادات", "ar"}, {"ug", "تەڭشەك", ""},
	} {
		if got := OfCountry(c[0], c[1]); got != c[2] {
			t.Errorf("%s with %q is %q, want %q", c[0], c[1], got, c[2])
		}
	}
}
