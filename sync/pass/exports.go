package pass

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"

	"github.com/google/uuid"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
	"go.uber.org/zap"
)

// The kinds of jobs.
const (
	JobImport = "import"
	JobExport = "export"
)

// Exported is what an export of one group brought: the texts of each entry of the archive, in its order.
type Exported struct {
	Group     *bundle.Group
	languages []config.Language // that were asked for
	Entries   []exportedEntry
	Sources   []exportedEntry // in the source language, where that was asked for as well
	Problems  []report.Problem
	strays    []string        // entries that fit nothing
	unread    []bundle.Target // of entries that could not be read: what the service has there is not known

	Question string    // a digest of what was asked for
	Asked    time.Time // when it was, on the service's clock; zero where that is not known
	// it was begun by an earlier pass, and the one of this pass is not finished: it is not the last word
	Late   error
	Kept   int                     // texts of entries
	Failed bool                    // the service could not write it; the collection need not be there: nothing is known
	byFile map[fileIn][]Translated // of Group and of Sources, once they were asked for; by "" all of a language
	spool  *spool                  // of the texts that are not in memory; nil where all of them are
}

type fileIn struct {
	language config.Language
	path     string
}

type exportedEntry struct {
	name  string
	Texts catalog.Catalog // nil where they are only in the archive
	entry service.Entry
}

// Translated is the service's texts for one target file.
type Translated struct {
	bundle.Target
	Texts catalog.Catalog // nil where Again has them
	Again func() (catalog.Catalog, error)
}

// All are the texts.
func (x Translated) All() (catalog.Catalog, error) {
	if x.Again == nil {
		return x.Texts, nil
	}
	return x.Again()
}

// Targets sorts the texts to the target files of a group: the one that was exported, or the same one as a later look
// at the branch finds it.
func (x *Exported) Targets(g *bundle.Group) []Translated { return x.sort(g, x.Entries, x.languages) }

// sort does that for entries in some languages.
func (x *Exported) sort(g *bundle.Group, entries []exportedEntry, languages []config.Language) (all []Translated) {
	for i := range entries {
		e := &entries[i]
		for _, t := range g.Targets(e.name, languages) {
			one := Translated{Target: t, Texts: e.Texts}
			if x.spool != nil {
				one.Again = func() (catalog.Catalog, error) { return x.spool.read(e, t) }
			}
			all = append(all, one)
		}
	}
	return all
}

// Of returns the texts of one source file, or of its translations in a language; where the service decides file names,
// those of all its files. They are in memory: the question was not Spooled.
func (x *Exported) Of(b *bundle.Bundle, l config.Language) catalog.Catalog {
	var of []catalog.Catalog
	for _, t := range x.files(b, l) {
		of = append(of, t.Texts)
	}
	return joined(of)
}

// Read is Of for an answer that may be on the disk.
func (x *Exported) Read(b *bundle.Bundle, l config.Language) (catalog.Catalog, error) {
	var of []catalog.Catalog
	for _, t := range x.files(b, l) {
		texts, err := t.All()
		if err != nil {
			return nil, err
		}
		of = append(of, texts)
	}
	return joined(of), nil
}

// files are those of a source file in a language.
func (x *Exported) files(b *bundle.Bundle, l config.Language) []Translated {
	if x.byFile == nil {
		x.byFile = make(map[fileIn][]Translated)
		for _, t := range append(x.Targets(x.Group), x.sort(x.Group, x.Sources, []config.Language{b.Source})...) {
			of, all := fileIn{t.Language, t.Path}, fileIn{language: t.Language}
			x.byFile[all] = append(x.byFile[all], t)
			if of != all {
				x.byFile[of] = append(x.byFile[of], t)
			}
		}
	}
	return x.byFile[fileIn{l, b.Target(l)}]
}

// joined are the texts of files, of several with one name the first.
func joined(of []catalog.Catalog) (all catalog.Catalog) {
	if len(of) == 1 {
		return slices.Clip(of[0])
	}
	seen := make(map[catalog.Name]bool)
	for _, texts := range of {
		for _, u := range texts {
			if !seen[u.Name] {
				seen[u.Name] = true
				all = append(all, u)
			}
		}
	}
	return all
}

