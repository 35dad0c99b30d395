package content

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"

	"github.com/locsync/locsync/gitops/tree"
	"github.com/locsync/locsync/sync/bound"
)

// What gitattributes say about a path: how its encoding is stored, and whether its content passes through a filter. git
// answers (git check-attr) for the tree that is read or written, not for the working tree, which may be on another
// branch. It is asked only where some file of attributes says anything about these.

// attributes are those of one path, as git check-attr prints them: "set", "unset", "unspecified", or a value.
type attributes map[string]string

// asked are the attributes that decide what is done here, and the words of which a file of attributes has one if it
// says anything about them.
var asked = []string{"filter", "working-tree-encoding"}

// value is an attribute's value; "" when it has none.
func (a attributes) value(name string) string {
	if v := a[name]; v != "set" && v != "unset" && v != "unspecified" {
		return v
	}
	return ""
}

// attributesOf asks git for many paths at once, where a file of attributes has one of the words.
func (t *Files) attributesOf(ctx context.Context, paths []string, about ...string) (map[string]attributes, error) {
	all := make(map[string]attributes, len(paths))
	for _, name := range paths {
		all[name] = attributes{}
	}
	files, err := t.attributeFiles(paths)
	if err != nil {
		return nil, err
	}
	if files[""], err = t.attributesBeside(); err != nil {
		return nil, err
	}
	mentioned := func(content []byte) bool {
		return slices.ContainsFunc(about, func(word string) bool { return bytes.Contains(content, []byte(word)) })
	}
	if len(paths) == 0 || !slices.ContainsFunc(slices.Collect(maps.Values(files)), mentioned) {
		return all, nil
	}
	w, err := t.Workbench(paths)
	if err != nil {
		return nil, fmt.Errorf("prepare the question about attributes: %w", err)
	}
	defer w.Close()
	out, err := w.Run(ctx, []byte(strings.Join(paths, "\x00")+"\x00"), append([]string{"check-attr", "-z", "--stdin"},
		asked...)...)
	if err != nil {
		return nil, fmt.Errorf("ask git for the attributes of %d files: %w", len(paths), err)
	}
	for f := strings.Split(string(out), "\x00"); len(f) >= 3; f = f[3:] { // path, attribute, value
		if all[f[0]] != nil {
			all[f[0]][f[1]] = f[2]
		}
	}
	return all, nil
}

// attributeFiles are the files of attributes on the way to paths, by folder; nil where a folder has none.
func (t *Files) attributeFiles(paths []string) (map[string][]byte, error) {
	files := map[string][]byte{}
	for _, name := range paths {
		for folder := path.Dir(name); ; folder = path.Dir(folder) {
			if _, known := files[folder]; known {
				break
			}
			content, err := t.attributesFile(folder)
			if err != nil {
				return nil, err
			}
			if files[folder] = content; folder == "." {
				break
			}
		}
	}
	return files, nil
}

// mostAttributes bounds one file of attributes.
const mostAttributes = 4 << 20

// attributesBeside are the files of attributes that are in no tree: the machine's, the user's, the repository's own.
func (t *Files) attributesBeside() (all []byte, err error) {
	user := t.repo.Settings.File("core.attributesfile")
	if user == "" {
		if home, err := os.UserHomeDir(); err == nil {
			user = filepath.Join(cmp.Or(os.Getenv("XDG_CONFIG_HOME"), filepath.Join(home, ".config")), "git", "attributes")
		}
	}
	// of a git with a prefix of its own
	beside := filepath.Join(filepath.Dir(filepath.Dir(t.repo.Git.Path)), "etc", "gitattributes")
	for _, file := range []string{"/etc/gitattributes", beside, user, filepath.Join(t.repo.Facts.CommonDir, "info",
		"attributes")} {
		content, err := bound.ReadFile(file, mostAttributes)
		if bound.Is(err) {
			return nil, err
		}
		// git passes over one that it cannot read, too
		all = append(append(all, content...), '\n')
	}
	return all, nil
}

