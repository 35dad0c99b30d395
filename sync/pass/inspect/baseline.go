package inspect

import (
	"bytes"
	"cmp"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"

	"github.com/locsync/locsync/sync/bound"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/files"
	"github.com/locsync/locsync/sync/report"
)

// baseline are the problems that a repository has accepted: check reports only others. Its file has one problem a line,
// in order, and no line numbers of resource files, so that it stays as it is when those are reformatted.
type baseline struct {
	Schema   int        `json:"schema"`
	Problems []accepted `json:"problems"`
}

const baselineSchema = 1

// accepted is what one problem is known by.
type accepted struct {
	Project  string `json:"project"`
	File     string `json:"file"`
	Language string `json:"language,omitempty"`
	Key      string `json:"key,omitempty"`
	Code     string `json:"code"`
	Problem  string `json:"problem"`
	Times    int    `json:"times,omitempty"` // 0 is once: several forms of a plural may have it
}

// accept tells what a problem is known by. What keeps the whole project from being checked is never accepted.
func accept(p report.ProjectCheck, problem report.Problem) (known accepted, ok bool) {
	if problem.File == "" || problem.Configuration {
		return accepted{}, false
	}
	file := problem.File
	if filepath.IsAbs(file) { // the configuration: it may be checked out elsewhere
		rel, err := filepath.Rel(files.Resolved(p.Root), files.Resolved(file))
		if file = filepath.ToSlash(rel); p.Root == "" || err != nil || !filepath.IsLocal(rel) {
			file = filepath.Base(problem.File)
		}
	}
	return accepted{Project: p.Name, File: file, Language: problem.Language, Key: problem.Key, Code: problem.Code,
		Problem: problem.Problem}, true
}

// baselineOf are the problems of a report.
func baselineOf(result report.CheckReport) baseline {
	times := make(map[accepted]int)
	for _, p := range result.Projects {
		for _, problem := range p.Problems {
			if known, ok := accept(p, problem); ok {
				times[known]++
			}
		}
	}
	b := baseline{baselineSchema, []accepted{}}
	for known, n := range times {
		if n > 1 {
			known.Times = n
		}
		b.Problems = append(b.Problems, known)
	}
	slices.SortFunc(b.Problems, func(a, b accepted) int {
		return cmp.Or(cmp.Compare(a.Project, b.Project), cmp.Compare(a.File, b.File), cmp.Compare(a.Language, b.Language),
			cmp.Compare(a.Key, b.Key), cmp.Compare(a.Code, b.Code), cmp.Compare(a.Problem, b.Problem))
	})
	return b
}

// write writes one problem a line, which git merges and shows best.
func (b baseline) write(w io.Writer) error {
	var text bytes.Buffer
	fmt.Fprintf(&text, "{\"schema\": %d, \"problems\": [", b.Schema)
	for i, p := range b.Problems {
		var line bytes.Buffer
		enc := json.NewEncoder(&line)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(p); err != nil {
			return err
		}
		if i > 0 {
			text.WriteByte(',')
		}
		text.WriteByte('\n')
		text.Write(bytes.TrimSpace(line.Bytes()))
	}
	text.WriteString("\n]}\n")
	_, err := w.Write(text.Bytes())
	return err
}

const mostBaseline = 16 << 20 // bytes

// readBaseline reads a baseline; there is false where there is no such file.
func readBaseline(file string) (b baseline, there bool, err error) {
	text, err := bound.ReadFile(file, mostBaseline)
	if errors.Is(err, fs.ErrNotExist) {
		return b, false, nil
	}
	if err == nil {
		decoder := json.NewDecoder(bytes.NewReader(text))
		decoder.DisallowUnknownFields()
		if err = decoder.Decode(&b); err == nil && b.Schema != baselineSchema {
			err = fmt.Errorf("its schema is %d, and this locsync reads %d", b.Schema, baselineSchema)
		}
	}
	if err != nil {
		return b, false, failure.Usage(fmt.Errorf("the baseline %s cannot be read: %w. Restore it, or delete it: the next "+
			"check writes a new one", file, err))
	}
	return b, true, nil
}

// beyond takes the accepted problems out of a report. gone is how many of them are no longer there.
func (b baseline) beyond(result *report.CheckReport) (gone int) {
	left := make(map[accepted]int)
	for _, a := range b.Problems {
		times := max(a.Times, 1)
		a.Times = 0
		left[a] += times
		gone += times
	}
	for i := range result.Projects {
		p := &result.Projects[i]
		p.Problems = slices.DeleteFunc(p.Problems, func(problem report.Problem) bool {
			id, ok := accept(*p, problem)
			if !ok || left[id] == 0 {
				return false
			}
			left[id]--
			gone--
			result.Known++
			return true
		})
		p.Count()
	}
	return gone
}

// Accepted is what a baseline made of a check.
type Accepted struct {
	Problems int // that it has, and that are not in the report any more
	Gone     int // that it has, and that are no longer there
	Written  bool
}

// Note says it in words, of a baseline in a file.
func (a Accepted) Note(file string) string {
	if a.Written {
		return fmt.Sprintf("wrote %s to the baseline %s; commit it, and checks with it report only others",
			report.Counted(a.Problems, "problem", "problems"), file)
	}
	note := fmt.Sprintf("%s of the baseline %s not shown", report.Counted(a.Problems, "problem", "problems"), file)
	if a.Gone > 0 {
		note += fmt.Sprintf("; %d more no longer there: delete the file and check again to forget them", a.Gone)
	}
	return note
}

// ApplyBaseline compares a check with the baseline in a file, or writes one that is not there.
func ApplyBaseline(file string, result *report.CheckReport) (Accepted, error) {
	b, there, err := readBaseline(file)
	if err != nil {
		return Accepted{}, err
	}
	if !there {
		b = baselineOf(*result)
		if err := files.Write(file, func(f *os.File) error { return b.write(f) }); err != nil {
			return Accepted{}, err
		}
	}
	gone := b.beyond(result)
	return Accepted{Problems: result.Known, Gone: gone, Written: !there}, nil
}
