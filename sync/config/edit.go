package config

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/BurntSushi/toml"
	"github.com/google/uuid"

	"github.com/locsync/locsync/sync/config/rewrite"
)

// Addition is what a [[project]] says that is added to a configuration.
type Addition struct {
	Name            string          `toml:"name"`
	ID              string          `toml:"id,omitempty"`
	Repository      string          `toml:"repository,omitempty"`
	SourceLanguage  string          `toml:"source_language"`
	TargetLanguages []string        `toml:"target_languages"`
	Files           []AdditionFiles `toml:"files"`
}

// AdditionFiles is what its [[project.files]] says.
type AdditionFiles struct {
	Source     string `toml:"source"`
	Format     string `toml:"format,omitempty"`
	Output     string `toml:"output"`
	Collection string `toml:"collection,omitempty"`
}

// Edit is a file of a configuration as it is to be.
type Edit struct {
	File string
	Text []byte // nil: the file is removed
	New  bool   // it is not there yet
	At   int    // the line at which an added project begins, from 1
}

// Add is the configuration with one more project: in a file of its own below the first pattern of include that tells
// its name, else at the end of the main file. All else stays as it is, byte by byte. A relative Repository is one of
// the current folder. With the embedded service a second project without an identifier gets one of its own. The error
// is that of Load for the configuration as it would be.
func Add(file string, a Addition, options ...Option) (Edit, *Config, error) {
	edit, c, err := added(file, a, options)
	if err == nil && a.ID == "" && c.Service.Embedded() && len(c.Projects) > 1 {
		a.ID = uuid.NewString()
		return added(file, a, options)
	}
	return edit, c, err
}

func added(file string, a Addition, options []Option) (Edit, *Config, error) {
	var l loading
	for _, option := range options {
		option(&l)
	}
	text, err := l.read(file)
	if err != nil {
		return Edit{}, nil, fmt.Errorf("read configuration: %w", err)
	}
	edit := Edit{File: file}
	if own := ownFile(file, includes(text), a.Name); own != "" {
		if _, err := os.Lstat(own); !errors.Is(err, fs.ErrNotExist) {
			return Edit{}, nil, fmt.Errorf("%s is there already; choose another name for the project, or write it into that "+
				"file", own)
		}
		edit, text = Edit{File: own, New: true}, nil
	}
	if a.Repository, err = relative(a.Repository, filepath.Dir(edit.File)); err != nil {
		return Edit{}, nil, err
	}
	var table bytes.Buffer
	lines := toml.NewEncoder(&table)
	lines.Indent = ""
	if err := lines.Encode(map[string]any{"project": []Addition{a}}); err != nil {
		return Edit{}, nil, fmt.Errorf("write project %q: %w", a.Name, err)
	}
	project := bytes.TrimSpace(table.Bytes())
	end := []byte("\n")
	if bytes.Contains(text, []byte("\r\n")) {
		end = []byte("\r\n")
		project = bytes.ReplaceAll(project, []byte("\n"), end)
	}
	edit.Text = slices.Clone(text)
	if len(text) > 0 {
		if !bytes.HasSuffix(text, []byte("\n")) {
			edit.Text = append(edit.Text, end...)
		}
		edit.Text = append(edit.Text, end...)
	}
	edit.At = bytes.Count(edit.Text, []byte("\n")) + 1
	edit.Text = append(append(edit.Text, project...), end...)
	cfg, err := load(file, l, []Option{instead(edit)})
	return edit, cfg, err
}

// relative is the path of a repository, as the current folder has it, in a file of a folder; an address stays.
func relative(repository, folder string) (string, error) {
	if p := (&Project{Repository: repository}); repository == "" || p.Cloned() || filepath.IsAbs(repository) {
		return repository, nil
	}
	folder, err := filepath.Abs(folder)
	if err == nil {
		repository, err = filepath.Abs(repository)
	}
	if err != nil {
		return "", err
	}
	if between, err := filepath.Rel(folder, repository); err == nil {
		return filepath.ToSlash(between), nil
	}
	return repository, nil
}

// ownFile is the file for a project below the first pattern with one star, in the name; "" where there is none.
func ownFile(file string, patterns []string, project string) string {
	name := strings.Trim(strings.Map(func(r rune) rune {
		if strings.ContainsRune(`/\:*?"<>|[]`, r) || r <= ' ' {
			return '-'
		}
		return r
	}, project), "-.")
	for _, pattern := range patterns {
		dir, base := filepath.Split(pattern)
		if name == "" || strings.ContainsAny(dir, `*?[\`) || strings.ContainsAny(base, `?[\`) ||
			strings.Count(base, "*") != 1 {
			continue
		}
		own := filepath.Join(dir, strings.Replace(base, "*", name, 1))
		if !filepath.IsAbs(own) {
			own = filepath.Join(filepath.Dir(file), own)
		}
		return own
	}
	return ""
}

// Remove is the configuration without a project: without its tables, and the comments in them and directly above. A
// file that has no other project is removed. All else stays as it is, byte by byte.
func Remove(file, name string, options ...Option) (Edit, *Config, error) {
	c, err := Load(file, options...)
	if err != nil {
		return Edit{}, nil, err
	}
	p := c.Project(name)
	if p == nil {
		return Edit{}, nil, c.NoProject(name)
	}
	edit := Edit{File: p.File()}
	others := slices.ContainsFunc(c.Projects, func(o Project) bool { return o.File() == p.File() && o.Name != name })
	if others || p.File() == file {
		text, err := os.ReadFile(edit.File)
		if err != nil {
			return Edit{}, nil, fmt.Errorf("read configuration: %w", err)
		}
		var ok bool
		if edit.Text, ok = rewrite.WithoutTable(text, p.origin.lines, p.origin.path); !ok {
			return Edit{}, nil, p.origin.problem("the project is not one piece of the file, which begins with " +
				"[[project]]; take it out by hand")
		}
	}
	cfg, err := Load(file, append(options, instead(edit))...)
	return edit, cfg, err
}

// instead reads an edited file where the one on the disk would be.
func instead(e Edit) Option {
	return func(l *loading) { l.instead = map[string][]byte{e.File: e.Text} }
}
