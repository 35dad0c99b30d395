package xliff

import (
	"fmt"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/formats/oracle/oracletest"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
)

// exported is a document as Xcode exports it, of files with units.
func exported(files ...string) string {
	return `<?xml version="1.0" encoding="UTF-8"?>
<xliff xmlns="urn:oasis:names:tc:xliff:document:1.2" version="1.2">
` + strings.Join(files, "") + "</xliff>\n"
}

func exportedFile(name, language, units string) string {
	return `  <file original="` + name + `" source-language="en" target-language="` +
		language + `" datatype="plaintext">
    <header>
      <tool tool-id="com.apple.dt.xcode" tool-name="Xcode" tool-version="12.5" build-num="12E262"/>
    </header>
    <body>
` + units + "    </body>\n  </file>\n"
}

const (
	app    = "App/en.lproj/InfoPlist.strings"
	widget = "Widget/en.lproj/InfoPlist.strings"
)

// The laws hold where ids count within a file, and the second reader has the same keys.
func TestLawsOfFiles(t *testing.T) {
	k := entry("k", both("s", "Text"))
	unnamed := strings.Replace(exportedFile("", "de", k), ` original=""`, "", 1)
	for i, src := range []string{
		exported(exportedFile(app, "de", k)),
		exported(exportedFile(app, "de", k), exportedFile(widget, "de", k+entry("j", line("source", "s")))),
		exported(exportedFile(app, "de", ""), exportedFile(widget, "de", k)),
		exported(exportedFile(app, "de", k), exportedFile(app, "de", entry("j", both("s", "Text")))),
		exported(unnamed, exportedFile("a &amp; b", "de", k)),
		exported(exportedFile("", "de", k), exportedFile("a␄b", "de", k)),
		exported(`  <file original="a"/>`+"\n", `  <file original="b"><body/></file>`+"\n", exportedFile(app, "de", k)),
		strings.ReplaceAll(exported(exportedFile(app, "de", k), exportedFile(widget, "de", k)), "\n", "\r\n"),
		strings.ReplaceAll(exported(exportedFile(app, "de", k), exportedFile(widget, "de", k)), "\n", ""),
		strings.ReplaceAll(exported(exportedFile(app, "de", k), exportedFile(widget, "de", k)), "apple", "pear"),
	} {
		for _, g := range []resource.Grammar{Translations, Source} {
			t.Run(fmt.Sprint(i, g == Source), func(t *testing.T) {
				laws := strict(g, []byte(src), hard...)
				laws.Any = true
				f := resourcetest.Check(t, laws)
				if f == nil {
					t.Fatal("refused")
				}
				oracletest.Agree(t, f, oracle.Rule{Format: "xliff", Translated: g == Translations})
			})
		}
	}
}

// An edit changes the target of one file's unit, and a file that a language lacks is written as the source has it.
func TestXcode(t *testing.T) {
	name := func(text string) string { return entry("CFBundleName", text) }
	source := parse(t, Source, exported(exportedFile(app, "en", name(both("App", "App"))),
		exportedFile(widget, "en", name(both("Widget", "Widget"))+entry("CFBundleTitle", both("T", "T")))))
	old := exported(exportedFile(app, "de", name(line("source", "App"))))
	edits := []resource.Edit{set(app+"␄CFBundleName", "Ding"), set(widget+"␄CFBundleName", "Teil")}
	out, refused := parse(t, Translations, old).Rewrite(edits, source)
	part := exportedFile(widget, "de", name(both("Widget", "Teil")))
	want := exported(exportedFile(app, "de", name(both("App", "Ding"))), part)
	if len(refused) > 0 || string(out) != want {
		t.Errorf("%v\n%s, want\n%s", refused, out, want)
	}
	changes := []oracle.Change{{Key: edits[0].Key, Text: "Ding"}, {Key: edits[1].Key, Text: "Teil"}}
	rule := oracle.Rule{Format: "xliff", Translated: true}
	if err := rule.Prove([]byte(old), out, changes); err != nil {
		t.Error(err)
	}
	blank, err := Blank(source.Bytes(), "de")
	if err != nil {
		t.Fatal(err)
	}
	fresh, refused := parse(t, Translations, string(blank)).Fresh(edits[1:])
	if len(refused) > 0 || string(fresh) != exported(part) {
		t.Errorf("%v\n%s, want\n%s", refused, fresh, exported(part))
	}
	if err := (oracle.Rule{Format: "xliff"}).ProveNew(source.Bytes(), fresh, changes[1:], rule); err != nil {
		t.Error(err)
	}
}
