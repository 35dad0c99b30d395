package discover

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
)

// What is in a tree is not known before it is read: exports of databases that are named like resource files, what a
// build makes, folders of other people's files under any name. Reading it ends all the same, soon and in little
// memory; what it leaves out is named.
const (
	mostOfAFile = 32 << 20  // bytes: resource files are hundreds of times smaller
	mostOfAll   = 128 << 20 // bytes of all resource files that are read
	mostOfHints = 32 << 20  // bytes of all files that may say the source language
)

// unread is why a file was not read although it could be.
type unread struct{ why string }

func (u unread) Error() string { return u.why }

// readFile reads a file as far as left, the bytes that may still be read, allows. Only regular files are opened: a
// pipe would wait for its writer.
func (s *search) readFile(name string, left *int64) ([]byte, error) {
	info, err := fs.Lstat(s.fsys, name)
	switch {
	case err != nil:
		return nil, err
	case !info.Mode().IsRegular():
		return nil, unread{"it is not a regular file"}
	case info.Size() > mostOfAFile:
		return nil, unread{fmt.Sprintf("it has %d MB, which is more than resource files have; "+
			"write it into locsync.toml by hand, if it is one", info.Size()>>20)}
	case info.Size() > *left:
		return nil, unread{fmt.Sprintf("the others have %d MB already; write it into locsync.toml by hand", mostOfAll>>20)}
	}
	f, err := s.fsys.Open(name)
	if err != nil {
		return nil, err
	}
	src, err := io.ReadAll(io.LimitReader(f, info.Size()))
	*left -= int64(len(src))
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