// Lacks reports whether what the service has of a source file in a language could not be read. Then it is not known,
// and replaces nothing and is replaced by nothing.
func (x *Exported) Lacks(b *bundle.Bundle, l config.Language) bool {
	return slices.ContainsFunc(x.unread, func(t bundle.Target) bool {
		return t.Language == l && (t.Path == b.Target(l) || b.Target(l) == "")
	})
}

// ExportAll asks the service for translations of groups, all at once. Keys without one are never in the answers. An
// export of an earlier pass is dropped, unless it was waited for to the end of its time: then it may answer while the
// own one is not finished, with Late, where the question allows that.
func (p *Branch) ExportAll(ctx context.Context, asks []ExportAsk) ([]*Exported, error) {
	x := exporting{branch: p, asks: asks, jobs: make([]*ledger.Job, len(asks)), answers: make([]*Exported, len(asks))}
	if err := x.begin(ctx); err != nil {
		return nil, err
	}
	var begun []service.Begun
	var which []int
	for i, j := range x.jobs {
		if j != nil {
			begun = append(begun, service.Begun{ID: service.JobID(j.Service), At: j.At})
			which = append(which, i)
		}
	}
	what := "fetching the translations of " + report.Counted(len(begun), "collection", "collections")
	var errs []error
	tells := service.Downloading(ctx,
		func(done, total int64) { p.Announce(report.Doing{What: what, Done: done, Total: total, Bytes: true}) })
	p.Service.Strings().Downloads(tells, begun, "", p.Config.Service.JobTimeout,
		func(k int, archive *service.Archive, err error) bool {
			i := which[k]
			if x.answers[i], err = x.ended(ctx, i, archive, err); err != nil {
				errs = append(errs, fmt.Errorf("export of %q: %w", asks[i].Group.Collection, err))
			}
			return err == nil || errors.Is(err, errNotFinished)
		})
	if len(errs) == 0 && ctx.Err() != nil {
		errs = append(errs, ctx.Err())
	}
	if len(errs) > 0 {
		for _, answer := range x.answers {
			errs = append(errs, answer.Close())
		}
		return nil, errors.Join(errs...)
	}
	return x.answers, nil
}

// exporting is exports of one pass, under way.
type exporting struct {
	branch  *Branch
	asks    []ExportAsk
	jobs    []*ledger.Job // beside the questions; nil where there is nothing to wait for
	answers []*Exported
	slow    map[string]*ledger.Job // of earlier passes, by question
	kept    bundle.Kept            // of all answers that are in memory
	spooled int                    // answers that are on the disk
	last    lastEntry              // of those
}

var errNotFinished = errors.New("not finished")

// begin starts the exports, and writes them down. Those of earlier passes that are not worth anything any more are
// forgotten.
func (x *exporting) begin(ctx context.Context) error {
	if err := x.dropEarlier(); err != nil {
		return err
	}
	for i, a := range x.asks {
		x.branch.Announce(report.Doing{What: fmt.Sprintf("asking for the translations of %q", a.Group.Collection),
			Done: int64(i), Total: int64(len(x.asks))})
		at, req := x.branch.Now().UTC(), x.branch.ExportRequest(a)
		id, err := x.branch.Service.Strings().StartExport(ctx, req)
		if err == nil {
			x.jobs[i] = &ledger.Job{ID: uuid.NewString(), Kind: JobExport, At: at, Service: string(id), Request: Question(req)}
			err = x.branch.Memory().Remember(x.jobs[i])
		} else if x.unknown(a, err) {
			x.answers[i], err = &Exported{Group: a.Group, languages: a.Languages}, nil
		}
		if err != nil {
			return fmt.Errorf("export of %q: %w", a.Group.Collection, new(Refusal).Of(ctx, x.branch, err))
		}
	}
	return nil
}

// unknown reports whether the service refuses a question because the collection is not there: it appears by the first
// import into it, and has no translations before.
func (x *exporting) unknown(a ExportAsk, err error) bool {
	refused := errors.Is(err, service.ErrRefused) || a.first && errors.Is(err, service.ErrNotFound)
	if !refused || !a.first && everPushed(x.branch, a.Group.Collection) {
		return false
	}
	x.branch.Log.Info("the service does not have this collection yet",
		zap.String("collection", a.Group.Collection), zap.Error(err))
	return true
}

