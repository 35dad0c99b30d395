//go:build unix

package main

import (
	"bytes"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"sync"
	"unicode"

	"github.com/locsync/locsync/formats/oracle"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"github.com/locsync/locsync/sync/text/spelling"
)

// place is where the service has a text.
type place struct {
	collection, language, key string
}

// text is one text of a file, as a reader sees it that shares nothing with the program's own. Form is a plural's
// category or the place in a list.
type text struct {
	place
	form, value string
	source      string // path of the source file
	file        string // path of the file that it is in
}

// pair is a source file, or one of its translations.
type pair struct {
	collection, language string
	prefix               string // of its keys at the service
	source, file         string
	format               string
	rule                 oracle.Rule
	plurals              *spelling.Joined // of the source file, whose forms are keys of their own; nil for none
}

// pairs are the files that the configuration speaks of: source files, and where their translations are, or would be.
func (n *newcomer) pairs() (sources, targets []pair) {
	n.Helper()
	p := &n.config().Projects[0]
	found, _, err := bundle.Find(os.DirFS(n.tree), p)
	if err != nil {
		n.Fatal(err)
	}
	for _, b := range found {
		file := func(l config.Language, name string) pair {
			keys := b.Keys(l)
			rule := oracle.Rule{Format: b.Format.Reader(), Separator: b.Separator, Translated: keys.Translated,
				Language: keys.Language}
			for _, root := range []string{l.Path, l.Code} {
				rule.Roots = append(rule.Roots, root, strings.ReplaceAll(root, "-", "_"))
			}
			return pair{b.Collection, l.Code, b.KeyPrefix, b.Path, name, b.Format.Name, rule, nil}
		}
		source := file(b.Source, b.Path)
		if bundle.JoinsPlurals(b) {
			source.plurals = spelling.Join(catalogOf(source.leaves(n.file(b.Path))), b.Separator, b.Source.Code)
		}
		sources = append(sources, source)
		for _, l := range p.Targets() {
			l = b.Output.Spelled(l)
			target := file(l, b.Target(l))
			target.plurals = source.plurals
			targets = append(targets, target)
		}
	}
	return sources, targets
}

// read are the texts of files; one that the reader refuses has none.
func (n *newcomer) read(pairs []pair) (all []text) {
	n.Helper()
	for _, p := range pairs {
		all = append(all, p.texts(n.file(p.file))...)
	}
	return all
}

// file is what a file of the working tree holds; nothing where it is not there.
func (n *newcomer) file(name string) []byte {
	n.Helper()
	src, err := os.ReadFile(filepath.Join(n.tree, name))
	if err != nil && !os.IsNotExist(err) {
		n.Fatal(err)
	}
	return src
}

// leavesOf remembers what files were read as, by their rule and content: the same ones are read again and again.
var leavesOf sync.Map

// yesOrNo is what some readers of YAML take for a boolean where it is not in quotes, and the program for no text.
var yesOrNo = regexp.MustCompile(`^(?i:y|n|yes|no|on|off|true|false)$`)

// staleKeys are the keys of a string catalog that no program uses any more, which are not sent; none of other files.
func staleKeys(src []byte) map[string]bool {
	var catalog struct {
		SourceLanguage string
		Strings        map[string]struct{ ExtractionState string }
	}
	stale := make(map[string]bool)
	if json.Unmarshal(src, &catalog) == nil && catalog.SourceLanguage != "" {
		for key, entry := range catalog.Strings {
			stale[key] = entry.ExtractionState == "stale"
		}
	}
	return stale
}

// catalogOf are leaves as the keys of plurals are found in.
func catalogOf(leaves []oracle.Leaf) (all catalog.Catalog) {
	for _, l := range leaves {
		all = append(all, catalog.Unit{Name: catalog.Name{Key: l.Key, Form: l.Form}, Text: l.Text})
	}
	return all
}

