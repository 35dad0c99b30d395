package mcp

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"slices"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/gitops"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/spell"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/memory/past"
	"github.com/locsync/locsync/sync/pass/inspect"
	"github.com/locsync/locsync/sync/pass/tree"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/text/bundle"
	"github.com/locsync/locsync/sync/text/catalog"
)

// worktree is the working tree of a project as it is during one call.
type worktree struct {
	cfg     *config.Project
	repo    *gitops.Repo
	fsys    fs.FS
	tree    *tree.Tree
	targets []bundle.Target

	sourcesOf map[string][]*tree.Source        // by key, once texts are set
	filesOf   map[translationsOf]bundle.Target // as well

	blame *past.Blame // once it is asked for
}

// inWorktree calls do with the working tree of a project.
func (c call) inWorktree(ctx context.Context, p *config.Project, do func(*worktree) error) error {
	if p.Cloned() {
		return failure.Usage(fmt.Errorf("project %q has no working tree on this machine: its repository is an address; run "+
			"locsync mcp in a checkout whose configuration has repository = \".\"", p.Name))
	}
	repo, err := gitops.Open(ctx, c.cfg.Resolve(p.Repository), gitops.Options{Trust: p.TrustOwner})
	if err != nil {
		return failure.Usage(p.Blame("repository", err))
	}
	w := &worktree{cfg: p, repo: repo}
	if w.fsys, err = repo.Worktree(); err == nil {
		w.tree, err = tree.Find(w.fsys, p, func(done, total int) {
			c.progress(report.Doing{What: "reading the source files", Done: int64(done), Total: int64(total)})
		})
	}
	if err == nil {
		w.targets, err = bundle.Existing(w.fsys, w.tree.Bundles(), p.Targets())
	}
	if err == nil {
		err = do(w)
	}
	return errors.Join(err, repo.Close())
}

// inspects checks the working tree.
func (w *worktree) inspects(ctx context.Context, c call, o inspect.Options) (report.ProjectCheck, error) {
	return inspect.Project(ctx, w.cfg, w.repo, w.fsys, o, c.progress)
}

// value is what a key has in one language: a text, or the forms of a plural or items of a list.
type value struct {
	Text  string            `json:"text,omitempty"`
	Forms map[string]string `json:"forms,omitempty"`
}

// valueOf are the texts of one key.
func valueOf(texts catalog.Catalog) (v value) {
	for _, u := range texts {
		if u.Form == "" {
			v.Text = u.Text
			continue
		}
		if v.Forms == nil {
			v.Forms = make(map[string]string)
		}
		v.Forms[u.Form] = u.Text
	}
	return v
}

// noteOf is the comment that a file has about a key.
func noteOf(texts catalog.Catalog) string {
	for _, u := range texts {
		if u.Note != "" {
			return u.Note
		}
	}
	return ""
}

// missingIn says which missing keys are wanted.
type missingIn struct {
	Project  string `json:"project,omitempty" jsonschema:"only this project of the configuration"`
	Language string `json:"language,omitempty" jsonschema:"only what lacks a translation in this language"`
	File     string `json:"file,omitempty" jsonschema:"only keys of this source file"`
	page
}

// missingKey is a key of a source file, and the languages that have no translation of it.
type missingKey struct {
	Project   string   `json:"project"`
	File      string   `json:"file"` // of the source
	Key       string   `json:"key"`
	Source    value    `json:"source"`
	Comment   string   `json:"comment,omitempty"`
	Languages []string `json:"languages"`
}

func (s *server) missing(ctx context.Context, r *sdk.CallToolRequest, in missingIn) (list[missingKey], error) {
	c, err := s.begin(ctx, r, in.Project)
	if err != nil {
		return list[missingKey]{}, err
	}
	all, sources := []missingKey{}, make(order)
	var languages []string
	hasFile := in.File == ""
	for _, p := range c.projects(in.Project) {
		languages = append(languages, p.TargetLanguages...)
		err := c.inWorktree(ctx, p, func(w *worktree) error {
			found, err := w.inspects(ctx, c, inspect.Options{Missing: true})
			if err == nil {
				all = append(all, w.gaps(found, in, sources)...)
				hasFile = hasFile || w.hasSource(in.File)
			}
			return err
		})
		if err != nil {
			return list[missingKey]{}, err
		}
	}
	switch { // that nothing is missing there would be taken for good news
	case in.Language != "" && !slices.Contains(languages, in.Language):
		slices.Sort(languages)
		return list[missingKey]{}, failure.Usage(noLanguage(slices.Compact(languages), in.Language))
	case !hasFile:
		return list[missingKey]{}, noFile(in.File)
	}
	of := func(k missingKey) position { return sources.of(k.Project, k.File, k.Key) }
	return paged(all, in.page, sorted[missingKey]{"missing", of, sources.now})
}

