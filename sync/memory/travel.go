package memory

import (
	"cmp"
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"slices"
	"strconv"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Memory is what a project remembers, between its ledger and its repository.
type Memory struct {
	Ledger  ledger.Store // a tracked one, or a draft
	Project string       // its scope in the ledger
	Called  string       // its name in the configuration
	Subject string       // which project at which service it is about: a folder of the memory
	Kept    gitops.Kept
	Log     *zap.Logger
	Now     func() time.Time
	Dry     bool // no reference is moved
}

// Line is one of the branches of the project that are translated beside each other, or the only one.
type Line struct {
	Base           string // its branch; "" for the only one
	Branch, Source string // commits whose trees have the texts; "" for none
	Layout         *Layout
}

// scope is that of a line in the ledger.
func (m *Memory) scope(base string) string { return ledger.BranchScope(m.Project, base) }

// folderOf is the folder of a line.
func folderOf(base string) string {
	if base == "" {
		return "main"
	}
	return "line-" + hex.EncodeToString([]byte(base))
}

// lineOf is the inverse of folderOf.
func lineOf(folder string) (base string, is bool) {
	if folder == "main" {
		return "", true
	}
	name, is := strings.CutPrefix(folder, "line-")
	decoded, err := hex.DecodeString(name)
	return string(decoded), is && err == nil
}

// Begin makes the ledger hold what the memory has by now, here and at the remote. Without the remote's answer it goes
// on with what is known, where anything is.
//
// near is for a pass that is about what changed here: the remote is not asked where anything is known. A nil memory
// remembers nothing.
func (m *Memory) Begin(ctx context.Context, near bool) error {
	if m == nil {
		return nil
	}
	mark, asked, err := markers.Get(m.Ledger, m.Project, "")
	if err != nil {
		return err
	}
	here, err := m.Kept.Here()
	if err != nil {
		return err
	}
	gone := mark.At == "" // the state; the reference here may be left
	if here != "" && here != mark.At {
		if err := m.take(ctx, &mark, mark.At, here); err != nil {
			return err
		}
	}
	if !m.Kept.Travels() || m.resting(mark) || near && mark.At != "" {
		return nil
	}
	there, err := m.Kept.There(ctx)
	if err != nil {
		return m.without(ctx, mark, err)
	}
	before := mark
	switch there {
	case mark.There, mark.At:
		mark.There = there
	case "":
		mark.There = ""
	default:
		there, err = m.Kept.Fetch(ctx, there)
		if err != nil {
			return m.without(ctx, mark, err)
		}
		base := mark.There
		if gone {
			base, err = m.Kept.Shared(mark.At, there)
			if err != nil {
				return err
			}
			base = cmp.Or(base, mark.At) // of which a shallow clone has no history
		}
		if err := m.take(ctx, &mark, base, there); err != nil {
			return err
		}
		mark.There = there
	}
	if mark == before && asked {
		return nil
	}
	if err := m.keep(mark); err != nil || m.Dry || mark.Changed || mark.At != there || there == "" {
		return err
	}
	return m.move(ctx, here, there)
}

// Recall makes the ledger hold what the memory has here, and asks no remote. It reports whether that is all there was
// when a remote was asked last: before the first pass in a clone nothing is known of what other clones agreed on.
func (m *Memory) Recall(ctx context.Context) (known bool, err error) {
	if m == nil {
		return true, nil
	}
	mark, known, err := markers.Get(m.Ledger, m.Project, "")
	if err != nil {
		return false, err
	}
	here, err := m.Kept.Here()
	if err == nil && here == "" && !known {
		here, err = m.Kept.Seen()
	}
	if err == nil && here != "" && here != mark.At {
		err = m.take(ctx, &mark, mark.At, here)
	}
	return known || here != "" || !m.Kept.Travels(), err
}

// without goes on without the remote's answer, but where nothing is known: what was agreed on would be guessed then.
func (m *Memory) without(ctx context.Context, mark marker, err error) error {
	if ctx.Err() != nil || mark.At == "" && !errors.Is(err, gitops.ErrNoRemote) {
		return fmt.Errorf("read the memory of project %q: %w", m.Called, err)
	}
	m.Log.Warn("the remote's memory cannot be read; the pass goes on with what is known here", told(err))
	return nil
}

// told is the log's field for an error, without the calls that met a remote which cannot be used.
func told(err error) zap.Field {
	rejected, is := errors.AsType[*gitops.Rejection](err)
	if is {
		return zap.String("error", rejected.Told())
	}
	return zap.Error(err)
}

// move lets the reference here follow; where another process moved it, that one's value is read by the next pass.
func (m *Memory) move(ctx context.Context, old, to string) error {
	err := m.Kept.Move(ctx, old, to)
	if errors.Is(err, gitops.ErrMoved) || errors.Is(err, gitops.ErrBusy) {
		return nil
	}
	return err
}

func (m *Memory) keep(mark marker) error {
	return markers.Put(untracked(m.Ledger), m.Project, "", mark)
}

// take reconciles the ledger with a commit, over the one that both began from, and notes in the marker what it holds
// then. In the meantime the marker has the old commit: the same is done again after a crash, to the same end.
func (m *Memory) take(ctx context.Context, mark *marker, base, theirs string) error {
	began := time.Now()
	if base != "" && !m.Kept.Has(base) {
		base = ""
	}
	before, err := m.open(base)
	if err != nil {
		return err
	}
	now, err := m.open(theirs)
	if err != nil {
		return err
	}
	lines := map[string]bool{"": true}
	for _, c := range []*commit{before, now} {
		for base := range c.lines {
			lines[base] = true
		}
	}
	if err := m.addLines(lines); err != nil {
		return err
	}
	same := true // as the commit
	for _, base := range slices.Sorted(maps.Keys(lines)) {
		unchanged := !mark.Changed && mark.At == before.name && before.name != ""
		equal, err := m.takeLine(ctx, base, before.lines[base], now.lines[base], unchanged)
		if err != nil {
			return err
		}
		same = same && equal
	}
	mark.At, mark.Changed = theirs, !same
	m.Log.Debug("the memory is loaded", zap.String("commit", theirs), zap.Bool("reconciled", !same),
		zap.Duration("took", time.Since(began)))
	return m.keep(*mark)
}

// addLines adds those that the ledger has.
func (m *Memory) addLines(lines map[string]bool) error {
	all, err := ledger.Lines.List(m.Ledger, m.Project)
	for _, line := range all {
		lines[line.Base] = true
	}
	return err
}

// takeLine is take of one line; it reports whether the ledger has what the commit has then.
func (m *Memory) takeLine(
	ctx context.Context, base string, before, now *stored, unchanged bool,
) (same bool, err error) {
	scope := m.scope(base)
	index, err := m.index(scope)
	if err != nil {
		return false, err
	}
	files := union(before.names(), now.names(), index.files())
	same = true
	for _, file := range slices.Sorted(maps.Keys(files)) {
		if ctx.Err() != nil {
			return false, ctx.Err()
		}
		ours, err := m.ours(index, file)
		if err != nil {
			return false, err
		}
		theirs, err := now.part(file, m.lost)
		if err != nil {
			return false, err
		}
		result := theirs
		if !unchanged {
			was, err := before.part(file, m.lost)
			if err != nil {
				return false, err
			}
			result = reconcile(was, ours, theirs)
		}
		same = same && result.equal(theirs)
		if err := m.write(scope, ours, result); err != nil {
			return false, err
		}
	}
	return same, nil
}

// lost is told of what cannot be read from the memory.
func (m *Memory) lost(path string, err error) {
	m.Log.Warn("what was remembered of a file cannot be read; its texts are compared anew", zap.String("path", path),
		zap.Error(err))
}

// write makes the ledger hold a part in place of what it had.
func (m *Memory) write(scope string, before, now *part) error {
	if before.equal(now) {
		return nil
	}
	return untracked(m.Ledger).Update(func(tx ledger.Writer) error {
		var errs []error
		for id := range union(before.marks, now.marks) {
			marks, is := now.marks[id]
			if is {
				errs = append(errs, tx.SetMarks(id.slot(scope), marks))
			} else {
				errs = append(errs, tx.DropMarks(id.slot(scope)))
			}
		}
		for id := range union(before.records, now.records) {
			key := ledger.Key{Scope: scope, Kind: id.kind, ID: id.id}
			if content, is := now.records[id]; is {
				errs = append(errs, tx.PutRecord(key, []byte(content)))
			} else {
				errs = append(errs, tx.DeleteRecord(key))
			}
		}
		return errors.Join(errs...)
	})
}

// index is where the ledger has what travels of a scope, by the file of a memory.
type index struct {
	scope   string
	slots   map[string][]slotID
	records map[string]string // kinds
}

func (i *index) files() map[string]bool {
	names := make(map[string]bool)
	for name := range i.slots {
		names[name] = true
	}
	for name := range i.records {
		names[name] = true
	}
	return names
}

func (m *Memory) index(scope string) (*index, error) {
	i := &index{scope, make(map[string][]slotID), make(map[string]string)}
	return i, m.Ledger.View(func(tx ledger.Reader) error {
		_, records, err := tx.Kinds(scope)
		if err != nil {
			return err
		}
		slots, err := ledger.AllSlots(tx, scope)
		if err != nil {
			return err
		}
		for _, s := range slots {
			if !travels(s.Kind) {
				continue
			}
			id := slotID{s.Kind, s.Path, s.Language + s.Collection}
			name := marksFolder + "/" + id.bucket()
			i.slots[name] = append(i.slots[name], id)
		}
		for _, kind := range records {
			if travels(kind) {
				i.records[fileOf(kind)] = kind
			}
		}
		return nil
	})
}

// ours is what the ledger has of a file of the memory.
func (m *Memory) ours(i *index, file string) (*part, error) {
	p := newPart()
	return p, m.Ledger.View(func(tx ledger.Reader) error {
		for _, id := range i.slots[file] {
			marks, err := tx.Marks(id.slot(i.scope))
			if err != nil {
				return err
			}
			if marks == nil {
				marks = make(catalog.Marks)
			}
			p.marks[id] = marks
		}
		kind, is := i.records[file]
		if !is {
			return nil
		}
		return tx.Records(ledger.Key{Scope: i.scope, Kind: kind}, func(id string, content []byte) error {
			p.records[recordID{kind, id}] = string(content)
			return nil
		})
	})
}

// commit is a memory as it was saved.
type commit struct {
	name  string
	lines map[string]*stored
}

// stored is a line of it.
type stored struct {
	folder fs.FS
	trees  *trees
	files  map[string]bool
}

// open opens a commit; "" is an empty one.
func (m *Memory) open(name string) (*commit, error) {
	c := &commit{name, make(map[string]*stored)}
	if name == "" {
		return c, nil
	}
	top, err := m.Kept.Folder(name, m.Subject)
	if err != nil || top == nil {
		return c, err
	}
	folders, err := fs.ReadDir(top, ".")
	if err != nil {
		return nil, err
	}
	for _, f := range folders {
		base, is := lineOf(f.Name())
		if !is || !f.IsDir() {
			continue
		}
		c.lines[base], err = m.openLine(name, m.Subject+"/"+f.Name())
		if err != nil {
			return nil, err
		}
	}
	return c, nil
}

func (m *Memory) openLine(commit, folder string) (*stored, error) {
	s := &stored{files: make(map[string]bool)}
	var err error
	s.folder, err = m.Kept.Folder(commit, folder)
	if err != nil {
		return nil, err
	}
	if err := readNumber(s.folder); err != nil {
		return nil, err
	}
	branch, berr := m.Kept.Folder(commit, folder+"/"+branchTree)
	source, serr := m.Kept.Folder(commit, folder+"/"+sourceTree)
	if err := errors.Join(berr, serr); err != nil {
		return nil, err
	}
	s.trees = newTrees(branch, source)
	for _, sub := range []string{marksFolder, recordsFolder} {
		all, err := fs.ReadDir(s.folder, sub)
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			return nil, err
		}
		for _, f := range all {
			s.files[sub+"/"+f.Name()] = true
		}
	}
	return s, nil
}

