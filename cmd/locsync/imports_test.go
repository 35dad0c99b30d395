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

// areas are the folders directly below sync/, with what a stranger finds in each. Packages import those of their own
// area and of the areas below it, never of one above.
var areas = []struct{ name, what string }{
	{"setup", "a locsync.toml is written: what a repository and other tools' files say; the project at the service"},
	{"documents", "whole documents at the service: not resource files"},
	{"command", "what one command asks for, here or of the daemon; the doctor, the demo, the server for agents"},
	{"run", "a process: the daemon, a cluster of them, what they open and lock, notices"},
	{"web", "the daemon's address: its pages, webhooks and metrics, and what commands say to it"},
	{"terminal", "what a person at a terminal reads and is asked"},
	{"pass", "push and pull: both sides are read, what is to be done is decided, and carried out; what a check finds"},
	{"files", "files that commands write, as a whole"},
	{"failure", "what an error means for exit codes and people"},
	{"service", "the translation service as Go calls, and the embedded one"},
	{"memory", "what was agreed on with the service, and what git's history tells"},
	{"check", "one translation beside its source text: what would break the program"},
	{"text", "the texts of a file, without its bytes: keys, forms, plurals, what differs"},
	{"report", "what passes and checks found, as values: problems, status, events"},
	{"config", "locsync.toml, its secrets, and the names of languages"},
	{"bound", "what comes from outside or hangs: limits, faults, silence"},
}

