package bundle

import (
	"bytes"
	"io"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/text/catalog"
)

// With a prefix a file is read, sent, exported and written as without one: its keys have the prefix at the service and
// everywhere in the program, and only the file does not.
func TestKeyPrefix(t *testing.T) {
	for format, files := range map[string][]string{
		"json":            {"s/en/a.json", `{"open": "Open", "item_one": "{{n}} item", "item_other": "{{n}} items"}`, `{"item_one": "{{n}} Ding"}`},
		"structured-json": {"s/en/a.json", `{"menu": {"open": "Open", "save": "Save"}}`, `{"menu": {"save": "Sichern"}}`},
		"yaml":            {"s/en/a.yml", "open: Open\nsave: Save\n", "save: Sichern\n"},
		"properties":      {"s/en/a.properties", "open=Open\nsave=Save\n", "save=Sichern\n"},
		"ios-strings":     {"s/en/a.strings", "/* opens */\n\"open\" = \"Open\";\n\"save\" = \"Save\";\n", "\"save\" = \"Sichern\";\n"},
		"resx": {"s/en/a.resx", "<root><data name=\"open\"><value>Open</value></data></root>\n",
			"<root></root>\n"},
	} {
		t.Run(format, func(t *testing.T) {
			p := project(t, "[[project.files]]\nsource = \"s/en/*\"\noutput = \"s/{LANGUAGE}/{NAME}.{EXT}\"\nformat = \""+format+
				"\"\nkey_prefix = \"{NAME}/\"\n")
			target := strings.Replace(files[0], "/en/", "/de/", 1)
			fsys := tree(files[0], files[1], target, files[2])
			b := find(t, fsys, p)[0]
			source, _, err := b.Read(fsys, files[0], b.Source)
			if err != nil {
				t.Fatal(err)
			}
			up, err := Compose(b, source, files[0], func(catalog.Name) bool { return true })
			if err != nil {
				t.Fatal(err)
			}
			var sent []string
			for _, u := range up.Units {
				sent = append(sent, u.Key)
				if name := strings.TrimPrefix(u.Key, "a/"); name == u.Key {
					t.Errorf("%s is sent without a prefix", u.Key)
				} else if _, is := source.Lookup(name, u.Form); is || !source.Present().Has(u.Key) || source.Present().Has(name) {
					t.Errorf("%s is found without its prefix", name)
				}
			}
			de := p.Targets()[0]
			translated := strings.NewReplacer("Open", "Aufmachen", "items", "Dinge").Replace(string(up.Body))
			if b.Format.Sent().Name == "locjson" { // exports are JSON
				translated = `{"a/open": "Aufmachen"}`
			}
			texts, _, err := b.ReadExport(func() (io.ReadCloser, error) {
				return io.NopCloser(strings.NewReader(translated)), nil
			}, de, new(Kept))
			if err != nil || len(texts) == 0 || !strings.HasPrefix(texts[0].Key, "a/") {
				t.Fatalf("%v %v from\n%s", texts, err, translated)
			}
			old, _, err := b.Read(fsys, target, de)
			if err != nil {
				t.Fatal(err)
			}
			change := catalog.Change{Op: catalog.Added, Name: catalog.Name{Key: sent[0]}, Text: "Aufmachen"}
			for _, was := range []bool{true, false} {
				if !was {
					old = nil
				}
				out, refused, err := Render(b, source, old, de, []catalog.Change{change})
				if err != nil || len(refused) > 0 || !bytes.Contains(out, []byte("Aufmachen")) || bytes.Contains(out, []byte("a/")) {
					t.Errorf("%v %v\n%s", refused, err, out)
				}
				if now, err := b.Parse(out, de); err != nil || was && len(Texts(now)) != len(Texts(old))+1 {
					t.Errorf("%v\n%s", err, out)
				}
			}
		})
	}
}
