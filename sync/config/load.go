package config

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"syscall"

	"github.com/BurntSushi/toml"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/config/owner"
	"github.com/locsync/locsync/sync/config/position"
)

// maxSize is far above any real configuration; it keeps a mistaken --config from eating the memory.
const maxSize = 1 << 20

// ErrOwner is the cause where a configuration file is refused because another user can write it. It decides which
// programs run, and where the API key is sent.
var ErrOwner = owner.Err

// Option changes how Load reads a file.
type Option func(*loading)

type loading struct {
	withoutIDs bool
	alone      bool // nothing can be included
	accepted   func(dir string) bool
	instead    map[string][]byte // texts of files that are read from here; nil for one that is gone
	meant      Problems          // of included files, as a decoder has them
}

// Accept lets a configuration belong to another user where accepted says so of the top of the repository that it
// is in, or of its own folder where it is in none.
func Accept(accepted func(dir string) bool) Option {
	return func(o *loading) { o.accepted = accepted }
}

// Load reads a configuration file: defaults, then what the file says, then every check. The error is
// Problems when the file could be read; ErrOwner when another user can write it; otherwise it wraps the operating
// system's.
//
// What the file includes is read with it. Everything that is wrong in all of the files is told at once.
func Load(path string, options ...Option) (*Config, error) { return load(path, loading{}, options) }

// LoadForCreate is Load for a configuration whose projects may not exist at the service yet: their
// identifiers may be missing.
func LoadForCreate(path string, options ...Option) (*Config, error) {
	return load(path, loading{withoutIDs: true}, options)
}

func load(path string, l loading, options []Option) (*Config, error) {
	for _, option := range options {
		option(&l)
	}
	data, err := l.read(path)
	var problems Problems
	switch {
	case err == nil:
		return parse(path, data, &l)
	case errors.Is(err, fs.ErrNotExist):
		return nil, &missing{path, err}
	case errors.Is(err, ErrOwner) || errors.As(err, &problems):
		return nil, err
	}
	if errors.Is(err, syscall.EISDIR) {
		return nil, fmt.Errorf("%s is a folder; --config names the file in it", path)
	}
	return nil, fmt.Errorf("read configuration: %w; --config names another file", err)
}

// missing is a configuration file that is not there.
type missing struct {
	file string
	err  error
}

func (m *missing) Error() string {
	return fmt.Sprintf("there is no file %s; `locsync init` writes one, --config names another", m.file)
}
func (m *missing) Unwrap() error { return m.err }

// read reads one file of a configuration.
func (l *loading) read(path string) ([]byte, error) {
	if text, is := l.instead[path]; is {
		return text, nil
	}
	file, err := owner.Open(path, l.accepted)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	data, err := bound.Read(file, maxSize)
	if bound.Is(err) {
		return nil, Problems{origin{file: path}.problem("larger than %d bytes: this is not a configuration", maxSize)}
	}
	return data, err
}

// Parse is Load for bytes that are at hand; name is the file in problems, and its folder for
// where relative paths begin. It has no effects; a configuration that includes files is an error.
func Parse(name string, data []byte) (*Config, error) {
	return parse(name, data, &loading{alone: true})
}

// ParseForCreate is LoadForCreate for bytes that are at hand.
func ParseForCreate(name string, data []byte) (*Config, error) {
	return parse(name, data, &loading{withoutIDs: true, alone: true})
}

func parse(name string, data []byte, l *loading) (*Config, error) {
	whole, tree, _, problems := document(name, data)
	if problems != nil {
		return nil, problems
	}
	c := Default()
	c.File = name
	c.origin = whole
	d := &decoder{}
	d.table(whole, tree, reflect.ValueOf(c).Elem())
	problems = d.problems
	switch {
	case len(c.Include) == 0:
	case l.alone:
		problems = append(problems, whole.at("include").problem("files cannot be included here; write the projects into "+
			"this file"))
	default:
		more, err := l.include(c)
		if err != nil {
			return nil, err
		}
		problems = append(problems, more...)
	}

	v := &validator{problems: problems, withoutIDs: l.withoutIDs, wrong: map[Problem]bool{}}
	for _, p := range slices.Concat(problems, d.meant, l.meant) {
		v.wrong[p.place()] = true
	}
	v.config(c)
	if err := v.problems.sorted().err(); err != nil {
		return nil, err
	}
	c.Warnings = v.warnings.sorted()
	return c, nil
}

// document reads one file: its tree, where its keys are, and how many parts these have.
func document(name string, data []byte) (whole origin, tree map[string]any, parts int, wrong Problems) {
	whole = origin{file: name}
	if len(data) > maxSize {
		return whole, nil, 0, Problems{whole.problem("larger than %d bytes: this is not a configuration", maxSize)}
	}
	scanned := position.Scan(string(data))
	if scanned.TooMuch != "" {
		return whole, nil, 0, Problems{{File: name, Line: scanned.Line, Message: scanned.TooMuch}}
	}
	if err := readTOML(data, &tree); err != nil {
		return whole, nil, 0, Problems{syntaxProblem(name, data, err)}
	}
	whole.lines = scanned.Lines
	return whole, tree, scanned.Parts, nil
}

// includes are the patterns of include that a text has, as far as it can be read.
func includes(text []byte) []string {
	var only struct {
		Include []string `toml:"include"`
	}
	if position.Scan(string(text)).TooMuch != "" || readTOML(text, &only) != nil {
		return nil
	}
	return only.Include
}

// readTOML reads the syntax. A fault of the library must not take a daemon down that only wants to look
// at a new configuration.
func readTOML(data []byte, into any) (err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not readable as TOML (%v)", r)
		}
	}()
	return toml.Unmarshal(data, into)
}

func syntaxProblem(name string, data []byte, err error) Problem {
	p := Problem{File: name, Line: 1, Message: "not valid TOML: " + err.Error()}
	if syntax, ok := errors.AsType[toml.ParseError](err); ok {
		p.Key = syntax.LastKey
		p.Line, p.Column = max(1, syntax.Position.Line), max(0, syntax.Position.Col)
		p.Message = cmp.Or(position.NeedsQuotes(data, p.Line), "not valid TOML: "+syntax.Message)
	}
	return p
}

// ErrNotFound is what Find returns where there is no configuration.
var ErrNotFound = errors.New("no " + FileName +
	" here or above, up to the repository's root; `locsync init` writes one, --config names one elsewhere")

// Find looks for locsync.toml in a folder and those above it up to its git repository's root, and returns the
// nearest; outside of a repository, in that folder alone. The error is ErrNotFound where there is none, and ErrOwner
// for one above the folder that every user may write.
func Find(dir string) (string, error) {
	dir, err := owner.RealFolder(dir)
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", FileName, err)
	}
	top := owner.RepositoryTop(dir)
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, FileName)
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode().IsRegular():
			if at != dir {
				err = owner.RefuseShared(path)
			}
			return path, err
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("look for %s: %w", FileName, err)
		case top == "" || at == top:
			return "", ErrNotFound
		}
	}
}
