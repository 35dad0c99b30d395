package mcp

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/report"
)

// many are a source file's keys, in another order than that of their names.
func many(n int) (file string, keys []string) {
	for i := range n {
		keys = append(keys, fmt.Sprintf("key%03d", (i*7)%n))
	}
	var members []string
	for _, key := range keys {
		members = append(members, fmt.Sprintf("%q: \"Text {{n}}\"", key))
	}
	return "{" + strings.Join(members, ",\n") + "}", keys
}

// An agent that translates each page before it asks for the next one sees all keys, each once, in the order of the
// file; also where a key is taken out of the source meanwhile.
func TestPagesOfAShrinkingList(t *testing.T) {
	t.Parallel()
	file, keys := many(60)
	a := newAgent(t, map[string]string{"locsync.toml": settings, "web/en/app.json": file})
	var seen []string
	for cursor := ""; ; {
		var part list[missingKey]
		a.asks("missing", wire{"cursor": cursor, "limit": 20}, &part)
		var texts []wire
		for _, k := range part.Items {
			seen = append(seen, k.Key)
			for _, l := range k.Languages {
				texts = append(texts, wire{"key": k.Key, "language": l, "text": "T {{n}}"})
			}
		}
		var set setOut
		a.asks("set_texts", wire{"texts": texts}, &set)
		if set.Written != 2*len(part.Items) {
			t.Fatalf("%+v", set)
		}
		cursor = part.Next
		if cursor == "" {
			break
		}
	}
	if !slices.Equal(seen, keys) {
		t.Errorf("seen %q", seen)
	}
	var part, rest list[keyTexts]
	a.asks("texts", wire{"limit": 30}, &part)
	a.write("web/en/app.json", strings.Replace(file, fmt.Sprintf("%q: \"Text {{n}}\",\n", part.Items[29].Key), "", 1))
	a.asks("texts", wire{"limit": 500, "cursor": part.Next}, &rest)
	for _, key := range keys[30:] {
		if !slices.ContainsFunc(rest.Items, func(k keyTexts) bool { return k.Key == key }) {
			t.Errorf("%s is lost", key)
		}
	}
}

// Problems that are repaired page by page are all seen, though the lines of the others change; a cursor of another list
// is refused.
func TestPagesOfRepairedProblems(t *testing.T) {
	t.Parallel()
	file, keys := many(60)
	a := newAgent(t, map[string]string{"locsync.toml": settings, "web/en/app.json": file,
		"web/de/app.json": strings.ReplaceAll(file, "{{n}}", "lost")})
	seen, cursor := make(map[string]bool), ""
	translation := make(map[string]string)
	for _, key := range keys {
		translation[key] = "lost"
	}
	for range 10 {
		var out checkOut
		a.asks("check", wire{"severity": "error", "cursor": cursor}, &out)
		for _, p := range out.Problems.Items {
			seen[p.Key] = true
			delete(translation, p.Key) // its line goes
		}
		text, err := json.MarshalIndent(translation, "", " ")
		a.check(err)
		a.write("web/de/app.json", string(text))
		cursor = out.Problems.Next
		if cursor == "" {
			break
		}
		if failed := a.call("missing", wire{"cursor": cursor}, nil); !strings.Contains(failed, "is not one of this list") {
			t.Error(failed)
		}
	}
	if len(seen) != 60 {
		t.Errorf("%d of 60 problems are seen", len(seen))
	}
}

// A page may end between items that nothing tells apart, and each of two lists of an answer has its own cursor.
func TestPagesOfEqualItems(t *testing.T) {
	t.Parallel()
	var all []report.Conflict
	for i := range 90 {
		all = append(all, report.Conflict{File: "a.json", Key: fmt.Sprint(strings.Repeat("k", 200), i/45)})
	}
	p, count := page{Limit: 7}, 0
	for {
		part, err := paged(all, p, byConflict)
		if err != nil || part.Total != 90 {
			t.Fatal(part, err)
		}
		count += len(part.Items)
		p.Cursor = part.Next
		if p.Cursor == "" {
			break
		}
		if p.in("conflicts") != p || p.in("problems").Cursor != "" {
			t.Fatalf("%+v", p)
		}
	}
	if count != 90 {
		t.Errorf("%d of 90", count)
	}
}

