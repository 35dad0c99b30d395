package main

import (
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

const victimPath = "/v1/project/" + victimProject

// Every answer of the service can be a bomb, also those of calls that need a few bytes.
func TestBoundOfAnswers(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	empty := func(w io.Writer) { repeated(w, "[{}", ",{}", 10_000_000, "]") }
	deep := func(w io.Writer) { repeated(w, `{"id":`, "[", 20_000_000, "") }
	long := func(w io.Writer) { repeated(w, `{"id":"`, "x", 200_000_000, `"}`) }
	languages := func(w io.Writer) {
		repeated(w, `{"id": "`+victimProject+`", "sourceLanguage": "en", "targetLanguages": ["de"`, `,"de"`, 5_000_000,
			`]}`)
	}
	for _, c := range []struct {
		call    string
		write   func(io.Writer)
		command string
	}{
		{"GET /v1/account", empty, "check --online"}, {"GET /v1/account", deep, "doctor"}, {"GET /v1/account", long,
			"check --online"},
		{"GET " + victimPath, deep, "check --online"}, {"GET " + victimPath, long, "check --online"},
		{"GET " + victimPath, languages, "check --online"},
		{"POST /v2/project/" + victimProject + "/export", long, "pull"},
		{"POST /v2/project/" + victimProject + "/export", deep, "pull"},
		{"POST /v2/project/" + victimProject + "/import", empty, "push"},
		{"POST /v2/project/" + victimProject + "/import", long, "push"},
		{"GET /v1/project/import-result/i1", deep, "push"}, {"GET /v1/project/import-result/i1", long, "push"},
		{"GET " + victimPath + "/statistics", empty, "stats"}, {"GET /v2/project/list", empty, "project list"},
		{"GET /v1/document/export/e1", deep, "pull"}, {"GET /v1/document/export/e1", empty, "pull"},
	} {
		t.Run(c.command+" "+strings.Fields(c.call)[1], func(t *testing.T) {
			v := newVictim(t)
			v.streams(c.call, true, c.write)
			v.locsync(strings.Fields(c.command)...)
		})
	}
}

// What says why it is refused is read as little as any other answer.
func TestBoundOfRefusals(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	v.answers["GET /v1/account"] = func(w http.ResponseWriter, _ *http.Request) {
		w.WriteHeader(http.StatusUnauthorized)
		repeated(w, `{"title":"`, "\x1b[31m\u202e\u2028", 30_000_000, `"}`)
	}
	code, said := v.locsync("check", "--online")
	expect(t, code, said, 2)
	if len(said) > 10_000 || strings.ContainsAny(said, "\x1b\u202e\u2028") {
		t.Errorf("%d bytes: %.300q", len(said), said)
	}
}

// The key goes nowhere but to the service, by no answer of it.
func TestKeyStays(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	thief := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		t.Errorf("at the thief: %s %s %v", r.Method, r.URL, r.Header)
	}))
	defer thief.Close()
	for _, status := range []int{301, 302, 303, 307, 308} {
		for _, to := range []string{thief.URL, strings.Replace(thief.URL, "http:", "", 1), strings.Replace(thief.URL,
			"127.0.0.1", "localhost", 1)} {
			v.answers["GET /v1/account"] = func(w http.ResponseWriter, _ *http.Request) {
				w.Header().Set("Location", to+"/api/integration/v1/account")
				w.WriteHeader(status)
			}
			if code, said := v.locsync("check", "--online"); code == 0 {
				t.Errorf("%d to %s is followed: %s", status, to, said)
			}
		}
	}
}

