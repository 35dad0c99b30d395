package past

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"pgregory.net/rapid"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/bundle"
)

// drawnFile is a flat file of a drawn commit; nil keys are a file that cannot be read.
type drawnFile struct {
	keys   map[string]string
	indent string
}

func (f drawnFile) content() string {
	if f.keys == nil {
		return "<<<<<<<" + f.indent + "\n"
	}
	out, _ := json.MarshalIndent(f.keys, "", f.indent)
	return string(out) + "\n"
}

// drawnCommit is a commit that was drawn, with what it has.
type drawnCommit struct {
	name    string
	parents []int
	files   map[string]drawnFile
	same    []string
	cut     bool
}

// drawnHistory tells what brought a text by going back from commit to commit, key by key: slow and plain.
type drawnHistory struct {
	commits []drawnCommit
	found   map[string]Origin
}

func (h *drawnHistory) origin(commit int, file, key string) Origin {
	id := fmt.Sprint(commit, file, "\x00", key)
	if o, is := h.found[id]; is {
		return o
	}
	c := h.commits[commit]
	o := Origin{Commit: c.name, Cut: c.cut}
	defer func() { h.found[id] = o }()
	if c.cut {
		return o
	}
	now := c.files[file]
	for _, parent := range c.parents {
		from := file
		before, is := h.commits[parent].files[file]
		if is && before.content() == now.content() {
			o = h.origin(parent, file, key)
			return o
		}
		if !is {
			from = former(h.commits[parent].files, c.files, file)
			before = h.commits[parent].files[from]
		}
		if older, is := earlierKey(now.keys, before.keys, key, c.same); is {
			o = h.origin(parent, from, older)
			return o
		}
		_, had := before.keys[key]
		o.Changed = o.Changed || had
		if !had && len(c.parents) == 1 {
			other, older := movedFrom(h.commits[parent].files, c.files, before.keys, file, key)
			if other != "" {
				o = h.origin(parent, other, older)
			}
		}
	}
	return o
}

// movedFrom is the file of the language, and the key in it, that lost the text of a new key: the same key, else the
// only one.
func movedFrom(was, now map[string]drawnFile, before map[string]string, file, key string) (other, older string) {
	text, came, lost := now[file].keys[key], 0, [][2]string{}
	for k, other := range now[file].keys {
		if _, had := before[k]; !had && other == text {
			came++
		}
	}
	names := slices.Sorted(maps.Keys(was))
	slices.SortStableFunc(names, func(a, b string) int { return likeness(b, file) - likeness(a, file) })
	for _, name := range names {
		if name == file || path.Dir(name)[:2] != path.Dir(file)[:2] || was[name].content() == now[name].content() {
			continue
		}
		isLost, kept := []string{}, false
		for k, t := range was[name].keys {
			if t == text && now[name].keys[k] != text {
				isLost = append(isLost, k)
			}
		}
		for k, t := range now[name].keys {
			kept = kept || t == text && was[name].keys[k] != text
		}
		if kept {
			continue
		}
		if slices.Contains(isLost, key) {
			return name, key
		}
		for _, k := range isLost {
			lost = append(lost, [2]string{name, k})
		}
	}
	if came == 1 && len(lost) == 1 {
		return lost[0][0], lost[0][1]
	}
	return "", ""
}

// after says of each commit whether it has one in its history.
func (h *drawnHistory) after(commit int) []bool {
	has := make([]bool, len(h.commits))
	for i, c := range h.commits {
		has[i] = i == commit || !c.cut && slices.ContainsFunc(c.parents, func(p int) bool { return has[p] })
	}
	return has
}

// earlierKey is the key under which older texts have the text of a key: the same, or the only one that it left.
func earlierKey(now, before map[string]string, key string, same []string) (string, bool) {
	was, had := before[key]
	if had && (was == now[key] || slices.Contains(same, key)) {
		return key, true
	}
	differs := func(texts, others map[string]string) (keys []string) {
		for k, text := range texts {
			if other, is := others[k]; text == now[key] && (!is || other != text) {
				keys = append(keys, k)
			}
		}
		return keys
	}
	left, came := differs(before, now), differs(now, before)
	if len(left) != 1 || len(came) != 1 {
		return "", false
	}
	return left[0], true
}

