package repository

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/locsync/locsync/gitops/run"
	"github.com/locsync/locsync/sync/bound"
)

// What git says of where a repository is and of its configuration stays as it is while the files that it comes from do.
// A daemon opens each of its repositories again and again, and a git program costs more than all else of that.

// recalled is what git said, and the files as they were then.
type recalled struct {
	found  found
	set    Settings
	files  map[string]os.FileInfo // nil for one that is not there
	needed []string               // are there, whatever they have
	at     time.Time
}

const (
	// longestRecall is how old an answer may be: an owner, or a file that is in no list, may be another one.
	longestRecall = 5 * time.Minute
	// unsettled is how young a file may be that can change once more without showing it by its time.
	unsettled = 2 * time.Second
	// largestConfig is how much is read to see whether a configuration includes others.
	largestConfig = 1 << 20
)

var recall sync.Map // by what git is asked: *recalled

// described asks git where the repository of a folder is, and for its configuration.
func described(ctx context.Context, git *run.Program, dir string, trust bool) (found, Settings, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return found{}, nil, err
	}
	key := recallKey(git, dir, trust)
	if known, ok := recall.Load(key); ok && known.(*recalled).holds() {
		of := known.(*recalled)
		of.found.trustIn(git, trust)
		return of.found, of.set, nil
	}
	recall.Delete(key)
	f := found{}
	gitDir, plain := ordinary(dir)
	if plain && !trust {
		f = found{gitDir: gitDir, commonDir: gitDir, workTree: filepath.Dir(gitDir)}
	} else {
		f, err = find(ctx, git, dir, trust)
	}
	if err != nil {
		return f, nil, err
	}
	files, needed, ok := f.sources(git, dir) // before the configuration is read: what changes meanwhile differs from it
	set, err := readSettings(ctx, git, f.gitDir)
	if err == nil && plain && !set.ordinary() {
		f, err = find(ctx, git, dir, trust)
		if err == nil {
			set, err = readSettings(ctx, git, f.gitDir)
		}
		return f, set, err
	}
	if err == nil && ok {
		recall.Store(key, &recalled{found: f, set: set, files: files, needed: needed, at: time.Now()})
	}
	return f, set, err
}

// ordinary reports whether nothing in the configuration makes a working tree with its git folder in it another one, or
// of a format that git has to judge.
func (s Settings) ordinary() bool {
	// git leaves the repository's part out where it refuses the format
	return s.Get("core.repositoryformatversion") == "0" && !s.Has("core.worktree") && !s.Bool("core.bare", false)
}

func recallKey(git *run.Program, dir string, trust bool) string {
	parts := []string{git.Path, git.Version, dir}
	if trust {
		parts = append(parts, "trust")
	}
	for _, v := range os.Environ() {
		if strings.HasPrefix(v, "GIT_") || strings.HasPrefix(v, "HOME=") || strings.HasPrefix(v, "XDG_") {
			parts = append(parts, v)
		}
	}
	return strings.Join(parts, "\x00")
}

// holds reports whether all files are as they were.
func (of *recalled) holds() bool {
	if time.Since(of.at) > longestRecall {
		return false
	}
	for path, before := range of.files {
		now, err := os.Stat(path)
		if err != nil || before == nil {
			if err == nil || before != nil {
				return false
			}
			continue
		}
		if !now.ModTime().Equal(before.ModTime()) || now.Size() != before.Size() || now.Mode() != before.Mode() ||
			!os.SameFile(now, before) {
			return false
		}
	}
	return !slices.ContainsFunc(of.needed, func(path string) bool {
		_, err := os.Stat(path)
		return err != nil
	})
}

// sources are the files that git's answers come from. ok is false where they cannot be told: a configuration includes
// others, or has only just changed.
func (f *found) sources(git *run.Program, dir string) (files map[string]os.FileInfo, needed []string, ok bool) {
	if runtime.GOOS == "windows" {
		return nil, nil, false
	}
	configs := []string{filepath.Join(f.commonDir, "config"), filepath.Join(f.gitDir, "config.worktree"), "/etc/gitconfig",
		filepath.Join(filepath.Dir(filepath.Dir(git.Path)), "etc", "gitconfig"), os.Getenv("GIT_CONFIG_GLOBAL"),
		os.Getenv("GIT_CONFIG_SYSTEM")}
	if home, err := os.UserHomeDir(); err == nil {
		configs = append(configs, filepath.Join(home, ".gitconfig"), filepath.Join(home, ".config", "git", "config"))
	}
	if xdg := os.Getenv("XDG_CONFIG_HOME"); xdg != "" {
		configs = append(configs, filepath.Join(xdg, "git", "config"))
	}
	others := []string{filepath.Join(f.gitDir, "commondir"), filepath.Join(f.gitDir, "gitdir")}
	for at := dir; ; at = filepath.Dir(at) { // git looks here first
		others = append(others, filepath.Join(at, ".git"))
		if at == f.workTree || at == f.gitDir || at == filepath.Dir(at) {
			break
		}
	}
	files = make(map[string]os.FileInfo)
	now := time.Now()
	for i, path := range slices.Concat(configs, others) {
		if path == "" || path == os.DevNull { // of the variables: nothing is there, and nothing ever will be
			continue
		}
		info, err := os.Stat(path)
		if err != nil {
			info = nil
		}
		if info != nil && info.IsDir() { // its time is that of the index
			needed = append(needed, path)
			continue
		}
		if info != nil && (!info.Mode().IsRegular() || now.Sub(info.ModTime()) < unsettled) {
			return nil, nil, false
		}
		files[path] = info
		if info == nil || i >= len(configs) {
			continue
		}
		text, err := bound.ReadFile(path, largestConfig)
		if err != nil || bytes.Contains(bytes.ToLower(text), []byte("[include")) {
			return nil, nil, false
		}
	}
	return files, append(needed, filepath.Join(f.gitDir, "HEAD"), filepath.Join(f.commonDir, "objects")), true
}