func (s *stored) names() map[string]bool {
	if s == nil {
		return nil
	}
	return s.files
}

// part is what a file holds; nothing where there is none.
func (s *stored) part(file string, lost func(string, error)) (*part, error) {
	p := newPart()
	if s == nil || !s.files[file] {
		return p, nil
	}
	content, err := bound.ReadFS(s.folder, file, mostStored)
	if err != nil {
		return nil, fmt.Errorf("read the memory: %w", err)
	}
	if strings.HasPrefix(file, marksFolder+"/") {
		p.marks, err = decodeMarks(content, s.trees, lost)
	} else {
		p.records, err = decodeRecords(content)
	}
	return p, err
}

// rounds is how often a memory is saved again because another was saved meanwhile.
const rounds = 8

// End saves what changed, here and at the remote.
func (m *Memory) End(ctx context.Context, lines func() ([]Line, error)) error {
	if m == nil || m.Dry {
		return nil
	}
	mark, _, err := markers.Get(m.Ledger, m.Project, "")
	if err != nil {
		return err
	}
	for range rounds {
		if err := m.save(ctx, &mark, lines); err != nil {
			if errors.Is(err, gitops.ErrMoved) { // by another process, here
				here, herr := m.Kept.Here()
				err = herr
				if err == nil {
					err = m.take(ctx, &mark, mark.At, here)
				}
			}
			if err != nil {
				return err
			}
			continue
		}
		if !m.Kept.Travels() || mark.At == mark.There || mark.At == "" || m.resting(mark) {
			return nil
		}
		err := m.Kept.Push(ctx, mark.There, mark.At)
		if err == nil {
			mark.There, mark.Refused, mark.Until = mark.At, "", ""
			return m.keep(mark)
		}
		if refused, is := errors.AsType[*gitops.Refused](err); is {
			return m.refused(mark, refused)
		}
		if !errors.Is(err, gitops.ErrMoved) {
			m.Log.Warn("the memory is saved here and did not reach the remote; the next pass sends it", told(err))
			return nil
		}
		there, err := m.Kept.There(ctx)
		if err == nil {
			there, err = m.Kept.Fetch(ctx, there)
		}
		if err == nil && there != "" {
			err = m.take(ctx, &mark, mark.There, there)
		}
		if err != nil {
			return err
		}
		mark.There = there
	}
	m.Log.Warn("the memory is saved here and did not reach the remote, which moves all the time; the next pass sends it")
	return nil
}