// ended takes the answer of an export that ended.
func (x *exporting) ended(ctx context.Context, i int, archive *service.Archive, err error) (*Exported, error) {
	a, j := x.asks[i], x.jobs[i]
	if err != nil && ctx.Err() != nil {
		return nil, err // the next pass drops it
	}
	if errors.Is(err, context.DeadlineExceeded) && !errors.Is(err, service.ErrUnusable) {
		return x.earlier(ctx, a, j, fmt.Errorf("%w after %s; it is looked at again by the next pull", errNotFinished,
			x.branch.Config.Service.JobTimeout))
	}
	if old := x.slow[j.Request]; old != nil && err == nil {
		err = x.branch.Memory().Forget(old)
	}
	err = errors.Join(err, x.branch.Memory().Forget(j))
	if a.first && errors.Is(err, service.ErrExportFailed) {
		x.branch.Log.Warn("the service cannot write what it has", zap.String("collection", a.Group.Collection),
			zap.Error(err))
		return &Exported{Group: a.Group, languages: a.Languages, Failed: true}, nil
	}
	if err != nil && x.unknown(a, err) {
		return &Exported{Group: a.Group, languages: a.Languages}, nil
	}
	return x.read(a, j, archive, err)
}

// earlier takes the answer of an export that an earlier pass began, instead of one that is not finished.
func (x *exporting) earlier(ctx context.Context, a ExportAsk, j *ledger.Job, late error) (*Exported, error) {
	old := x.slow[j.Request]
	if old == nil || !a.Resumed {
		j.Slow = true
		return nil, errors.Join(late, x.branch.Memory().Remember(j))
	}
	archive, err := x.branch.Service.Strings().TryDownload(ctx, service.JobID(old.Service), "")
	if errors.Is(err, service.ErrNotReady) || errors.Is(err, service.ErrTemporary) {
		return nil, errors.Join(late, x.branch.Memory().Forget(j)) // the older one is the first that will be finished
	}
	j.Slow = true
	if err := errors.Join(x.branch.Memory().Forget(old), x.branch.Memory().Remember(j)); err != nil {
		return nil, err
	}
	if err != nil {
		return nil, late
	}
	x.branch.Log.Info("using an export that was begun earlier", zap.String("export", old.Service),
		zap.Time("begun", old.At))
	answer, err := x.read(a, old, archive, nil)
	if answer != nil {
		answer.Late = fmt.Errorf("export of %q: %w", a.Group.Collection, late)
	}
	return answer, err
}

// read reads the archive of an export, and removes it unless its texts are read again.
func (x *exporting) read(a ExportAsk, j *ledger.Job, archive *service.Archive, err error) (answer *Exported, _ error) {
	if archive != nil {
		defer func() {
			if answer != nil && answer.spool != nil {
				return
			}
			if err := archive.Close(); err != nil {
				x.branch.Log.Warn("cannot remove the spooled archive", zap.Error(err))
			}
		}()
	}
	if err == nil && empty(archive) && !a.Group.Template().HasLabel() && everPushed(x.branch, a.Group.Collection) {
		err = fmt.Errorf("%w: it has no file, and there is one for each language even without translations",
			service.ErrUnusable)
	}
	if err != nil {
		return nil, err
	}
	before := x.kept
	answer, err = x.branch.ReadArchive(a, archive, &x.kept)
	if answer != nil {
		if a.Spooled && x.spooled < mostSpooled && x.kept.Bytes()-before.Bytes() > largeAnswer {
			answer.letGo(archive, &x.kept, &x.last)
			x.kept = before
			x.spooled++
		}
		answer.Question = j.Request
		answer.Asked, _ = x.branch.Service.ServiceTime(j.At)
	}
	return answer, err
}

// empty reports whether a download has nothing in it.
func empty(archive *service.Archive) bool {
	size := int64(0)
	for _, e := range archive.Entries {
		size += e.Size
	}
	return len(archive.Entries)+len(archive.Refused) == 0 || archive.Raw && size == 0 && len(archive.Refused) == 0
}

// dropEarlier forgets the exports of earlier passes, but for those that were waited for to the end of their time.
func (x *exporting) dropEarlier() error {
	jobs, err := ledger.Jobs.List(x.branch.Ledger, x.branch.StateName())
	if err != nil {
		return err
	}
	x.slow = make(map[string]*ledger.Job)
	for _, j := range jobs {
		switch {
		case j.Kind != JobExport:
		case j.Slow && x.branch.Now().Sub(j.At) < ForgetAfter:
			x.slow[j.Request] = &j
		default:
			if err := x.branch.Memory().Forget(&j); err != nil {
				return err
			}
		}
	}
	return nil
}