// attributesFile is .gitattributes of a folder in the tree; nil where there is none.
func (t *Files) attributesFile(folder string) ([]byte, error) {
	t.mu.Lock()
	content, known := t.attrFiles[folder]
	t.mu.Unlock()
	if known {
		return content, nil
	}
	e, err := t.FS.Lookup(path.Join(folder, ".gitattributes"), false)
	switch {
	case errors.Is(err, fs.ErrNotExist), err == nil && !e.IsFile():
	case err != nil:
		return nil, err
	default:
		if content, err = t.FS.Stored(e.Hash); err == nil && len(content) > mostAttributes {
			err = fmt.Errorf("%s/.gitattributes: %w", folder, &bound.Exceeded{What: "bytes", Most: mostAttributes})
		}
		if err != nil {
			return nil, err
		}
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.attrFiles == nil {
		t.attrFiles = map[string][]byte{}
	}
	t.attrFiles[folder] = content
	return content, nil
}

// filterOf is the content filter of a file that is read, asked for together with the other files of its folder.
func (t *Files) filterOf(ctx context.Context, name string) (string, error) {
	t.mu.Lock()
	a, known := t.attrs[name]
	t.mu.Unlock()
	if known {
		return a.value("filter"), nil
	}
	paths := []string{name}
	if at, err := t.FS.Lookup(path.Dir(name), true); err == nil && at.IsDir() {
		entries, err := t.FS.Entries(at.Hash)
		if err != nil {
			return "", err
		}
		for _, e := range entries {
			if p := path.Join(path.Dir(name), e.Name); p != name && e.IsFile() {
				paths = append(paths, p)
			}
		}
	}
	all, err := t.attributesOf(ctx, paths, "filter")
	if err != nil {
		return "", err
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.attrs == nil {
		t.attrs = map[string]attributes{}
	}
	for p, a := range all {
		t.attrs[p] = a
	}
	return all[name].value("filter"), nil
}

// line is the line of attributes that most likely says a word about a path, for messages.
func (t *Files) line(name, word string) string {
	for folder := path.Dir(name); ; folder = path.Dir(folder) {
		content, _ := t.attributesFile(folder)
		found, n := "", 0
		for text := range strings.Lines(string(content)) {
			if n++; strings.Contains(text, word) && !strings.HasPrefix(text, "[attr]") && !strings.HasPrefix(text, "#") {
				found = fmt.Sprintf("%q in %s:%d", strings.TrimSpace(text), path.Join(folder, ".gitattributes"), n)
			}
		}
		if found != "" || folder == "." {
			return cmp.Or(found, "git check-attr -a "+name)
		}
	}
}

// storing is how the content of a path is stored.
type storing struct {
	utf8   bool   // it is another encoding in a working tree, and always UTF-8 here
	filter string // the program that git runs over it
	line   string // what says so
}

// rule says how a path is stored. A tree.Refusal when it would have to pass a filter that cannot be run here, or be in
// an encoding that could not hold every text: a plain blob on an LFS path breaks every checkout.
func (t *Files) rule(name string, a attributes) (storing, error) {
	var s storing
	if s.filter = a.value("filter"); s.filter != "" {
		s.line = t.line(name, s.filter)
		return s, t.runnable(s.filter, s.line)
	}
	if encoding := a.value("working-tree-encoding"); encoding != "" {
		s.utf8, s.line = true, t.line(name, encoding)
		if !holdsAllText(encoding) {
			return s, tree.Refuse("working-tree-encoding=%s applies to it (%s), and locsync writes no encoding but those "+
				"of Unicode; change the encoding to UTF-8 or UTF-16, or take the file out of that pattern", encoding, s.line)
		}
	}
	return s, nil
}

// holdsAllText is whether an encoding, by the names that git takes, can hold whatever a translation may be.
func holdsAllText(encoding string) bool {
	return strings.HasPrefix(strings.ReplaceAll(strings.ToUpper(encoding), "-", ""), "UTF")
}

// converts says whether git may store something else than the content: besides filters, which see all of it, there are
// line ends and $Id$. A file without any needs no process.
func (s storing) converts(data []byte) bool {
	return s.filter != "" || bytes.Contains(data, []byte("\r\n")) || bytes.Contains(data, []byte("$Id:"))
}
