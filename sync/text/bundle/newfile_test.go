package bundle

import (
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// A language's first file has what is translated: no group, comment, blank line or empty place of what is not.
func TestANewFileHoldsWhatIsTranslated(t *testing.T) {
	for _, c := range []struct{ name, format, source, translated, want string }{
		{"Rails", "structured-yaml",
			"# Licence.\n\n# Names of models.\n\nen:\n\n  # Devise\n\n  devise:\n    sign_in: Sign in\n    limit: 5\n    empty:\n\n    # about out\n    sign_out: Sign out\n\n" +
				"  # Users\n\n  users:\n    name: Name # shown\n    minimum: 3\n    age:\n\n    # unused: x\n\n\n    mail: Mail\n\n  version: 7\n  list: [~, One]\n",
			"users/mail=Post",
			"# Licence.\n\n# Names of models.\n\nde:\n\n  # Users\n\n  users:\n    minimum: 3\n\n    # unused: x\n\n\n    mail: Post\n\n  version: 7\n"},
		{"JSON", "structured-json",
			"{\n  // head\n\n  // group a\n\n  \"a\": {\n    \"x\": \"X\",\n    \"n\": 1\n  },\n\n  // group b\n\n  \"b\": {\n    \"y\": \"Y\",\n\n    \"z\": \"Z\",\n    \"o\": {},\n    \"none\": null\n  }\n}\n",
			"b/z=ZZ", "{\n  // head\n\n  // group b\n\n  \"b\": {\n    \"z\": \"ZZ\"\n  }\n}\n"},
		{"strings", "ios-strings",
			"/* Copyright */\n\n// MARK: - A\n\n/* a */\n\"a\" = \"A\";\n\n/* b */\n\"b\" = \"B\";\n\n// MARK: - C\n\n/* c */\n\"c\" = \"C\"; // tail\n\n\n/* d */\n\"d\" = \"D\";\n",
			"d=DD", "/* Copyright */\n\n// MARK: - C\n\n/* d */\n\"d\" = \"DD\";\n"},
		{"Android", "android-xml",
			"<?xml version=\"1.0\"?>\n<!-- Licence -->\n<resources>\n\n    <!-- One -->\n\n    <string name=\"a\">A</string>\n\n    <color name=\"c\">#fff</color>\n\n    <!-- <string name=\"dead\"/> -->\n" +
				"    <string name=\"b\">B</string>\n\n    <!-- Two -->\n\n    <string name=\"host\" translatable=\"false\">h</string>\n\n    <string name=\"d\">D</string>\n</resources>\n",
			"d=DD",
			"<?xml version=\"1.0\"?>\n<!-- Licence -->\n<resources>\n\n    <!-- Two -->\n\n    <string name=\"d\">DD</string>\n</resources>\n"},
		{"Angular", "structured-json",
			"{\n  \"$schema\": \"S\",\n  \"locale\": \"en\",\n  \"translations\": {\n    \"1\": \"A\",\n    \"2\": \"B\"\n  }\n}\n",
			"translations/2=BB",
			"{\n  \"$schema\": \"S\",\n  \"locale\": \"de\",\n  \"translations\": {\n    \"2\": \"BB\"\n  }\n}\n"},
	} {
		p := project(t, "[[project.files]]\nsource = \"en.x\"\nformat = \""+c.format+"\"\noutput = \"{LANGUAGE}.x\"\n")
		fsys := tree("en.x", c.source)
		b := find(t, fsys, p)[0]
		source, problem, err := b.Read(fsys, b.Path, b.Source)
		if err != nil || problem != nil {
			t.Fatal(err, problem)
		}
		key, text, _ := strings.Cut(c.translated, "=")
		l := p.Targets()[0]
		out, refused, err := Render(b, source, nil, l,
			[]catalog.Change{{Op: catalog.Added, Name: catalog.Name{Key: key}, Text: text}})
		if err != nil || len(refused) > 0 || string(out) != c.want {
			t.Errorf("%s: %v %v\n%s\nwant\n%s", c.name, err, refused, out, c.want)
			continue
		}
		rule, into := oracle.Rule{Format: c.format, Roots: []string{"en"}}, oracle.Rule{Format: c.format,
			Roots: []string{"de"}}
		if err := rule.ProveNew([]byte(c.source), out, []oracle.Change{{Key: key, Text: text}}, into); err != nil {
			t.Errorf("%s: the second reader: %v", c.name, err)
		}
	}
}
