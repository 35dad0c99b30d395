package local

import (
	"fmt"
	"maps"
	"net/http/httptest"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/formats/resource/resourcetest"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/wire"
	"pgregory.net/rapid"
)

// quick talks to a service without a listener and without authentication.
type quick struct {
	s       *Service
	project string
}

const quickProject = "0a0a0a0a-0000-4000-8000-0000000000ff"

func openQuick(t testing.TB, o Options, targets ...string) *quick {
	t.Helper()
	s, err := Open(t.TempDir(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := s.Close(); err != nil {
			t.Error(err)
		}
	})
	s.store.SetDurable(false) // nothing is killed here
	if err := s.EnsureProject(quickProject, "app", "en", targets); err != nil {
		t.Fatal(err)
	}
	return &quick{s, quickProject}
}

func (q *quick) send(t rapid.TB, method, path, contentType, body string) reply {
	r := httptest.NewRequest(method, wire.Prefix+path, strings.NewReader(body))
	r.Header.Set("Content-Type", contentType)
	a, err := ask(q.s, r)
	if err != nil {
		t.Fatal(err)
	}
	return a
}

func (q *quick) imported(t rapid.TB, query string, f file) wire.ImportResult {
	body := "--b\r\nContent-Disposition: form-data; name=\"file\"; filename=\"" + f.name + "\"\r\n\r\n" + f.body +
		"\r\n--b--\r\n"
	a := q.send(t, "POST", "/v2/project/"+q.project+"/import"+query, "multipart/form-data; boundary=b", body)
	if a.status != 200 {
		t.Fatalf("import: %s", a.body)
	}
	j := q.ended(t, strings.Trim(string(a.body), `"`), "import")
	r := j.Import.Result
	r.Status = j.Status
	return r
}

func (q *quick) ended(t rapid.TB, id, what string) *store.Job {
	for range 200_000 {
		j, err := q.s.jobs.Find(id, what)
		if err != nil {
			t.Fatal(err)
		}
		if j.Status.Ended() {
			return j
		}
		time.Sleep(50 * time.Microsecond)
	}
	t.Fatalf("the %s did not end", what)
	return nil
}

func (q *quick) exported(t rapid.TB, query string) reply {
	a := q.send(t, "POST", "/v2/project/"+q.project+"/export"+query, "", "")
	if a.status != 200 {
		t.Fatalf("export: %s", a.body)
	}
	id := strings.Trim(string(a.body), `"`)
	q.ended(t, id, "export")
	return q.send(t, "GET", "/v1/document/export/"+id, "", "")
}

// texts reads a file independently of the service: key and form to text.
func texts(t rapid.TB, format string, body []byte) map[string]string {
	f, ok := formats.Named(format)
	if !ok {
		t.Fatalf("no format %s", format)
	}
	parsed, err := f.Parse(resource.Keys{}, body)
	if err != nil {
		t.Fatalf("%v in\n%s", err, body)
	}
	m := map[string]string{}
	for e := range parsed.Entries() {
		if e.Kind == resource.Text {
			m[e.Key+"\x00"+e.Form] = e.Text
		}
	}
	return m
}

var roundTripFormats = []wire.Format{wire.FormatJSON, wire.FormatStructuredJSON, wire.FormatYAML,
	wire.FormatStructuredYAML, wire.FormatIOSStrings, wire.FormatAndroidXML}

