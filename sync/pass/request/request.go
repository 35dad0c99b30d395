// Package request asks a git host to merge the translation branch: pull requests of GitHub and Gitea, merge requests
// of GitLab, agit and push options.
//
// Its law: it comes after all else, so that a git host that fails keeps no translation from its branch, and the host is
// asked only where the branch or what is asked is another than before. What people have closed stays closed until the
// branch has something new.
//
// It makes no commit and decides nothing about translations.
package request

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/gitops/forge"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/memory/ledger"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// Offered is what was done about a request, besides what forge.Did names: the remote printed an address.
const Offered = "offered"

// Branch is a translation branch, of a project or of one of its lines, that is to be merged.
type Branch struct {
	Config  *config.Config
	Project *config.Project // with the branch's names
	Ledger  ledger.Store
	Scope   string // of the branch in the ledger
	Repo    *gitops.Repo
	Service *service.Client
	Now     func() time.Time
	Log     *zap.Logger

	Announce func(report.Doing)
	Problems *[]report.Problem // of the pull's report, which are told at the git host, and to which others are added
}

// Pulled is the branch as a pull leaves it.
type Pulled struct {
	Tip, Base *gitops.Tip // Base is what it is to be merged into; nil before they were read
	Merged    bool        // the branch has nothing that base lacks
	Offer     string      // the address for a request that the remote printed
}

func (b *Branch) record(q ledger.Request) error {
	return ledger.Requests.Put(b.Ledger, b.Scope, b.Project.Pull.Branch, q)
}

func (b *Branch) problem(format string, args ...any) {
	*b.Problems = append(*b.Problems, report.Problem{Code: report.CodeRequest, Problem: fmt.Sprintf(format, args...)})
}

// Update brings the branch's request in sync with the branch as a pull leaves it. What goes wrong is a problem and no
// error, and the next pull does it again.
func (b *Branch) Update(ctx context.Context, now Pulled) (q ledger.Request, err error) {
	if now.Tip == nil || now.Base == nil || now.Base.Branch() == b.Project.Pull.Branch {
		return q, nil
	}
	cfg := &b.Project.Pull
	if b.Repo.Address() == "" {
		if cfg.Request.Kind != config.RequestNone {
			b.problem("no request is made: the repository has no remote called %q, where the branch could be asked for; "+
				"run git remote add %s ADDRESS", cfg.Remote, cfg.Remote)
		}
		return q, nil
	}
	if q, _, err = ledger.Requests.Get(b.Ledger, b.Scope, b.Project.Pull.Branch); err != nil {
		return q, err
	}
	if now.Tip.New() || now.Merged { // there is nothing to ask for; what people have turned down is remembered
		if q.URL == "" && q.Failed == "" {
			return ledger.Request{}, nil
		}
		q.URL, q.Did, q.Failed = "", "", ""
		return ledger.Request{}, b.record(q)
	}
	if kind := cfg.Request.Kind; kind != config.RequestNone && kind != config.RequestOptions {
		err = b.ask(ctx, now, &q)
	} else if now.Offer != "" {
		b.Log.Info("request", zap.String("did", Offered), zap.String("url", now.Offer))
		q = ledger.Request{URL: now.Offer, Did: Offered}
		err = b.record(q)
	}
	return q, err
}

// ask asks the forge, unless all was done before.
func (b *Branch) ask(ctx context.Context, now Pulled, q *ledger.Request) error {
	if q.Counted != now.Tip.Hash() {
		data, content, err := b.count(ctx, now.Tip, now.Base)
		if err == nil {
			err = b.credit(ctx, now, &data)
		}
		if err == nil {
			q.Data, err = json.Marshal(data)
		}
		if err != nil {
			return err
		}
		q.Counted, q.Has = now.Tip.Hash(), content
	}
	var data config.RequestData
	if err := json.Unmarshal(q.Data, &data); err != nil {
		return fmt.Errorf("read what a request is about: %w", err)
	}
	title, body, ok := b.texts(data, false)
	if !ok {
		return nil
	}
	said := b.saying(now.Base, title, body)
	if q.Did == string(forge.Made) || q.Did == string(forge.Updated) {
		q.Did = string(forge.Kept) // that was earlier
	}
	if q.Commit == now.Tip.Hash() && q.Said == said && q.Failed == "" {
		return nil
	}
	branch, base := b.Project.Pull.Branch, now.Base.Branch()
	b.Announce(report.Doing{What: fmt.Sprintf("asking for %s to be merged into %s", branch, base)})
	out, err := b.askHost(ctx, now, *q, title, body)
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
		b.Log.Info("request", zap.String("did", q.Did), zap.Int("number", out.Number), zap.String("url", out.URL))
	}
	if err != nil && !errors.Is(err, forge.ErrSame) {
		q.Failed = fmt.Sprintf("the request to merge %s into %s was not updated: %v; "+
			"the commit is delivered, and the next pull tries this again", branch, base, err)
		b.problem("%s", q.Failed)
		return b.record(*q)
	}
	q.Commit, q.Content, q.Said = now.Tip.Hash(), q.Has, said
	return b.record(*q)
}