// texts are those of a file, with the keys of plurals put together.
func (p pair) texts(src []byte) (all []text) {
	leaves, plurals := p.leaves(src), p.plurals
	if plurals != nil && p.file != p.source {
		plurals = plurals.In(p.language, catalogOf(leaves))
	}
	for _, l := range leaves {
		if plurals != nil && l.Form == "" {
			if of, form := plurals.Form(l.Key); form != "" {
				l.Key, l.Form = of, form
			}
		}
		all = append(all, text{place{p.collection, p.language, p.prefix + l.Key}, l.Form, l.Text, p.source, p.file})
	}
	return all
}

// leaves are the texts of a file by the keys that it has.
func (p pair) leaves(src []byte) []oracle.Leaf {
	name := sha256.Sum256(fmt.Appendf(nil, "%+v %s", p.rule, src))
	leaves, read := leavesOf.Load(name)
	if !read {
		var texts []oracle.Leaf
		read, _ := p.rule.Read(src) // one that is refused has none
		stale := staleKeys(src)
		for _, l := range read {
			yaml := strings.HasSuffix(p.rule.Format, "yaml")
			if l.Keyed && l.Kind == oracle.Text && !(yaml && yesOrNo.MatchString(l.Text)) &&
				!stale[strings.Split(l.Key, "|==|")[0]] {
				texts = append(texts, oracle.Leaf{Key: l.Key, Form: l.Form, Text: l.Text})
			}
		}
		leaves, _ = leavesOf.LoadOrStore(name, texts)
	}
	return leaves.([]oracle.Leaf)
}

// sendable are the translations that a push can bring to the service: not blank, and of a key that their source
// file has. Of a key that a file has twice it is the last one, which counts for the programs that read it.
func sendable(sources, targets []text) (all []text) {
	type entry struct{ file, key string }
	have := make(map[entry]bool)
	for _, s := range sources {
		if s.value != "" {
			have[entry{s.file, s.key}] = true
		}
	}
	type spot struct{ file, key, form string }
	last := make(map[spot]int)
	for i, t := range targets {
		last[spot{t.file, t.key, t.form}] = i
	}
	for i, t := range targets {
		if t.value != "" && have[entry{t.source, t.key}] && last[spot{t.file, t.key, t.form}] == i {
			all = append(all, t)
		}
	}
	return all
}

// change is a text that is another one between two commits; there is none where the old or new value is "".
type change struct {
	file, key, form string
	old, new        string
}

// changes is what was committed to the branch of translations since it began: text by text in files of the
// configuration. Any other file is an error.
func (n *newcomer) changes() (all []change) {
	n.Helper()
	branch := n.branch()
	if _, err := gittest.TryGit(n, n.tree, "rev-parse", "--verify", "--quiet", branch); err != nil {
		return nil
	}
	begin := n.git("merge-base", "main", branch)
	diff := n.git("diff", "--name-only", "-z", "--no-renames", begin, branch, "--")
	if diff == "" {
		return nil
	}
	at := make(map[string]pair)
	_, targets := n.pairs()
	for _, p := range slices.Backward(targets) {
		at[p.file] = p
	}
	var names []string
	for name := range strings.SplitSeq(strings.TrimSuffix(diff, "\x00"), "\x00") {
		if _, is := at[name]; !is {
			n.Errorf("%s is another file on %s, and is no translation", name, branch)
			continue
		}
		names = append(names, name)
	}
	old, new := n.blobs(begin, names), n.blobs(branch, names)
	for i, name := range names {
		all = append(all, differences(at[name].texts(old[i]), at[name].texts(new[i]))...)
	}
	return all
}

// blob is a file as a commit has it; nothing where it has none.
func (n *newcomer) blob(commit, name string) []byte { return n.blobs(commit, []string{name})[0] }