// ExportRequest is the question for a group's translations.
func (p *Branch) ExportRequest(a ExportAsk) service.ExportRequest {
	codes := make([]string, len(a.Languages))
	for i, l := range a.Languages {
		codes[i] = l.Code
	}
	slices.Sort(codes)
	req := service.ExportRequest{
		Project: p.Project.ID, Languages: codes, Collection: a.Group.Collection,
		Format:        service.Format(a.Group.ExportFormat()),
		PathSeparator: a.Group.Separator, CompletionState: service.CompletionState(a.Completion),
		Incomplete:     service.SkipKeys,
		OutputTemplate: a.Group.Template().String(), Zip: true,
	}
	if a.Sources {
		req.IncludeDefaultLanguage = &a.Sources
	}
	return req
}

// everPushed reports whether the service has accepted anything for a collection. When in doubt it has.
func everPushed(p *Branch, collection string) bool {
	slots, err := ledger.Pushed.Slots(p.Ledger, p.StateName())
	return err != nil || slices.ContainsFunc(slots, func(s ledger.Slot) bool { return s.Collection == collection })
}

// ReadArchive sorts an archive's entries to the files of the configuration. What fits none, is unsafe or cannot be
// read is reported; a bare file that cannot be read makes the whole answer unusable (ErrUnusable), since it need not
// come from the service.
func (p *Branch) ReadArchive(a ExportAsk, archive *service.Archive, kept *bundle.Kept) (*Exported, error) {
	var x *Exported
	err := kept.Within(a.Wanted, func() error { // which may be done again
		x = &Exported{Group: a.Group, languages: a.Languages}
		for _, bad := range archive.Refused {
			x.Problems = append(x.Problems, report.Problem{Code: report.CodeArchive, File: bad.Name,
				Problem: "this entry of the service's archive is not used: " + bad.Reason +
					"; change the label or the template at the service that names it so"})
		}
		for _, entry := range archive.Entries {
			if err := x.readEntry(p, a, archive.Raw, entry, kept); err != nil {
				return err
			}
		}
		x.nameStrays()
		return nil
	})
	if err != nil {
		return nil, err
	}
	return x, nil
}

// readEntry adds the texts of one entry, or what is wrong with it. Its error is about the whole answer.
func (x *Exported) readEntry(p *Branch, a ExportAsk, raw bool, entry service.Entry, kept *bundle.Kept) error {
	name, targets, into := x.targetsOf(a, raw, entry.Name)
	if targets == nil && raw && name == "" {
		return fmt.Errorf("%w: it is a single file without a name, and %d languages were asked for",
			service.ErrUnusable, len(a.Languages))
	}
	if targets == nil {
		x.strays = append(x.strays, name)
		return nil
	}
	target := targets[0]
	disk := spooled{entry: entry}
	texts, there, err := target.Sources[0].ReadExport(disk.open, target.Language, kept)
	switch {
	case disk.failed != nil:
		return fmt.Errorf("read what was downloaded for %s again: %w", target.Path, disk.failed)
	case errors.Is(err, bundle.ErrTooMany) && kept.CanDrop():
		return err
	case err != nil && raw && !errors.Is(err, bundle.ErrTooMany):
		return fmt.Errorf("%w: it is neither an archive nor %s for %s: %w", service.ErrUnusable, a.Group.ExportFormat(),
			target.Path, err)
	case err != nil && into == &x.Sources: // the pull goes without it
		x.unread = append(x.unread, targets...)
		p.Log.Warn("the service's source texts cannot be read", zap.String("file", name), zap.Error(err))
	case err != nil:
		x.unread = append(x.unread, targets...)
		x.Problems = append(x.Problems, report.Problem{File: target.Path, Language: target.Language.Code,
			Code: report.CodeService, Problem: "what the service exported for it cannot be read: " + err.Error() +
				"; the file stays as it is, and none of its texts is sent. Look at these texts at the service, then run " +
				"locsync sync again"})
	case there: // else there is no translation at all
		*into, x.Kept = append(*into, exportedEntry{name, texts, entry}), x.Kept+len(texts)
	}
	return nil
}

