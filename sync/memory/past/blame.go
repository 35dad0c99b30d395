package past

import (
	"cmp"
	"context"
	"fmt"
	"hash/maphash"
	"maps"
	pathpkg "path"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound/fault"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Blamed is a file with the texts of a language, as they are now.
type Blamed struct {
	File  bundle.Target
	Texts catalog.Catalog
	Keys  map[string]bool // those that are followed; nil for all. What is told of them keeps no file in memory.
	Bytes string          // that the texts were read from; may be "". Those that are committed are not read again.
}

// Origin is what brought the present text of a key. A text that moved to another key or file came with the commit that
// wrote it.
type Origin struct {
	Commit  string // "" where it is not committed
	Changed bool   // the key had another text before
	Cut     bool   // the history that is here, or is read, ends there
}

// Blame tells what brought texts, from the history of a commit. It is safe for concurrent use.
//
// The history is read once, for all files. Each file is then followed by itself through the commits that changed it:
// each of its versions is read once, as far back as a key of it is open.
type Blame struct {
	repo    *gitops.Repo
	tip     *gitops.Tip
	commits []gitops.Logged // each before its parents
	index   map[string]int
	changes map[string][]change // by path, in order

	language map[string]string          // codes by path; severalLanguages where a path has more than one
	entries  map[string][]bundle.Target // by language: one of each entry of the configuration

	// Each commit is on one line of first parents. A line ends where the history does, or another one goes on.
	line []int // by commit
	end  []int // by line: the last commit that is on it

	mu       sync.Mutex
	gone     map[edge][]string // paths that a parent has and a commit lacks
	removals map[removal][]uint64
	removed  int // how many texts removals have, and some for each of them
}

// change is what a commit made of a file.
type change struct {
	commit  int
	content string // its name; "" where the file is gone
}

// edge is a commit and one of its parents.
type edge struct{ commit, parent int }

// severalLanguages is the language of a file that has more than one.
const severalLanguages = ""

// NewBlame reads the history of a commit, for some files.
func NewBlame(ctx context.Context, repo *gitops.Repo, commit string, targets []bundle.Target) (*Blame, error) {
	tip, err := repo.AtCommit(commit)
	if err != nil {
		return nil, err
	}
	extensions := make(map[string]bool)
	for _, t := range targets {
		extensions[pathpkg.Ext(t.Path)] = true
		format, _ := formats.ByExtension(t.Path)
		for _, extension := range format.Extensions {
			extensions[extension] = true
		}
	}
	// A file that had another name is of the same format.
	log, err := repo.History.Log(ctx, commit, func(path string) bool { return extensions[pathpkg.Ext(path)] })
	if err != nil {
		return nil, err
	}
	b := &Blame{repo: repo, tip: tip, commits: log, index: make(map[string]int, len(log)),
		changes: make(map[string][]change), gone: make(map[edge][]string),
		removals: make(map[removal][]uint64), line: make([]int, len(log))}
	b.sort(targets)
	b.end = []int{0} // lines have numbers from 1
	for i, c := range log {
		b.index[c.Commit] = i
		if b.line[i] == 0 {
			b.line[i], b.end = len(b.end), append(b.end, i)
		}
		b.end[b.line[i]] = i
		if len(c.Parents) > 0 && b.line[c.Parents[0]] == 0 {
			b.line[c.Parents[0]] = b.line[i]
		}
	}
	for i, c := range log {
		for _, to := range c.Changes {
			b.changes[to.Path] = append(b.changes[to.Path], change{i, to.Content})
			if to.Content == "" && len(c.Parents) > 0 {
				first := edge{i, c.Parents[0]}
				b.gone[first] = append(b.gone[first], to.Path)
			}
		}
	}
	for _, all := range b.changes {
		slices.SortFunc(all, b.order)
	}
	for i, c := range log {
		if len(c.Parents) != 1 || len(c.Changes) == 1 { // no text moved from file to file
			log[i].Changes = nil
			continue
		}
		log[i].Changes = slices.DeleteFunc(c.Changes, func(to gitops.Change) bool {
			last, _ := b.last(to.Path, c.Parents[0])
			return last.content == "" // a new file lost no text
		})
	}
	return b, nil
}

// sort puts files in order by language.
func (b *Blame) sort(targets []bundle.Target) {
	b.language, b.entries = make(map[string]string, len(targets)), make(map[string][]bundle.Target)
	for _, t := range targets {
		if of, is := b.language[t.Path]; is && of != t.Language.Code {
			b.language[t.Path] = severalLanguages
		} else {
			b.language[t.Path] = t.Language.Code
		}
	}
	for _, t := range targets {
		all := b.entries[b.language[t.Path]]
		if !slices.ContainsFunc(all, func(o bundle.Target) bool { return o.Sources[0].Files == t.Sources[0].Files }) {
			b.entries[b.language[t.Path]] = append(all, t)
		}
	}
}

// sharesLanguage reports whether a path has the language of a file, or had it as the configuration says.
func (b *Blame) sharesLanguage(file bundle.Target, path string) bool {
	language, is := b.language[file.Path]
	if !is {
		language = file.Language.Code
	}
	if of, is := b.language[path]; is {
		return of == language
	}
	return slices.ContainsFunc(b.entries[language], func(t bundle.Target) bool { return t.Fits(path) })
}

// sharesFormat reports whether files with two names can be of one format.
func sharesFormat(one, two string) bool {
	if pathpkg.Ext(one) == pathpkg.Ext(two) {
		return true
	}
	format, is := formats.ByExtension(one)
	other, too := formats.ByExtension(two)
	return is && too && format.Name == other.Name
}

// order is by line, the youngest first.
func (b *Blame) order(one, two change) int {
	return cmp.Or(cmp.Compare(b.line[one.commit], b.line[two.commit]), cmp.Compare(one.commit, two.commit))
}

// last is the change that a commit has of a file; known is false where there is none, and the commit is where the
// history ends.
func (b *Blame) last(path string, commit int) (last change, known bool) {
	all := b.changes[path]
	for {
		i, _ := slices.BinarySearchFunc(all, change{commit: commit}, b.order)
		if i < len(all) && b.line[all[i].commit] == b.line[commit] {
			return all[i], true
		}
		end := b.end[b.line[commit]]
		if len(b.commits[end].Parents) == 0 {
			return change{commit: end}, false
		}
		commit = b.commits[end].Parents[0]
	}
}

// When is the time at which a commit was made.
func (b *Blame) When(commit string) time.Time {
	return b.commits[b.index[commit]].When
}

// After gives those of the commits that have one in their history, or are it.
func (b *Blame) After(commit string) func(other string) bool {
	first, is := b.index[commit]
	has := make([]bool, first+1)
	has[first] = is
	for i := first - 1; i >= 0; i-- { // what is between two commits is between them in the log
		for _, parent := range b.commits[i].Parents {
			has[i] = has[i] || parent <= first && has[parent]
		}
	}
	return func(other string) bool {
		i, is := b.index[other]
		return is && i <= first && has[i]
	}
}

// KeyAt is a key of a file, and a commit that Origins names.
type KeyAt struct{ Key, Commit string }

// Had tells of keys of some files whether each had its present text in a commit already, at the present path of the
// file. file gives their texts and what is asked of them; it is called in parallel.
func (b *Blame) Had(ctx context.Context, files int, file func(int) (Blamed, []KeyAt)) ([]map[KeyAt]bool, error) {
	all := make([]map[KeyAt]bool, files)
	fault.Each(files, func(i int) {
		f, asked := file(i)
		if len(asked) == 0 {
			return
		}
		slices.SortFunc(asked, func(one, two KeyAt) int { // each version is read once, where the history is one line
			return cmp.Compare(b.index[one.Commit], b.index[two.Commit])
		})
		t, now, had := newTrace(b, f.File), digestsOf(f.Texts), make(map[KeyAt]bool)
		for _, at := range asked {
			commit, is := b.index[at.Commit]
			if ctx.Err() != nil || !is {
				continue
			}
			last, _ := b.last(f.File.Path, commit)
			text, is := t.read(f.File.Path, last.content)[at.Key]
			had[at] = is && text == now[at.Key]
		}
		all[i] = had
	})
	return all, ctx.Err()
}

// Origins tells for the keys of some files what brought their texts. file gives each; it is called in parallel. Where a
// commit says that a key means what it meant, the text before counts.
func (b *Blame) Origins(ctx context.Context, files int, file func(int) (Blamed, error)) ([]map[string]Origin, error) {
	all, errs := make([]map[string]Origin, files), make([]error, files)
	fault.Each(files, func(i int) {
		if ctx.Err() != nil {
			return
		}
		f, err := file(i)
		if err == nil {
			all[i], err = b.origins(ctx, f)
		}
		errs[i] = err
	})
	for _, err := range errs {
		if err != nil {
			return nil, err
		}
	}
	return all, ctx.Err()
}

// digests are the texts of a file by key, as numbers that differ where they do: odd ones of texts with forms. An empty
// text is none.
type digests map[string]uint64

var seed = maphash.MakeSeed()

func digestsOf(texts catalog.Catalog) digests {
	all := make(digests, len(texts))
	for _, u := range texts {
		if u.Text == "" {
			continue
		}
		if u.Form == "" {
			all[u.Key] = maphash.String(seed, u.Text) << 1
		} else {
			all[u.Key] = (all[u.Key] + maphash.Comparable(seed, [2]string{u.Form, u.Text})<<1) | 1 // in any order
		}
	}
	return all
}

// earlier is the key that a text had in an older version of a file, where it is known.
type earlier struct {
	key   string
	known bool
}

// matched gives the keys of now whose text an older version of a file does not have under them, with the key that it
// has there: the only one whose text left it. same are keys that mean what they meant, whatever their text.
func matched(now, before digests, same []string) map[string]earlier {
	changed, came := make(map[string]earlier), make(map[uint64]int)
	for key, text := range now {
		if was, had := before[key]; !had || was != text {
			changed[key] = earlier{key, had && slices.Contains(same, key)}
			came[text]++
		}
	}
	if len(changed) == 0 {
		return nil
	}
	left := make(map[uint64][]string)
	for key, text := range before {
		if is, has := now[key]; came[text] == 1 && (!has || is != text) {
			left[text] = append(left[text], key)
		}
	}
	for key, e := range changed {
		if from := left[now[key]]; !e.known && len(from) == 1 {
			changed[key] = earlier{from[0], true}
		}
	}
	return changed
}

// owned are the keys of a version of a file that have a text of now, with the keys that have it now.
type owned map[string][]string

// take gives keys of an older version what keys of a younger one have.
func (o owned) take(keys owned) {
	for key, of := range keys {
		o[key] = append(o[key], of...)
	}
}

// revision is a file as a commit changed it.
type revision struct {
	change
	path string
}

// trace follows the texts of one file back through the commits.
type trace struct {
	b      *Blame
	file   bundle.Target
	origin map[string]Origin
	open   []revision // the youngest first
	owned  map[revision]owned

	texts map[named]digests
	order []named // of texts, the oldest first
}

func newTrace(b *Blame, file bundle.Target) *trace {
	return &trace{b: b, file: file, origin: make(map[string]Origin), owned: make(map[revision]owned),
		texts: make(map[named]digests)}
}

// named is a content of a path.
type named struct{ path, content string }

// mostVersions is how many versions of a file are kept.
const mostVersions = 16

// origins is Origins for one file.
func (b *Blame) origins(ctx context.Context, f Blamed) (map[string]Origin, error) {
	t := newTrace(b, f.File)
	if f.Keys != nil && len(f.Keys) == 0 {
		return t.origin, nil
	}
	last, known := b.last(f.File.Path, 0)
	unread := false // it is older than what is read
	if !known && b.commits[last.commit].Cut {
		_, err := b.tip.Stat(f.File.Path)
		unread = err == nil
	}
	now := digestsOf(f.Texts)
	if f.Bytes != "" && b.tip.IsContent([]byte(f.Bytes), last.content) {
		t.keep(named{f.File.Path, last.content}, now)
	}
	committed := t.read(f.File.Path, last.content)
	changed, keys := matched(now, committed, nil), make(owned)
	followed := maps.Keys(f.Keys)
	if f.Keys == nil {
		followed = maps.Keys(now)
	}
	for key := range followed {
		_, has := now[key]
		was, differs := changed[key]
		switch {
		case !has:
		case unread:
			t.origin[key] = Origin{Commit: b.commits[last.commit].Commit, Cut: true}
		case !differs:
			keys.take(owned{key: {key}})
		case was.known:
			keys.take(owned{was.key: {key}})
		default:
			_, had := committed[key]
			t.origin[key] = Origin{Changed: had}
		}
	}
	t.pass(revision{last, f.File.Path}, keys)
	for len(t.open) > 0 && ctx.Err() == nil {
		at := t.open[0]
		t.open = t.open[1:]
		if err := t.step(ctx, at, t.owned[at]); err != nil {
			return nil, fmt.Errorf("read what commit %.10s changed: %w", b.commits[at.commit].Commit, err)
		}
		delete(t.owned, at)
	}
	return t.origin, nil
}

// pass gives texts to a version, beside what it has by another way.
func (t *trace) pass(to revision, keys owned) {
	if len(keys) == 0 {
		return
	}
	have, is := t.owned[to]
	if !is {
		at, _ := slices.BinarySearchFunc(t.open, to, func(one, two revision) int {
			return cmp.Or(cmp.Compare(one.commit, two.commit), strings.Compare(one.path, two.path))
		})
		t.open = slices.Insert(t.open, at, to)
		t.owned[to] = keys
		return
	}
	if len(have) < len(keys) {
		have, keys = keys, have
		t.owned[to] = have
	}
	have.take(keys)
}

// step gives what a version has to those before it that have it as well; the rest came with its commit.
func (t *trace) step(ctx context.Context, at revision, keys owned) error {
	c := &t.b.commits[at.commit]
	now, changed := t.read(at.path, at.content), make(map[string]bool) // keys that had another text before
	for _, parent := range c.Parents {
		if len(keys) == 0 {
			return nil
		}
		last, _ := t.b.last(at.path, parent)
		before := revision{last, at.path}
		if before.content == at.content {
			t.pass(before, keys)
			return nil
		}
		if before.content == "" {
			var err error
			before, err = t.former(ctx, at, parent, now)
			if err != nil {
				return err
			}
		}
		texts := t.read(before.path, before.content)
		left, moved := make(owned), make(owned)
		for key, was := range matched(now, texts, c.Same) {
			of, is := keys[key]
			if !is {
				continue
			}
			delete(keys, key)
			if was.known {
				moved.take(owned{was.key: of})
				continue
			}
			left[key] = of
			if _, had := texts[key]; had {
				changed[key] = true
			}
		}
		keys.take(moved)
		t.pass(before, keys)
		keys = left
		if len(c.Parents) == 1 {
			t.passMoved(at, keys, now, texts)
		}
	}
	for key, of := range keys {
		for _, k := range of {
			t.origin[k] = Origin{Commit: c.Commit, Changed: changed[key], Cut: c.Cut}
		}
	}
	return nil
}

// read are the texts of a version; none where it is not there, or cannot be read.
func (t *trace) read(path, content string) digests {
	at := named{path, content}
	if texts, is := t.texts[at]; is || content == "" {
		return texts
	}
	texts := t.parse(path, content)
	t.keep(at, texts)
	return texts
}

// parse is read of a version that is not kept.
func (t *trace) parse(path, content string) digests {
	if texts, is := t.texts[named{path, content}]; is || content == "" {
		return texts
	}
	src, err := t.b.tip.Content(path, content)
	if err != nil {
		return nil
	}
	f, err := t.file.Sources[0].Parse(src, t.file.Language)
	if err != nil {
		return nil
	}
	return digestsOf(bundle.Texts(f))
}

func (t *trace) keep(at named, texts digests) {
	if len(t.order) == mostVersions {
		delete(t.texts, t.order[0])
		t.order = t.order[1:]
	}
	t.texts[at], t.order = texts, append(t.order, at)
}

// loss is what a file of the language lost by a commit, with the version that had it.
type loss struct {
	revision
	texts digests
	keys  owned // that are followed
}

// passMoved gives texts that are new in a file to the versions of other files of its language that lost them by the
// same commit: under the same key, else under the only one. before are those of the file in the parent.
func (t *trace) passMoved(at revision, keys owned, now, before digests) {
	isNew := func(key string) bool { _, had := before[key]; return !had }
	if len(t.b.commits[at.commit].Changes) == 0 || !slices.ContainsFunc(slices.Collect(maps.Keys(keys)), isNew) {
		return
	}
	came := make(map[uint64]int) // by how many new keys
	for key, text := range now {
		if isNew(key) {
			came[text]++
		}
	}
	type keyIn struct {
		loss int
		key  string
	}
	losses, from := t.losses(at, came), make(map[uint64][]keyIn)
	for i, l := range losses {
		for key, text := range l.texts {
			from[text] = append(from[text], keyIn{i, key})
		}
	}
	for key, of := range keys {
		text := now[key]
		was := keyIn{slices.IndexFunc(losses, func(l loss) bool { return text != 0 && l.texts[key] == text }), key}
		if was.loss < 0 && came[text] == 1 && len(from[text]) == 1 {
			was = from[text][0]
		}
		if was.loss >= 0 && isNew(key) {
			losses[was.loss].keys.take(owned{was.key: of})
			delete(keys, key)
		}
	}
	for _, l := range losses {
		t.pass(l.revision, l.keys)
	}
}

// losses are which of some texts other files of the language lost by a commit with one parent. Those whose names are
// most like that of the file are read.
func (t *trace) losses(at revision, some map[uint64]int) (all []loss) {
	c := t.b.commits[at.commit]
	var candidates []candidate
	after := make(map[string]string)
	for _, to := range c.Changes {
		if to.Path != at.path && sharesFormat(to.Path, at.path) && t.b.sharesLanguage(t.file, to.Path) {
			last, _ := t.b.last(to.Path, c.Parents[0])
			candidates = append(candidates, candidate{revision{last, to.Path}, likeness(to.Path, at.path)})
			after[to.Path] = to.Content
		}
	}
	for _, other := range mostLike(candidates) {
		if !t.mayLose(at.commit, other.revision, after[other.path], some) {
			continue
		}
		before, now := t.parse(other.path, other.content), t.parse(other.path, after[other.path])
		l, kept := loss{other.revision, make(digests), make(owned)}, make(map[uint64]bool) // under another key
		for key, text := range now {
			if before[key] != text && some[text] > 0 {
				kept[text] = true
			}
		}
		for key, text := range before {
			if some[text] > 0 && now[key] != text && !kept[text] {
				l.texts[key] = text
			}
		}
		if len(l.texts) > 0 {
			all = append(all, l)
		}
	}
	return all
}

// removal is a file from which a commit removed texts, by how it is read.
type removal struct {
	commit                 int
	path, language, format string
	joined                 bool // plurals that are spelled as keys
}

// mostRemoved is how many texts of removals are kept.
const mostRemoved = 1 << 20

// mayLose reports whether a commit may have removed one of some texts from a file. Most commits only add to one, which
// is found out once for all files that are followed.
func (t *trace) mayLose(commit int, other revision, after string, some map[uint64]int) bool {
	for text := range some {
		if text&1 == 1 { // whose forms are keys in another file, maybe
			return true
		}
	}
	source := t.file.Sources[0]
	by := removal{commit, other.path, t.file.Language.Code, source.Format.Name, bundle.JoinsPlurals(source)}
	t.b.mu.Lock()
	texts, known := t.b.removals[by]
	t.b.mu.Unlock()
	if !known {
		before, now, left := t.read(other.path, other.content), t.parse(other.path, after), make(map[uint64]int)
		for key, text := range before {
			if now[key] != text {
				left[text]++
			}
		}
		for key, text := range now {
			if before[key] != text {
				left[text]--
			}
		}
		for text, n := range left {
			if n > 0 {
				texts = append(texts, text)
			}
		}
		t.b.mu.Lock()
		if t.b.removed > mostRemoved {
			clear(t.b.removals)
			t.b.removed = 0
		}
		t.b.removals[by] = texts
		t.b.removed += len(texts) + 10
		t.b.mu.Unlock()
	}
	return slices.ContainsFunc(texts, func(text uint64) bool { return some[text] > 0 })
}

// candidate is a version that may have had texts of another one.
type candidate struct {
	revision
	likeness int
}

// mostFormer is how many files are read to find where texts were before.
const mostFormer = 10

// mostLike are the candidates that are read: those with the most alike names, in their order.
func mostLike(all []candidate) []candidate {
	slices.SortFunc(all, func(one, two candidate) int {
		return cmp.Or(cmp.Compare(two.likeness, one.likeness), strings.Compare(one.path, two.path))
	})
	return all[:min(len(all), mostFormer)]
}

// former is the file that a new one was in a parent of its commit: of those that went, the one that has most of its
// texts, at least half. Those whose names are most like its own are read.
func (t *trace) former(ctx context.Context, at revision, parent int, now digests) (revision, error) {
	gone, err := t.b.goneIn(ctx, edge{at.commit, parent})
	if err != nil {
		return revision{}, err
	}
	var all []candidate
	for _, path := range gone {
		if last, known := t.b.last(path, parent); known && sharesFormat(path, at.path) {
			c := candidate{revision{last, path}, likeness(path, at.path)}
			if last.content == at.content {
				c.likeness += len(path) + len(at.path)
			}
			all = append(all, c)
		}
	}
	found, most := revision{path: at.path}, len(now)/2
	for _, c := range mostLike(all) {
		n := len(now)
		for _, was := range matched(now, t.read(c.path, c.content), nil) {
			if !was.known {
				n--
			}
		}
		if n > most {
			found, most = c.revision, n
		}
		if n == len(now) {
			break
		}
	}
	return found, nil
}

// likeness is how much of two paths is the same, at their beginnings and ends.
func likeness(one, two string) int {
	shorter, begin, end := min(len(one), len(two)), 0, 0
	for begin < shorter && one[begin] == two[begin] {
		begin++
	}
	for end < shorter-begin && one[len(one)-1-end] == two[len(two)-1-end] {
		end++
	}
	return begin + end
}

// goneIn are the paths that a parent has and a commit lacks.
func (b *Blame) goneIn(ctx context.Context, e edge) ([]string, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	gone, is := b.gone[e]
	if is || e.parent == b.commits[e.commit].Parents[0] { // the log has told
		return gone, nil
	}
	contents, err := b.repo.History.ChangedTo(ctx, b.commits[e.parent].Commit, b.commits[e.commit].Commit)
	for path, content := range contents {
		if content == "" {
			gone = append(gone, path)
		}
	}
	b.gone[e] = gone
	return gone, err
}
