package stringsfile

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
)

// A new target file is its source with other texts: the licence and the comments of what is translated travel, those of
// what is not stay behind, and the encoding, its mark and the line ends are the source's.
func TestNewTargetFile(t *testing.T) {
	const source = "/* Copyright */\r\n\r\n/* The title. */\r\n\"title\" = \"Notes\"; // 20 characters at most\r\n\r\n" +
		"/* Not translated yet. */\r\n\"new\" = \"New\";\r\n\r\n// MARK: - Buttons\r\n\r\n'save' = 'Save';\r\n\"bare\";\r\n"
	const want = "/* Copyright */\r\n\r\n/* The title. */\r\n\"title\" = \"Записки\"; // 20 characters at most\r\n\r\n" +
		"// MARK: - Buttons\r\n\r\n'save' = 'It\\'s 📁';\r\n\"bare\" = \"каре\";\r\n"
	for name, as := range encodings {
		t.Run(name, func(t *testing.T) {
			f, err := resource.Parse(Grammar, resource.Keys{}, as(source))
			if err != nil {
				t.Fatal(err)
			}
			out := rewritten(t, f, f, set("title", "Записки"), remove("new"),
				set("save", "It's 📁"), set("bare", "каре"))
			if string(out) != string(as(want)) {
				t.Errorf("%q, want %q", out, as(want))
			}
			g, err := resource.Parse(Grammar, resource.Keys{}, out)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, g)
		})
	}
}
