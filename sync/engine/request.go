package engine

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/bundle"
	"github.com/locsync/locsync/sync/catalog"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// The pull or merge request for the branch comes after all else. What goes wrong is a problem and no error, and the
// next pass does it again. The git host is asked only where the branch or the request is to change.

// What was done about a request, besides what forge.Did names.
const requestOffered = "offered" // the remote printed an address

// requested is what is remembered of the branch's request.
func (p *project) requested() (ledger.Request, error) {
	q, _, err := ledger.Requests.Get(p.State, p.stateName(), p.cfg.Pull.Branch)
	return q, err
}

func (r *pulling) rememberRequest(q ledger.Request) error {
	return ledger.Requests.Put(r.State, r.stateName(), r.cfg.Pull.Branch, q)
}

// request brings the branch's request in step with the branch as this pull leaves it. r.tip is nil where the pull has not seen the branch.
func (r *pulling) request(ctx context.Context) error {
	if r.o.DryRun || r.tip == nil || r.base == nil || r.base.Branch() == r.cfg.Pull.Branch {
		return nil
	}
	if r.repo.Address() == "" {
		if r.cfg.Pull.Request.Kind != config.RequestNone {
			r.problem(report.Problem{Code: report.CodeRequest, Problem: fmt.Sprintf("no request is made: the repository has no remote called %q, where the branch could be asked for; "+
				"run git remote add %s ADDRESS", r.cfg.Pull.Remote, r.cfg.Pull.Remote)})
		}
		return nil
	}
	q, err := r.requested()
	if err != nil {
		return err
	}
	if r.tip.New() || r.merged { // there is nothing to ask for; what people have turned down is remembered
		if q.URL == "" && q.Failed == "" {
			return nil
		}
		q.URL, q.Did, q.Failed = "", "", ""
		return r.rememberRequest(q)
	}
	if kind := r.cfg.Pull.Request.Kind; kind != config.RequestNone && kind != config.RequestOptions {
		if err := r.ask(ctx, &q); err != nil {
			return err
		}
	} else if r.offer != "" {
		r.log.Info("request", zap.String("did", requestOffered), zap.String("url", r.offer))
		q = ledger.Request{URL: r.offer, Did: requestOffered}
		if err := r.rememberRequest(q); err != nil {
			return err
		}
	}
	r.report.RequestURL, r.report.Request = q.URL, q.Did
	return nil
}

// ask asks the forge, unless all was done before.
func (r *pulling) ask(ctx context.Context, q *ledger.Request) error {
	if q.Counted != r.tip.Hash() {
		data, content, err := r.countRequest(ctx, r.tip, r.base)
		if err != nil {
			return err
		}
		q.Counted, q.Has, q.Data = r.tip.Hash(), content, storedData(data)
	}
	title, body, ok := r.requestTexts(requestData(q.Data))
	if !ok {
		return nil
	}
	said := r.saying(title, body)
	if q.Did == string(forge.Made) || q.Did == string(forge.Updated) {
		q.Did = string(forge.Kept) // that was earlier
	}
	if q.Commit == r.tip.Hash() && q.Said == said && q.Failed == "" {
		return nil
	}
	r.say("asking for %s to be merged into %s", r.cfg.Pull.Branch, r.base.Branch())
	out, err := r.askForge(ctx, *q, title, body)
	if ctx.Err() != nil {
		return ctx.Err()
	}
	q.Failed = ""
	if out.Number != 0 || out.URL != "" { // else nothing is known that was not before
		q.URL, q.Did, q.Number = out.URL, string(out.Did), out.Number
		if out.Did == forge.Made || out.Title == title {
			q.Title = title
		}
		if out.Did == forge.Declined {
			q.URL = ""
		}
		r.log.Info("request", zap.String("did", q.Did), zap.Int("number", out.Number), zap.String("url", out.URL))
	}
	if err != nil && !errors.Is(err, forge.ErrSame) {
		q.Failed = fmt.Sprintf("the request to merge %s into %s is not as it should be: %v; the commit is delivered, and the next pull tries this again",
			r.cfg.Pull.Branch, r.base.Branch(), err)
		r.problem(report.Problem{Code: report.CodeRequest, Problem: q.Failed})
		return r.rememberRequest(*q)
	}
	q.Commit, q.Content, q.Said = r.tip.Hash(), q.Has, said
	return r.rememberRequest(*q)
}

