package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/google/uuid"
	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/state"
)

// exported is what an export of one group brought: the texts of each entry of the archive, in its order.
type exported struct {
	group     *bundle.Group
	languages []config.Language // that were asked for
	entries   []exportedEntry
	problems  []Problem

	question string    // a digest of what was asked for
	asked    time.Time // when it was, on the service's clock; zero where that is not known
}

type exportedEntry struct {
	name  string
	texts catalog.Catalog
}

// translated is the service's texts for one target file.
type translated struct {
	bundle.Target
	texts catalog.Catalog
}

// targets sorts the texts to the target files of a group: the one that was exported, or the same one as a later look at the branch finds it.
func (x *exported) targets(g *bundle.Group) []translated {
	var all []translated
	for _, e := range x.entries {
		for _, t := range g.Targets(e.name, x.languages) {
			all = append(all, translated{t, e.texts})
		}
	}
	return all
}

// of returns the texts of one source file's translations in a language; where the service decides file names, those of all its files.
func (x *exported) of(b *bundle.Bundle, l config.Language) catalog.Catalog {
	var all catalog.Catalog
	seen := make(map[catalog.Name]bool)
	for _, t := range x.targets(x.group) {
		if t.Language != l || t.Path != b.Target(l) && b.Target(l) != "" {
			continue
		}
		for _, u := range t.texts {
			if !seen[u.Name] {
				seen[u.Name] = true
				all = append(all, u)
			}
		}
	}
	return all
}

// exportAge says whether an export that was begun earlier may answer.
type exportAge int

const (
	anew exportAge = iota
	resumed
	aside // anew, and nothing is written down: the question of a dry run, which changes nothing here
)

// in is a, but for a dry run.
func (a exportAge) in(dry bool) exportAge {
	if dry {
		return aside
	}
	return a
}

// export asks the service for a group's translations that have at least the given state. Keys without one are left out of the answer, always:
// what stands for them in the repository is decided here, where it is known what the repository has.
//
// The identifier of the export is written down before the wait, so that a pull that is interrupted takes the same export up again. A push, which
// compares with what the service has at this moment before it overwrites anything, asks anew.
func (p *project) export(ctx context.Context, g *bundle.Group, languages []config.Language, completion string, age exportAge) (*exported, error) {
	req := p.exportRequest(g, languages, completion)
	wait, cancel := context.WithTimeout(p.downloading(ctx, fmt.Sprintf("fetching the translations of %q", g.Collection)), p.Config.Service.JobTimeout)
	defer cancel()
	archive, begun, err := p.download(wait, req, age)
	if errors.Is(err, context.DeadlineExceeded) && ctx.Err() == nil && !errors.Is(err, service.ErrUnusable) {
		return nil, fmt.Errorf("export of %q: not finished after %s; it is looked at again by the next pull", g.Collection, p.Config.Service.JobTimeout)
	}
	if errors.Is(err, service.ErrRefused) && !p.everPushed(g.Collection) {
		// A collection appears by the first import into it: before that the service knows none of this name, and has no translations.
		p.log.Info("nothing was pushed into this collection yet, and the service has no translations of it", zap.String("collection", g.Collection), zap.Error(err))
		return &exported{group: g, languages: languages}, nil
	}
	if err != nil {
		return nil, fmt.Errorf("export of %q: %w", g.Collection, err)
	}
	defer func() {
		if err := archive.Close(); err != nil {
			p.log.Warn("remove the spooled archive", zap.Error(err))
		}
	}()
	x, err := p.readArchive(g, languages, archive)
	if err != nil {
		return nil, fmt.Errorf("export of %q: %w", g.Collection, err)
	}
	x.question = question(req)
	x.asked, _ = p.Service.ServiceTime(begun)
	return x, nil
}

// exportRequest is the question for a group's translations.
func (p *project) exportRequest(g *bundle.Group, languages []config.Language, completion string) service.ExportRequest {
	return service.ExportRequest{
		Project: p.cfg.ID, Languages: languagesOf(languages), Collection: g.Collection, Format: service.Format(g.ExportFormat()), PathSeparator: g.Separator,
		CompletionState: service.CompletionState(completion), Incomplete: service.SkipKeys, OutputTemplate: g.Template().String(), Zip: true,
	}
}

// everPushed reports whether the service has accepted anything for a collection. When in doubt it has.
func (p *project) everPushed(collection string) bool {
	slots, err := p.State.Slots(p.stateName(), kindPushed)
	return err != nil || slices.ContainsFunc(slots, func(s state.Slot) bool { return s.Language == collection })
}