// former is the file that a new one was: the one that is gone with most of its texts, at least half.
func former(before, now map[string]drawnFile, file string) string {
	score := func(name string) (n int) {
		for key := range now[file].keys {
			if _, is := earlierKey(now[file].keys, before[name].keys, key, nil); is {
				n++
			}
		}
		return n
	}
	gone := slices.Sorted(maps.Keys(before))
	gone = slices.DeleteFunc(gone, func(name string) bool {
		_, is := now[name]
		return is || path.Ext(name) != path.Ext(file) || score(name) <= len(now[file].keys)/2
	})
	equal := func(name string) int {
		if before[name].content() == now[file].content() {
			return 1
		}
		return 0
	}
	slices.SortStableFunc(gone, func(a, b string) int {
		return cmp.Or(score(b)-score(a), equal(b)-equal(a), likeness(b, file)-likeness(a, file))
	})
	return append(gone, "")[0]
}

var drawnPaths = []string{"en/a.json", "en/b.json", "en/de/a.json", "en/old/b.json", "de/a.json", "de/b.json"}

// edit draws what a commit makes of files.
func edit(rt *rapid.T, files map[string]drawnFile) {
	text := rapid.SampledFrom([]string{"One", "Two", "Three", "Four", "Five"})
	key := rapid.SampledFrom([]string{"", "a", "b", "c", "d"})
	for range rapid.IntRange(0, 3).Draw(rt, "changes") {
		name := rapid.SampledFrom(drawnPaths).Draw(rt, "path")
		f := drawnFile{maps.Clone(files[name].keys), files[name].indent}
		if f.keys == nil {
			f.keys = make(map[string]string)
		}
		k := key.Draw(rt, "key")
		switch rapid.SampledFrom([]string{"text", "text", "text", "key", "gone", "file", "removed", "broken", "indent",
			"moved", "moved"}).Draw(rt, "what") {
		case "text":
			f.keys[k] = text.Draw(rt, "text")
		case "gone":
			delete(f.keys, k)
		case "key":
			if was, is := f.keys[k]; is {
				delete(f.keys, k)
				f.keys[key.Draw(rt, "to")] = was
			}
		case "moved":
			to := rapid.SampledFrom(drawnPaths).Draw(rt, "to file")
			if was, is := f.keys[k]; is && to != name && files[to].keys != nil {
				other := drawnFile{maps.Clone(files[to].keys), files[to].indent}
				delete(f.keys, k)
				other.keys[rapid.SampledFrom([]string{k, k, "d"}).Draw(rt, "to key")] = was
				files[to] = other
			}
		case "indent":
			f.indent += " "
		case "broken":
			f.keys = nil
		case "file":
			if _, is := files[name]; !is {
				continue
			}
			delete(files, name)
			name = rapid.SampledFrom(drawnPaths).Draw(rt, "new path")
		case "removed":
			delete(files, name)
			continue
		}
		files[name] = f
	}
}