// askForge has the forge make or update the request.
func (r *pulling) askForge(ctx context.Context, q ledger.Request, title, body string) (forge.Outcome, error) {
	cfg := &r.cfg.Pull.Request
	if cfg.Kind == config.RequestAGit {
		if q.Commit == r.tip.Hash() { // only the title is another; the server keeps the one that it has
			return forge.Outcome{}, nil
		}
		res, err := r.repo.Propose(ctx, r.tip, r.base.Branch(), "topic="+r.cfg.Pull.Branch, "title="+title)
		if err != nil && strings.Contains(err.Error(), "new commit is same with old commit") { // Gitea: it was proposed before
			err = nil
		}
		if err == nil && res.Deaf {
			err = errors.New(`the remote takes no push options, which agit needs: set pull.request.kind to "gitea", which takes a token`)
		}
		return forge.Outcome{Request: forge.Request{URL: res.Offer}, Did: requestOffered}, err
	}
	o, err := r.forgeOptions(ctx, r.repo)
	if err != nil {
		return forge.Outcome{}, err
	}
	if err := r.forgeWaits(o); err != nil {
		return forge.Outcome{}, err
	}
	f, err := forge.New(o)
	if err != nil {
		return forge.Outcome{}, err
	}
	out, err := forge.Ensure(ctx, f, forge.Wanted{Head: r.cfg.Pull.Branch, Base: r.base.Branch(), Title: title, Body: body, Labels: cfg.Labels,
		RemoveBranch: cfg.RemoveBranch, Commit: r.tip.Hash(), When: r.tip.When(), Content: q.Has}, forge.Memory(q.RequestContent))
	return out, r.waitForForge(o, err)
}

// storedData is the data of a request as the ledger has it, and requestData its inverse.
func storedData(data config.RequestData) ledger.RequestData {
	stored := ledger.RequestData{Project: data.Project, Branch: data.Branch, Base: data.Base, Languages: data.Languages,
		Files: data.Files, Keys: data.Keys, Added: data.Added, Changed: data.Changed, Removed: data.Removed, HeldBack: data.HeldBack}
	for _, n := range data.Counts {
		stored.Counts = append(stored.Counts, ledger.RequestCount(n))
	}
	return stored
}

func requestData(stored ledger.RequestData) config.RequestData {
	data := config.RequestData{Project: stored.Project, Branch: stored.Branch, Base: stored.Base, Languages: stored.Languages,
		Files: stored.Files, Keys: stored.Keys, Added: stored.Added, Changed: stored.Changed, Removed: stored.Removed,
		HeldBack: stored.HeldBack}
	for _, n := range stored.Counts {
		data.Counts = append(data.Counts, config.RequestCount(n))
	}
	return data
}

// saying is a digest of all that a request is to be.
func (r *pulling) saying(title, body string) string {
	q := r.cfg.Pull.Request
	sum := sha256.Sum256(fmt.Appendf(nil, "%q", []any{q.Kind, q.URL, q.Repository, q.Labels, r.base.Branch(), title, body}))
	return hex.EncodeToString(sum[:8])
}

// requestTexts are what a request is to say. A template that does not work out with what there is keeps nothing from being delivered.
func (r *pulling) requestTexts(data config.RequestData) (title, body string, ok bool) {
	title, body, err := r.cfg.Pull.Request.Texts(r.withHeldBack(data))
	if err != nil {
		r.problem(report.Problem{Code: report.CodeRequest, Problem: r.cfg.Problem("pull.request", "no request is made or brought up to date: %v; correct title or body", err).Error()})
		return "", "", false
	}
	title, body = forge.Fit(r.cfg.Pull.Request.Kind, title, body)
	return title, body, true
}

