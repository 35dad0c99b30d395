package check

import (
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"os"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/locsync/locsync/formats/programs"
	"github.com/locsync/locsync/formats/programs/programtest"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/xliff"
	"github.com/locsync/locsync/gitops/gittest"
)

// angular is how a version of XLIFF spells a file with one unit, and pieces of its texts.
type angular struct {
	name, file, target string
	pieces             []string
}

var angularVersions = []angular{
	{"1.2", `<?xml version="1.0" encoding="UTF-8" ?>
<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2">
  <file source-language="en" target-language="de" datatype="plaintext" original="ng2.template">
    <body>
      <trans-unit id="k" datatype="html">
        <source>%s</source>%s
      </trans-unit>
    </body>
  </file>
</xliff>
`, "\n        <target>%s</target>", []string{"a", " ", `<x id="INTERPOLATION" equiv-text="{{ a }}"/>`, `<x id="PH_1"/>`,
		`<x id="START_LINK" ctype="x-a"/>b<x id="CLOSE_LINK" ctype="x-a"/>`, `<x id="ICU" equiv-text="{n}"/>`, "{", "}", "é",
		`<x id="INTERPOLATION_1"/>`, "<b>c</b>", `<g id="G">d</g>`, `<ph id="0" equiv="PH"/>`, "<x/>", "'", "&"}},
	{"2.0", `<?xml version="1.0" encoding="UTF-8" ?>
<xliff version="2.0" xmlns="urn:oasis:names:tc:xliff:document:2.0" srcLang="en" trgLang="de">
  <file id="ngi18n" original="ng.template">
    <unit id="k">
      <segment>
        <source>%s</source>%s
      </segment>
    </unit>
  </file>
</xliff>
`, "\n        <target>%s</target>", []string{"a", " ", `<ph id="0" equiv="INTERPOLATION" disp="{{ a }}"/>`,
		`<ph id="1" equiv="PH_1"/>`, `<pc id="2" equivStart="START_LINK" equivEnd="CLOSE_LINK" type="link">b</pc>`,
		`<ph id="3" equiv="ICU"/>`, "{", "}", "é", `<x id="INTERPOLATION"/>`, `<pc id="4">c</pc>`, `<ph id="5"/>`, "<b>d</b>",
		`<ph id="0" equiv="PH_1"/>`, "'", "&"}},
}

// element is one of XLIFF's, or what looks like it.
var element = regexp.MustCompile("<[^>]*>")

// otherwise is why Angular builds what is held back here; "" where there is no reason for it.
func otherwise(source, translation string, lost []string) string {
	was, is := element.FindAllString(source, -1), element.FindAllString(translation, -1)
	slices.Sort(was)
	slices.Sort(is)
	switch {
	case len(lost) > 0:
		return "Angular builds a message that loses what is filled in"
	case !slices.Equal(was, is):
		return "an element as often as the source does not have it shows a value twice"
	}
	return ""
}

// What a pull would write into a file of Angular builds: 20,000 drawn translations, half of them with slips, are
// written by the grammar, and judged by check and by Angular's own readers of XLIFF 1.2 and 2.0.
func TestAngular(t *testing.T) {
	count := map[bool]int{true: 10000, false: 1000}[gittest.All()] // of each version
	reader := ProgramsOf("xliff")
	reader.Reader = programs.Angular
	seed, err := strconv.ParseUint(os.Getenv("LOCSYNC_SEED"), 10, 64)
	if err != nil {
		seed = rand.Uint64()
	}
	t.Logf("LOCSYNC_SEED=%d", seed)
	for _, v := range angularVersions {
		t.Run(v.name, func(t *testing.T) {
			rnd := rand.New(rand.NewPCG(seed, 7))
			judge := programtest.Node(t, "testdata/angular.mjs")
			var lines []string
			var sources, texts []string
			var held []int
			for len(texts) < count {
				source, text := v.drawn(rnd)
				from, ok := v.parsed(source)
				if !ok {
					continue
				}
				old, is := v.parsed("", source)
				if !is {
					t.Fatalf("%q cannot be read", source)
				}
				e, _ := from.Lookup("k", "")
				out, refused := old.Rewrite([]resource.Edit{{Op: resource.Set, Key: "k", Text: text}}, from)
				found := Breaking(Translation(Input{Programs: reader, Key: "k", Source: e.Text, Translation: text,
					Language: "de", SourceLanguage: "en", Level: Quiet}))
				line, err := json.Marshal([]string{string(from.Bytes()), string(out)})
				if err != nil {
					t.Fatal(err)
				}
				lines, sources, texts = append(lines, string(line)), append(sources, e.Text), append(texts, text)
				held = append(held, len(refused)+len(found))
			}
			bad, reasons := 0, make(map[string]int)
			for i, answer := range judge.Ask(t, lines) {
				var judged struct {
					Source, Refused string
					Lost            []string
				}
				if err := json.Unmarshal([]byte(answer), &judged); err != nil {
					t.Fatal(err)
				}
				if judged.Source != "" {
					continue // which its own build would not write
				}
				refused := judged.Refused != ""
				if refused {
					bad++
				}
				if refused == (held[i] > 0) {
					continue
				}
				if why := otherwise(sources[i], texts[i], judged.Lost); !refused && why != "" {
					reasons[why]++
					continue
				}
				t.Errorf("%q for %q: Angular says %q, held back here: %v", texts[i], sources[i], judged.Refused, held[i] > 0)
			}
			t.Logf("%d texts, %d refused; judged otherwise: %v", len(texts), bad, reasons)
			if bad < count/20 {
				t.Errorf("%d are refused; they show nothing", bad)
			}
		})
	}
}

// drawn is a source and a translation of it: the same pieces in another order, with one more or less.
func (v angular) drawn(rnd *rand.Rand) (source, text string) {
	var pieces []string
	for range 1 + rnd.IntN(4) {
		pieces = append(pieces, v.pieces[rnd.IntN(8)])
	}
	source = strings.Join(pieces, "")
	rnd.Shuffle(len(pieces), func(i, j int) { pieces[i], pieces[j] = pieces[j], pieces[i] })
	for range rnd.IntN(3) {
		switch i := rnd.IntN(len(pieces)); rnd.IntN(3) {
		case 0:
			pieces[i] = v.pieces[rnd.IntN(len(v.pieces))]
		case 1:
			pieces = slices.Insert(pieces, i, v.pieces[rnd.IntN(len(v.pieces))])
		default:
			letters := []rune(pieces[i])
			at := rnd.IntN(len(letters))
			pieces[i] = string(slices.Delete(letters, at, at+1)) + "x"
		}
	}
	return source, strings.Join(pieces, "")
}

// parsed is a file with one unit.
func (v angular) parsed(source string, translations ...string) (*resource.File, bool) {
	grammar, target := xliff.Source, ""
	if len(translations) > 0 {
		grammar, source, target = xliff.Translations, translations[0], fmt.Sprintf(v.target, "old")
	}
	f, err := resource.Parse(grammar, resource.Keys{}, []byte(fmt.Sprintf(v.file, source, target)))
	return f, err == nil
}
