package bound

import (
	"encoding/json"
	"strings"
	"testing"
)

// pieces are the members of a document, as often as it is divided.
func pieces(src string, size, most int) (divided []string, err error) {
	err = Pieces(strings.NewReader(src), size, most, func(piece []byte, whole bool) error {
		if whole != (len(divided) == 0 && string(piece) == strings.TrimPrefix(src, byteOrderMark)) {
			divided = append(divided, "whole?")
		}
		divided = append(divided, string(piece))
		return nil
	})
	return divided, err
}

func TestPieces(t *testing.T) {
	for src, want := range map[string]string{
		`{"a":1,"b":[1,{"c":","}],"d":{"\",":2},"e":3}`: `{"a":1}|{"b":[1,{"c":","}]}|{"d":{"\",":2}}|{"e":3}`,
		byteOrderMark + " {}\n":                         " {}\n",
		`[1,2,3]`:                                       `[1,2,3]`,
		`"x", {"a":1,"b":2}`:                            `"x", {"a":1}|{"b":2}`, // damaged in one piece
		`{"a":1, // b, c` + "\n" + `"d":2,"e":3}`:       `{"a":1}|{ // b, c` + "\n" + `"d":2,"e":3}`,
		`{"a":1} {"b":2,"c":3}`:                         `{"a":1} {"b":2,"c":3}`,
		"":                                              "",
		`{"a":1,"b":`:                                   `{"a":1}|{"b":`,
	} {
		got, err := pieces(src, 1, 1000)
		if strings.Join(got, "|") != want || err != nil {
			t.Errorf("%s: %q, %v", src, got, err)
		}
	}
	if _, err := pieces(`{"a":"`+strings.Repeat("x", 1000)+`"}`, 1, 1000); !Is(err) {
		t.Errorf("a member that is too long: %v", err)
	}
	if _, err := pieces(`{"a":"`+strings.Repeat("x", 900)+`","b":"`+strings.Repeat("x", 900)+`"}`, 1,
		1000); err != nil {
		t.Error(err)
	}
}

// The pieces of a document have what it has, in order; a damaged one has a damaged piece.
func FuzzPieces(f *testing.F) {
	f.Add(`{"a":1,"b":[1,{"c":","}],"d":{"\",":2},"e":3}`)
	f.Add(`{"a":"\u00e9","a":{},"b":[[[",]"]]]} `)
	f.Add(`{"a":1}{"b":2}`)
	f.Add(`{,"a":1,}`)
	f.Fuzz(func(t *testing.T, src string) {
		divided, err := pieces(src, 1, len(src)+10)
		if err != nil {
			t.Fatal(err)
		}
		var whole map[string]json.RawMessage
		wrong := json.Unmarshal([]byte(strings.TrimPrefix(src, byteOrderMark)), &whole)
		sound, all := true, make(map[string]json.RawMessage)
		for _, piece := range divided {
			sound = json.Unmarshal([]byte(piece), &all) == nil && sound
		}
		switch {
		case wrong == nil && !sound:
			t.Fatalf("%q is sound, and %q is not", src, divided)
		case wrong == nil && mustJSON(whole) != mustJSON(all):
			t.Fatalf("%q: %q", src, divided)
		case wrong != nil && sound && !strings.Contains(src, ","):
			t.Fatalf("%q is damaged, and %q is not", src, divided)
		}
	})
}