// nameStrays names the entries that fit nothing.
func (x *Exported) nameStrays() {
	what := "this entry of the service's archive fits no language and file of the configuration, and is not used"
	switch n := len(x.strays); n {
	case 0:
		return
	case 1:
	default:
		what = fmt.Sprintf("%d entries of the service's archive fit no language and file of the configuration, and are "+
			"not used: %s", n, report.Some(x.strays, 5))
	}
	x.Problems = append(x.Problems, report.Problem{Code: report.CodeArchive, File: x.strays[0], Problem: what,
		Remedy: "where it should be used, add its language to target_languages, or a [[project.files]] whose output it fits"})
}

// targetsOf are the target files of an entry, with its name and the list that its texts belong to.
func (x *Exported) targetsOf(a ExportAsk, raw bool, name string) (string, []bundle.Target, *[]exportedEntry) {
	g := a.Group
	if targets := g.Targets(name, a.Languages); targets != nil {
		return name, targets, &x.Entries
	}
	if a.Sources {
		if targets := g.Targets(name, []config.Language{g.Bundles[0].Source}); targets != nil {
			return name, targets, &x.Sources
		}
	}
	if raw && len(a.Languages) == 1 && !g.Template().HasLabel() {
		// A service that answers one language with the bare file: its name says nothing then.
		name = g.Template().Entry(a.Languages[0], "")
		return name, g.Targets(name, a.Languages), &x.Entries
	}
	return name, nil, &x.Entries
}

// An answer with so many bytes is not kept in memory, as long as few enough of them are open at a time.
const (
	largeAnswer = 256 << 10
	mostSpooled = 512
)

// spool is a large answer on the disk: its texts are read again where they are needed.
type spool struct {
	archive *service.Archive
	kept    *bundle.Kept // how they were read
	last    *lastEntry
}

// lastEntry is the one whose texts are in memory, of all answers of a pass.
type lastEntry struct {
	entry *exportedEntry
	texts catalog.Catalog
}

// letGo lets go of the texts of an answer, which is closed by who asked.
func (x *Exported) letGo(archive *service.Archive, kept *bundle.Kept, last *lastEntry) {
	x.spool = &spool{archive: archive, kept: kept.Again(), last: last}
	for _, entries := range [][]exportedEntry{x.Entries, x.Sources} {
		for i := range entries {
			entries[i].Texts = nil
		}
	}
}

// Close removes what is left of an answer on the disk.
func (x *Exported) Close() error {
	if x == nil || x.spool == nil {
		return nil
	}
	return x.spool.archive.Close()
}

// read reads the texts of an entry, which several target files in a row may share.
func (s *spool) read(e *exportedEntry, t bundle.Target) (catalog.Catalog, error) {
	if s.last.entry != e {
		disk := spooled{entry: e.entry}
		texts, _, err := t.Sources[0].ReadExport(disk.open, t.Language, s.kept.Again())
		if err != nil {
			return nil, fmt.Errorf("read what was downloaded for %s again: %w", t.Path, err)
		}
		*s.last = lastEntry{e, texts}
	}
	return s.last.texts, nil
}

// spooled is an entry as it is read again from this machine's disk. It was whole when it came, so that an error of
// reading is the disk's, and says nothing about the entry.
type spooled struct {
	entry  service.Entry
	file   io.ReadCloser
	read   int64
	failed error
}

func (s *spooled) open() (io.ReadCloser, error) {
	s.file, s.failed = s.entry.Open()
	return s, s.failed
}

func (s *spooled) Read(b []byte) (int, error) {
	n, err := s.file.Read(b)
	if s.read += int64(n); err == io.EOF && s.read < s.entry.Size {
		err = io.ErrUnexpectedEOF
	}
	if err != nil && err != io.EOF {
		s.failed = err
	}
	return n, err
}

func (s *spooled) Close() error { return s.file.Close() }

// Stated are texts of one key, and the completion state that they have at the service.
type Stated struct {
	Texts catalog.Catalog
	State service.CompletionState
}

// ByState gives what the service has of each key its completion state: the greatest in which it has all of the key's
// texts. exports are those in each state; of one that was not asked for there is none.
func ByState(exports map[service.CompletionState]catalog.Catalog) map[string]Stated {
	all := make(map[string]Stated)
	for _, state := range service.CompletionStates {
		for key, texts := range exports[state].ByKey() {
			if state == service.Draft || SameTexts(all[key].Texts, texts) {
				all[key] = Stated{texts, state}
			}
		}
	}
	return all
}