// Whatever is asked for, an answer is of bounded size, says how much there is and how to get the rest, which is whole
// then; long keys are cut in what is said of them, and never in texts.
func TestAnswersAreBounded(t *testing.T) {
	t.Parallel()
	file, keys := many(1200)
	long := strings.Repeat("long ", 4000)
	file = strings.Replace(file, "{", fmt.Sprintf("{%q: \"Text {{n}}\",\n", long), 1)
	files := map[string]string{"locsync.toml": settings, "web/en/app.json": file,
		"web/de/app.json": strings.ReplaceAll(file, "{{n}}", "lost")}
	for i := range 700 {
		files[fmt.Sprintf("web/en/%03d.json", i)] = "{}\n"
	}
	a := newAgent(t, files)
	small := a.small
	var known listing[report.CheckedFile]
	var problems listing[projectProblem]
	var texts listing[keyTexts]
	a.reads("locsync://files", &known)
	small("files")
	count := len(known.Items)
	for known.Next != "" {
		next := known.Next
		known = listing[report.CheckedFile]{}
		a.reads("locsync://files?cursor="+next, &known)
		small("more files")
		count += len(known.Items)
	}
	if count != known.Total || count < 700 {
		t.Errorf("%d of %d files", count, known.Total)
	}
	a.reads("locsync://problems", &problems)
	small("problems")
	var checked checkOut
	a.asks("check", wire{"limit": 500, "cursor": problems.Next}, &checked)
	small("check")
	if problems.Total < 1201 || problems.Rest != "call check with next as cursor" || checked.Problems.Total != problems.Total ||
		len(checked.Problems.Items) < 100 || checked.Problems.Items[0] == problems.Items[0] {
		t.Errorf("%d problems, %q; then %d", problems.Total, problems.Rest, len(checked.Problems.Items))
	}
	a.reads("locsync://file/web/en/app.json", &texts)
	small("file")
	var more list[keyTexts]
	a.asks("texts", wire{"file": "web/en/app.json", "cursor": texts.Next}, &more)
	if texts.Total != 1201 || texts.Items[0].Key != long || len(texts.Items[0].Problems) != 1 ||
		len(texts.Items[0].Problems[0].Key) > 2*mostKey || more.Items[0].Key != keys[len(texts.Items)-1] {
		t.Errorf("%d texts, %q; then %q", texts.Total, texts.Rest, more.Items[0].Key)
	}
}

// small holds the answer that came last to its bound.
func (a *agent) small(what string) {
	a.Helper()
	if size := len(a.said[len(a.said)-1]); size > 2*mostBytes {
		a.Errorf("%s: %d bytes", what, size)
	}
}

// Refused texts come in pages, too, each by its number among those given; what else is given is written all the same.
func TestManyRefusedTexts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("long ", 4000)
	a := newAgent(t, map[string]string{"locsync.toml": settings,
		"web/en/app.json": fmt.Sprintf("{%q: \"Text {{n}}\"}", long)})
	var wanted []wire
	for i := range 400 {
		wanted = append(wanted, wire{"key": fmt.Sprint(strings.Repeat("unknown", 300), i), "language": "de", "text": "x"})
	}
	wanted = append(wanted, wire{"key": long, "language": "de", "text": "lost"},
		wire{"key": long, "language": "pl", "text": long + "{{n}}"})
	seen := make(map[int]bool)
	for cursor := ""; ; {
		var set setOut
		a.asks("set_texts", wire{"texts": wanted, "cursor": cursor}, &set)
		a.small("set_texts")
		for _, r := range set.Refused {
			seen[r.Index] = true
		}
		if set.Written != 1 || set.FilesTotal != 1 || set.RefusedTotal != 401 {
			t.Fatalf("%d written, %d refused", set.Written, set.RefusedTotal)
		}
		cursor = set.Next
		if cursor == "" {
			break
		}
	}
	if len(seen) != 401 || !seen[400] || !strings.Contains(a.file("web/pl/app.json"), long+"{{n}}") {
		t.Errorf("%d of 401 refusals", len(seen))
	}
	if failed := a.call("missing", wire{"project": long}, nil); !strings.HasSuffix(failed, "bytes)") {
		t.Error(failed)
	}
	a.small("failed")
}
