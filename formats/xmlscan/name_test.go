package xmlscan

import "testing"

func TestIsName(t *testing.T) {
	for name, want := range map[string]bool{
		"a": true, "_": true, ":": true, "a:b": true, "a-1.2": true, "é": true, "名": true, "a\u00b7": true, "a\u0591": true,
		"": false, "1": false, "-a": false, "a b": false, "a/": false, "a>": false, `a="b"`: false, "?a": false, "!a": false,
		"a\u0590": false, "\u0370": false, "\u00b7": false, "\U00010000": false, // names of the fifth edition only
		"a\xff": false, "a\x00": false,
	} {
		if IsName(name) != want {
			t.Errorf("%q: %v", name, !want)
		}
		length := 0
		if want {
			length = len(name)
		}
		if n := nameLength(name); n == len(name) != (length > 0 || name == "") {
			t.Errorf("%q: the length of its name is %d", name, n)
		}
	}
}
