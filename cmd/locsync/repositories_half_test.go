//go:build unix

package main

import (
	"cmp"
	"encoding/json"
	"fmt"
	"hash/fnv"
	"maps"
	"slices"
	"testing"

	"github.com/locsync/locsync/formats"
)

// half chooses keys by their names: the service of hasHalf has them, and other texts of a tenth of those.
func half(key string, of uint32) bool {
	h := fnv.New32a()
	h.Write([]byte(key))
	return h.Sum32()%of == 0
}

// hasHalf: what one side lacks travels to it, and where the sides differ neither changes; each difference is named.
func (s *atService) hasHalf(t *testing.T) {
	n := s.arrive(t, s.bare, halfProject)
	sources, targets := n.pairs()
	inSource := n.read(sources)
	translations := sendable(inSource, n.read(targets))
	w := &translator{t, s.server.URL, halfProject}
	s.seed(n, w)
	held := w.texts(n.collections())
	others, kept := n.otherTexts(inSource, translations, held)
	s.translateAll(w, others)
	gaps := n.gaps(inSource, translations, held)
	s.translateAll(w, gaps)
	if len(others) == 0 {
		t.Log("no text of the service is another one")
	}
	before := n.snapshot()

	first := n.pass("sync")
	defer func() {
		if t.Failed() {
			all := first.problems()
			t.Logf("the first sync named %d problems, such as %+v", len(all), all[:min(12, len(all))])
		}
	}()
	n.fills(gaps)
	n.differ(others, first.problems(), "sync")
	now := w.texts(n.collections())
	n.hold(now, others, "sync")
	n.allSent(without(now, others, kept), first.problems())
	n.conflicts(others)
	moved := n.snapshot()
	if len(gaps) == 0 {
		n.unmoved(before, "sync")
	}
	n.nothingMore("sync")
	n.unmoved(moved, "the second sync")

	n.pass("pull", "--accept-service")
	n.fills(maps.Collect(func(yield func(place, string) bool) {
		for _, texts := range []map[place]string{gaps, others} {
			for p, v := range texts {
				if !yield(p, v) {
					return
				}
			}
		}
	}))
	n.hold(w.textsAt(others), others, "pull --accept-service")
	n.conflicts(nil)

	again := s.arrive(t, s.bare, halfProject)
	again.pass("sync", "--translations")
	again.hold(w.textsAt(kept), kept, "sync --translations")
	again.fills(gaps)
	again.conflicts(nil)
}

// seed brings half of the keys of the project that has everything to another one, in the format that the
// configuration gives their files.
func (s *atService) seed(n *newcomer, w *translator) {
	n.Helper()
	from := &translator{n.T, s.server.URL, emptyProject}
	source := n.config().Projects[0].SourceLanguage
	formats := make(map[string]string)
	pairs, _ := n.pairs()
	for _, p := range pairs {
		formats[p.collection] = p.format
	}
	for _, collection := range n.collections() {
		format := exchanged(formats[collection])
		keys := make(map[string]bool)
		for p := range s.held {
			if p.collection == collection && half(p.key, 2) {
				keys[p.key] = true
			}
		}
		files := from.export(collection, format, slices.Sorted(maps.Keys(keys)))
		for _, language := range slices.SortedFunc(maps.Keys(files), func(a, b string) int { // the source first
			return cmp.Or(-cmp.Compare(fmt.Sprint(a == source), fmt.Sprint(b == source)), cmp.Compare(a, b))
		}) {
			if len(keys) > 0 {
				w.importing(collection, language, format, "draft", files[language])
			}
		}
	}
}

// exchanged is the format that translations in a format are exported in.
func exchanged(format string) string {
	row, ok := formats.Named(format)
	if !ok {
		return format
	}
	return row.Exchanged().Name
}

// otherTexts are texts that a translator wrote in place of some of those that the service has, and these.
func (n *newcomer) otherTexts(inSource, translations []text, held map[place]string) (others, kept map[place]string) {
	others, kept = make(map[place]string), make(map[place]string)
	simple := make(map[place]bool)
	for _, t := range inSource {
		simple[place{t.collection, "", t.key}] = t.simple()
	}
	choose := func(of uint32) {
		for _, t := range translations {
			v := held[t.place]
			if v == t.value && t.simple() && simple[place{t.collection, "", t.key}] && half(t.key+t.language, of) {
				others[t.place], kept[t.place] = v+" differently", v
			}
		}
	}
	if choose(10); len(others) == 0 {
		choose(1)
	}
	return others, kept
}

