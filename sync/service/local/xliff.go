package local

import (
	"bytes"
	"encoding/xml"
	"strconv"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/service/local/segment"
)

// An XLIFF export (1.2) has a unit for every segment of a document, whose id is the segment's number from 1. What comes back is recognised
// by it, and by the source text, which must be the same still; the date of the file says which translations are younger than it.
//
// The states of a target: final and approved, when it is confirmed on the last stage; translated, on an earlier one; else needs-review-translation. A text with a
// character that XML cannot hold has no unit.
const xliffHead = `<xliff version="1.2" xmlns="urn:oasis:names:tc:xliff:document:1.2"><file`

// xliff writes a document in one language.
func writeXLIFF(x *documentExportJob, k *editor) ([]byte, error) {
	all, err := k.targets()
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	b.WriteString(xml.Header + xliffHead)
	for _, a := range [][2]string{{"original", k.document.Path}, {"source-language", k.project.Source}, {"target-language", k.rendition.Code}, {"datatype", "plaintext"},
		{"date", time.Unix(0, k.tx.now()).UTC().Format(time.RFC3339Nano)}, {"tool-id", "locsync"}} {
		b.WriteString(` ` + a[0] + `="`)
		if err := xml.EscapeText(&b, []byte(a[1])); err != nil {
			return nil, err
		}
		b.WriteString(`"`)
	}
	b.WriteString("><header><tool tool-id=\"locsync\" tool-name=\"locsync\"/></header><body>\n")
	for i, seg := range k.segments {
		t := all[i]
		if t != nil && !exportTakes(x, t, len(k.project.Stages)) {
			t = nil
		}
		b.WriteString(xliffUnitOf(i, seg, t, len(k.project.Stages)))
	}
	b.WriteString("</body></file></xliff>\n")
	return b.Bytes(), nil
}

// xliffUnitOf writes one unit; nothing for a text that XML cannot hold.
func xliffUnitOf(i int, seg segment.Segment, t *target, stages int) string {
	source, err := segment.EscapeXML(seg.Text)
	if err != nil {
		return ""
	}
	var b strings.Builder
	b.WriteString(`<trans-unit id="` + strconv.Itoa(i+1) + `"`)
	if key, err := segment.EscapeXML(seg.Key); err == nil && key != "" {
		b.WriteString(` resname="` + strings.NewReplacer(`"`, "&quot;", "\n", "&#10;", "\t", "&#9;").Replace(key) + `"`)
	}
	state := "needs-review-translation"
	switch {
	case t == nil:
	case t.Stage >= stages:
		state = "final"
		b.WriteString(` approved="yes"`)
	case t.Stage > 0:
		state = "translated"
	}
	b.WriteString(` xml:space="preserve"><source>` + source + `</source>`)
	if t != nil {
		if text, err := segment.EscapeXML(t.Text); err == nil {
			b.WriteString(`<target state="` + state + `">` + text + `</target>`)
		}
	}
	if note, err := segment.EscapeXML(seg.Note); err == nil && note != "" {
		b.WriteString("<note>" + note + "</note>")
	}
	b.WriteString("</trans-unit>\n")
	return b.String()
}

// xliffFile is what an XLIFF file from an export says when it comes back.
type xliffFile struct {
	Language string
	Date     int64 // when it was exported, in Unix nanoseconds; 0 where it does not say
	Units    []xliffUnit
}

type xliffUnit struct {
	ID       string `xml:"id,attr"`
	Approved string `xml:"approved,attr"`
	Source   string `xml:"source"`
	Target   string
	State    string
	Element  struct {
		State string `xml:"state,attr"`
		Text  string `xml:",chardata"`
	} `xml:"target"`
}

func readXLIFF(body []byte) (*xliffFile, error) {
	var in struct {
		Files []struct {
			Language string      `xml:"target-language,attr"`
			Date     string      `xml:"date,attr"`
			Units    []xliffUnit `xml:"body>trans-unit"`
			Grouped  []xliffUnit `xml:"body>group>trans-unit"`
		} `xml:"file"`
	}
	if err := xml.Unmarshal(body, &in); err != nil {
		return nil, err
	}
	out := &xliffFile{}
	for _, f := range in.Files {
		out.Language = f.Language
		if at, err := time.Parse(time.RFC3339Nano, f.Date); err == nil {
			out.Date = at.UnixNano()
		}
		for _, u := range append(f.Units, f.Grouped...) {
			u.Target, u.State = u.Element.Text, u.Element.State
			out.Units = append(out.Units, u)
		}
	}
	return out, nil
}

// number is the segment that the unit is, from 0.
func (u *xliffUnit) number() (int, bool) {
	n, err := strconv.Atoi(u.ID)
	return n - 1, err == nil && n > 0
}

// stage is where the unit says that its translation is confirmed.
func (u *xliffUnit) stage(last int) int {
	switch {
	case u.State == "final" || u.State == "signed-off" || u.Approved == "yes":
		return last
	case u.State == "translated":
		return 1
	}
	return 0
}
