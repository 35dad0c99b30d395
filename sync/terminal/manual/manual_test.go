package manual

import (
	"strings"
	"testing"
)

func TestText(t *testing.T) {
	topic := func(name string) string {
		if name == "git" {
			return "locsync help git"
		}
		return ""
	}
	page := strings.ReplaceAll("# A page\n\nOne *two* 'three' and\nmore of **it**: [hooks](git.md#hooks), "+
		"[code](../x.go), <https://a.example>.\n"+
		"\n## Next part\n\n- an item that is longer than one line is\n- 'b|c'\n\n1. first\n2. second\n\n"+
		"'''sh\nlocsync  push   # a line that is longer than all the others are\n\nls\n'''\n\n"+
		"| it | says |\n|---|---|\n| 'a' | alpha beta gamma delta epsilon |\n| größer | b \\| c |\n\n"+
		"| a | b | c |\n|---|---|---|\n| this is a long one | 'and' | third |\n", "'", "`")
	want := `A page

One two three and more of it: hooks
(locsync help git), code,
https://a.example.

NEXT PART

- an item that is longer than one
  line is
- b|c

1. first
2. second

  locsync  push   # a line that is longer than all the others are

  ls

  a       alpha beta gamma delta
          epsilon
  größer  b | c

  this is a long one, and  third`
	if got := Text(page, 36, topic); got != want {
		t.Errorf("got\n%s\nwant\n%s", got, want)
	}
	if got := Title(page); got != "A page" {
		t.Errorf("title %q", got)
	}
}

// The block below a heading is given as it is; another heading's is not.
func TestBlock(t *testing.T) {
	const page = "# Page\n\n## One\n\nwords\n\n## Two\n\nwords\n\n```text\na\n  b\n```\n\n```sh\nc\n```\n"
	for heading, want := range map[string]string{"One": "", "Two": "a\n  b", "Three": ""} {
		if got := Block(page, heading); got != want {
			t.Errorf("%s: %q, want %q", heading, got, want)
		}
	}
}
