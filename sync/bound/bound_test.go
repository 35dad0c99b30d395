package bound

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestFiles(t *testing.T) {
	dir := t.TempDir()
	name := filepath.Join(dir, "f")
	if err := os.WriteFile(name, []byte("12345"), 0o600); err != nil {
		t.Fatal(err)
	}
	if b, err := ReadFile(name, 5); err != nil || string(b) != "12345" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := ReadFile(name, 4); !Is(err) {
		t.Errorf("a larger file: %v", err)
	}
	if _, err := ReadFile(dir, 4); !errors.Is(err, ErrNoFile) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := ReadFile("/dev/zero", 4); !errors.Is(err, ErrNoFile) && !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a device: %v", err)
	}
	tree := fstest.MapFS{"f": {Data: []byte("12345")}}
	if b, err := ReadFS(tree, "f", 5); err != nil || string(b) != "12345" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := ReadFS(tree, "f", 4); !Is(err) {
		t.Errorf("a larger file of a tree: %v", err)
	}
	if _, err := ReadFS(tree, "g", 4); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if b, err := Read(strings.NewReader("12345"), 5); err != nil || string(b) != "12345" {
		t.Errorf("%q %v", b, err)
	}
	if _, err := Read(strings.NewReader("12345"), 4); !Is(err) {
		t.Errorf("a longer stream: %v", err)
	}
}

func TestWeigh(t *testing.T) {
	budget := JSON{Memory: 10_000}
	for src, fits := range map[string]bool{
		`{"a": [1, 2, 3]}`:                           true,
		`[` + strings.Repeat(`{},`, 30) + `{}]`:      false,
		`"` + strings.Repeat(`{\"[`, 2_000) + `"`:    true, // one text
		`"` + strings.Repeat(`x`, 10_001) + `"`:      false,
		strings.Repeat(`[`, mostDepth+1):             false,
		`[` + strings.Repeat(`[],`, mostDepth) + `]`: true,
	} {
		if err := budget.Weigh([]byte(src)); (err == nil) != fits || err != nil && !Is(err) {
			t.Errorf("%.40q: %v", src, err)
		}
	}
}

func TestObject(t *testing.T) {
	read := func(b JSON, src string) (rest string, n int, err error) {
		out, err := b.Object(strings.NewReader(src), "list", func(d *json.Decoder) error {
			n++
			return Leave(d)
		})
		return string(out), n, err
	}
	many := `{"a":1,"list":[` + strings.Repeat(`{"x":[{}]},`, 100_000) + `5],"b":{"list":[1]}}`
	if rest, n, err := read(JSON{Element: 10_000}, many); rest != `{"a":1,"b":{"list":[1]}}` || n != 100_001 ||
		err != nil {
		t.Errorf("%s, %d, %v", rest, n, err)
	}
	if rest, n, err := read(JSON{}, `{"list":null,"a\"":"\u00e9"}`); rest != `{"a\"":"\u00e9"}` || n != 0 ||
		err != nil {
		t.Errorf("%s, %d, %v", rest, n, err)
	}
	for name, c := range map[string]struct {
		budget JSON
		src    string
	}{
		"bytes":    {JSON{Bytes: 1000}, many},
		"memory":   {JSON{Memory: 10_000}, many},
		"element":  {JSON{Element: 1000}, `{"list":["` + strings.Repeat("x", 100_000) + `"]}`},
		"a member": {JSON{Element: 1000}, `{"a":"` + strings.Repeat("x", 100_000) + `"}`},
		"members":  {JSON{Element: 1000}, `{` + strings.Repeat(`"a":1,`, 1000) + `"b":1}`},
	} {
		if _, _, err := read(c.budget, c.src); !Is(err) {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, src := range []string{"", "[]", "5", `{"a":1`, `{"list":[1`, `{"list":{}}`, `{} {}`,
		`{}x`, `{"list":[1}`, `{"a" 1}`} {
		if _, _, err := read(JSON{}, src); err == nil || Is(err) {
			t.Errorf("%s: %v", src, err)
		}
	}
}

// What is read in pieces is what is read at once.
func FuzzObject(f *testing.F) {
	f.Add(`{"a":1,"list":[1,{"x":[2]}],"b":{"list":[1]}}`)
	f.Add(`{"list":null,"a":"\u00e9"}`)
	f.Add(`{"list":[],"list":["x"],"list":7}`)
	f.Fuzz(func(t *testing.T, src string) {
		n := 0
		rest, err := JSON{Memory: 1 << 20}.Object(strings.NewReader(src), "list", func(d *json.Decoder) error {
			n++
			return Leave(d)
		})
		if err != nil {
			return
		}
		var whole, left map[string]any
		if err := json.Unmarshal([]byte(src), &whole); err != nil {
			t.Fatalf("%q is read, and is not valid: %v", src, err)
		}
		if err := json.Unmarshal(rest, &left); err != nil {
			t.Fatalf("%q leaves %q: %v", src, rest, err)
		}
		delete(whole, "list")
		if a, b := mustJSON(whole), mustJSON(left); a != b {
			t.Fatalf("%q leaves %s, want %s", src, b, a)
		}
	})
}

func mustJSON(v any) string {
	b, err := json.Marshal(v)
	if err != nil {
		panic(err)
	}
	return string(b)
}

// plain is a tree that can only be opened, as a working tree is.
type plain struct{ fs.FS }

// A file of a tree that can only be opened is found once, and read as any other.
func TestReadFSOpens(t *testing.T) {
	tree := plain{fstest.MapFS{"f": {Data: []byte("12345")}, "empty": {}, "d/f": {}}}
	if _, reads := any(tree).(fs.ReadFileFS); reads {
		t.Fatal("it reads files itself")
	}
	for name, want := range map[string]string{"f": "12345", "empty": ""} {
		if b, err := ReadFS(tree, name, 5); err != nil || string(b) != want {
			t.Errorf("%s: %q %v", name, b, err)
		}
	}
	if _, err := ReadFS(tree, "f", 4); !Is(err) || !strings.Contains(err.Error(), "f") {
		t.Errorf("a larger file: %v", err)
	}
	if _, err := ReadFS(tree, "g", 4); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("no file: %v", err)
	}
	if _, err := ReadFS(tree, "d", 4); err == nil || Is(err) {
		t.Errorf("a folder: %v", err)
	}
}