// drawHistory draws commits, each before those that are made on it, and makes them with branches of their numbers.
func drawHistory(t *testing.T, rt *rapid.T, dir, prefix string) *drawnHistory {
	h := &drawnHistory{found: make(map[string]Origin)}
	var in bytes.Buffer
	for i := range rapid.IntRange(1, 9).Draw(rt, "commits") {
		c := drawnCommit{files: make(map[string]drawnFile)}
		if i > 0 && rapid.IntRange(0, 9).Draw(rt, "root") > 0 {
			c.parents = append(c.parents, i-1-rapid.IntRange(0, min(i-1, 2)).Draw(rt, "parent"))
			maps.Copy(c.files, h.commits[c.parents[0]].files)
			other := rapid.IntRange(0, i-1).Draw(rt, "other parent")
			if other != c.parents[0] && rapid.IntRange(0, 2).Draw(rt, "merge") == 0 {
				c.parents = append(c.parents, other)
				for _, name := range drawnPaths { // a merge takes what it likes
					if rapid.Bool().Draw(rt, "takes") {
						delete(c.files, name)
						if f, is := h.commits[other].files[name]; is {
							c.files[name] = f
						}
					}
				}
			}
		}
		edit(rt, c.files)
		message := "c\n"
		if rapid.IntRange(0, 4).Draw(rt, "same meaning") == 0 {
			c.same = []string{"a", "b"}
			message += "\nLocsync-Same-Meaning: a\nLocsync-Same-Meaning: b\n"
		}
		fmt.Fprintf(&in, "commit refs/heads/%s%d\nmark :%d\ncommitter A <a@b> %d +0000\ndata %d\n%s", prefix, i, i+1,
			1700000000+i*60, len(message), message)
		for n, p := range c.parents {
			fmt.Fprintf(&in, "%s :%d\n", []string{"from", "merge"}[n], p+1)
		}
		in.WriteString("deleteall\n")
		for name, f := range c.files {
			fmt.Fprintf(&in, "M 100644 inline %s\ndata %d\n%s\n", name, len(f.content()), f.content())
		}
		h.commits = append(h.commits, c)
	}
	gittest.FastImport(t, dir, in.Bytes())
	names := gittest.Git(t, dir, "for-each-ref", "--format=%(objectname)", "--sort=committerdate", "refs/heads/"+prefix+"*")
	for i, name := range strings.Fields(names) {
		h.commits[i].name = name
	}
	return h
}

