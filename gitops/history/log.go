package history

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/locsync/locsync/gitops/object"
)

// Logged is a commit of a log.
type Logged struct {
	Commit  object.Name
	Parents []int    // their indexes in the log, each above its own
	When    int64    // seconds since 1970
	Same    []string // what the lines of SameMeaning name
	Cut     bool     // it has parents that are not read
	Changes []Change // what differs from the first parent; of a commit without parents, all files
}

// Change is what a commit has at a path.
type Change struct {
	Path string
	Blob object.Name // zero where nothing is there
}

// What is read of a history at most; with both, a log takes 200 MB. The rest of a longer message is passed over.
const (
	mostLogged  = 500_000 // commits
	mostChanges = 1_000_000
	mostField   = 1 << 20 // bytes of a path or a message
)

// Log is the history of a commit, each commit before its parents, with the changes of wanted paths. One run of git
// tells all of it: it compares trees faster than they could be read one by one.
func (g *Graph) Log(ctx context.Context, tip object.Name, wanted func(path string) bool) ([]Logged, error) {
	out, in := io.Pipe()
	defer out.Close()
	call := g.call("-c", "log.showRoot=true", "-c", "diff.relative=false", "log", "-z", "--raw", "-O/dev/null",
		"--no-abbrev", "--no-renames", "--ignore-submodules=none", "--no-show-signature", "--topo-order",
		"--diff-merges=first-parent", "--encoding=UTF-8",
		"--format=%H%x00%P%x00%ct%x00%B%x00", tip.String(), "--")
	call.Output = in
	go func() {
		_, err := g.Git.Run(ctx, call)
		in.CloseWithError(err)
	}()
	commits, parents, err := readLog(bufio.NewReaderSize(out, mostField), wanted)
	if err != nil {
		return nil, fmt.Errorf("read the log of %s: %w", tip, err)
	}
	index := make(map[object.Name]int, len(commits))
	for i := range commits {
		index[commits[i].Commit] = i
	}
	for i := range commits {
		c := &commits[i]
		for _, name := range parents[i] {
			at, read := index[name]
			c.Parents, c.Cut = append(c.Parents, at), c.Cut || !read
		}
		if len(c.Parents) == 0 { // a shallow clone may have been cut at it
			whole, err := g.Commit(c.Commit)
			if err != nil {
				return nil, err
			}
			c.Cut = len(whole.Parents) > 0
		}
		if c.Cut {
			c.Parents = nil
		}
	}
	return commits, nil
}

// readLog reads what git prints: four fields of each commit, and two of each of its changes. Parents are those of each
// commit.
func readLog(r *bufio.Reader, wanted func(path string) bool) (commits []Logged, parents [][]object.Name, err error) {
	paths, changes := make(map[string]string), 0
	field := func() []byte {
		if err != nil {
			return nil
		}
		var b []byte
		b, err = r.ReadSlice(0)
		return bytes.TrimSuffix(b, []byte{0})
	}
	for {
		b := bytes.TrimPrefix(field(), []byte("\n"))
		switch {
		case errors.Is(err, io.EOF):
			return commits, parents, nil
		case err != nil:
			return nil, nil, err
		case len(commits) == mostLogged || changes == mostChanges: // the rest is passed over
		case len(b) == 0: // between two commits
		case b[0] == ':':
			about := strings.Fields(string(b))
			path := string(field())
			if err != nil || !wanted(path) {
				continue
			}
			if paths[path] == "" {
				paths[path] = path
			}
			blob, _ := object.Parse(about[3])
			at := &commits[len(commits)-1]
			at.Changes, changes = append(at.Changes, Change{paths[path], blob}), changes+1
		default:
			var c Logged
			c.Commit, _ = object.Parse(string(b))
			var of []object.Name
			for _, word := range strings.Fields(string(field())) {
				name, _ := object.Parse(word)
				of = append(of, name)
			}
			c.When, _ = strconv.ParseInt(string(field()), 10, 64)
			c.Same = meant(field())
			for errors.Is(err, bufio.ErrBufferFull) {
				_, err = r.ReadSlice(0)
			}
			commits, parents = append(commits, c), append(parents, of)
		}
	}
}

// meant are the keys of the SameMeaning lines of a message. They count anywhere: of a squashed commit git takes only
// the last block for trailers.
func meant(message []byte) (keys []string) {
	for line := range bytes.Lines(message) {
		if len(line) <= len(SameMeaning) || !bytes.EqualFold(line[:len(SameMeaning)], []byte(SameMeaning)) {
			continue
		}
		value, is := bytes.CutPrefix(bytes.TrimLeft(line[len(SameMeaning):], " \t"), []byte(":"))
		if key := string(bytes.TrimSpace(value)); is && key != "" {
			keys = append(keys, key)
		}
	}
	return keys
}
