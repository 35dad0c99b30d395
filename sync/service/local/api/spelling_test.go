package api

import (
	"fmt"
	"net/http"
	"net/url"
	"strings"
	"testing"
)

func TestParameterSpellings(t *testing.T) {
	read := func(q string) Params {
		u, err := url.Parse("/?" + q)
		if err != nil {
			t.Fatal(err)
		}
		p, err := ReadParams(&http.Request{URL: u})
		if err != nil {
			t.Fatal(err)
		}
		return p
	}
	for q, want := range map[string]string{
		"l=de,fr":            "de|fr",
		"l=de&l=fr":          "de|fr",
		"l[]=de&l[]=fr":      "de|fr",
		"L=de&l%5B%5D=fr":    "de|fr",
		"l=de%0Afr%0A":       "de|fr",
		"l=de%0D%0Afr":       "de|fr",
		"l=de,%0Afr":         "de|fr",
		"l=+de+,+fr+":        "de|fr",
		"l=de,,fr":           "de||fr",
		"l=":                 "",
		"l":                  "",
		"l=,":                "|",
		"other=1":            "absent",
		"l=de&l=fr%0Aes,it,": "de|fr|es|it",
	} {
		members, given := read(q).List("l")
		got := strings.Join(members, "|")
		if !given {
			got = "absent"
		}
		if got != want {
			t.Errorf("%s: %q, want %q", q, got, want)
		}
	}
	for q, want := range map[string]string{
		"f": "true", "f=": "true", "f=true": "true", "f=True": "true", "f=1": "true", "F=TRUE": "true", "": "false",
		"f=false": "false", "f=0": "false",
		"f=False": "false", "f=yes": "error", "f=2": "error", "f=true&f=false": "error", "f=1&f=true": "true",
	} {
		on, err := read(q).Flag("f")
		got := fmt.Sprint(on)
		if err != nil {
			got = "error"
		}
		if got != want {
			t.Errorf("%s: %s, want %s", q, got, want)
		}
	}
	if w, _, err := read("w=+x+&w=x").Word("w"); w != "x" || err != nil {
		t.Error(w, err)
	}
}
