package main

import (
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

const module = "github.com/locsync/locsync/"

// imports is which package may import which of ours; main.go shows the outline. A new import is added here in the
// same commit, with a reason.
var imports = map[string][]string{
	"cmd/locsync": {"*"},
	"sync/past":   {"sync/bundle", "sync/catalog", "sync/report", "gitops"},
	// heartbeat: /healthz tells which part hangs. bound: what is this machine
	"sync/web": {"sync/bound", "sync/web/share", "sync/engine", "sync/exposition", "sync/pass",
		"sync/pull", "sync/push", "sync/failure",
		"sync/report", "sync/service/wire", "sync/heartbeat"},
	// languages: their names
	"sync/web/share": {"sync/languages", "sync/report"},
	// heartbeat: loops and passes say that they move. forge: which repository an event is about. watch: its loops end
	// with the engine's.
	"sync/engine": {
		"gitops", "gitops/forge", "sync/branches", "sync/config", "sync/events", "sync/failure", "sync/heartbeat",
		"sync/inspect", "sync/ledger", "sync/pass", "sync/pull", "sync/push", "sync/report", "sync/repository",
		"sync/service", "sync/status", "sync/tree", "sync/trigger", "sync/watch",
	},
	"sync/branches": {"gitops", "sync/config", "sync/failure", "sync/ledger", "sync/pass", "sync/report"},
	// heartbeat: git moves. service: what a damaged clone is not the reason for.
	"sync/repository": {"gitops", "sync/config", "sync/failure", "sync/heartbeat", "sync/ledger", "sync/pass",
		"sync/report", "sync/service"},
	// request: of the branch that a pull brings.
	"sync/pass": {
		"gitops", "sync/accepted", "sync/bundle", "sync/catalog", "sync/config", "sync/events", "sync/failure",
		"sync/ledger", "sync/report", "sync/request", "sync/service", "sync/tree", "sync/trigger",
	},
	// tree: the files as one reading of them. imports: what was decided to be sent.
	"sync/push": {
		"formats/resource", "gitops", "sync/accepted", "sync/bundle", "sync/catalog", "sync/config", "sync/events",
		"sync/examine", "sync/failure", "sync/imports", "sync/ledger", "sync/pass", "sync/past", "sync/report",
		"sync/service", "sync/spelling", "sync/tree",
	},
	// past: what is told of a text that the service keeps
	"sync/imports": {"sync/bundle", "sync/catalog", "sync/config", "sync/ledger", "sync/pass", "sync/past",
		"sync/report", "sync/service", "sync/spelling"},
	// oracle: what is about to be written is read by a second reader first. forge: the request comes after the commit.
	"sync/pull": {
		"formats/oracle", "formats/resource", "gitops", "sync/accepted", "sync/bundle", "sync/catalog",
		"sync/check", "sync/config", "sync/events", "sync/examine", "sync/failure", "sync/ledger", "sync/pass",
		"sync/plural", "sync/report", "sync/request", "sync/service", "sync/spelling", "sync/tree",
	},
	"sync/pass/passtest": {"sync/config", "sync/pass", "sync/report", "sync/ledger/boltledger"},
	// failure: the errors of all that is called, as reports name them
	"sync/failure": {"sync/service", "sync/ledger", "sync/report", "gitops", "gitops/forge"},
	// ledger: the names of source files in it
	"sync/tree": {"sync/bundle", "sync/catalog", "sync/config", "sync/ledger", "sync/plural", "sync/report",
		"sync/spelling", "gitops", "formats/resource"},
	// bound, files: the file of accepted problems
	"sync/inspect": {"sync/tree", "sync/examine", "sync/failure", "sync/bound", "sync/files", "sync/bundle",
		"sync/catalog", "sync/check", "sync/config", "sync/plural", "sync/report", "sync/service", "sync/spelling",
		"gitops", "formats/resource"},
	// heartbeat: a git host that is slow is no hang
	"sync/request": {"sync/tree", "sync/failure", "sync/bundle", "sync/catalog", "sync/config", "sync/heartbeat",
		"sync/ledger", "sync/report", "gitops", "gitops/forge", "sync/secret"},
	"sync/accepted": {"sync/tree", "sync/catalog", "sync/config", "sync/ledger", "sync/report", "gitops"},
	// gitops: that git is busy; request, forge: what was done about a request
	"sync/events": {"sync/failure", "sync/ledger", "sync/report", "sync/request", "gitops", "gitops/forge"},
	// forge: web pages of branches and commits
	"sync/status": {"sync/accepted", "sync/catalog", "sync/tree", "sync/bundle", "sync/config", "sync/ledger",
		"sync/report",
		"gitops", "gitops/forge"},
	"sync/examine": {"sync/bundle", "sync/catalog", "sync/check", "sync/config", "sync/plural", "sync/report",
		"sync/spelling", "formats/resource"},
	// terminal: tables of what a document lists. schedule: its type in a schema
	"sync/document": {"sync/jsonschema", "sync/config", "sync/config/schedule", "sync/report", "sync/service/documents",
		"sync/service/memories", "sync/terminal"},
	"sync/jsonschema": {},
	"sync/manual":     {"sync/terminal"}, // lines that are broken by columns
	// service, gitops: what is waited for. files: paths of annotations, as another program has them.
	"sync/terminal": {"sync/report", "sync/service", "sync/files", "gitops"},
	"sync/files":    {"sync/failure"},
	// terminal: questions, and numbers in words. gitops: what the repository tracks, and its branches.
	// migrate: which files another tool's configuration names
	"sync/setup": {"sync/config", "sync/discover", "sync/failure", "sync/languages", "sync/migrate", "sync/report",
		"sync/terminal", "gitops"},
	"sync/migrate": {"sync/config"}, // patterns
	// web: passes as commands ask for them. pull: with their diffs. terminal: the reports.
	"sync/demo": {"sync/config", "sync/failure", "sync/process", "sync/pull", "sync/service", "sync/terminal",
		"sync/web"},
	// document, terminal: what people and programs see of an answer
	"sync/operation": {"sync/config", "sync/document", "sync/failure", "sync/files", "sync/report", "sync/service",
		"sync/service/documents", "sync/service/memories", "sync/service/wire", "sync/terminal", "sync/transfer"},
	"sync/transfer": {"sync/config", "sync/failure", "sync/files", "sync/report", "sync/service",
		"sync/service/documents", "sync/service/wire"},
	// process: what notifications are registered with
	"sync/settings": {"sync/config", "sync/failure", "sync/files", "sync/process", "sync/service", "sync/service/wire"},
	// web: the daemon is asked. engine, boltledger: what is read without it, of a copy of the state.
	// page: how the embedded service is asked for an invitation. files: the configuration that is edited.
	"sync/command": {"sync/config", "sync/engine", "sync/failure", "sync/files",
		"sync/ledger/boltledger", "sync/process",
		"sync/report", "sync/service/local/page", "sync/web"},
	// terminal: numbers and times in words. gitops: how long git may be silent. ledger: what people were told.
	"sync/daemon": {"sync/failure", "sync/process", "sync/engine", "sync/web", "sync/heartbeat", "sync/config",
		"sync/report",
		"sync/ledger/boltledger", "sync/terminal", "gitops", "sync/notify", "sync/ledger", "sync/secret"},
	// bound: answers of receivers, and their address in errors
	"sync/notify": {"sync/bound", "sync/config", "sync/ledger", "sync/report", "sync/secret"},
	// engine: reads all files as passes do. web: the daemon is asked. terminal: numbers and times in words.
	"sync/doctor": {"sync/notify", "sync/failure", "sync/inspect", "sync/process", "sync/engine", "sync/web",
		"sync/watch", "sync/config", "sync/report", "sync/service", "sync/ledger/boltledger", "sync/terminal", "gitops",
		"sync/bound", "sync/secret"},
	// service/local: the embedded service. web: the daemon's, through its socket; the meter of requests.
	// cluster, ledger: the state that processes share, in place of a file.
	"sync/process": {"sync/cluster", "sync/ledger", "sync/failure", "sync/engine", "sync/config",
		"sync/ledger/boltledger", "sync/report", "sync/service",
		"sync/service/wire", "sync/service/local", "sync/web", "gitops", "sync/secret", "sync/secret/keyring"},
	// Forms travel as messages to a service that has no forms.
	"sync/bundle": {"sync/bound", "sync/config", "sync/catalog", "sync/plural", "sync/report",
		"formats", "formats/resource"},
	// config: the words of a collection
	"sync/discover":          {"sync/config", "sync/languages", "formats", "formats/resource"},
	"sync/service":           {"sync/service/budget", "sync/service/wire", "sync/bound"},
	"sync/service/documents": {"sync/service", "sync/service/wire"},
	"sync/service/memories":  {"sync/service", "sync/service/wire"},
	"sync/service/budget":    {},
	// the parts of the embedded service, which never import what puts them together
	"sync/service/local": {"sync/service/wire", "sync/languages", "sync/service/local/api",
		"sync/service/local/callbacks", "sync/service/local/documents", "sync/service/local/files",
		"sync/service/local/glossary", "sync/service/local/jobs", "sync/service/local/keys",
		"sync/service/local/machine",
		"sync/service/local/memory", "sync/service/local/page", "sync/service/local/projects",
		"sync/service/local/pseudo", "sync/service/local/statistics",
		"sync/service/local/store", "sync/service/local/tasks"},
	"sync/service/local/api": {"sync/service/wire", "sync/languages"},
	// segment: how a workbook is cut is stored with it
	"sync/service/local/store":     {"sync/service/wire", "sync/service/local/api", "sync/service/local/segment"},
	"sync/service/local/jobs":      {"sync/service/wire", "sync/service/local/api", "sync/service/local/store"},
	"sync/service/local/callbacks": {"sync/service/wire", "sync/service/local/api", "sync/service/local/store"},
	// plural: forms go out as ICU messages; locjson: the targets of its units, which only the service reads
	"sync/service/local/keys": {"sync/service/wire", "sync/plural", "formats", "formats/resource",
		"formats/locjson", "sync/service/local/api", "sync/service/local/jobs", "sync/service/local/pseudo",
		"sync/service/local/store"},
	"sync/service/local/memory": {"sync/service/wire", "sync/service/local/api", "sync/service/local/segment",
		"sync/service/local/store"},
	"sync/service/local/glossary": {"sync/service/wire", "sync/service/local/api", "sync/service/local/jobs",
		"sync/service/local/store", "sync/service/local/workbook"},
	"sync/service/local/files": {"sync/service/wire", "sync/service/local/api", "sync/service/local/store"},
	"sync/service/local/editor": {"sync/service/wire", "sync/service/local/api", "sync/service/local/segment",
		"sync/service/local/store"},
	"sync/service/local/documents": {"sync/service/wire", "sync/service/local/api",
		"sync/service/local/editor", "sync/service/local/jobs",
		"sync/service/local/machine", "sync/service/local/memory",
		"sync/service/local/pseudo", "sync/service/local/segment", "sync/service/local/store"},
	"sync/service/local/statistics": {"sync/service/wire", "sync/service/local/api",
		"sync/service/local/documents", "sync/service/local/editor", "sync/service/local/jobs",
		"sync/service/local/memory", "sync/service/local/store"},
	"sync/service/local/tasks": {"sync/service/wire", "sync/service/local/api", "sync/service/local/store"},
	"sync/service/local/projects": {"sync/service/wire", "sync/service/local/api",
		"sync/service/local/documents", "sync/service/local/store"},
	// check: what an engine answers is measured against its source
	"sync/service/local/machine": {"sync/bound", "sync/check", "formats/programs"},
	// check, plural: what pulls would hold back, said while it is typed. keys: the one way to store a translation.
	"sync/service/local/page": {"formats", "formats/programs", "sync/check", "sync/languages",
		"sync/plural", "sync/service/wire",
		"sync/service/local/api", "sync/service/local/keys", "sync/service/local/memory", "sync/service/local/store"},
	"sync/service/local/pseudo":   {"sync/plural"},
	"sync/service/local/workbook": {"sync/bound"},
	// segment: resource files are documents, too
	"sync/service/local/segment": {"formats", "formats/resource", "sync/service/local/workbook", "sync/service/wire"},
	"sync/ledger":                {"sync/catalog", "sync/report"},
	"sync/ledger/boltledger":     {"sync/catalog", "sync/ledger"},
	// engine: it is called for passes. pgledger: the leases that ledgers write under.
	"sync/cluster":                {"sync/engine", "sync/ledger", "sync/ledger/pgledger"},
	"sync/ledger/pgledger":        {"sync/catalog", "sync/ledger"},
	"sync/ledger/ledgertest":      {"sync/catalog", "sync/ledger"}, // the tests of every ledger
	"sync/ledger/pgledger/pgtest": {"gitops/gittest"},              // servers for tests; how many tests run at once
	"formats": {"formats/resource", "formats/arb", "formats/jsonfile", "formats/yamlfile", "formats/stringsfile",
		"formats/androidxml", "formats/locjson", "formats/po", "formats/properties", "formats/resx", "formats/xliff",
		"formats/xcstrings", "formats/stringsdict", "formats/programs"},
	"formats/jsonfile":              {"formats/resource", "formats/messages"},
	"formats/yamlfile":              {"formats/resource", "formats/messages"},
	"formats/messages":              {"formats/resource"}, // message files, in JSON and YAML
	"formats/stringsfile":           {"formats/resource"},
	"formats/androidxml":            {"formats/resource", "formats/xmlscan"},
	"formats/locjson":               {"formats/resource", "formats/jsonfile"}, // LocJSON is JSON
	"formats/arb":                   {"formats/resource", "formats/jsonfile"}, // and so is ARB
	"formats/po":                    {"formats/resource", "sync/plural"},      // gettext's formulas choose among categories
	"formats/properties":            {"formats/resource"},
	"formats/resx":                  {"formats/resource", "formats/xmlscan"},
	"formats/stringsdict":           {"formats/resource", "formats/xmlscan"},
	"formats/xliff":                 {"formats/resource", "formats/xmlscan"},
	"formats/xcstrings":             {"formats/resource", "formats/jsonfile"}, // string catalogs are JSON, too
	"formats/xmlscan":               {"formats/resource"},                     // what formats that are XML share
	"formats/resource":              {},
	"formats/programs":              {},                   // what programs do with texts: a part of a row
	"formats/oracle":                {},                   // nothing of the grammars may be in it
	"formats/resource/resourcetest": {"formats/resource"}, // checks for tests
	"formats/oracle/oracletest":     {"formats/oracle", "formats/resource"},
	"gitops/gittest":                {}, // servers for tests
	"sync/catalog":                  {},
	"sync/report":                   {},
	"sync/plural":                   {},
	// spelling: the catalogs of both sides, and what a language has
	"sync/spelling": {"sync/catalog", "sync/plural"},
	// check: one reader of ICU messages, and the categories that a language needs
	"sync/check": {"sync/plural", "formats/programs"},
	// languages: a code that is none, or that no service has. formats: the names and extensions that there are
	// link, owner, pattern, position, schedule: parts of it that know no key
	"sync/config": {"sync/languages", "sync/bound", "sync/secret", "formats", "sync/config/owner",
		"sync/config/link", "sync/config/pattern", "sync/config/position", "sync/config/schedule"},
	"sync/config/owner":    {"sync/bound"}, // a path that is no file
	"sync/config/pattern":  {},
	"sync/config/position": {},
	"sync/config/link":     {},
	"sync/config/schedule": {},
	"sync/service/wire":    {},
	"sync/languages":       {},
	"sync/watch":           {},
	"sync/trigger":         {},
	"sync/heartbeat":       {},
	"sync/exposition":      {},
	"sync/secret":          {"sync/bound"}, // the file of a secret
	"sync/secret/keyring":  {"sync/secret"},
	"sync/bound":           {}, // how much of what comes from outside is believed
	"gitops": {"gitops/run", "gitops/history", "gitops/object", "gitops/ref", "gitops/repository", "gitops/outcome",
		"gitops/remote", "gitops/tree", "gitops/content", "gitops/hook"},
	// bound, here and below: files of a git folder, objects, and what git prints
	"gitops/content": {"gitops/tree", "gitops/remote", "gitops/repository", "gitops/outcome",
		"gitops/object", "gitops/ref", "gitops/run", "sync/bound"},
	// hook: where hooks are, and what git's configuration says of them
	"gitops/hook": {"gitops/repository", "sync/bound"},
	// remote: secrets in a server's words
	"gitops/remote": {"gitops/repository", "gitops/outcome", "gitops/object", "gitops/ref", "gitops/run",
		"sync/bound"},
	"gitops/tree":       {"gitops/object"},
	"gitops/outcome":    {"gitops/ref"}, // that a branch moved, that git is busy
	"gitops/repository": {"gitops/history", "gitops/object", "gitops/ref", "gitops/run", "sync/bound"},
	"gitops/ref":        {"gitops/object", "gitops/run", "sync/bound"}, // the git program moves them
	"gitops/history":    {"gitops/object", "gitops/run", "sync/bound"}, // git walks
	// object: what cannot be read in this process is asked of the git program
	"gitops/object":          {"gitops/run", "sync/bound"},
	"gitops/run":             {"sync/bound"},
	"gitops/forge":           {"sync/bound"},
	"gitops/forge/forgetest": {}, // servers for tests
}

// libraries is which packages may import a third-party library. Tests may use what they like.
var libraries = map[string][]string{
	"github.com/go-git/":                  {"gitops/object"},
	"github.com/klauspost/compress":       {"gitops/object"}, // zlib as packs need it, at three quarters of the time
	"github.com/fsnotify/":                {"sync/watch"},
	"github.com/BurntSushi/":              {"sync/config"},
	"github.com/robfig/cron":              {"sync/config/schedule"},
	"go.etcd.io/bbolt":                    {"sync/ledger/boltledger", "sync/service/local/store"},
	"github.com/jackc/pgx":                {"sync/ledger/pgledger", "sync/cluster"},
	"github.com/riverqueue/":              {"sync/cluster"},
	"github.com/gofrs/flock":              {"sync/files", "sync/ledger/boltledger", "sync/service/budget"},
	"github.com/spf13/":                   {"cmd/locsync"},
	"github.com/zalando/go-keyring":       {"sync/secret/keyring"},
	"github.com/coreos/go-systemd":        {"sync/daemon"},
	"github.com/prometheus/client_golang": {}, // tests read with it what we wrote
	"golang.org/x/net/": {"sync/service/local/callbacks",
		"sync/service/local/segment"}, // what a header may be; HTML documents
	"github.com/yuin/goldmark": {"sync/service/local/segment", "sync/manual"},
	"github.com/xuri/excelize": {}, // tests read with it what we wrote
	"go.yaml.in/":              {"formats/oracle", "sync/migrate"},
	"howett.net/":              {"formats/oracle"},
}

// pure packages know no clock, disk, network, logger or goroutine.
var pure = []string{"sync/catalog", "sync/report", "sync/check", "sync/plural", "sync/spelling", "sync/languages",
	"sync/bundle", "sync/examine",
	"sync/discover", "sync/migrate", "formats", "sync/service/wire",
	"sync/service/local/segment", "sync/service/local/pseudo"}

// testKits may use every library, as tests do.
var testKits = []string{"gitops/gittest", "formats/oracle/oracletest", "formats/resource/resourcetest",
	"sync/ledger/ledgertest",
	"sync/ledger/pgledger/pgtest"}

var impure = []string{"os", "os/exec", "net", "net/http", "log", "sync", "go.uber.org/zap"}

// values is what a pure package may use of the package time: a time is a value, a clock is not.
var values = []string{"Time", "Duration", "Second", "Minute", "Hour", "UTC", "RFC3339", "DateOnly", "DateTime"}

// packageFiles yields every Go file of the project with its folder.
func packageFiles(t *testing.T) map[string][]string {
	t.Helper()
	root := filepath.Join("..", "..")
	files := make(map[string][]string)
	err := filepath.WalkDir(root, func(p string, d fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		rel, err := filepath.Rel(root, p)
		if err != nil {
			return err
		}
		rel = filepath.ToSlash(rel)
		if d.IsDir() && (d.Name() == "testdata" || strings.HasPrefix(d.Name(), ".") && rel != ".") {
			return filepath.SkipDir
		}
		if !d.IsDir() && strings.HasSuffix(rel, ".go") {
			files[path.Dir(rel)] = append(files[path.Dir(rel)], p)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	if len(files) < 10 {
		t.Fatalf("only %d packages were found; the test looks in the wrong place", len(files))
	}
	return files
}

// isGenerator reports whether a file is a program of its own that go generate runs, and not a part of its package.
func isGenerator(t *testing.T, file string) bool {
	t.Helper()
	src, err := os.ReadFile(file)
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasPrefix(string(src), "//go:build ignore\n")
}

func importsOf(t *testing.T, file string) []string {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.ImportsOnly)
	if err != nil {
		t.Fatal(err)
	}
	var paths []string
	for _, i := range f.Imports {
		p, err := strconv.Unquote(i.Path.Value)
		if err != nil {
			t.Fatal(err)
		}
		paths = append(paths, p)
	}
	return paths
}

func TestImports(t *testing.T) {
	for pkg, files := range packageFiles(t) {
		allowed, listed := imports[pkg]
		if !listed {
			t.Errorf("package %s is not among the imports; add it", pkg)
			continue
		}
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") || isGenerator(t, file) {
				continue
			}
			if isPure(pkg) {
				checkClock(t, file)
			}
			for _, imported := range importsOf(t, file) {
				if ours, ok := strings.CutPrefix(imported, module); ok && !slices.Contains(allowed, "*") &&
					!slices.Contains(allowed, ours) {
					t.Errorf("%s imports %s: add it to imports, with a reason", file, ours)
				}
				for library, users := range libraries {
					if strings.HasPrefix(imported, library) && !slices.Contains(users, pkg) &&
						!slices.Contains(testKits, pkg) {
						t.Errorf("%s imports %s, which only %v may", file, imported, users)
					}
				}
				if isPure(pkg) && slices.Contains(impure, imported) {
					t.Errorf("%s imports %s, and %s is pure", file, imported, pkg)
				}
			}
		}
	}
}

func isPure(pkg string) bool {
	return pkg != "formats/resource/resourcetest" && slices.ContainsFunc(pure, func(of string) bool {
		return pkg == of || strings.HasPrefix(pkg, of+"/")
	})
}

// checkClock holds a file to values of the package time, and to no goroutine.
func checkClock(t *testing.T, file string) {
	t.Helper()
	f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
	if err != nil {
		t.Fatal(err)
	}
	ast.Inspect(f, func(n ast.Node) bool {
		switch n := n.(type) {
		case *ast.GoStmt:
			t.Errorf("%s starts a goroutine, and its package is pure", file)
		case *ast.SelectorExpr:
			if x, is := n.X.(*ast.Ident); is && x.Name == "time" && !slices.Contains(values, n.Sel.Name) {
				t.Errorf("%s uses time.%s, and its package is pure", file, n.Sel.Name)
			}
		}
		return true
	})
}

// TestFoldersWithoutCode: sync/ and cmd/ hold no Go file of their own, so that no package is called sync.
func TestFoldersWithoutCode(t *testing.T) {
	for pkg := range packageFiles(t) {
		if pkg == "sync" || pkg == "cmd" || pkg == "." {
			t.Errorf("%s holds a Go file; it is a folder of packages", pkg)
		}
	}
}

func TestTopLevel(t *testing.T) {
	known := []string{"go.mod", "go.sum", "cmd", "sync", "formats", "gitops", "config.example.toml", "systemd",
		"README.md",
		"LICENSE"}
	entries, err := os.ReadDir(filepath.Join("..", ".."))
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if !strings.HasPrefix(e.Name(), ".") && !slices.Contains(known, e.Name()) {
			t.Errorf("%s does not belong at the top level", e.Name())
		}
	}
	for _, name := range known {
		if _, err := os.Stat(filepath.Join("..", "..", name)); err != nil {
			t.Errorf("%s is missing at the top level", name)
		}
	}
}

// TestPackageComments: every package says what it is for.
func TestPackageComments(t *testing.T) {
	for pkg, files := range packageFiles(t) {
		said := false
		for _, file := range files {
			if strings.HasSuffix(file, "_test.go") {
				continue
			}
			f, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.PackageClauseOnly|parser.ParseComments)
			if err != nil {
				t.Fatal(err)
			}
			said = said || f.Doc != nil && len(f.Doc.Text()) > 100
		}
		if !said {
			t.Errorf("package %s does not open with a comment that says what it is for", pkg)
		}
	}
}