// download starts an export, or takes up one that was started for the same question, and fetches the result; begun is when it was started. An
// export that is not finished when ctx ends stays written down.
func (p *project) download(ctx context.Context, req service.ExportRequest, age exportAge) (archive *service.Archive, begun time.Time, err error) {
	var j *job
	if age == resumed {
		if j, err = p.exportBegun(req); err != nil {
			return nil, begun, err
		}
	}
	old := j != nil
	written := func(write func(*job) error) error {
		if age == aside {
			return nil
		}
		return write(j)
	}
	for {
		if j == nil {
			if j, err = p.beginExport(ctx, req, age); err != nil {
				return nil, begun, err
			}
		}
		archive, err := p.Service.Download(ctx, service.JobID(j.Service), "")
		gone := errors.Is(err, service.ErrNotFound) || errors.Is(err, service.ErrExportFailed)
		if errors.Is(err, service.ErrUnusable) {
			return nil, begun, errors.Join(err, written(p.forget)) // the next pass asks anew
		}
		if err != nil && !gone {
			if errors.Is(err, context.DeadlineExceeded) {
				j.Slow = true
				err = errors.Join(err, written(p.remember))
			}
			return nil, begun, err
		}
		if ferr := written(p.forget); ferr != nil {
			if archive != nil {
				ferr = errors.Join(ferr, archive.Close())
			}
			return nil, begun, errors.Join(err, ferr)
		}
		if err == nil {
			return archive, j.At, nil
		}
		if !old {
			return nil, begun, err
		}
		old, j = false, nil // the service has forgotten it: ask again
	}
}

// exportBegun finds a stored export of the same question that is worth waiting for: one that was interrupted a short while ago, or one that was
// waited for to the end of its time. Those that nobody can want any more are forgotten.
func (p *project) exportBegun(req service.ExportRequest) (*job, error) {
	jobs, err := state.List[job](p.State, p.stateName(), kindJobs)
	if err != nil {
		return nil, err
	}
	for _, j := range jobs {
		if j.Kind != jobExport {
			continue
		}
		age := p.Now().Sub(j.At)
		if age < p.Config.Service.JobTimeout || j.Slow && age < forgetAfter {
			if j.Request != question(req) {
				continue // another group's
			}
			p.log.Info("taking up an export that was begun earlier", zap.String("export", j.Service))
			return &j, nil
		}
		if err := p.forget(&j); err != nil {
			return nil, err
		}
	}
	return nil, nil
}

// forgetExports forgets the exports that wait to be taken up: an import is about to make their answers old, and a translation that was just sent
// would be taken back by them.
func (p *project) forgetExports() error {
	jobs, err := state.List[job](p.State, p.stateName(), kindJobs)
	if err != nil {
		return err
	}
	for _, j := range jobs {
		if j.Kind == jobExport {
			if err := p.forget(&j); err != nil {
				return err
			}
		}
	}
	return nil
}

func (p *project) beginExport(ctx context.Context, req service.ExportRequest, age exportAge) (*job, error) {
	j := &job{ID: uuid.NewString(), Kind: jobExport, At: p.Now().UTC(), Request: question(req)}
	id, err := p.Service.StartExport(ctx, req)
	if err != nil {
		return nil, err
	}
	j.Service = string(id)
	if age == aside {
		return j, nil
	}
	return j, p.remember(j)
}

// question is a digest of what an export was asked for.
func question(req service.ExportRequest) string {
	sum := sha256.Sum256(fmt.Appendf(nil, "%+v", req))
	return hex.EncodeToString(sum[:8])
}

// readArchive sorts an archive's entries to the files of the configuration. What fits none, is unsafe or cannot be read is reported. A bare file that
// cannot be read is another matter: nothing of that answer can be used, and it need not be the service that gave it (ErrUnusable).
func (p *project) readArchive(g *bundle.Group, languages []config.Language, archive *service.Archive) (*exported, error) {
	x := &exported{group: g, languages: languages}
	for _, bad := range archive.Refused {
		x.problems = append(x.problems, Problem{File: bad.Name, Problem: "this entry of the service's archive is not used: " + bad.Reason + "; change the label or the template at the service that names it so"})
	}
	for _, entry := range archive.Entries {
		name := entry.Name
		targets := g.Targets(name, languages)
		if targets == nil && archive.Raw && len(languages) == 1 && !g.Template().HasLabel() {
			// A service that answers one language with the bare file: its name says nothing then.
			name = g.Template().Entry(languages[0], "")
			targets = g.Targets(name, languages)
		}
		if targets == nil && archive.Raw && name == "" {
			return nil, fmt.Errorf("%w: it is a single file without a name, and %d languages were asked for", service.ErrUnusable, len(languages))
		}
		if targets == nil {
			x.problems = append(x.problems, Problem{File: name, Problem: "this entry of the service's archive fits no language and file of the configuration, and is not used; where it should, add its language to target_languages, or a [[project.files]] whose output it fits"})
			continue
		}
		body, err := entry.ReadAll()
		if err != nil {
			return nil, fmt.Errorf("read %s of the service's archive: %w", name, err)
		}
		if len(strings.TrimSpace(string(body))) == 0 {
			continue // no translation at all
		}
		f, err := targets[0].Sources[0].ParseExport(body, targets[0].Language)
		if err != nil && archive.Raw {
			return nil, fmt.Errorf("%w: it is no archive, and no %s for %s: %w", service.ErrUnusable, g.ExportFormat(), targets[0].Path, err)
		}
		if err != nil {
			x.problems = append(x.problems, Problem{File: targets[0].Path, Language: targets[0].Language.Code,
				Problem: "what the service exported for it cannot be read: " + err.Error() + "; the file stays as it is. Look at these texts at the service, then run locsync pull again"})
			continue
		}
		x.entries = append(x.entries, exportedEntry{name, bundle.Texts(f)})
	}
	return x, nil
}