// withHeldBack adds what this pull left out of the translations; what is wrong with this machine is not for the forge.
func (r *pulling) withHeldBack(data config.RequestData) config.RequestData {
	data.HeldBack = nil
	for _, p := range r.report.Problems {
		switch {
		case p.File == "":
		case len(data.HeldBack) < mostHeldBack:
			data.HeldBack = append(data.HeldBack, p.String())
		default:
			data.HeldBack[mostHeldBack-1] = fmt.Sprintf("and more; locsync status names all %d", len(r.report.Problems))
		}
	}
	return data
}

// mostHeldBack bounds a list that people are to read.
const mostHeldBack = 20

// countRequest counts what the branch has that base lacks. content is a digest of every file that differs, also those that are not ours.
func (r *pulling) countRequest(ctx context.Context, tip, base *gitops.Tip) (data config.RequestData, content string, err error) {
	data = config.RequestData{Project: r.cfg.Name, Branch: r.cfg.Pull.Branch, Base: base.Branch()}
	blobs, err := r.repo.History.ChangedTo(ctx, base.Hash(), tip.Hash())
	if err != nil {
		return data, "", err
	}
	ours, err := r.ourTargets(tip, base)
	if err != nil {
		return data, "", err
	}
	sum := sha256.New()
	counts := make(map[string]*config.RequestCount)
	for _, path := range slices.Sorted(maps.Keys(blobs)) {
		fmt.Fprintf(sum, "%q %s\n", path, blobs[path])
		target, is := ours[path]
		if !is {
			continue
		}
		data.Files = append(data.Files, path)
		code := target.Language.Code
		if counts[code] == nil {
			counts[code] = &config.RequestCount{Language: code}
		}
		var texts [2]catalog.Catalog
		for i, at := range []*gitops.Tip{base, tip} {
			file, _, err := target.Sources[0].Read(at, path, target.Language)
			if err != nil {
				return data, "", err
			}
			texts[i] = bundle.Texts(file) // none of a file that cannot be read, which the passes name
		}
		countChanges(counts[code], texts[0], texts[1])
	}
	data.Languages = slices.Sorted(maps.Keys(counts))
	for _, code := range data.Languages {
		c := *counts[code]
		data.Counts = append(data.Counts, c)
		data.Added, data.Changed, data.Removed = data.Added+c.Added, data.Changed+c.Changed, data.Removed+c.Removed
	}
	data.Keys = data.Added + data.Changed + data.Removed
	return data, hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// countChanges adds what makes one list of texts another.
func countChanges(c *config.RequestCount, old, new catalog.Catalog) {
	before := make(map[catalog.Name]string, len(old))
	for _, u := range old {
		before[u.Name] = u.Text
	}
	for _, u := range new {
		switch text, there := before[u.Name]; {
		case !there:
			c.Added++
		case text != u.Text:
			c.Changed++
		}
		delete(before, u.Name)
	}
	c.Removed += len(before)
}

// pushOptions are what GitLab is told with a push of the branch, so that it makes the request itself; nil where it is not to.
func (r *pulling) pushOptions(ctx context.Context, tip, base *gitops.Tip) ([]string, error) {
	cfg := &r.cfg.Pull.Request
	if cfg.Kind != config.RequestOptions || base == nil || base.Branch() == r.cfg.Pull.Branch {
		return nil, nil
	}
	data, _, err := r.countRequest(ctx, tip, base)
	if err != nil {
		return nil, err
	}
	title, body, ok := r.requestTexts(data)
	if !ok {
		return nil, nil
	}
	options := []string{"merge_request.create", "merge_request.target=" + base.Branch(), "merge_request.title=" + title,
		"merge_request.description=" + strings.ReplaceAll(body, "\n", "<br>")} // an option is one line; Markdown knows this one
	for _, l := range cfg.Labels {
		options = append(options, "merge_request.label="+l)
	}
	if cfg.RemoveBranch {
		options = append(options, "merge_request.remove_source_branch")
	}
	return options, nil
}