// gaps are texts that the service has and the repository lacks, at most one for a language, in files that are there.
func (n *newcomer) gaps(inSource, translations []text, held map[place]string) map[place]string {
	n.Helper()
	_, targets := n.pairs()
	have := make(map[place]bool)
	for _, t := range n.read(targets) {
		have[t.place] = true
	}
	files := make(map[string]bool) // that are there, and read as translations of their source
	for _, t := range translations {
		files[t.file] = true
	}
	times := make(map[place]int)
	for _, t := range inSource {
		times[t.place]++
	}
	gaps := make(map[place]string)
	done := make(map[string]bool)
	for _, p := range targets {
		if !files[p.file] || done[p.language] {
			continue
		}
		for _, t := range inSource {
			at := place{p.collection, p.language, t.key}
			_, known := held[t.place]
			if t.source == p.source && known && times[t.place] == 1 && t.simple() && !have[at] && held[at] == "" {
				gaps[at], done[p.language] = t.value+" translated", true
				break
			}
		}
	}
	return gaps
}

func (s *atService) translateAll(w *translator, texts map[place]string) {
	by := make(map[place]map[string]string)
	for p, v := range texts {
		file := place{p.collection, p.language, ""}
		if by[file] == nil {
			by[file] = make(map[string]string)
		}
		by[file][p.key] = v
	}
	for file, texts := range by {
		w.translate(file.collection, file.language, texts)
	}
}

// fills fails unless the branch has these texts otherwise than the base, and nothing else.
func (n *newcomer) fills(want map[place]string) {
	n.Helper()
	_, targets := n.pairs()
	files := make(map[string][]pair)
	for _, p := range targets {
		files[p.file] = append(files[p.file], p)
	}
	left := maps.Clone(want)
	var wrong []change
	for _, c := range n.changes() {
		ok := false
		for _, p := range files[c.file] {
			at := place{p.collection, p.language, c.key}
			if v, there := want[at]; there && c.form == "" && v == c.new {
				ok = true
				delete(left, at)
			}
		}
		if !ok {
			wrong = append(wrong, c)
		}
	}
	n.none(described(wrong), "texts changed on the branch and should not")
	n.none(listed(left), "texts of the service did not come")
}

func described(changes []change) (all []string) {
	for _, c := range changes {
		all = append(all, fmt.Sprintf("%s: %q %s: %q -> %q", c.file, c.key, c.form, c.old, c.new))
	}
	return all
}

func listed(texts map[place]string) (all []string) {
	for p, v := range texts {
		all = append(all, fmt.Sprintf("%s %q (%s): %q", p.collection, p.key, p.language, v))
	}
	slices.Sort(all)
	return all
}

// differ fails unless the problems name each of these.
func (n *newcomer) differ(texts map[place]string, problems []passProblem, after string) {
	n.Helper()
	type entry struct{ language, key string }
	named := make(map[entry]bool)
	for _, p := range problems {
		named[entry{p.Language, p.Key}] = true
	}
	left := maps.Clone(texts)
	maps.DeleteFunc(left, func(p place, _ string) bool { return named[entry{p.language, p.key}] })
	n.none(listed(left), "differences were not named by "+after)
}

// conflicts fails unless the status has these, and no others.
func (n *newcomer) conflicts(texts map[place]string) {
	n.Helper()
	r := n.locsync("status", "--json")
	var status struct {
		Projects []struct {
			Conflicts []struct{ Language, Key string }
		}
	}
	if err := json.Unmarshal([]byte(r.out), &status); err != nil || len(status.Projects) != 1 {
		n.Fatalf("locsync status: %v\n%s%s", err, clipped(r.out), clipped(r.log))
	}
	type entry struct{ language, key string }
	shown := make(map[entry]bool)
	for _, c := range status.Projects[0].Conflicts {
		shown[entry{c.Language, c.Key}] = true
	}
	left := maps.Clone(texts)
	maps.DeleteFunc(left, func(p place, _ string) bool { return shown[entry{p.language, p.key}] })
	n.none(listed(left), "differences are not in the status")
	if len(texts) == 0 && len(shown) > 0 {
		n.Errorf("the status has %d conflicts, and everything was decided", len(shown))
	}
}

// hold fails unless the service has these texts.
func (n *newcomer) hold(have, want map[place]string, after string) {
	n.Helper()
	left := maps.Clone(want)
	maps.DeleteFunc(left, func(p place, v string) bool { return have[p] == v })
	n.none(listed(left), "texts are not at the service after "+after)
}

// without is what the service has, with the repository's texts where they differ.
func without(have, others, kept map[place]string) map[place]string {
	all := maps.Clone(have)
	for p := range others {
		all[p] = kept[p]
	}
	return all
}
