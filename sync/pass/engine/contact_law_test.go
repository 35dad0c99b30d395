package engine

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/plural"
	"pgregory.net/rapid"
)

// meeting is the first contact of a made-up repository with a made-up service: what each side has before any pass.
type meeting struct {
	*world
	t     *rapid.T
	bare  string
	files []sourceFile

	main, branch map[spot]string // translations of the repository; branch is nil where there is none
	there        map[spot]string // of the service: path is the collection
	final        map[spot]bool   // those of them that are final
	named        map[spot]bool   // differences that any pass named
}

type sourceFile struct {
	format, name, collection string
	texts                    map[string]string // by key, plurals by key#category
}

// spot is where a text stands.
type spot struct{ path, language, name string }

func (s spot) key() string { key, _, _ := strings.Cut(s.name, "#"); return key }

var contactLanguages = []string{"de", "ru"}

func (f sourceFile) path(language string) string {
	return fmt.Sprintf("%s/%s/%s", f.format, language, f.name)
}

// names are a key's names in a language.
func (f sourceFile) names(key, language string) []string {
	if key != "p" {
		return []string{key}
	}
	var names []string
	for _, category := range plural.Categories(language) {
		names = append(names, "p#"+category.Name)
	}
	return names
}

func (f sourceFile) keys() []string {
	keys := make(map[string]bool)
	for name := range f.texts {
		keys[spot{name: name}.key()] = true
	}
	return slices.Sorted(maps.Keys(keys))
}

// content is a file of a format.
func content(format string, texts map[string]string) string {
	if format == "json" {
		return jsonOf(texts)
	}
	var b strings.Builder
	b.WriteString("<resources>\n")
	var forms []string
	for _, name := range slices.Sorted(maps.Keys(texts)) {
		if _, category, is := strings.Cut(name, "#"); is {
			forms = append(forms, fmt.Sprintf("        <item quantity=%q>%s</item>\n", category, texts[name]))
		} else {
			fmt.Fprintf(&b, "    <string name=%q>%s</string>\n", name, texts[name])
		}
	}
	if len(forms) > 0 {
		b.WriteString("    <plurals name=\"p\">\n" + strings.Join(forms, "") + "    </plurals>\n")
	}
	return b.String() + "</resources>\n"
}

func (c *meeting) chance(label string, percent int) bool {
	return rapid.IntRange(0, 99).Draw(c.t, label) < percent
}

func (c *meeting) one(label string, of ...string) string {
	return rapid.SampledFrom(of).Draw(c.t, label)
}

// meet makes both sides up.
func meet(t *testing.T, rt *rapid.T) *meeting {
	c := &meeting{t: rt, main: make(map[spot]string), there: make(map[spot]string), final: make(map[spot]bool), named: make(map[spot]bool)}
	perFile := c.chance("a collection per file", 30)
	names := []string{"a.json", "b.json", "c.json"}[:rapid.IntRange(1, 3).Draw(rt, "files")]
	if c.chance("android", 50) {
		names = append(names, "strings.xml")
	}
	for _, name := range names {
		f := sourceFile{format: "json", name: name, collection: "main", texts: make(map[string]string)}
		if perFile {
			f.collection = strings.TrimSuffix(name, ".json")
		}
		keys := []string{"k1", "k2", "k3", "k4"}
		if name == "strings.xml" {
			f.format, f.collection = "android-xml", "android"
			keys = append(keys, "p")
		}
		for _, key := range keys {
			if key != "p" && !c.chance(name+" has "+key, 75) {
				continue
			}
			for _, n := range f.names(key, "en") {
				f.texts[n] = "EN " + strings.ReplaceAll(n, "#", " ")
				if c.chance("another meaning", 3) {
					f.texts[n] += " in " + name
				}
			}
		}
		c.files = append(c.files, f)
	}
	c.translations()
	project := fmt.Sprintf("source_language = \"en\"\ntarget_languages = [\"de\", \"ru\"]\n[project.push]\ncompletion_state = %q\n[project.pull]\nbase = \"main\"\ncompletion_state = %q\n",
		c.one("push", "draft", "final"), c.one("pull", "draft", "final"))
	collection := ""
	if perFile {
		collection = "collection = \"{NAME}\"\n"
	}
	project += "[[project.files]]\nsource = \"json/en/*.json\"\noutput = \"json/{LANGUAGE}/{NAME}.json\"\n" + collection
	if names[len(names)-1] == "strings.xml" {
		project += "[[project.files]]\nsource = \"android-xml/en/*.xml\"\noutput = \"android-xml/{LANGUAGE}/{NAME}.xml\"\nformat = \"android-xml\"\ncollection = \"android\"\n"
	}
	files := c.contents(c.main)
	for _, f := range c.files {
		files[f.path("en")] = content(f.format, f.texts)
	}
	c.world = newWorld(t, project, files)
	c.branches()
	c.atService()
	return c
}