// imports is which package may import which of ours. A new import is added here in the same commit, with a reason.
var imports = map[string][]string{
	"cmd/locsync": {"*"},
	// formats: names that files of one format have
	"sync/memory/past": {"formats", "sync/bound/fault", "sync/text/bundle", "sync/text/catalog", "sync/report", "gitops"},
	// heartbeat: /healthz tells which part hangs. bound: what is this machine
	"sync/web": {"sync/bound/fault", "sync/bound", "sync/bound/serve", "sync/web/share", "sync/pass/engine",
		"sync/pass", "sync/pass/pull", "sync/pass/push", "sync/failure", "sync/report", "sync/service/wire",
		"sync/bound/heartbeat"},
	// languages: their names
	"sync/web/share": {"sync/config/languages", "sync/report"},
	// heartbeat: loops and passes say that they move. forge: which repository an event is about. watch: its loops end
	// with the engine's.
	"sync/pass/engine": {"sync/config/spell", "sync/bound/fault", "gitops", "gitops/forge", "sync/pass/branches",
		"sync/config", "sync/pass/events", "sync/failure", "sync/bound/heartbeat", "sync/pass/inspect",
		"sync/memory/ledger", "sync/memory", "sync/pass", "sync/pass/pull", "sync/pass/push", "sync/report",
		"sync/pass/repository", "sync/service", "sync/pass/status", "sync/pass/tree", "sync/pass/trigger",
		"sync/pass/watch"},
	// bundle, config: which files there are, and how they are read
	"sync/memory": {"sync/bound", "sync/text/bundle", "sync/text/catalog", "sync/text/spelling", "sync/config",
		"sync/memory/ledger", "gitops", "formats", "formats/resource"},
	"sync/pass/branches": {"gitops", "sync/config", "sync/failure", "sync/memory/ledger", "sync/pass", "sync/report"},
	// heartbeat: git moves. service: what a damaged clone is not the reason for.
	"sync/pass/repository": {"sync/bound/fault", "gitops", "sync/config", "sync/failure", "sync/bound/heartbeat",
		"sync/memory/ledger", "sync/pass", "sync/report", "sync/service"},
	// request: of the branch that a pull brings. past: what is older than an accepted text.
	"sync/pass": {
		"gitops", "sync/pass/accepted", "sync/text/bundle", "sync/text/catalog", "sync/config", "sync/pass/events",
		"sync/failure",
		"sync/memory/ledger", "sync/report", "sync/pass/request", "sync/service", "sync/pass/tree", "sync/pass/trigger",
		"sync/pass/renames", "sync/memory/past", "sync/text/plural", "sync/text/spelling", // keys that look like the forms of a plural
		"sync/service/own", "sync/service/wire", // questions of translators, and who they are
	},
	// tree: the files as one reading of them. imports: what was decided to be sent.
	"sync/pass/push": {"sync/bound/fault", "formats/resource", "gitops", "sync/pass/accepted", "sync/text/bundle",
		"sync/text/catalog", "sync/config", "sync/pass/events", "sync/check/examine", "sync/failure", "sync/pass/imports",
		"sync/memory/ledger", "sync/pass", "sync/memory/past", "sync/report", "sync/service", "sync/text/spelling",
		"sync/pass/tree", "sync/text/plural", "sync/pass/renames"},
	// past: what is told of a text that the service keeps
	"sync/pass/imports": {"sync/text/bundle", "sync/text/catalog", "sync/config", "sync/memory/ledger", "sync/pass",
		"sync/memory/past", "sync/report", "sync/service", "sync/text/spelling"},
	// oracle: what is about to be written is read by a second reader first. forge: the request comes after the commit.
	// past: what the git history has was seen.
	"sync/pass/pull": {"sync/bound", "sync/bound/fault", "formats/oracle", "formats/resource", "gitops",
		"sync/pass/accepted", "sync/text/bundle", "sync/text/catalog", "sync/check", "sync/config", "sync/pass/events", "sync/check/examine",
		"sync/failure", "sync/memory/ledger", "sync/pass", "sync/memory/past", "sync/text/plural", "sync/report",
		"sync/pass/request", "sync/service", "sync/text/spelling", "sync/pass/tree"},
	"sync/pass/passtest": {"sync/config", "sync/pass", "sync/report", "sync/memory/ledger/boltledger"},
	// failure: the errors of all that is called, as reports name them
	// config: what is wrong with one of its keys
	"sync/failure": {"sync/config", "sync/service", "sync/memory/ledger", "sync/report", "gitops", "gitops/forge"},
	// ledger: the names of source files in it
	// programs: contexts of i18next
	"sync/pass/tree": {"sync/bound/fault", "formats/programs", "sync/text/bundle", "sync/text/catalog", "sync/config",
		"sync/memory/ledger", "sync/text/plural", "sync/report", "sync/text/spelling", "gitops", "formats/resource"},
	// bound, files: the file of accepted problems
	// text, programs: how a text is read is told. past: what brought a text
	// diff: what changed. fault: files are checked beside each other
	"sync/pass/inspect": {"sync/bound/fault", "gitops/diff", "sync/config/spell", "sync/memory/past", "sync/check/text", "formats/programs",
		"sync/pass/tree", "sync/check/examine", "sync/failure", "sync/bound", "sync/files", "sync/text/bundle",
		"sync/text/catalog", "sync/check", "sync/config", "sync/text/plural", "sync/report",
		"sync/text/spelling", "gitops", "formats/resource"},
	// heartbeat: a git host that is slow is no hang. service, documents: who translated, and their names. bound: names as
	// code
	"sync/pass/request": {"sync/bound", "sync/service", "sync/service/documents", "sync/pass/tree", "sync/failure", "sync/text/bundle", "sync/text/catalog", "sync/config",
		"sync/bound/heartbeat", "sync/memory/ledger", "sync/report", "gitops", "gitops/forge", "sync/config/secret"},
	// past: what a tree had
	"sync/pass/renames": {"gitops", "sync/config", "sync/memory/ledger", "sync/memory/past", "sync/pass/tree", "sync/report",
		"sync/text/bundle", "sync/text/catalog"},
	"sync/pass/accepted": {"sync/pass/tree", "sync/text/bundle", "sync/text/catalog", "sync/config",
		"sync/memory/ledger", "sync/report", "gitops"},
	// gitops: that git is busy; request, forge: what was done about a request
	"sync/pass/events": {"sync/failure", "sync/memory/ledger", "sync/report", "sync/pass/request", "gitops",
		"gitops/forge"},
	// forge: web pages of branches and commits
	// spelling: which keys a language has whole
	"sync/pass/status": {"sync/pass/accepted", "sync/text/catalog", "sync/pass/tree", "sync/text/bundle", "sync/config",
		"sync/memory/ledger", "sync/report", "sync/text/spelling", "gitops", "gitops/forge"},
	// kinds: the levels that hold where the configuration says nothing
	"sync/check/examine": {"sync/text/bundle", "sync/text/catalog", "sync/check", "sync/config", "sync/config/kinds",
		"sync/text/plural", "sync/report", "sync/text/spelling", "formats/programs", "formats/resource"},
	// terminal: tables of what a document lists. formats, and the parts of config: the schema of its keys
	// wire: what the embedded service tells commands
	"sync/documents/document": {"sync/documents/jsonschema", "sync/config", "sync/config/schedule", "sync/config/example",
		"sync/config/kinds", "sync/config/position", "sync/config/rules", "formats", "sync/report", "sync/service/documents",
		"sync/service/memories", "sync/service/wire", "sync/terminal"},
	"sync/documents/jsonschema": {},
	"sync/terminal/manual":      {"sync/terminal"}, // lines that are broken by columns
	// service, gitops: what is waited for. files: paths of annotations, as another program has them. bound: texts as code.
	"sync/terminal": {"sync/bound", "sync/report", "sync/service", "sync/files", "gitops"},
	"sync/files":    {"sync/failure"},
	// terminal: questions, and numbers in words. gitops: what the repository tracks, and its branches.
	// migrate: which files another tool's configuration names
	"sync/setup": {"sync/config", "sync/config/glob", "sync/config/languages", "sync/setup/discover", "sync/setup/migrate",
		"sync/failure", "sync/report", "sync/terminal", "gitops"},
	"sync/setup/migrate": {"sync/config"}, // patterns
	// web: passes as commands ask for them. pull: with their diffs. terminal: the reports.
	"sync/command/demo": {"sync/config", "sync/failure", "sync/run/process", "sync/pass/pull", "sync/service",
		"sync/terminal", "sync/web"},
	// document, terminal: what people and programs see of an answer
	"sync/documents/operation": {"sync/config/spell", "sync/config", "sync/documents/document", "sync/failure",
		"sync/files", "sync/report", "sync/service", "sync/service/documents", "sync/service/memories",
		"sync/service/wire", "sync/terminal", "sync/documents/transfer"},
	// command: the passes and checks of the commands. pull: its editors. past: which commit brought a text. web: what a
	// pass is asked for. files: written as a whole.
	"sync/command/mcp": {"sync/config/spell", "sync/bound", "sync/text/bundle", "sync/text/catalog", "sync/command",
		"sync/config", "sync/check/examine", "sync/failure", "sync/bound/fault", "sync/files", "sync/pass/inspect",
		"sync/memory/past", "sync/text/plural", "sync/run/process", "sync/pass/pull", "sync/pass/push", "sync/report",
		"sync/text/spelling", "sync/pass/tree", "sync/web", "formats/resource", "gitops"},
	"sync/documents/transfer": {"sync/config/spell", "sync/config", "sync/failure", "sync/files", "sync/report",
		"sync/service", "sync/service/documents", "sync/service/wire"},
	// process: what notifications are registered with
	// rules: what is configured of them. spell: the template that was meant
	"sync/setup/settings": {"sync/config", "sync/config/rules", "sync/config/spell", "sync/failure", "sync/files",
		"sync/run/process", "sync/service", "sync/service/memories", "sync/service/wire"},
	// web: the daemon is asked. engine, boltledger: what is read without it, of a copy of the state.
	// backup, wire: what the embedded service is asked for. files: the configuration that is edited, and backups.
	// inspect: what a check looks for. forge: the request that a job is for, and what is said there
	"sync/command": {"gitops/forge", "sync/config", "sync/pass/engine", "sync/failure", "sync/files",
		"sync/pass/inspect", "sync/memory/ledger/boltledger", "sync/run/process", "sync/report",
		"sync/service/local/backup", "sync/service/wire", "sync/web"},
	// terminal: numbers and times in words. gitops: how long git may be silent. ledger: what people were told.
	// serve: the server of its address. bound: its proxies
	"sync/run/daemon": {"sync/bound/fault", "sync/bound/serve", "sync/bound", "sync/failure", "sync/run/process",
		"sync/pass/engine", "sync/web", "sync/bound/heartbeat", "sync/config", "sync/report",
		"sync/memory/ledger/boltledger", "sync/terminal", "gitops", "sync/run/notify", "sync/memory/ledger",
		"sync/config/secret"},
	// process: how it listens and ends. web: the address for commands
	"sync/run/host": {"sync/bound", "sync/bound/fault", "sync/bound/serve", "sync/failure", "sync/run/process",
		"sync/service/local", "sync/service/local/page", "sync/web"},
	// bound: answers of receivers, and their address in errors
	"sync/run/notify": {"sync/bound/fault", "sync/bound", "sync/config", "sync/memory/ledger", "sync/report",
		"sync/config/secret"},
	// engine: reads all files as passes do. web: the daemon is asked. terminal: numbers and times in words.
	"sync/command/doctor": {"sync/bound/fault", "sync/run/notify", "sync/memory", "sync/failure", "sync/pass/inspect",
		"sync/run/process", "sync/pass/engine", "sync/web", "sync/pass/watch", "sync/config", "sync/report",
		"sync/service", "sync/memory/ledger", "sync/memory/ledger/boltledger", "sync/memory/ledger/pgledger",
		"sync/terminal", "gitops", "gitops/forge", "sync/bound", "sync/config/secret"},
	// service/local: the embedded service. web: the daemon's, through its socket; the meter of requests.
	// cluster, ledger: the state that processes share, in place of a file. examine: what its page checks
	"sync/run/process": {"sync/check", "sync/check/examine", "sync/bound/fault", "sync/run/cluster",
		"sync/memory/ledger", "sync/failure", "sync/pass/engine", "sync/config", "sync/memory/ledger/boltledger",
		"sync/report", "sync/service", "sync/service/wire", "sync/service/local", "sync/web", "gitops",
		"sync/config/secret", "sync/config/secret/keyring"},
	// Forms travel as messages to a service that has no forms. spelling: the plurals that a file spells as keys.
	"sync/text/bundle": {"sync/bound", "sync/config", "sync/config/kinds", "sync/text/catalog", "sync/text/plural",
		"sync/report", "sync/text/spelling", "formats", "formats/programs", "formats/resource"},
	// config: the words of a collection
	// spelling, catalog: a plural is one key
	// migrate: where another tool has source files and their translations. report: numbers in words
	"sync/setup/discover": {"sync/text/catalog", "sync/text/spelling", "sync/config", "sync/config/languages",
		"sync/report", "sync/setup/migrate", "formats", "formats/resource"},
	"sync/service":           {"sync/service/budget", "sync/service/wire", "sync/bound", "sync/bound/fault"},
	"sync/service/documents": {"sync/service", "sync/service/wire"},
	"sync/service/memories":  {"sync/service", "sync/service/wire"},
	"sync/service/own":       {"sync/service", "sync/service/wire"},
	"sync/service/budget":    {},
	// the parts of the embedded service, which never import what puts them together
	"sync/service/local": {"sync/service/wire", "sync/config/languages", "sync/service/local/api",
		"sync/service/local/backup", "sync/service/local/callbacks", "sync/service/local/clients",
		"sync/service/local/documents", "sync/service/local/files",
		"sync/service/local/glossary", "sync/service/local/jobs", "sync/service/local/keys", "sync/service/local/machine",
		"sync/service/local/mail", "sync/service/local/memory", "sync/service/local/news", "sync/service/local/openid",
		"sync/service/local/page", "sync/service/local/people",
		"sync/service/local/folder", "sync/service/local/projects", "sync/service/local/pseudo",
		"sync/service/local/statistics", "sync/service/local/store", "sync/service/local/tasks"},
	// serve: who asks, how often, and what bodies hold in memory
	// fault: a file is passed on beside its call
	"sync/service/local/api": {"sync/bound/fault", "sync/bound/serve", "sync/service/wire", "sync/config/languages"},
	// segment: how a workbook is cut is stored with it. bound: pages of the file that are let go of
	"sync/service/local/store": {"sync/bound", "sync/service/wire", "sync/service/local/api", "sync/service/local/folder",
		"sync/service/local/pack", "sync/service/local/segment"},
	"sync/service/local/pack":  {},
	"sync/service/local/terms": {"sync/service/local/api", "sync/service/local/store"},
	// secret: the password of the mail server
	"sync/service/local/mail":          {"sync/bound", "sync/config/secret", "sync/service/local/folder"},
	"sync/service/local/mail/mailtest": {}, // a server for tests
	"sync/service/local/news": {"sync/bound/fault", "sync/service/local/api",
		"sync/service/local/mail", "sync/service/local/people", "sync/service/local/store", "sync/service/local/words"},
	// secret: of the client at the provider
	"sync/service/local/openid":            {"sync/bound", "sync/config/secret", "sync/service/local/folder"},
	"sync/service/local/openid/openidtest": {}, // a provider for tests
	"sync/service/local/findings":          {"sync/check", "sync/service/local/words"},
	"sync/service/local/page/assets":       {},
	"sync/service/local/words":             {"sync/config/languages"}, // their names
	"sync/service/local/page/layout": {"sync/service/local/findings", "sync/service/local/marks",
		"sync/service/local/page/assets", "sync/service/local/words"},
	"sync/service/local/people": {"sync/service/local/api", "sync/service/local/store"},
	"sync/service/local/folder": {"sync/bound"},
	"sync/service/local/backup": {"sync/service/local/folder", "sync/service/local/store"},
	"sync/service/local/audit":  {"sync/service/local/store", "sync/service/local/words"},
	"sync/service/local/jobs": {"sync/bound/fault", "sync/service/wire", "sync/service/local/api",
		"sync/service/local/folder", "sync/service/local/store"},
	"sync/service/local/callbacks": {"sync/bound/fault", "sync/service/wire", "sync/service/local/api",
		"sync/service/local/store"},
	// plural: forms go out as ICU messages; locjson: the targets of its units, which only the service reads
	"sync/service/local/keys": {"sync/service/wire", "sync/text/plural", "formats", "formats/resource",
		"formats/locjson", "sync/service/local/api", "sync/service/local/jobs", "sync/service/local/pseudo",
		"sync/service/local/store"},
	// keys: what is archived
	"sync/service/local/clients": {"sync/service/wire", "sync/service/local/api", "sync/service/local/keys",
		"sync/service/local/store"},
	"sync/service/local/memory": {"sync/bound", "sync/service/wire", "sync/service/local/api",
		"sync/service/local/segment", "sync/service/local/store"},
	"sync/service/local/glossary": {"sync/service/wire", "sync/service/local/api", "sync/service/local/jobs",
		"sync/service/local/store", "sync/service/local/workbook"},
	"sync/service/local/files": {"sync/bound/fault", "sync/service/wire", "sync/service/local/api",
		"sync/service/local/folder", "sync/service/local/store"},
	"sync/service/local/editor": {"sync/service/wire", "sync/service/local/api", "sync/service/local/segment",
		"sync/service/local/store", "sync/service/local/terms"},
	"sync/service/local/documents": {"sync/service/wire", "sync/service/local/api", "sync/service/local/editor",
		"sync/service/local/jobs", "sync/service/local/machine", "sync/service/local/memory", "sync/service/local/pseudo",
		"sync/service/local/segment", "sync/service/local/store", "sync/service/local/terms"},
	"sync/service/local/statistics": {"sync/service/wire", "sync/service/local/api", "sync/service/local/documents",
		"sync/service/local/editor", "sync/service/local/jobs", "sync/service/local/memory", "sync/service/local/store",
		"sync/service/local/segment"}, // words of keys
	"sync/service/local/tasks": {"sync/service/wire", "sync/service/local/api", "sync/service/local/store"},
	// bound: the file of templates
	"sync/service/local/projects": {"sync/service/local/folder", "sync/service/wire", "sync/service/local/api",
		"sync/service/local/documents", "sync/service/local/store"},
	// check: what an engine answers is measured against its source
	"sync/service/local/machine": {"sync/bound", "sync/check", "sync/service/local/folder", "formats/programs"},
	// check, plural: what pulls would hold back, said while it is typed. keys: the one way to store a translation.
	"sync/service/local/page": {"sync/bound/fault", "sync/bound/serve", "formats", "formats/programs", "sync/check",
		"sync/text/plural", "sync/service/wire", "sync/service/local/api",
		"sync/service/local/keys", "sync/service/local/memory", "sync/service/local/store",
		"sync/service/local/machine", "sync/service/local/marks", // machine: engines that a person asks
		"sync/service/local/audit", // the log in words
		"sync/service/local/terms",
		"sync/service/local/people", // who is invited, and by what words
		"sync/service/local/news", "sync/service/local/openid", "sync/service/local/findings",
		"sync/service/local/page/layout", "sync/service/local/words"},
	"sync/service/local/marks":    {"sync/check"}, // the parts of a text that are kept
	"sync/service/local/pseudo":   {"sync/text/plural"},
	"sync/service/local/workbook": {"sync/bound"},
	// segment: resource files are documents, too
	"sync/service/local/segment": {"formats", "formats/resource", "sync/service/local/workbook", "sync/service/wire"},
	"sync/memory/ledger":         {"sync/text/catalog", "sync/report"},
	// bound: pages of the file that are let go of
	"sync/memory/ledger/boltledger": {"sync/bound", "sync/text/catalog", "sync/memory/ledger"},
	// engine: it is called for passes. pgledger: the leases that ledgers write under.
	"sync/run/cluster":                   {"sync/bound/fault", "sync/pass/engine", "sync/memory/ledger", "sync/memory/ledger/pgledger"},
	"sync/memory/ledger/pgledger":        {"sync/text/catalog", "sync/memory/ledger"},
	"sync/memory/ledger/ledgertest":      {"sync/text/catalog", "sync/memory/ledger"}, // the tests of every ledger
	"sync/memory/ledger/pgledger/pgtest": {"gitops/gittest"},                          // servers for tests; how many tests run at once
	"formats": {"formats/resource", "formats/arb", "formats/jsonfile", "formats/yamlfile", "formats/stringsfile",
		"formats/androidxml", "formats/locjson", "formats/po", "formats/properties", "formats/resx", "formats/xliff",
		"formats/xcstrings", "formats/stringsdict", "formats/programs"},
	"formats/jsonfile":         {"formats/resource", "formats/messages"},
	"formats/yamlfile":         {"formats/resource", "formats/messages", "formats/yamlfile/answers"},
	"formats/yamlfile/answers": {"formats/resource"},
	"formats/messages":         {"formats/resource"}, // message files, in JSON and YAML
	"formats/stringsfile":      {"formats/resource"},
	"formats/androidxml":       {"formats/resource", "formats/xmlscan"},
	// LocJSON is JSON. programs: the flag of how long a text may be
	"formats/locjson": {"formats/resource", "formats/jsonfile", "formats/programs"},
	"formats/arb":     {"formats/resource", "formats/jsonfile"}, // and so is ARB
	"formats/po": {"formats/resource",
		"sync/text/plural"}, // gettext's formulas choose among categories
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
	"formats/programs/programtest":  {}, // programs that tests ask
	"gitops/gittest":                {}, // servers for tests
	"sync/text/catalog":             {},
	"sync/report":                   {},
	"sync/text/plural":              {},
	// spelling: the catalogs of both sides, and what a language has
	"sync/text/spelling": {"sync/text/catalog", "sync/text/plural"},
	// check: one reader of ICU messages, and the categories that a language needs
	"sync/check": {"sync/check/text", "sync/config/languages", "sync/text/plural", "formats/programs"},
	// languages: scripts. programs: which reader
	"sync/check/text": {"formats/programs"},
	// languages: a code that is none, or that no service has. formats: the names and extensions that there are
	// glob, link, owner, pattern, position, rewrite, rules, schedule: parts of it that know no key
	"sync/config": {"sync/config/spell", "sync/bound/fault", "sync/config/languages", "sync/bound",
		"sync/config/secret", "formats", "sync/config/owner", "sync/config/kinds", "sync/config/link",
		"sync/config/glob", "sync/config/pattern", "sync/config/position", "sync/config/rewrite", "sync/config/rules",
		"sync/config/schedule"},
	"sync/config/owner":          {"sync/bound"}, // a path that is no file
	"sync/config/kinds":          {"sync/bound"}, // the file of terms
	"sync/config/glob":           {},
	"sync/config/example":        {},
	"sync/config/pattern":        {},
	"sync/config/rules":          {},
	"sync/config/position":       {},
	"sync/config/rewrite":        {"sync/config/position"}, // the lines of keys
	"sync/config/spell":          {},
	"sync/config/link":           {},
	"sync/config/schedule":       {},
	"sync/service/wire":          {},
	"sync/config/languages":      {},
	"sync/pass/watch":            {"sync/bound/fault", "sync/bound/heartbeat"},
	"sync/pass/trigger":          {},
	"sync/bound/fault":           {}, // a panic, here and in all that goes on after one
	"sync/bound/heartbeat":       {"sync/bound/fault"},
	"sync/config/secret":         {"sync/bound"}, // the file of a secret
	"sync/config/secret/keyring": {"sync/config/secret"},
	"sync/bound/serve":           {"sync/bound", "sync/bound/fault"}, // what is this machine; handlers that fail
	"sync/bound":                 {},                                 // how much of what comes from outside is believed
	"gitops": {"gitops/run", "gitops/history", "gitops/object", "gitops/ref", "gitops/repository", "gitops/outcome",
		"gitops/remote", "gitops/tree", "gitops/content", "gitops/hook"},
	// bound, here and below: files of a git folder, objects, and what git prints
	"gitops/content": {"gitops/tree", "gitops/remote", "gitops/repository", "gitops/outcome", "gitops/object",
		"gitops/ref", "gitops/run", "sync/bound"},
	// hook: where hooks are, and what git's configuration says of them
	"gitops/hook": {"gitops/repository", "sync/bound"},
	// remote: secrets in a server's words
	"gitops/remote":     {"gitops/repository", "gitops/outcome", "gitops/object", "gitops/ref", "gitops/run", "sync/bound"},
	"gitops/tree":       {"gitops/object", "sync/bound"},
	"gitops/outcome":    {"gitops/ref"}, // that a branch moved, that git is busy
	"gitops/repository": {"gitops/history", "gitops/object", "gitops/ref", "gitops/run", "sync/bound"},
	"gitops/ref":        {"gitops/object", "gitops/run", "sync/bound"}, // the git program moves them
	"gitops/history":    {"gitops/object", "gitops/run", "sync/bound"}, // git walks
	// object: what cannot be read in this process is asked of the git program
	"gitops/object":          {"gitops/run", "sync/bound"},
	"gitops/run":             {"sync/bound"},
	"gitops/forge":           {"sync/bound"},
	"gitops/diff":            {"sync/bound"},
	"gitops/forge/forgetest": {}, // servers for tests
}