func noLanguage(languages []string, language string) error {
	return fmt.Errorf("nothing is translated into %q; %s", language, spell.Meant(language, languages))
}

// hasSource reports whether a source file that can be read has this path.
func (w *worktree) hasSource(path string) bool {
	return slices.ContainsFunc(w.tree.Sources, func(s *tree.Source) bool { return s.Path == path && !s.Broken() })
}

// fileKey is a key of a file of translations.
type fileKey struct{ path, language, key string }

// gaps are the keys that a check found to be missing. All keys of the source files are added to sources.
func (w *worktree) gaps(found report.ProjectCheck, in missingIn, sources order) (all []missingKey) {
	lacks := make(map[fileKey]bool)
	for _, p := range found.Problems {
		if p.Code == report.CodeGap && (in.Language == "" || p.Language == in.Language) {
			lacks[fileKey{p.File, p.Language, p.Key}] = true
		}
	}
	for _, source := range w.tree.Sources {
		if source.Broken() || in.File != "" && source.Path != in.File {
			continue
		}
		texts, keys := source.Texts.ByKey(), source.Texts.KeysInOrder()
		sources.add(w.cfg.Name, source.Path, keys)
		for _, key := range keys {
			var languages []string
			for _, l := range w.cfg.Targets() {
				path := source.Target(l)
				if path == "" {
					path = source.Path // the service names the files
				}
				if lacks[fileKey{path, l.Code, key}] {
					languages = append(languages, l.Code)
				}
			}
			if len(languages) > 0 {
				all = append(all, missingKey{w.cfg.Name, source.Path, key, valueOf(texts[key]), noteOf(texts[key]), languages})
			}
		}
	}
	return all
}

// textsIn says which keys are wanted.
type textsIn struct {
	Project string   `json:"project,omitempty" jsonschema:"only this project of the configuration"`
	Keys    []string `json:"keys,omitempty" jsonschema:"these keys; without it, all keys"`
	File    string   `json:"file,omitempty" jsonschema:"only keys of this source file"`
	History bool     `json:"history,omitempty" jsonschema:"also which commit brought each text; reads git's history"`
	page
}

// keyTexts is a key in all languages.
type keyTexts struct {
	Project      string           `json:"project"`
	File         string           `json:"file"` // of the source
	Key          string           `json:"key"`
	Comment      string           `json:"comment,omitempty"`
	Source       text             `json:"source"`
	Translations []text           `json:"translations"`
	Problems     []report.Problem `json:"problems,omitempty"`
}

// text is what a key has in a file.
type text struct {
	Language string `json:"language"`
	File     string `json:"file"`
	value
	Commit string     `json:"commit,omitempty"` // that brought it
	When   *time.Time `json:"when,omitempty"`
}

func (s *server) texts(ctx context.Context, r *sdk.CallToolRequest, in textsIn) (list[keyTexts], error) {
	c, err := s.begin(ctx, r, in.Project)
	if err != nil {
		return list[keyTexts]{}, err
	}
	all, sources := []keyTexts{}, make(order)
	hasFile := in.File == ""
	for _, p := range c.projects(in.Project) {
		err := c.inWorktree(ctx, p, func(w *worktree) error {
			found, err := w.keys(ctx, c, in, sources)
			all = append(all, found...)
			hasFile = hasFile || err == nil && w.hasSource(in.File)
			return err
		})
		if err != nil {
			return list[keyTexts]{}, err
		}
	}
	if !hasFile {
		return list[keyTexts]{}, noFile(in.File)
	}
	return paged(all, in.page, byKey(sources))
}