// contents are the files of translations.
func (c *meeting) contents(translations map[spot]string) map[string]string {
	files := make(map[string]string)
	for _, f := range c.files {
		for _, l := range contactLanguages {
			texts := make(map[string]string)
			for s, text := range translations {
				if s.path == f.path(l) {
					texts[s.name] = text
				}
			}
			if len(texts) > 0 {
				files[f.path(l)] = content(f.format, texts)
			}
		}
	}
	return files
}

// each calls do for all keys of all files and languages, in a fixed order.
func (c *meeting) each(do func(f sourceFile, language, key string)) {
	for _, f := range c.files {
		for _, l := range contactLanguages {
			for _, key := range f.keys() {
				do(f, l, key)
			}
		}
	}
}

// put sets a key's texts.
func put(texts map[spot]string, f sourceFile, language, key, text string) {
	for _, n := range f.names(key, language) {
		texts[spot{f.path(language), language, n}] = text + " " + strings.ReplaceAll(n, "#", " ")
	}
}

func hasKey(texts map[spot]string, f sourceFile, language, key string) bool {
	return slices.ContainsFunc(f.names(key, language), func(n string) bool { _, is := texts[spot{f.path(language), language, n}]; return is })
}

// translations are those of main: gaps, orphans, and one key translated otherwise in two files.
func (c *meeting) translations() {
	translated := rapid.IntRange(0, 100).Draw(c.t, "translated")
	c.each(func(f sourceFile, l, key string) {
		if !c.chance("translated", translated) {
			return
		}
		text := "R " + l
		if c.chance("its own", 8) {
			text += " of " + f.name
		}
		put(c.main, f, l, key, text)
	})
	for _, f := range c.files {
		if c.chance("orphan", 10) && hasKey(c.main, f, "de", "k1") {
			put(c.main, f, "de", "orphan", "R de")
		}
	}
}

// branches is what people did before the first pass: perhaps there is a translation branch already, merged or not, and a remote.
func (c *meeting) branches() {
	if c.chance("a remote", 50) {
		c.bare = gittest.Bare(c.tb, c.dir)
	}
	if c.chance("a branch", 40) {
		c.branch = maps.Clone(c.main)
		c.each(func(f sourceFile, l, key string) {
			if c.chance("written on the branch", 20) {
				put(c.branch, f, l, key, "B "+l)
			}
		})
		c.git("branch", "l10n")
		var files []string
		for path, text := range c.contents(c.branch) {
			files = append(files, path, text)
		}
		if files = append(files, "note", "of the branch"); len(files) > 0 {
			c.commitOn("l10n", files...)
		}
		switch c.one("then", "nothing", "merged", "main moves") {
		case "merged":
			c.git("merge", "-q", "l10n")
			c.main = maps.Clone(c.branch)
		case "main moves":
			c.each(func(f sourceFile, l, key string) {
				if !hasKey(c.branch, f, l, key) && c.chance("written on main", 20) {
					put(c.main, f, l, key, "M "+l)
				}
			})
			for path, text := range c.contents(c.main) {
				c.write(path, text)
			}
			c.write("code", "of main")
			c.commit()
		}
		if c.bare != "" {
			c.git("push", "-q", "origin", "l10n")
		}
	}
	if c.bare != "" {
		c.git("push", "-q", "origin", "main")
	}
}

