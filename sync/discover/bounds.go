package discover

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"strings"
)

// What is in a tree is not known before it is read: exports of databases that are named like resource files, what a
// build makes, folders of other people's files under any name. Reading it ends all the same, soon and in little
// memory; what it leaves out is named.
const (
	mostOfAFile = 32 << 20  // bytes: resource files are hundreds of times smaller
	mostOfAll   = 128 << 20 // bytes of all resource files that are read
	mostOfHints = 32 << 20  // bytes of all files that may say the source language
	mostNames   = 500_000   // files that a walk lists
	deepest     = 64        // folders inside one another that a walk enters
)

// allowance is what may still be read.
type allowance int64

// unread is why a file was not read although it could be.
type unread struct{ why string }

func (u unread) Error() string { return u.why }

// readFile reads a file as far as the allowance goes. Only regular files are opened: a pipe would wait for its writer.
func (s *search) readFile(name string, left *allowance) ([]byte, error) {
	info, err := fs.Lstat(s.fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, unread{"it is not a regular file"}
	case info.Size() > mostOfAFile:
		return nil, unread{fmt.Sprintf("it has %d MB, which is more than resource files have; "+
			"write it into locsync.toml by hand, if it is one", info.Size()>>20)}
	case info.Size() > int64(*left):
		return nil, unread{fmt.Sprintf("the others have %d MB already; write it into locsync.toml by hand", mostOfAll>>20)}
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(f, info.Size()))
	*left -= allowance(len(src))
	return src, errors.Join(err, f.Close())
}

// throughLink reports whether a folder is reached through a symbolic link: git may name a file there that was one
// before the link came.
func (s *search) throughLink(folder string) bool {
	linked, known := s.links[folder]
	if !known {
		info, err := fs.Lstat(s.fsys, folder)
		linked = err != nil || !info.IsDir() || s.throughLink(path.Dir(folder))
		s.links[folder] = linked
	}
	return linked
}

// unseen names a folder whose files cannot be looked at, once.
func (s *search) unseen(name string, err error) {
	folder := path.Dir(name) + "/"
	if s.closed == nil {
		s.closed = make(map[string]*LeftOut)
	}
	if s.closed[folder] == nil {
		s.closed[folder] = &LeftOut{Path: folder, Reason: closedFolder(err)}
	}
	s.closed[folder].Files++
}

func closedFolder(err error) string {
	var at *fs.PathError
	if errors.As(err, &at) {
		err = at.Err
	}
	return "is a folder that cannot be looked into: " + err.Error()
}

// Walk lists a tree of which the tracked files are not known. Folders of other people's files are not entered. What
// cannot be read, is too deep, or comes after too much else is left out.
func Walk(fsys fs.FS) (Listing, error) {
	var l Listing
	err := fs.WalkDir(fsys, ".", func(name string, d fs.DirEntry, err error) error {
		skip := func(reason string) error {
			l.LeftOut = append(l.LeftOut, LeftOut{Path: name + "/", Reason: reason})
			return fs.SkipDir
		}
		switch {
		case err != nil && name == ".":
			return err
		case errors.Is(err, fs.ErrNotExist), errors.Is(err, fs.ErrInvalid):
			return nil // just gone, or of a name that is not a text
		case err != nil:
			return skip(closedFolder(err))
		case d.IsDir() && name != "." && foreignFolder(d.Name()):
			return fs.SkipDir
		case d.IsDir() && strings.Count(name, "/") >= deepest:
			return skip(fmt.Sprintf("is more than %d folders deep", deepest))
		case d.Type().IsRegular() && len(l.Tracked) == mostNames:
			reason := fmt.Sprintf("and what is behind it come after %d files, and are not looked at; "+
				"with a git program only those count that git tracks", mostNames)
			l.LeftOut = append(l.LeftOut, LeftOut{Path: name, Reason: reason})
			return fs.SkipAll
		case d.Type().IsRegular():
			l.Tracked = append(l.Tracked, name)
		}
		return nil
	})
	if err != nil {
		return Listing{}, fmt.Errorf("look for resource files: %w", err)
	}
	return l, nil
}