// libraries is which packages may import a third-party library. Tests may use what they like.
var libraries = map[string][]string{
	"github.com/go-git/":                  {"gitops/object"},
	"github.com/bluekeyes/go-gitdiff":     {"gitops/diff"},
	"github.com/pmezard/go-difflib":       {"sync/service/local/marks"}, // what changed in a text
	"github.com/klauspost/compress":       {"gitops/object"},            // zlib as packs need it, at three quarters of the time
	"github.com/fsnotify/":                {"sync/pass/watch"},
	"github.com/BurntSushi/":              {"sync/config"},
	"github.com/robfig/cron":              {"sync/config/schedule"},
	"go.etcd.io/bbolt":                    {"sync/memory/ledger/boltledger", "sync/service/local/store"},
	"github.com/jackc/pgx":                {"sync/memory/ledger/pgledger", "sync/run/cluster"},
	"github.com/riverqueue/":              {"sync/run/cluster"},
	"github.com/gofrs/flock":              {"sync/files", "sync/memory/ledger/boltledger", "sync/service/budget"},
	"github.com/spf13/":                   {"cmd/locsync"},
	"github.com/modelcontextprotocol/":    {"sync/command/mcp"},
	"github.com/google/jsonschema-go":     {"sync/command/mcp"}, // as the SDK takes schemas
	"github.com/zalando/go-keyring":       {"sync/config/secret/keyring"},
	"github.com/coreos/go-systemd":        {"sync/run/daemon"},
	"github.com/prometheus/client_golang": {"sync/web"},
	"golang.org/x/net/": {"sync/service/local/callbacks",
		"sync/service/local/segment"}, // what a header may be; HTML documents
	"golang.org/x/sync/":        {"sync/service/local/editor"},
	"github.com/coreos/go-oidc": {"sync/service/local/openid"},
	"golang.org/x/oauth2":       {"sync/service/local/openid"},
	"github.com/yuin/goldmark":  {"sync/service/local/segment", "sync/terminal/manual"},
	"github.com/xuri/excelize":  {}, // tests read with it what we wrote
	"go.yaml.in/":               {"formats/oracle", "sync/setup/migrate"},
	"howett.net/":               {"formats/oracle"},
}