// repository is what the repository says about a translation: the branch before main.
func (c *meeting) repository(s spot) (string, bool) {
	if text, is := c.branch[s]; is {
		return text, true
	}
	text, is := c.main[s]
	return text, is
}

// atService gives the service what it has: nothing, everything, half of it, and other texts here and there.
func (c *meeting) atService() {
	known := rapid.SampledFrom([]int{0, 0, 50, 90, 100}).Draw(c.t, "the service knows")
	other := rapid.SampledFrom([]int{0, 10, 40}).Draw(c.t, "other texts")
	type batch struct{ format, collection, language, state string }
	files := make(map[batch]map[string]string)
	add := func(b batch, name, text string) {
		if files[b] == nil {
			files[b] = make(map[string]string)
		}
		files[b][name] = text
	}
	done := make(map[spot]bool)
	for _, f := range c.files {
		for _, key := range f.keys() {
			id := spot{f.collection, "en", key}
			if done[id] || !c.chance("knows "+key, known) {
				done[id] = true
				continue
			}
			done[id] = true
			for _, n := range f.names(key, "en") {
				add(batch{f.format, f.collection, "en", "final"}, n, f.texts[n])
			}
			for _, l := range contactLanguages {
				text := ""
				switch {
				case c.chance("another text", other):
					text = "S " + l
				case !c.chance("translates", 80):
					continue
				}
				state := c.one("state", "draft", "final")
				for _, n := range f.names(key, l) {
					now, is := c.repository(spot{f.path(l), l, n})
					if !is || text != "" {
						now = cmp.Or(text, "S "+l) + " " + strings.ReplaceAll(n, "#", " ")
					}
					at := spot{f.collection, l, n}
					c.there[at], c.final[at] = now, state == "final"
					add(batch{f.format, f.collection, l, state}, n, now)
				}
			}
		}
	}
	for _, source := range []bool{true, false} {
		for b, texts := range files {
			if (b.language == "en") == source {
				c.upload(service.ImportRequest{Project: c.id, Collection: b.collection, Language: b.language, Format: service.Format(b.format),
					CompletionState: service.CompletionState(b.state), Files: []service.Upload{{Name: "translator." + b.format, Body: []byte(content(b.format, texts))}}})
			}
		}
	}
}

// tipTexts are the translations where they stand now.
func (c *meeting) tipTexts() map[spot]string {
	tip := "main"
	if _, err := gittest.TryGit(c.tb, c.dir, "rev-parse", "-q", "--verify", "l10n"); err == nil {
		tip = "l10n"
	}
	return c.textsOn(tip)
}

func (c *meeting) textsOn(tip string) map[spot]string {
	texts := make(map[spot]string)
	for _, f := range c.files {
		for _, l := range contactLanguages {
			for n, text := range textsIn(c.tb, f.format, []byte(c.show(tip, f.path(l)))) {
				texts[spot{f.path(l), l, n}] = text
			}
		}
	}
	return texts
}

// serviceTexts are what the service has in a state or better.
func (c *meeting) serviceTexts(state service.CompletionState) map[spot]string {
	c.wire.mute(true)
	defer c.wire.mute(false)
	texts, formats := make(map[spot]string), make(map[string]string)
	for _, f := range c.files {
		formats[f.collection] = f.format
	}
	for collection, format := range formats {
		id, err := c.client.Strings().StartExport(c.tb.Context(), service.ExportRequest{Project: c.id, Collection: collection, Languages: contactLanguages,
			Format: service.Format(format), CompletionState: state, OutputTemplate: "{LANGUAGE}", Zip: true})
		if err != nil && strings.Contains(err.Error(), "has no collection") {
			continue
		}
		c.check(err)
		archive, err := c.client.Strings().Download(c.tb.Context(), id, c.tb.TempDir())
		c.check(err)
		for _, e := range archive.Entries {
			body, err := e.ReadAll()
			c.check(err)
			for n, text := range textsIn(c.tb, format, body) {
				texts[spot{collection, e.Name, n}] = text
			}
		}
		c.check(archive.Close())
	}
	return texts
}