// Law: what brought a text is what a plain reading says that goes back key by key, in any history with merges, renames
// of keys and files, keys that move between files, broken versions, and an end where a clone was cut; After is who
// descends, and Had what a commit has.
func TestBlameInAnyHistory(t *testing.T) {
	gittest.Need(t)
	t.Parallel()
	made, cases := gittest.Init(t, nil), 0
	c, err := config.Parse(filepath.Join(made, "locsync.toml"), []byte("[[project]]\nname = \"app\"\nsource_language = "+
		"\"en\"\ntarget_languages = [\"de\"]\n[[project.files]]\nsource = \"en/**/*.json\"\noutput = \"{LANGUAGE}/{DIR}/{NAME}.json\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	present := fstest.MapFS{}
	for _, name := range drawnPaths {
		present[name] = &fstest.MapFile{Data: []byte("{}")}
	}
	bundles, _, err := bundle.Find(present, &c.Projects[0])
	var targets []bundle.Target
	for _, b := range bundles {
		targets = append(targets, bundle.Target{Path: b.Path, Language: b.Source, Sources: []*bundle.Bundle{b}})
	}
	for _, b := range bundles[:2] {
		german := c.Projects[0].Targets()[0]
		targets = append(targets, bundle.Target{Path: b.Target(german), Language: german, Sources: []*bundle.Bundle{b}})
	}
	if err != nil || len(targets) != len(drawnPaths) {
		t.Fatal(targets, err)
	}
	rapid.Check(t, func(rt *rapid.T) {
		cases++
		dir, prefix := made, fmt.Sprintf("h%d-", cases)
		h := drawHistory(t, rt, dir, prefix)
		last := len(h.commits) - 1
		if depth := rapid.IntRange(0, 12).Draw(rt, "depth"); depth > 0 && depth < 4 {
			dir = gittest.Clone(t, "file://"+made, fmt.Sprintf("--depth=%d", depth), "--branch", fmt.Sprint(prefix, last))
			cut, _ := os.ReadFile(filepath.Join(dir, ".git", "shallow"))
			for i := range h.commits {
				h.commits[i].cut = len(h.commits[i].parents) > 0 && bytes.Contains(cut, []byte(h.commits[i].name))
			}
		}
		repo, err := gitops.Open(t.Context(), dir, gitops.Options{})
		if err != nil {
			rt.Fatal(err)
		}
		defer repo.Close()
		files := maps.Clone(h.commits[last].files)
		if rapid.Bool().Draw(rt, "uncommitted") {
			edit(rt, files)
		}
		var blamed []Blamed
		var want []map[string]Origin
		present := slices.DeleteFunc(slices.Clone(targets), func(of bundle.Target) bool {
			_, is := files[of.Path]
			return !is
		})
		for _, b := range present {
			f, err := b.Sources[0].Parse([]byte(files[b.Path].content()), b.Language)
			if err != nil {
				continue
			}
			of := Blamed{File: b, Texts: bundle.Texts(f)}
			if rapid.Bool().Draw(rt, "whether its bytes are known") {
				of.Bytes = f.Source()
			}
			if rapid.Bool().Draw(rt, "whether all keys are followed") {
				of.Keys = map[string]bool{"nothing": true}
				for key := range files[b.Path].keys {
					of.Keys[key] = true
				}
				delete(of.Keys, rapid.SampledFrom(slices.Sorted(maps.Keys(of.Keys))).Draw(rt, "the key that is not"))
			}
			blamed = append(blamed, of)
			is, origins := h.commits[last].files[b.Path].keys, make(map[string]Origin)
			for key := range files[b.Path].keys {
				if of.Keys != nil && !of.Keys[key] {
					continue
				}
				if older, committed := earlierKey(files[b.Path].keys, is, key, nil); committed {
					origins[key] = h.origin(last, b.Path, older)
				} else {
					_, had := is[key]
					origins[key] = Origin{Changed: had}
				}
			}
			want = append(want, origins)
		}
		blame, err := NewBlame(t.Context(), repo, h.commits[last].name, present)
		if err != nil {
			rt.Fatal(err)
		}
		got, err := blame.Origins(t.Context(), len(blamed), func(i int) (Blamed, error) { return blamed[i], nil })
		if err != nil || len(got) != len(want) {
			rt.Fatal(got, err)
		}
		for i := range want {
			if !reflect.DeepEqual(got[i], want[i]) {
				rt.Fatalf("%s: texts are of\n%v\nwant\n%v\nin\n%s", blamed[i].File.Path, got[i], want[i],
					gittest.Git(t, dir, "log", "--graph", "-p", "--no-renames", "-m", h.commits[last].name))
			}
		}
		asked := func(i int) (Blamed, []KeyAt) {
			var all []KeyAt
			for _, c := range h.commits {
				for key := range want[i] {
					all = append(all, KeyAt{key, c.name})
				}
			}
			return blamed[i], all
		}
		had, err := blame.Had(t.Context(), len(blamed), asked)
		if err != nil {
			rt.Fatal(err)
		}
		for i, c := range h.commits {
			if _, read := blame.index[c.name]; !read {
				continue
			}
			for n, f := range blamed {
				for key := range want[n] {
					is := c.files[f.File.Path].keys[key] == files[f.File.Path].keys[key]
					if got := had[n][KeyAt{key, c.name}]; got != is {
						rt.Fatalf("%d had %s of %s: %v, want %v", i, key, f.File.Path, got, is)
					}
				}
			}
			after := blame.After(c.name)
			for other, has := range h.after(i) {
				if _, read := blame.index[h.commits[other].name]; read && after(h.commits[other].name) != has {
					rt.Fatalf("%d is after %d: %v, want %v", other, i, !has, has)
				}
			}
		}
	})
}

// A fault while a file is read is met by who asked, and not by the goroutine that follows the file.
func TestFaultInAFile(t *testing.T) {
	gittest.Need(t)
	dir := gittest.Init(t, map[string]string{"README": "x\n"})
	repo, err := gitops.Open(t.Context(), dir, gitops.Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer repo.Close()
	blame, err := NewBlame(t.Context(), repo, gittest.Git(t, dir, "rev-parse", "HEAD"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if e := fault.Of(recover()); e == nil || e.Value != "a parser is wrong" {
			t.Errorf("met %v", e)
		}
	}()
	_, err = blame.Origins(t.Context(), 3, func(i int) (Blamed, error) {
		if i == 1 {
			panic("a parser is wrong")
		}
		return Blamed{Keys: map[string]bool{}}, nil
	})
	t.Errorf("the fault went by, with %v", err)
}