// Archive entries get nowhere but where the configuration expects them, and are named without what they would do to a
// terminal.
func TestNamesOfEntries(t *testing.T) {
	t.Parallel()
	v := newVictim(t)
	members := map[string]func(io.Writer){"locales/de/app.json": func(w io.Writer) {
		_, _ = io.WriteString(w, `{"greeting":"Hallo"}`)
	}}
	for _, name := range []string{"../../evil", ".github/workflows/evil.yml", ".husky/pre-commit", ".gitmodules",
		".gitattributes", "locsync.toml",
		"locales/de/a\nb.json", "locales/de/\x1b[31m.json", "locales/de/\u202egnp.json", "locales/de/" +
			strings.Repeat("x", 300), "locales/DE/app.json",
		"locales/de/app.json/", "locales//de/app.json", "./locales/de/app.json", "LOCALES/de/app.json",
		"locales/de/app.json ", "locales/de/.git/config",
		"locales/de/git~1/config", "\\\\host\\share", "C:evil", "con", "locales/de/app.json\x00.txt", "\xff\xfe.json",
		"locales/\u200d.git/config"} {
		members[name] = func(w io.Writer) { _, _ = io.WriteString(w, `{"greeting":"EVIL"}`) }
	}
	v.says("GET /v1/document/export/e1", string(zipOf(t, members)))
	code, said := v.locsync("pull")
	expect(t, code, said, 3)
	if strings.ContainsAny(said, "\x1b\u202e\x00") {
		t.Errorf("it says %q", said)
	}
	files := v.git("ls-tree", "-r", "--name-only", "l10n")
	if files != "locales/de/app.json\nlocales/en/app.json\nlocsync.toml" && !strings.HasPrefix(files, ".") {
		t.Errorf("the branch has %q", files)
	}
	if evil := v.git("log", "--all", "-S", "EVIL", "--oneline"); evil != "" {
		t.Errorf("it was committed: %s", evil)
	}
}

// What is no file, or is one without end, is refused wherever a file is named, and nothing waits for it.
func TestNoFiles(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	pipe, sparse := filepath.Join(v.dir, "pipe"), filepath.Join(v.dir, "sparse")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Skipf("NOTE: this file system has no pipes: %v", err)
	}
	v.file("sparse", "")
	if err := os.Truncate(sparse, 20<<30); err != nil {
		t.Fatal(err)
	}
	for _, file := range []string{pipe, sparse, "/dev/zero", v.dir} {
		for _, command := range [][]string{
			{"check", "--config", file}, {"check", "--baseline", file}, {"push", "--config", file},
			{"service", "--listen", "127.0.0.1:0", "--data", filepath.Join(v.dir, "data"), "--account",
				"a", "--api-key-file", file},
			{"glossary", "import", file}, {"memories", "import", file},
		} {
			if code, said := v.locsync(command...); code == 0 {
				t.Errorf("%v: %s", command, said)
			}
		}
		v.file("other.toml", strings.Replace(v.text("locsync.toml"), "[[project]]",
			"api_key_env = \"NOWHERE\"\napi_key_file = \""+file+"\"\n[[project]]", 1))
		if code, said := v.locsync("check", "--online", "--config", "other.toml"); code == 0 {
			t.Errorf("%s as a key: %s", file, said)
		}
	}
	if err := os.Rename(pipe, filepath.Join(v.dir, "locales/en/pipe.json")); err != nil {
		t.Fatal(err)
	}
	v.file("locales/en/a\x1b[31m\u2028.json", `{"x":"y"}`)
	v.file("locales/en/\xff.json", `{"x":"y"}`)
	v.says("GET /v1/project/import-result/i1", `{"status": "completed", "keysCreated": 2}`)
	code, said := v.locsync("push")
	expect(t, code, said, 3, "pipe.json")
	if strings.Contains(said, "\x1b") {
		t.Errorf("it says %q", said)
	}
}

func (v *victim) text(name string) string {
	v.Helper()
	b, err := os.ReadFile(filepath.Join(v.dir, name))
	if err != nil {
		v.Fatal(err)
	}
	return string(b)
}