// unharmed: what people wrote is where it was, on both sides.
func (c *meeting) unharmed(after string) {
	c.tb.Helper()
	if got := c.textsOn("main"); !maps.Equal(got, c.main) {
		c.t.Fatalf("after %s main has %v, want %v", after, got, c.main)
	}
	tip := c.tipTexts()
	for _, before := range []map[spot]string{c.branch, c.main} {
		for s := range before {
			if want, _ := c.repository(s); tip[s] != want && !(c.branch != nil && tip[s] == "" && c.branch[s] == "") {
				c.t.Fatalf("after %s the branch has %q as %v, want %q", after, tip[s], s, want)
			}
		}
	}
	for state, all := range map[service.CompletionState]bool{service.Draft: true, service.Final: false} {
		now := c.serviceTexts(state)
		for s, want := range c.there {
			if (all || c.final[s]) && now[s] != want {
				c.t.Fatalf("after %s the service has %q as %v in state %s, want %q", after, now[s], s, state, want)
			}
		}
	}
}

// once: no pass names a key of a file twice.
func (c *meeting) once(after string, problems []report.Problem) {
	c.tb.Helper()
	told := make(map[spot]report.Problem)
	for _, p := range problems {
		at := spot{p.File, p.Language, p.Key}
		if before, twice := told[at]; twice && p.Key != "" {
			c.t.Fatalf("%s says twice:\n%s\n%s", after, before, p)
		}
		told[at] = p
		c.named[at] = true
	}
}

func (c *meeting) pass(name string) {
	c.tb.Helper()
	switch name {
	case "push":
		c.once(name, c.pushes(push.Options{}).Problems)
	case "pull":
		c.once(name, c.pulls(pull.Options{}).Problems)
	case "sync":
		c.sync(false)
	case "dry run, sync":
		refs := c.git("for-each-ref") + c.git("status", "--porcelain")
		dry := c.sync(true)
		if got := c.git("for-each-ref") + c.git("status", "--porcelain"); got != refs {
			c.t.Fatalf("a dry run changed\n%s\ninto\n%s", refs, got)
		}
		c.alikeSyncs(dry, c.sync(false))
	case "lose":
		c.lose()
	}
	c.unharmed(name)
}

func (c *meeting) sync(dry bool) report.SyncReport {
	c.tb.Helper()
	done, err := c.Sync(c.tb.Context(), push.Options{DryRun: dry}, pull.Options{DryRun: dry})
	c.check(err)
	c.once("the push of a sync", done.Push.Projects[0].Problems)
	c.once("the pull of a sync", done.Pull.Projects[0].Problems)
	return done
}

// alikeSyncs compares what both say, but for what only one of them can know.
func (c *meeting) alikeSyncs(dry, done report.SyncReport) {
	c.tb.Helper()
	text := func(r report.SyncReport) string {
		sent, got := r.Push.Projects[0], r.Pull.Projects[0]
		sent.Calls, got.Calls, got.Requests, got.Diff, got.Commit, got.Pushed = 0, 0, 0, "", "", false
		for i := range sent.Files {
			sent.Files[i].Changes = nil
		}
		for i := range got.Files {
			got.Files[i].Changes = nil
		}
		data, err := json.MarshalIndent([]any{sent, got}, "", " ")
		c.check(err)
		return string(data)
	}
	a, b := strings.Split(text(dry), "\n"), strings.Split(text(done), "\n")
	for _, two := range [][2][]string{{a, b}, {b, a}} {
		for _, line := range two[0] {
			if !slices.Contains(two[1], line) {
				c.t.Errorf("the dry run or the real one alone says %s", line)
			}
		}
	}
	if !slices.Equal(a, b) {
		c.t.Fatalf("the dry run and the real one differ; the latter says\n%s", strings.Join(b, "\n"))
	}
}

