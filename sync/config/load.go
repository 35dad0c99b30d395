package config

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"

	"github.com/BurntSushi/toml"

	"github.com/locsync/locsync/sync/bound"
)

// maxSize is far above any real configuration; it keeps a mistaken --config from eating the memory.
const maxSize = 1 << 20

// Load reads a configuration file: defaults, then what the file says, then every check. The error is
// Problems when the file could be read; ErrOwner when another user can write it; otherwise it wraps the operating
// system's.
func Load(path string, options ...Option) (*Config, error) { return load(path, loading{}, options) }

// LoadForCreate is Load for a configuration whose projects may not exist at the service yet: their
// identifiers may be missing.
func LoadForCreate(path string, options ...Option) (*Config, error) {
	return load(path, loading{withoutIDs: true}, options)
}

func load(path string, o loading, options []Option) (*Config, error) {
	for _, option := range options {
		option(&o)
	}
	file, err := openOwn(path, o.accepted)
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) {
			return nil, fmt.Errorf("read configuration: %w; `locsync init` writes one", err)
		}
		if errors.Is(err, ErrOwner) {
			return nil, err
		}
		return nil, fmt.Errorf("read configuration: %w; --config names another file", err)
	}
	defer file.Close()
	data, err := bound.Read(file, maxSize)
	if bound.Is(err) {
		return nil, Problems{origin{file: path}.problem("larger than %d bytes: this is not a configuration", maxSize)}
	}
	if err != nil {
		return nil, fmt.Errorf("read configuration: %w; --config names another file", err)
	}
	return parse(path, data, o.withoutIDs)
}

// Parse is Load for bytes that are at hand; name is the file in problems, and its folder for
// where relative paths begin. It has no effects.
func Parse(name string, data []byte) (*Config, error) { return parse(name, data, false) }

// ParseForCreate is LoadForCreate for bytes that are at hand.
func ParseForCreate(name string, data []byte) (*Config, error) { return parse(name, data, true) }

func parse(name string, data []byte, withoutIDs bool) (*Config, error) {
	whole := origin{file: name}
	if len(data) > maxSize {
		return nil, Problems{whole.problem("larger than %d bytes: this is not a configuration", maxSize)}
	}
	if why, line := tooMuch(string(data)); why != "" {
		return nil, Problems{{File: name, Line: line, Message: why}}
	}
	tree, err := readTOML(data)
	if err != nil {
		return nil, Problems{syntaxProblem(name, err)}
	}
	whole.lines = scanLines(string(data))

	c := Default()
	c.File = name
	c.origin = whole
	d := &decoder{}
	d.table(whole, tree, reflect.ValueOf(c).Elem())

	v := &validator{problems: d.problems, withoutIDs: withoutIDs, wrong: map[Problem]bool{}}
	for _, p := range d.problems {
		v.wrong[p.place()] = true
	}
	v.config(c)
	if err := v.problems.sorted().err(); err != nil {
		return nil, err
	}
	c.Warnings = v.warnings.sorted()
	return c, nil
}

// readTOML reads the syntax. A fault of the library must not take a daemon down that only wants to look
// at a new configuration.
func readTOML(data []byte) (tree map[string]any, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("not readable as TOML (%v)", r)
		}
	}()
	err = toml.Unmarshal(data, &tree)
	return tree, err
}

func syntaxProblem(name string, err error) Problem {
	p := Problem{File: name, Line: 1, Message: "not valid TOML: " + err.Error()}
	if syntax, ok := errors.AsType[toml.ParseError](err); ok {
		p.Message = "not valid TOML: " + syntax.Message
		p.Key = syntax.LastKey
		p.Line, p.Column = max(1, syntax.Position.Line), max(0, syntax.Position.Col)
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
	dir, err := realFolder(dir)
	if err != nil {
		return "", fmt.Errorf("look for %s: %w", FileName, err)
	}
	top := repositoryTop(dir)
	for at := dir; ; at = filepath.Dir(at) {
		path := filepath.Join(at, FileName)
		info, err := os.Stat(path)
		switch {
		case err == nil && info.Mode().IsRegular():
			if at != dir {
				err = refuseShared(path)
			}
			return path, err
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return "", fmt.Errorf("look for %s: %w", FileName, err)
		case top == "" || at == top:
			return "", ErrNotFound
		}
	}
}