// A proposed configuration runs no program, and takes neither the key nor the memory.
func TestProposedConfigurations(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	good := v.text("locsync.toml")
	with := func(old, new string) string { return strings.Replace(good, old, new, 1) }
	output := func(path string) string { return with("locales/{LANGUAGE}/{NAME}.json", path) }
	ten := strings.Repeat("%s", 10)
	for name, text := range map[string]string{
		"workflows": output(".github/workflows/{LANGUAGE}.json"), "husky": output(".husky/{LANGUAGE}.json"), "modules": output(".gitmodules/{LANGUAGE}"),
		"label": output("{LABEL:x}"), "git": output("x/.git/{LANGUAGE}.json"),
		"case":   output(".GitHub/{LANGUAGE}.json"),
		"itself": output("{LANGUAGE}/../locsync.toml"), "outside": output("../{LANGUAGE}.json"),
		"absolute": output("/etc/{LANGUAGE}.json"),
		"key":      with("account_id", "api_key = \"k\"\naccount_id"),
		"plain":    with("http://127.0.0.1", "http://192.0.2.1"),
		"source":   with("locales/en/*.json", "/etc/**/*.json"),
		"above":    with("locales/en/*.json", "../**/*.json"),
		"remote":   with(`remote = ""`, `remote = "--upload-pack=touch pwned"`),
		"helper":   with(`remote = ""`, `remote = "ext::touch pwned"`),
		"branch":   with(`remote = ""`, "remote = \"\"\nbranch = \"../../config\""),
		"template": with(`remote = ""`,
			"remote = \"\"\ncommit_message = '{{ define \"T\" }}{{ template \"T\" }}{{ end }}{{ template \"T\" }}'"),
		"growing": with(`remote = ""`,
			"remote = \"\"\ncommit_message = '{{ $a := \"xxxxxxxxxx\" }}"+strings.Repeat(`{{ $a = printf "`+ten+`"`+
				strings.Repeat(" $a", 10)+" }}", 10)+"{{ $a }}'"),
		"wide": with(`remote = ""`,
			"remote = \"\"\ncommit_message = '"+strings.Repeat(`{{ printf "%999999d" 1 }}`, 2000)+"'"),
		"stars":       with("locales/en/*.json", strings.Repeat("**/", 300)+"*.json"),
		"braces":      with("locales/en/*.json", "locales/"+strings.Repeat("{a,b}", 60)+"/*.json"),
		"a long list": with(`["de"]`, `["de"`+strings.Repeat(`, "fr"`, 100_000)+`]`),
	} {
		t.Run(name, func(t *testing.T) {
			v.T = t
			v.file("locsync.toml", text)
			for _, command := range []string{"check", "pull"} {
				code, said := v.locsync(command)
				if name != "stars" && name != "braces" && code != 2 {
					t.Errorf("%s ends with %d: %.300s", command, code, said)
				}
			}
			if _, err := os.Stat(filepath.Join(v.dir, "pwned")); err == nil {
				t.Error("a program ran")
			}
		})
	}
}

// A remote with very many references is read within the bounds.
func TestManyReferences(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	v := newVictim(t)
	remote := filepath.Join(v.TempDir(), "remote.git")
	v.git("clone", "-q", "--bare", ".", remote)
	v.git("remote", "add", "origin", remote)
	head := v.git("rev-parse", "HEAD")
	var packed strings.Builder
	packed.WriteString("# pack-refs with: peeled fully-peeled sorted \n" + head + " refs/heads/main\n")
	for i := range 100_000 {
		fmt.Fprintf(&packed, "%s refs/heads/x/%06d\n", head, i)
	}
	if err := os.WriteFile(filepath.Join(remote, "packed-refs"), []byte(packed.String()), 0o600); err != nil {
		t.Fatal(err)
	}
	v.file("locsync.toml", strings.Replace(v.text("locsync.toml"), `remote = ""`, `remote = "origin"`, 1))
	v.says("GET /v1/document/export/e1", string(zipOf(t, map[string]func(io.Writer){
		"locales/de/app.json": func(w io.Writer) { _, _ = io.WriteString(w, `{"greeting":"Hallo"}`) }})))
	code, said := v.locsync("pull")
	expect(t, code, said, 0, "1 added in commit")
}