// met are the laws of what both sides have after the passes.
func (c *meeting) met() {
	c.tb.Helper()
	tip, now := c.tipTexts(), c.serviceTexts(service.Draft)
	waits := make(map[spot]bool)
	for _, x := range c.Status(c.tb.Context()).Projects[0].Conflicts {
		waits[spot{x.File, x.Language, x.Key}] = true
	}
	c.each(func(f sourceFile, l, key string) {
		if c.clashes(f, key) {
			return
		}
		here := c.said(f, l, key)
		for _, n := range f.names(key, l) {
			at, s := spot{f.collection, l, n}, spot{f.path(l), l, n}
			mine, have := c.repository(s)
			there, has := c.there[at]
			switch {
			case here > 1: // each file keeps its own
				if id := (spot{f.path(l), l, key}); have && mine != there && !(c.named[id] && waits[id]) {
					c.t.Fatalf("%v is %q here and otherwise in another file; named: %v, waits: %v", s, mine, c.named[id], waits[id])
				}
			case have && !has:
				if now[at] != mine {
					c.t.Fatalf("the service has %q as %v, want the repository's %q", now[at], at, mine)
				}
			case have && mine != there:
				id := spot{f.path(l), l, key}
				if !c.named[id] || !waits[id] {
					c.t.Fatalf("%v is %q here and %q at the service; named: %v, waits: %v", s, mine, there, c.named[id], waits[id])
				}
			case !have && has && here == 0 && (c.final[at] || strings.Contains(c.config, "[project.pull]\nbase = \"main\"\ncompletion_state = \"draft\"")):
				if tip[s] != there {
					c.t.Fatalf("the branch has %q as %v, want the service's %q", tip[s], s, there)
				}
			}
		}
	})
}

// said is how many texts the files of a collection have for a key in a language.
func (c *meeting) said(f sourceFile, language, key string) int {
	texts := make(map[string]bool)
	for _, o := range c.files {
		if o.collection == f.collection && slices.Contains(o.keys(), key) {
			if text, is := c.repository(spot{o.path(language), language, o.names(key, language)[0]}); is {
				texts[text] = true
			}
		}
	}
	return len(texts)
}

// clashes reports whether files of a collection have different source texts for a key.
func (c *meeting) clashes(f sourceFile, key string) bool {
	return slices.ContainsFunc(c.files, func(o sourceFile) bool {
		return o.collection == f.collection && slices.ContainsFunc(f.names(key, "en"), func(n string) bool {
			text, is := o.texts[n]
			return is && text != f.texts[n]
		})
	})
}

// Whatever a repository and a service have when they first meet, and whichever passes come first: what a person wrote is neither changed nor removed on either side,
// gaps are filled in both directions, each difference is named and waits, and then there is nothing more to do. A dry run says what the real one does.
func TestFirstContactLaw(t *testing.T) {
	gittest.Long(t)
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		c := meet(t, rt)
		homes := []string{c.home, t.TempDir()}
		for range rapid.IntRange(0, 4).Draw(rt, "passes") {
			name := c.one("pass", "push", "pull", "sync", "dry run, sync", "lose", "another clone")
			if name == "another clone" {
				homes[0], homes[1] = homes[1], homes[0]
				c.home = homes[0]
				c.restart(c.Config)
				continue
			}
			c.pass(name)
			if name == "lose" {
				homes[0] = c.home
			}
		}
		c.pass("dry run, sync")
		c.met()
		c.wire.take("")
		last := c.sync(false)
		if imports := c.wire.take("import"); len(imports) > 0 {
			rt.Fatalf("a further sync makes imports: %+v", last.Push.Projects[0].Files)
		}
		if p := last.Pull.Projects[0]; p.Commit != "" {
			rt.Fatalf("a further sync commits %+v", p.Files)
		}
		c.unharmed("the last sync")
	})
}