// noChecks is said of the first request of a branch that a job's own token made.
var noChecks = report.Problem{Code: report.CodeRequest, Severity: report.Warning,
	Problem: "GitHub starts no checks for the request that was made: its token is the job's own",
	Remedy:  "let the token of a GitHub App (pull.request.app_id) or of an account push and make it: locsync help ci"}

// askHost has the git host make or update the request.
func (b *Branch) askHost(ctx context.Context, now Pulled, q ledger.Request, title, body string) (forge.Outcome, error) {
	cfg, branch := &b.Project.Pull.Request, b.Project.Pull.Branch
	if cfg.Kind == config.RequestAGit {
		if q.Commit == now.Tip.Hash() { // only the title is another; the server keeps the one that it has
			return forge.Outcome{}, nil
		}
		res, err := b.Repo.Propose(ctx, now.Tip, now.Base.Branch(), "topic="+branch, "title="+title)
		// Gitea: it was proposed before
		if err != nil && strings.Contains(err.Error(), "new commit is same with old commit") {
			err = nil
		}
		if err == nil && res.NoPushOptions {
			err = errors.New("the remote takes no push options, which agit needs: " +
				`set pull.request.kind to "gitea", which takes a token`)
		}
		return forge.Outcome{Request: forge.Request{URL: res.Offer}, Did: Offered}, err
	}
	o, err := b.hostOptions(ctx)
	if err != nil {
		return forge.Outcome{}, err
	}
	if err := b.hostWaits(o); err != nil {
		return forge.Outcome{}, err
	}
	f, err := forge.New(o)
	if err != nil {
		return forge.Outcome{}, err
	}
	out, err := forge.Ensure(ctx, f, forge.Wanted{Head: branch, Base: now.Base.Branch(), Title: title, Body: body,
		Labels: cfg.Labels, RemoveBranch: cfg.RemoveBranch, Commit: now.Tip.Hash(), When: now.Tip.When(), Content: q.Has},
		forge.Memory(q.RequestContent))
	byJob := o.Kind == "github" && forge.OfGitHubsJob(o.Token, os.Getenv) || out.ByGitHubsJob()
	if byJob && out.Did == forge.Made && out.Number != 0 && q.Number == 0 {
		*b.Problems = append(*b.Problems, noChecks)
	}
	return out, b.waitForHost(o, err)
}

// saying is a digest of all that a request is to be.
func (b *Branch) saying(base *gitops.Tip, title, body string) string {
	q := b.Project.Pull.Request
	return ledger.Digest(fmt.Appendf(nil, "%q", []any{q.Kind, q.URL, q.Repository, q.Labels, base.Branch(), title, body}))
}

// texts are what a request is to say. A template that does not work out with what there is keeps nothing from being
// delivered.
func (b *Branch) texts(data config.RequestData, oneLine bool) (title, body string, ok bool) {
	data.Table = table(data, oneLine)
	title, body, err := b.Project.Pull.Request.Texts(b.withHeldBack(data))
	if err != nil {
		b.problem("%s", b.Project.Problem("pull.request",
			"no request is made or brought up to date: %v; correct title or body", err).Error())
		return "", "", false
	}
	title, body = forge.Fit(b.Project.Pull.Request.Kind, title, body)
	return title, body, true
}

// withHeldBack adds what this pull left out of the translations; what is wrong with this machine is not for the forge.
func (b *Branch) withHeldBack(data config.RequestData) config.RequestData {
	data.HeldBack = nil
	for _, p := range *b.Problems {
		switch {
		case p.File == "":
		case len(data.HeldBack) < mostHeldBack:
			data.HeldBack = append(data.HeldBack, p.String())
		default:
			data.HeldBack[mostHeldBack-1] = fmt.Sprintf("and more; locsync status names all %d", len(*b.Problems))
		}
	}
	return data
}