// byKey sorts texts as their source files have them.
func byKey(sources order) sorted[keyTexts] {
	of := func(k keyTexts) position { return sources.of(k.Project, k.File, k.Key) }
	return sorted[keyTexts]{"texts", of, sources.now}
}

// keys are those that are wanted of a project. All keys of the source files are added to sources.
func (w *worktree) keys(ctx context.Context, c call, in textsIn, sources order) (all []keyTexts, err error) {
	checked, err := w.inspects(ctx, c, inspect.Options{})
	if err != nil {
		return nil, err
	}
	problems := make(map[fileKey][]report.Problem)
	for _, p := range checked.Problems {
		of := fileKey{p.File, p.Language, p.Key}
		problems[of] = append(problems[of], forAgent(p))
	}
	for _, source := range w.tree.Sources {
		if source.Broken() || in.File != "" && source.Path != in.File {
			continue
		}
		files, err := w.translations(source)
		if err != nil {
			return nil, err
		}
		own := bundle.Target{Path: source.Path, Language: source.Source, Sources: []*bundle.Bundle{source.Bundle}}
		blamed := append([]past.Blamed{{File: own, Texts: source.All}}, files...)
		origins, err := w.history(ctx, in.History, blamed)
		if err != nil {
			return nil, err
		}
		byKey := make([]map[string]catalog.Catalog, len(blamed))
		for i, f := range blamed {
			byKey[i] = f.Texts.ByKey()
		}
		keys := source.All.KeysInOrder()
		sources.add(w.cfg.Name, source.Path, keys)
		for _, key := range keys {
			if len(in.Keys) > 0 && !slices.Contains(in.Keys, key) {
				continue
			}
			k := keyTexts{Project: w.cfg.Name, File: source.Path, Key: key, Comment: noteOf(byKey[0][key]),
				Translations: []text{}}
			for i, f := range blamed {
				k.Problems = append(k.Problems, problems[fileKey{f.File.Path, f.File.Language.Code, key}]...)
				if len(byKey[i][key]) == 0 {
					continue
				}
				t := text{Language: f.File.Language.Code, File: f.File.Path, value: valueOf(byKey[i][key])}
				if origins != nil {
					t.Commit = origins[i][key].Commit
				}
				if when, err := w.repo.History.When(t.Commit); t.Commit != "" && err == nil {
					t.When = &when
				}
				if i == 0 {
					k.Source = t
				} else {
					k.Translations = append(k.Translations, t)
				}
			}
			all = append(all, k)
		}
	}
	return all, nil
}

// translations are the files of a source file's translations that can be read.
func (w *worktree) translations(source *tree.Source) (all []past.Blamed, err error) {
	for _, target := range w.targets {
		if !slices.Contains(target.Sources, source.Bundle) {
			continue
		}
		f, _, err := source.Read(w.fsys, target.Path, target.Language) // what is wrong with it is a problem of the check
		if err != nil {
			return nil, err
		}
		if f != nil {
			all = append(all, past.Blamed{File: target, Texts: translated(f)})
		}
	}
	return all, nil
}

// translated are the texts of a file that translate something.
func translated(f *resource.File) catalog.Catalog {
	return slices.DeleteFunc(bundle.Texts(f), func(u catalog.Unit) bool { return u.Text == "" })
}

// history is which commits brought texts; nil where it is not wanted, or nothing is committed.
func (w *worktree) history(ctx context.Context, wanted bool, files []past.Blamed) ([]map[string]past.Origin, error) {
	_, commit, err := w.repo.Head()
	if err != nil || commit == "" || !wanted {
		return nil, err
	}
	if w.blame == nil {
		all := slices.Clone(w.targets)
		for _, s := range w.tree.Sources {
			all = append(all, bundle.Target{Path: s.Path, Language: s.Source, Sources: []*bundle.Bundle{s.Bundle}})
		}
		w.blame, err = past.NewBlame(ctx, w.repo, commit, all)
		if err != nil {
			return nil, err
		}
	}
	return w.blame.Origins(ctx, len(files), func(i int) (past.Blamed, error) { return files[i], nil })
}
