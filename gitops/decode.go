package gitops

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
)

// The content of commits and trees as git writes it: only the parts that this package looks at.

// Modes of tree entries.
const (
	modeDir    = 0o040000
	modeFile   = 0o100644
	modeExec   = 0o100755
	modeLink   = 0o120000
	modeModule = 0o160000 // a submodule: the hash is a commit of another repository
)

// entry is one name in a tree.
type entry struct {
	name string
	mode uint32
	hash hash
}

func (e entry) isDir() bool { return e.mode == modeDir }

// isFile also takes the group-writable mode that git wrote long ago.
func (e entry) isFile() bool { return e.mode&0o170000 == 0o100000 }

// parseTree reads a tree's entries in their order. A name that git fsck calls an error is a damaged tree: a walk into "."
// would not end. What may be written besides is checked where it is written (paths.go).
func parseTree(b []byte) ([]entry, error) {
	entries := make([]entry, 0, bytes.Count(b, []byte{0})) // an upper bound that is about right
	for len(b) > 0 {
		space := bytes.IndexByte(b, ' ')
		end := bytes.IndexByte(b, 0)
		if space < 0 || end < space || len(b) < end+21 {
			return nil, fmt.Errorf("damaged tree; git fsck tells more")
		}
		mode, err := strconv.ParseUint(string(b[:space]), 8, 32)
		if err != nil {
			return nil, fmt.Errorf("damaged tree: mode %q", b[:space])
		}
		e := entry{name: string(b[space+1 : end]), mode: uint32(mode)}
		if err := checkEntry(e.name); err != nil {
			return nil, err
		}
		copy(e.hash[:], b[end+1:])
		entries = append(entries, e)
		b = b[end+21:]
	}
	return entries, nil
}

// checkEntry refuses the names of entries that no git makes, as fsck does.
func checkEntry(name string) error {
	bad := name == "" || name == "." || name == ".." || strings.Contains(name, "/")
	for part := range strings.SplitSeq(name, `\`) {
		bad = bad || isDotGit(part)
	}
	if bad {
		return fmt.Errorf("damaged tree: it has an entry named %q, which no git makes; git fsck tells more", name)
	}
	return nil
}

// encodeTree writes entries in git's order: by bytes, folders as if their name ended in a slash.
func encodeTree(entries []entry) []byte {
	sorted := slices.Clone(entries)
	slices.SortFunc(sorted, func(a, b entry) int { return strings.Compare(a.sortName(), b.sortName()) })
	var out []byte
	for _, e := range sorted {
		out = strconv.AppendUint(out, uint64(e.mode), 8)
		out = append(out, ' ')
		out = append(out, e.name...)
		out = append(out, 0)
		out = append(out, e.hash[:]...)
	}
	return out
}

func (e entry) sortName() string {
	if e.isDir() {
		return e.name + "/"
	}
	return e.name
}

// commit is what this package needs to know of a commit.
type commit struct {
	hash    hash
	tree    hash
	parents []hash
	when    int64 // committer's clock, in seconds since 1970
	message string
}

func parseCommit(h hash, b []byte) (*commit, error) {
	head, message, _ := strings.Cut(string(b), "\n\n")
	c := &commit{hash: h, message: message}
	for line := range strings.Lines(head) {
		word, rest, _ := strings.Cut(strings.TrimSuffix(line, "\n"), " ")
		switch word {
		case "tree", "parent":
			id, ok := parseHash(rest)
			if !ok {
				return nil, fmt.Errorf("commit %s is damaged; git fsck tells more", h)
			}
			if word == "tree" {
				c.tree = id
			} else {
				c.parents = append(c.parents, id)
			}
		case "committer":
			// "Name <email> 1700000000 +0100"; a clock that cannot be read counts as the oldest, as in git.
			if _, after, ok := strings.Cut(rest, "> "); ok {
				seconds, _, _ := strings.Cut(after, " ")
				c.when, _ = strconv.ParseInt(seconds, 10, 64)
			}
		}
	}
	if c.tree.IsZero() {
		return nil, fmt.Errorf("commit %s names no tree; git fsck tells more", h)
	}
	return c, nil
}

// ours says whether the last paragraph of the message carries our trailer.
func (c *commit) ours() bool { return len(c.trailers()) > 0 }

// trailers are the values of our trailer: the projects that the commit was made for.
func (c *commit) trailers() []string {
	body := strings.TrimRight(c.message, "\n")
	last := body[strings.LastIndex(body, "\n\n")+1:]
	var values []string
	for line := range strings.Lines(last) {
		if value, is := strings.CutPrefix(line, Trailer+":"); is {
			values = append(values, strings.TrimSpace(value))
		}
	}
	return values
}

// subject is the first line of the message.
func (c *commit) subject() string {
	line, _, _ := strings.Cut(strings.TrimLeft(c.message, "\n"), "\n")
	return line
}

// object is one object that is not in any store yet.
type object struct {
	kind kind
	hash hash
	data []byte
}

// emptyTree is known to every git without being stored.
var emptyTree = plumbing.ComputeHash(kindTree, nil)

func newObject(k kind, data []byte) object {
	return object{kind: k, hash: plumbing.ComputeHash(k, data), data: data}
}