// save makes a commit of what changed.
func (m *Memory) save(ctx context.Context, mark *marker, lines func() ([]Line, error)) error {
	if !mark.Changed && mark.At != "" {
		here, err := m.Kept.Here()
		if err != nil || here == mark.At {
			return err
		}
		return m.move(ctx, here, mark.At)
	}
	all, err := lines()
	if err != nil {
		return err
	}
	content := gitops.Content{Folder: m.Subject, Files: make(map[string][]byte), Trees: make(map[string]string),
		Message: fmt.Sprintf("memory of project %s [skip ci]\n\nWhat was agreed on with the translation service. "+
			"locsync reads and writes it.", m.Called)}
	for _, line := range all {
		if err := m.saveLine(line, content); err != nil {
			return err
		}
	}
	if len(content.Files) == 0 && mark.At == "" {
		return nil // nothing is remembered yet
	}
	here, err := m.Kept.Here()
	if err != nil {
		return err
	}
	made, err := m.Kept.Write(ctx, mark.At, here, content)
	if err != nil {
		return err
	}
	if made != "" {
		mark.At = made
	}
	mark.Changed = false
	return m.keep(*mark)
}

func (m *Memory) saveLine(line Line, content gitops.Content) error {
	index, err := m.index(m.scope(line.Base))
	if err != nil || len(index.slots)+len(index.records) == 0 {
		return err
	}
	from, folder := newTrees(nil, nil), folderOf(line.Base)
	for _, t := range []struct {
		name, commit string
		tree         *fs.FS
	}{{branchTree, line.Branch, &from.branch}, {sourceTree, line.Source, &from.source}} {
		if t.commit == "" {
			continue
		}
		*t.tree, err = m.Kept.Folder(t.commit, ".")
		if err != nil {
			return err
		}
		content.Trees[folder+"/"+t.name] = t.commit
	}
	layout := line.Layout
	if layout == nil {
		layout = &Layout{}
	}
	content.Files[folder+"/"+formatFile] = []byte(strconv.Itoa(layoutNumber) + "\n")
	for _, file := range slices.Sorted(maps.Keys(index.files())) {
		p, err := m.ours(index, file)
		if err != nil {
			return err
		}
		var encoded []byte
		if len(p.marks) > 0 {
			encoded, err = encodeMarks(p.marks, from, layout)
		} else {
			encoded, err = encodeRecords(p.records)
		}
		if err != nil {
			return err
		}
		content.Files[folder+"/"+file] = encoded
	}
	return nil
}

// restFor is for how long a remote that refused the reference is not asked again.
const restFor = time.Hour

// resting says whether the remote refused the reference less than an hour ago.
func (m *Memory) resting(mark marker) bool {
	until, err := time.Parse(time.RFC3339, mark.Until)
	return mark.Refused != "" && err == nil && m.Now().Before(until)
}

// refused writes down that the remote does not take the reference: the memory stays here.
func (m *Memory) refused(mark marker, refused *gitops.Refused) error {
	if mark.Refused == "" {
		m.Log.Warn("the remote refused the memory, which stays here; other clones do not know what was agreed on",
			zap.String("reference", m.Kept.Name()), zap.Error(refused),
			zap.String("remedy", Remedy))
	}
	mark.Refused, mark.Until = refused.Error(), m.Now().Add(restFor).UTC().Format(time.RFC3339)
	return m.keep(mark)
}

// Remedy is what to do about a remote that refuses the reference.
const Remedy = `allow references below refs/locsync/ there, or set memory = "branch", which keeps it in a branch ` +
	`locsync/PROJECT; memory = "local" keeps it in this clone and ends this message`