// mostHeldBack bounds a list that people are to read.
const mostHeldBack = 20

// PushOptions are what GitLab is told with a push of the branch, so that it makes the request itself; nil where it is
// not to.
func (b *Branch) PushOptions(ctx context.Context, tip, base *gitops.Tip) ([]string, error) {
	cfg := &b.Project.Pull.Request
	if cfg.Kind != config.RequestOptions || base == nil || base.Branch() == b.Project.Pull.Branch {
		return nil, nil
	}
	data, _, err := b.count(ctx, tip, base)
	if err != nil {
		return nil, err
	}
	title, body, ok := b.texts(data, true)
	if !ok {
		return nil, nil
	}
	options := []string{"merge_request.create", "merge_request.target=" + base.Branch(), "merge_request.title=" + title,
		// an option is one line; Markdown knows this one
		"merge_request.description=" + strings.ReplaceAll(body, "\n", "<br>")}
	for _, l := range cfg.Labels {
		options = append(options, "merge_request.label="+l)
	}
	if cfg.RemoveBranch {
		options = append(options, "merge_request.remove_source_branch")
	}
	return options, nil
}

// count counts what the branch has that base lacks. content is a digest of every file that differs, also those that
// are not ours.
func (b *Branch) count(
	ctx context.Context, tip, base *gitops.Tip,
) (data config.RequestData, content string, err error) {
	data = config.RequestData{Project: b.Project.Name, Branch: b.Project.Pull.Branch, Base: base.Branch()}
	blobs, err := b.Repo.History.ChangedTo(ctx, base.Hash(), tip.Hash())
	ours, oerr := tree.Written(b.Project, tip, base)
	if err = errors.Join(err, oerr); err != nil {
		return data, "", err
	}
	sum := sha256.New()
	counts := make(map[string]*config.RequestCount)
	for _, path := range slices.Sorted(maps.Keys(blobs)) {
		fmt.Fprintf(sum, "%q %s\n", path, blobs[path])
		targets, is := ours[path]
		if !is {
			continue
		}
		data.Files = append(data.Files, path)
		for _, target := range targets {
			code := target.Language.Code
			var texts [2]catalog.Catalog
			for i, at := range []*gitops.Tip{base, tip} {
				file, _, err := target.Sources[0].Read(at, path, target.Language)
				if err != nil {
					return data, "", err
				}
				texts[i] = bundle.Texts(file) // none of a file that cannot be read, which the passes name
			}
			if len(targets) > 1 && slices.Equal(texts[0], texts[1]) {
				continue // another of its languages changed
			}
			if counts[code] == nil {
				counts[code] = &config.RequestCount{Language: code}
			}
			countChanges(counts[code], texts[0], texts[1])
		}
	}
	data.Languages = slices.Sorted(maps.Keys(counts))
	if err := b.complete(tip, counts); err != nil {
		return data, "", err
	}
	for _, code := range data.Languages {
		c := *counts[code]
		data.Counts = append(data.Counts, c)
		data.Added, data.Changed, data.Removed = data.Added+c.Added, data.Changed+c.Changed, data.Removed+c.Removed
	}
	data.Keys = data.Added + data.Changed + data.Removed
	return data, hex.EncodeToString(sum.Sum(nil)[:16]), nil
}

// complete sets how many of the tip's keys the languages have, in percent.
func (b *Branch) complete(tip *gitops.Tip, counts map[string]*config.RequestCount) error {
	t, err := tree.Find(tip, b.Project, nil)
	if err != nil {
		return err
	}
	for _, l := range b.Project.Targets() {
		c := counts[l.Code]
		if c == nil {
			continue
		}
		have, needed := make(map[tree.Key]bool), t.Needed(l)
		if _, err := t.AddComplete(have, needed, tip, l, b.Ledger, b.Scope); err != nil {
			return err
		}
		s := report.LanguageStatus{Keys: len(have), Missing: len(needed) - len(have)}
		c.Complete = s.Percent()
	}
	return nil
}

// countChanges adds what makes one list of texts another.
func countChanges(c *config.RequestCount, old, new catalog.Catalog) {
	before := old.Texts()
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