// pure packages know no clock, disk, network, logger or goroutine.
var pure = []string{"sync/text/catalog", "sync/report", "sync/check", "sync/check/text", "sync/text/plural", "sync/text/spelling",
	"sync/config/languages",
	"sync/text/bundle", "sync/check/examine",
	"sync/setup/discover", "sync/setup/migrate", "formats", "sync/service/wire",
	"sync/service/local/segment", "sync/service/local/pseudo"}

// testKits may use every library, as tests do.
var testKits = []string{"formats/programs/programtest", "gitops/gittest", "formats/oracle/oracletest", "formats/resource/resourcetest",
	"sync/memory/ledger/ledgertest", "sync/service/local/mail/mailtest", "sync/service/local/openid/openidtest",
	"sync/memory/ledger/pgledger/pgtest"}

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

// A subject is in one area, and the areas lie above each other.
func TestAreas(t *testing.T) {
	area := func(pkg string) string {
		parts := strings.SplitN(pkg, "/", 3)
		if len(parts) < 2 || parts[0] != "sync" {
			return ""
		}
		return parts[1]
	}
	floor := make(map[string]int)
	for i, r := range areas {
		floor[r.name] = i + 1
	}
	if len(areas) > 16 {
		t.Errorf("%d areas are below sync/, and 16 are enough", len(areas))
	}
	found := make(map[string]bool)
	for pkg, files := range packageFiles(t) {
		from := area(pkg)
		found[from] = true
		if from != "" && floor[from] == 0 {
			t.Errorf("%s is in none of the areas; put it into one", pkg)
		}
		for _, file := range files {
			for _, imported := range importsOf(t, file) {
				ours, is := strings.CutPrefix(imported, module)
				to := area(ours)
				if is && from != "" && to != "" && !strings.HasSuffix(file, "_test.go") && floor[to] < floor[from] {
					t.Errorf("%s imports %s, which is in an area above its own", file, imported)
				}
			}
		}
	}
	for _, r := range areas {
		if !found[r.name] {
			t.Errorf("the area %s is empty", r.name)
		}
	}
}

func isPure(pkg string) bool {
	return !slices.Contains(testKits, pkg) && slices.ContainsFunc(pure, func(of string) bool {
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
