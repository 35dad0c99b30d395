package yamlfile_test

import (
	"testing"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/yamlfile"
)

// A translation that does not exist yet is its source with the texts replaced: comments, quotes, blank lines and what
// is no text stay, what has no translation goes with the comment above it, and the root is the language's own.
func TestNewFile(t *testing.T) {
	for _, test := range []struct{ name, source, root, want string }{
		{"Rails",
			"# Texts of the application.\n\nen:\n  # shown on every page\n  title: \"Shop\"\n\n  # not translated yet\n  later: Later\n  cart: &cart\n    # %{count} is a number\n    items:\n      one: '%{count} item'\n      other: '%{count} items' # never 1\n" +
				"    limit: 5\n  days: [Monday, Tuesday]\n  help: |\n    Two\n    lines\n",
			"no",
			"# Texts of the application.\n\n\"no\":\n  # shown on every page\n  title: \"<Shop>\"\n\n  cart: &cart\n    # %{count} is a number\n    items:\n      one: '<%{count} item>'\n      other: '<%{count} items>' # never 1\n" +
				"    limit: 5\n  days: [<Monday>, <Tuesday>]\n  help: |-\n    <Two\n    lines\n    >\n"},
		{"CRLF, a byte order mark, quoted names, no last line end",
			"\uFEFF# head\r\n---\r\n'en':\r\n    'a': x\r\n    'later': y\r\n    \"b\": >-\r\n        folded\r\n        text", "pt-BR",
			"\uFEFF# head\r\n---\r\n'pt-BR':\r\n    'a': <x>\r\n    \"b\": >-\r\n        <folded text>"},
		{"lists at their name's column",
			"en:\n  l:\n  # the first\n  - a\n  - b: c\n    # why\n    d: 'e'\n  later: f\n", "zh-CN",
			"zh-CN:\n  l:\n  # the first\n  - <a>\n  - b: <c>\n    # why\n    d: '<e>'\n"},
		{"without a root", "# on a\na: x\n# on later\nlater: y\nb: 7\n", "", "# on a\na: <x>\nb: 7\n"},
	} {
		t.Run(test.name, func(t *testing.T) {
			source, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Roots: []string{"en"}},
				[]byte(test.source))
			if err != nil {
				t.Fatal(err)
			}
			var all []resource.Edit
			for e := range source.Entries() {
				switch {
				case e.Key == "later":
					all = append(all, resource.Edit{Op: resource.Remove, Key: e.Key})
				case e.Kind == resource.Text && e.Text != "":
					all = append(all, resource.Edit{Op: resource.Set, Key: e.Key, Text: "<" + e.Text + ">"})
				}
			}
			out, refused := source.Rewrite(all, source)
			if len(refused) > 0 {
				t.Fatal(refused)
			}
			clone, err := resource.Parse(yamlfile.Grammar, resource.Keys{Structured: true, Roots: []string{"en"}}, out)
			if err != nil {
				t.Fatal(err)
			}
			agree(t, clone)
			if out, err = clone.RenameRoot(test.root); err != nil || string(out) != test.want {
				t.Errorf("%v\n--- got\n%s--- want\n%s", err, out, test.want)
			}
		})
	}
}
