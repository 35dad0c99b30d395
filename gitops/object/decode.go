package object

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"
)

// The content of commits and trees as git writes it: only the parts that this package looks at.

// Modes of tree entries.
const (
	ModeDir    = 0o040000
	ModeFile   = 0o100644
	ModeExec   = 0o100755
	ModeLink   = 0o120000
	ModeModule = 0o160000 // a submodule: the hash is a commit of another repository
)

// Entry is one name in a tree.
type Entry struct {
	Name string
	Mode uint32
	Hash Name
}

func (e Entry) IsDir() bool { return e.Mode == ModeDir }

// isFile also takes the group-writable mode that git wrote long ago.
func (e Entry) IsFile() bool { return e.Mode&0o170000 == 0o100000 }

// ParseTree reads a tree's entries in their order. A name that git fsck calls an error is a damaged tree: a walk into
// "." would not end. What may be written besides is checked where it is written (paths.go).
func (f Format) ParseTree(b []byte) ([]Entry, error) {
	entries := make([]Entry, 0, bytes.Count(b, []byte{0})) // an upper bound that is about right
	for len(b) > 0 {
		space := bytes.IndexByte(b, ' ')
		end := bytes.IndexByte(b, 0)
		if space < 0 || end < space || len(b) < end+1+f.size() {
			return nil, fmt.Errorf("damaged tree; git fsck tells more")
		}
		mode, err := strconv.ParseUint(string(b[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("damaged tree: mode %q", b[:space])
		}
		e := Entry{Name: string(b[space+1 : end]), Mode: uint32(mode)}
		if err := checkEntry(e.Name); err != nil {
			return nil, err
		}
		e.Hash = fromBytes(b[end+1 : end+1+f.size()])
		entries = append(entries, e)
		b = b[end+1+f.size():]
	}
	return entries, nil
}

// checkEntry refuses the names of entries that no git makes, as fsck does.
func checkEntry(name string) error {
	bad := name == "" || name == "." || name == ".." || strings.Contains(name, "/")
	for part := range strings.SplitSeq(name, `\`) {
		bad = bad || IsDotGit(part)
	}
	if bad {
		return fmt.Errorf("damaged tree: it has an entry named %q, which no git makes; git fsck tells more", name)
	}
	return nil
}

// EncodeTree writes entries in git's order: by bytes, folders as if their name ended in a slash.
func EncodeTree(entries []Entry) []byte {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b Entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var out []byte
	for _, e := range sorted {
		out = strconv.AppendUint(out, uint64(e.Mode), 8)
		out = append(out, ' ')
		out = append(out, e.Name...)
		out = append(out, 0)
		out = append(out, e.Hash.Bytes()...)
	}
	return out
}

func (e Entry) sortName() string {
	if e.IsDir() {
		return e.Name + "/"
	}
	return e.Name
}

// CommitData is what this package needs to know of a commit.
type CommitData struct {
	Hash    Name
	Tree    Name
	Parents []Name
	When    int64 // committer's clock, in seconds since 1970
	Message string
}

// ParseCommit reads a commit.
func ParseCommit(h Name, b []byte) (*CommitData, error) {
	head, message, _ := strings.Cut(string(b), "\n\n")
	c := &CommitData{Hash: h, Message: message}
	for line := range strings.Lines(head) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "tree", "parent":
			id, ok := Parse(rest)
			if !ok {
				return nil, fmt.Errorf("commit %s is damaged; git fsck tells more", h)
			}
			if word == "tree" {
				c.Tree = id
			} else {
				c.Parents = append(c.Parents, id)
			}
		case "committer":
			// "Name <email> 1700000000 +0100"; a clock that cannot be read counts as the oldest, as in git.
			if _, after, ok := strings.Cut(rest, "> "); ok {
				seconds, _, _ := strings.Cut(after, " ")
				c.When, _ = strconv.ParseInt(seconds, 10, 64)
			}
		}
	}
	if c.Tree.IsZero() {
		return nil, fmt.Errorf("commit %s names no tree; git fsck tells more", h)
	}
	return c, nil
}

// Subject is the first line of the message.
func (c *CommitData) Subject() string {
	line, _, _ := strings.Cut(strings.TrimLeft(c.Message, "\n"), "\n")
	return line
}

// emptyTrees are known to every git without being stored.
var emptyTrees = [...]Name{SHA1.New(Tree, nil).Name, SHA256.New(Tree, nil).Name}

// IsEmptyTree says whether a name is that of the empty tree, or none.
func IsEmptyTree(n Name) bool { return n.IsZero() || n == emptyTrees[0] || n == emptyTrees[1] }

// IsDotGit knows .git as three file systems do: in any letter case; on HFS+ with characters in between that it ignores;
// on NTFS with trailing dots and blanks, as the short name GIT~1, and with a stream after a colon.
func IsDotGit(name string) bool {
	if name == "" || strings.IndexByte(".gG\xe2\xef", name[0]) < 0 {
		return false // what may come first: the name itself, or an ignored character
	}
	ignored := func(c rune) rune {
		switch {
		case c >= 0x200c && c <= 0x200f, c >= 0x202a && c <= 0x202e, c >= 0x206a && c <= 0x206f, c == 0xfeff:
			return -1
		}
		return c
	}
	plain, _, _ := strings.Cut(strings.Map(ignored, name), ":")
	plain = strings.ToLower(strings.TrimRight(plain, ". "))
	return plain == ".git" || plain == "git~1"
}