// blobs are files as a commit has them.
func (n *newcomer) blobs(commit string, names []string) [][]byte {
	n.Helper()
	var ask bytes.Buffer
	for _, name := range names {
		fmt.Fprintf(&ask, "%s:%s\x00", commit, name)
	}
	cmd := exec.Command("git", "cat-file", "--batch", "-z")
	cmd.Dir, cmd.Env, cmd.Stdin = n.tree, gittest.Environ(), &ask
	out, err := cmd.Output()
	if err != nil {
		n.Fatalf("git cat-file: %v", err)
	}
	all := make([][]byte, len(names))
	for i, name := range names {
		line, rest, _ := bytes.Cut(out, []byte("\n"))
		if out = rest; bytes.HasSuffix(line, []byte(" missing")) {
			continue
		}
		size, err := strconv.Atoi(string(line[bytes.LastIndexByte(line, ' ')+1:]))
		if err != nil || size >= len(out) {
			n.Fatalf("git cat-file of %s:%s: %q", commit, name, line)
		}
		all[i], out = out[:size], out[size+1:]
	}
	return all
}

// differences are the texts that two versions of a file do not share, in the order of the old one.
func differences(old, new []text) (all []change) {
	type entry struct {
		key, form string
		again     int
	}
	index := func(texts []text) (order []entry, at map[entry]string) {
		at = make(map[entry]string)
		for _, t := range texts {
			e := entry{t.key, t.form, 0}
			for _, there := at[e]; there; _, there = at[e] {
				e.again++
			}
			at[e], order = t.value, append(order, e)
		}
		return order, at
	}
	file := ""
	for _, t := range slices.Concat(old, new) {
		file = t.file
	}
	olds, was := index(old)
	news, is := index(new)
	for _, e := range olds {
		if is[e] != was[e] {
			all = append(all, change{file, e.key, e.form, was[e], is[e]})
		}
	}
	for _, e := range news {
		if _, there := was[e]; !there {
			all = append(all, change{file, e.key, e.form, "", is[e]})
		}
	}
	return all
}

// edit is another text in place of one that stands in its file once, letter by letter, so that no editor is
// needed to write it.
type edit struct {
	text
	new string
}

// plain reports whether every format spells a text as it is, and no check has anything to say about a longer one.
func plain(s string) bool {
	words := strings.Fields(s)
	odd := func(r rune) bool { return r != ' ' && !unicode.IsLetter(r) }
	return len(words) > 1 && len(s) < 80 && strings.Join(words, " ") == s && !strings.ContainsFunc(s, odd)
}

// simple reports whether a text is a whole entry, plain, and no form of a plural.
func (t text) simple() bool {
	return t.form == "" && plain(t.value) && !slices.Contains(pluralForms, t.key[strings.LastIndexAny(t.key, "/_.")+1:])
}

// editable finds a text that can be replaced in its file's bytes, such that nothing but it reads otherwise then,
// and that may is true of.
func (n *newcomer) editable(pairs []pair, more string, may func(text) bool) *edit {
	n.Helper()
	for _, p := range pairs {
		src := n.file(p.file)
		texts := p.texts(src)
		for _, t := range texts {
			e := &edit{t, t.value + more}
			if !t.simple() || bytes.Count(src, []byte(t.value)) != 1 || !may(t) {
				continue
			}
			d := differences(texts, p.texts(e.in(src)))
			if len(d) == 1 && d[0] == (change{t.file, t.key, "", t.value, e.new}) {
				return e
			}
		}
	}
	return nil
}

// in is a file's bytes with the edit made.
func (e *edit) in(src []byte) []byte { return bytes.Replace(src, []byte(e.value), []byte(e.new), 1) }

// commit makes the edit, commits it and pushes it to the origin.
func (n *newcomer) commit(e *edit) {
	n.Helper()
	if err := os.WriteFile(filepath.Join(n.tree, e.file), e.in(n.file(e.file)), 0o644); err != nil {
		n.Fatal(err)
	}
	n.git("commit", "--quiet", "--message", "Edit "+path.Base(e.file), "--", e.file)
	n.git("push", "--quiet", "origin", "main")
}
