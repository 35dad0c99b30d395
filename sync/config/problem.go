package config

import (
	"cmp"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/locsync/locsync/sync/config/position"
)

// Problem is one thing that is wrong in a configuration file: where it is and what would be right
// there.
type Problem struct {
	File    string // as it was given to Load or Parse
	Line    int    // from 1; where a key is missing, the line of the table that lacks it
	Column  int    // from 1; 0 where only the line is known
	Key     string // dotted, as TOML spells it: project.push.conflicts; empty for the file as a whole
	Message string // what is wrong, and what is allowed
}

// Error is the problem in one line: file, line, key, message.
func (p Problem) Error() string {
	var b strings.Builder
	b.WriteString(p.File)
	b.WriteString(":" + strconv.Itoa(p.Line))
	if p.Column > 0 {
		b.WriteString(":" + strconv.Itoa(p.Column))
	}
	b.WriteString(": ")
	if p.Key != "" {
		b.WriteString(p.Key + ": ")
	}
	b.WriteString(p.Message)
	return b.String()
}

// place is the problem without what it says.
func (p Problem) place() Problem {
	p.Message = ""
	return p
}

// mostTold is how many problems are told; the others are counted.
const mostTold = 100

// Problems is everything that is wrong with a configuration, in the order of its lines. It is the error
// that Load and Parse return for a file they could read, so that a file need not be repaired one
// message at a time.
type Problems []Problem

// Error lists the problems, one a line; of very many the first ones.
func (ps Problems) Error() string {
	told := ps[:min(len(ps), mostTold)]
	lines := make([]string, len(told))
	for i, p := range told {
		lines[i] = p.Error()
	}
	if more := len(ps) - len(told); more > 0 {
		lines = append(lines, fmt.Sprintf("and %d more problems", more))
	}
	return strings.Join(lines, "\n")
}

// sorted puts the problems in the order of their files and lines and drops what is said twice.
func (ps Problems) sorted() Problems {
	slices.SortStableFunc(ps, func(a, b Problem) int {
		return cmp.Or(cmp.Compare(a.File, b.File), cmp.Compare(a.Line, b.Line), cmp.Compare(a.Column, b.Column))
	})
	return slices.Compact(ps)
}

// err is the list as an error, nil when it is empty.
func (ps Problems) err() error {
	if len(ps) == 0 {
		return nil
	}
	return ps
}

// origin remembers where a part of the configuration is in its file, so that a problem that shows
// only later (two source files with one target, a missing secret) can still name its line.
type origin struct {
	file  string
	path  string // where this part begins: "project[0].files[1]"; empty for the whole file
	lines position.Lines
}

// at is the origin of a part below this one.
func (o origin) at(key string) origin {
	o.path = position.Join(o.path, key)
	return o
}

// index is the origin of one element of this array.
func (o origin) index(i int) origin {
	o.path += "[" + strconv.Itoa(i) + "]"
	return o
}

// lineFrom is the line, for a message about another part: with the file, where that is in another one.
func (o origin) lineFrom(other origin) string {
	line := strconv.Itoa(o.lines.Of(o.path))
	if o.file != other.file {
		line += " of " + o.file
	}
	return line
}

// suffixed is the origin of the key that is called like this one, with an end.
func (o origin) suffixed(end string) origin {
	o.path += end
	return o
}

// problem is a problem with what is here.
func (o origin) problem(format string, args ...any) Problem {
	return Problem{
		File:    o.file,
		Line:    o.lines.Of(o.path),
		Key:     position.WithoutIndexes(o.path),
		Message: fmt.Sprintf(format, args...),
	}
}
