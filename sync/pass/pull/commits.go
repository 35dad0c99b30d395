package pull

import (
	"context"
	"errors"
	"maps"
	"slices"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/pass"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/catalog"
)

// commit writes what the merges brought as one commit and delivers it, then remembers the merges: effect first, memory
// second. When the delivery fails the commit waits in the repository, and nothing is remembered that the branch does
// not have.
func (r *pull) commit(ctx context.Context, on *gitops.Tip, joined map[string][]byte, done []*merged) error {
	for {
		files, data := r.account.tally(joined, r.merging.taken, done)
		var err error
		if len(data.Files) > 0 {
			var message gitops.Message
			var texts []pass.Written
			for _, m := range done {
				if m.bytes != nil && m.texts.wrote != (catalog.Packed{}) {
					texts = append(texts, pass.Written{Collection: m.Sources[0].Collection, Language: m.Language.Code,
						Texts: m.texts.wrote})
				}
			}
			if message, err = r.branch.Message(ctx, data, texts); err != nil {
				return err
			}
			var arrived bool
			if arrived, err = r.out.deliver(ctx, on, files, message, done); err == nil && !arrived {
				return nil // it waits; nothing is remembered of it yet
			}
		}
		if bad, is := errors.AsType[*gitops.BadPaths](err); is {
			if done, err = r.without(bad, joined, done); err == nil {
				continue
			}
		}
		if errors.Is(err, gitops.ErrNothing) {
			r.account.report.Files, r.account.report.Keys, err = []report.PulledFile{}, 0, nil
		}
		if err != nil {
			return err
		}
		r.to.brought, err = rememberAll(context.WithoutCancel(ctx), r.branch, on, done)
		return err
	}
}

// without takes the files out that cannot be written, and reports them.
func (r *pull) without(bad *gitops.BadPaths, joined map[string][]byte, done []*merged) ([]*merged, error) {
	before := len(done) + len(joined)
	for _, b := range bad.Paths {
		r.account.problem(report.Problem{Code: report.CodeWrite, File: b.Path, Problem: "is not written: " + b.Why})
		delete(joined, b.Path)
		done = slices.DeleteFunc(done, func(m *merged) bool { return m.Path == b.Path })
	}
	if len(done)+len(joined) == before {
		return nil, bad
	}
	return done, nil
}

// tally counts what the merges brought and gathers the files of the delivery. Files taken from base alone make one too:
// until it arrives, merging the branch into base could conflict in those that were joined.
func (a *account) tally(
	joined map[string][]byte, taken map[string]config.Language, done []*merged,
) (map[string][]byte, config.CommitData) {
	files := make(map[string][]byte)
	maps.Copy(files, joined)
	data := config.CommitData{Project: a.branch.Project.Name}
	a.report.Files = []report.PulledFile{}
	add := func(f report.PulledFile) {
		a.report.Files = append(a.report.Files, f)
		data.Added, data.Changed, data.Removed = data.Added+f.Added, data.Changed+f.Changed, data.Removed+f.Removed
		if !slices.Contains(data.Files[max(0, len(data.Files)-1):], f.Path) {
			data.Files = append(data.Files, f.Path)
		}
		data.Languages = append(data.Languages, f.Language)
	}
	for _, m := range done {
		if m.former.file != nil { // all that it had is in the file at the new path
			files[m.former.path] = nil
			add(report.PulledFile{Path: m.former.path, Language: m.Language.Code, Deleted: true})
		}
		if m.bytes != nil {
			files[m.Path] = m.bytes // the last of a file's languages has those before it
			add(m.counts)
		}
	}
	if len(data.Files) == 0 { // else they come along
		for _, path := range slices.Sorted(maps.Keys(taken)) {
			if a.o.Has(taken[path].Code) {
				add(report.PulledFile{Path: path, Language: taken[path].Code})
			}
		}
	}
	slices.Sort(data.Languages)
	data.Languages, data.Keys = slices.Compact(data.Languages), data.Added+data.Changed+data.Removed
	a.report.Keys = data.Keys
	return files, data
}
