package local

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

func TestRealtimeTranslation(t *testing.T) {
	s := serve(t, Options{})
	var out wire.TranslateResponse
	s.call("POST", wire.Prefix+wire.PathSmartTranslation, "application/json-patch+json",
		strings.NewReader(`{"sourceLanguage":"EN","targetLanguages":["de","PT-br"],
		"texts":[{"text":"Hello {name}","context":"greeting"},{"text":""},{"text":"<b>Bye</b>"}],"profile":"0a0a0a0a-0000-4000-8000-00000000c001","isHtml":true,"more":1}`)).want(t, 200, &out)
	if len(out.Translations) != 2 {
		t.Fatalf("%+v", out)
	}
	for code, texts := range map[string][]string{"de": {"[de Ĥéļļö {name}]", "", "[de <b>Ɓýé</b>]"},
		"PT-br": {"[pt-BR Ĥéļļö {name}]", "", "[pt-BR <b>Ɓýé</b>]"}} {
		got := out.Translations[code]
		if len(got) != len(texts) {
			t.Fatalf("%s: %+v", code, got)
		}
		for i := range texts {
			if got[i].Translation != texts[i] || got[i].Error {
				t.Errorf("%s %d: %+v, want %s", code, i, got[i], texts[i])
			}
		}
	}
	base := map[string]string{"sourceLanguage": `"en"`, "targetLanguages": `["de"]`, "texts": `[{"text":"a"}]`}
	for change, field := range map[string]string{
		`sourceLanguage=`:             "sourceLanguage",
		`sourceLanguage="zz"`:         "sourceLanguage",
		`targetLanguages=`:            "targetLanguages",
		`targetLanguages=[]`:          "targetLanguages",
		`targetLanguages="de"`:        "targetLanguages",
		`targetLanguages=["de","xx"]`: "targetLanguages",
		`targetLanguages=["de","en"]`: "targetLanguages",
		`texts=`:                      "texts",
		`texts=[]`:                    "texts",
		`texts=["a"]`:                 "texts",
		`texts=[{"context":"c"}]`:     "texts",
		`texts=[{"text":1}]`:          "texts",
		`texts=[{"text":null}]`:       "texts",
		`profile="no such/profile"`:   "profile",
		`isHtml="yes"`:                "isHtml",
	} {
		members := []string{}
		name, value, _ := strings.Cut(change, "=")
		for k, v := range base {
			if k != name {
				members = append(members, `"`+k+`":`+v)
			}
		}
		if value != "" {
			members = append(members, `"`+name+`":`+value)
		}
		check(t, s.post(wire.PathSmartTranslation, "{"+strings.Join(members, ",")+"}"), 400, field)
	}
	many := strings.Repeat(`{"text":"a"},`, maxRealtimeTexts) + `{"text":"a"}`
	check(t, s.post(wire.PathSmartTranslation, `{"sourceLanguage":"en","targetLanguages":["de"],"texts":[`+many+`]}`),
		400,
		"texts")
	s.post(wire.PathSmartTranslation,
		`{"sourceLanguage":"en","targetLanguages":["de"],"texts":[{"text":"no profile"}]}`).want(t, 200, nil)
}