// What is imported in a format comes out of every format with the same texts, as source and as translation.
func TestRoundTrip(t *testing.T) {
	q := openQuick(t, Options{}, "de")
	serial := 0
	// What all formats can hold: no control characters, names that Android takes, no carriage returns (YAML and XML
	// read them as newlines).
	value := rapid.StringOf(rapid.OneOf(rapid.SampledFrom([]rune("aZ 09.,:;#-!?'\"\\/{}[]<>&%@$|*=\n\tüß日😀\u00a0\u2028")),
		rapid.Rune().Filter(func(r rune) bool {
			return r > 0xa0 && r < 0xfff0 && (r < 0xd800 || r > 0xdfff) && r != 0x2028 && r != 0x2029 && r != 0xfeff &&
				(r < 0xfdd0 || r > 0xfdef)
		})))
	name := rapid.StringMatching(`[a-z]{1,3}`)
	rapid.Check(t, func(rt *rapid.T) {
		serial++
		in := rapid.SampledFrom(roundTripFormats).Draw(rt, "in")
		format, _ := formats.Named(string(in))
		source := rapid.MapOfN(name, value, 1, 6).Draw(rt, "source")
		target := map[string]string{}
		for _, k := range slices.Sorted(maps.Keys(source)) {
			target[k] = value.Draw(rt, "target")
		}
		file := func(m map[string]string) file {
			var entries []resource.Entry
			for _, k := range slices.Sorted(maps.Keys(m)) {
				entries = append(entries, resource.Entry{Key: k, Kind: resource.Text, Text: m[k]})
			}
			body, err := format.Compose(resource.Keys{}, nil, entries)
			if err != nil {
				rt.Skipf("not a text of this format: %v", err)
			}
			return file_("x", string(body))
		}
		collection := fmt.Sprint("c", serial)
		base := "?collection=" + collection + "&format=" + string(in)
		for language, m := range map[string]map[string]string{"en": source} {
			if r := q.imported(rt, base+"&language="+language, file(m)); r.Status != wire.Completed ||
				r.KeysCreated != len(m) {
				rt.Fatalf("%+v", r)
			}
		}
		if r := q.imported(rt, base+"&language=de&completion-state=final", file(target)); r.Status != wire.Completed ||
			r.KeysUpdated != len(target) {
			rt.Fatalf("%+v", r)
		}
		for _, out := range roundTripFormats {
			for language, want := range map[string]map[string]string{"en": source, "de": target} {
				a := q.exported(rt, "?collections="+collection+"&format="+string(out)+"&languages="+language)
				if a.status != 200 {
					rt.Fatalf("%s: %s", out, a.body)
				}
				got := texts(rt, string(out), a.body)
				if len(got) != len(want) {
					rt.Fatalf("%s to %s: %d keys, want %d\n%s", in, out, len(got), len(want), a.body)
				}
				for k, v := range want {
					if got[k+"\x00"] != v {
						rt.Fatalf("%s to %s: %s is %q, want %q\n%s", in, out, k, got[k+"\x00"], v, a.body)
					}
				}
			}
		}
	})
}

func file_(name, body string) file { return file{name, body} }

// Real files come back with the texts they had; those that cannot be imported fail by name and reason.
func TestCorpusRoundTrip(t *testing.T) {
	gittest.Long(t)
	q := openQuick(t, Options{}, "de")
	for _, format := range []string{"json", "yaml", "ios-strings", "android-xml"} {
		imported, refused, notText := 0, 0, 0
		for i, real := range resourcetest.Corpus(t, format) {
			if testing.Short() && i%7 != 0 {
				continue
			}
			in := format
			if format == "json" || format == "yaml" {
				in = "structured-" + format
			}
			collection := fmt.Sprintf("%s-%d", format, i)
			r := q.imported(t, query("language", "en", "collection", collection, "format",
				in), file{"x", string(real.Src)})
			if r.Status == wire.Failed {
				if len(r.Errors) != 1 || r.Errors[0].Error == "" {
					t.Errorf("%s: %+v", real.Name, r)
				}
				switch {
				case real.Expect == "refuse":
					refused++
				case strings.Contains(r.Errors[0].Error, "not text"):
					notText++
				default:
					t.Errorf("%s: %s", real.Name, r.Errors[0].Error)
				}
				continue
			}
			if real.Expect == "refuse" {
				t.Errorf("%s was to be refused", real.Name)
			}
			imported++
			a := q.exported(t, query("languages", "en", "collections", collection, "format", in))
			if a.status != 200 {
				if !strings.Contains(string(a.body), "beginning of key") {
					t.Errorf("%s: %s", real.Name, a.body)
				}
				continue
			}
			want, got := texts(t, in, real.Src), texts(t, in, a.body)
			for k, v := range want {
				if got[k] != v {
					t.Errorf("%s: %q is %q, want %q", real.Name, k, got[k], v)
					break
				}
			}
			if len(got) != len(want) {
				t.Errorf("%s: %d texts, want %d", real.Name, len(got), len(want))
			}
		}
		t.Logf("%s: %d files came back, %d were refused, %d have values that are not text", format, imported, refused,
			notText)
	}
}
