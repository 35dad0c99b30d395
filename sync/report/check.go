package report

import "slices"

// CheckReport is what is wrong with the files of every project.
type CheckReport struct {
	Known    int            `json:"known"` // problems that a baseline has, which the projects do not
	Projects []ProjectCheck `json:"projects"`
}

// ProjectCheck is one project's part of a check.
type ProjectCheck struct {
	Name     string        `json:"name"`
	Root     string        `json:"root"` // the folder that the paths are relative to; "" of a bare repository
	Keys     int           `json:"keys"` // in the source files
	Files    []CheckedFile `json:"files"`
	Losses   []Loss        `json:"losses"`   // by format
	Problems []Problem     `json:"problems"` // by file, line and column; those of the whole project first

	Explained []Explained `json:"explained,omitempty"` // of the key that --explain names
	Since     *Since      `json:"since,omitempty"`     // of --since
	Stale     []Stale     `json:"stale,omitempty"`     // of --stale, by file and key
}

// Stale is a source text that changed after some of its translations.
type Stale struct {
	File      string   `json:"file"` // of the source
	Key       string   `json:"key"`
	Text      string   `json:"text"`   // a digest of it
	Commit    string   `json:"commit"` // that changed it; "" where none has yet
	Languages []string `json:"languages"`
}

// Since is from which commit on the problems are of keys that changed.
type Since struct {
	Name   string `json:"name"`   // as it was asked for; "-" of a diff from standard input
	Commit string `json:"commit"` // in which that and what is checked parted; "" of a diff
	Others int    `json:"others"` // problems of other keys, which are not told

	Changed []ChangedTexts `json:"changed,omitempty"` // source files with new or other texts
}

// ChangedTexts is a source file whose texts changed.
type ChangedTexts struct {
	File   string         `json:"file"`
	Keys   int            `json:"keys"`             // that are new, or have another text
	Behind map[string]int `json:"behind,omitempty"` // by language: those whose translation did not change with them
}

// Explained is how a source text is read, and what says so.
type Explained struct {
	File      string   `json:"file"`
	Key       string   `json:"key"`
	Form      string   `json:"form"`
	Text      string   `json:"text"`
	Reader    string   `json:"reader"`  // the kind of program; "" where nothing names it
	Because   string   `json:"because"` // what names it
	Arguments []string `json:"arguments"`
	Faults    []string `json:"faults"` // for which that program refuses the text
}

// Loss is what some files of a format hold, and the format or the service has no place for.
type Loss struct {
	Format string   `json:"format"`
	Lost   []string `json:"lost"` // sentences
}

// CheckedFile is one file that was read: a source file, or its translations into one language.
type CheckedFile struct {
	Path       string `json:"path"`
	Language   string `json:"language"`
	Format     string `json:"format"`
	Collection string `json:"collection"`
	Keys       int    `json:"keys"`
	Errors     int    `json:"errors"`
	Warnings   int    `json:"warnings"`
}

// Sound reports whether no problem is an error.
func (r CheckReport) Sound() bool {
	return !slices.ContainsFunc(r.Projects, func(p ProjectCheck) bool {
		return LeavesOut(p.Problems)
	})
}

// Misconfigured reports whether the configuration does not fit the files that are there.
func (r CheckReport) Misconfigured() bool {
	return slices.ContainsFunc(r.Projects, func(p ProjectCheck) bool {
		return slices.ContainsFunc(p.Problems, func(p Problem) bool { return p.Configuration })
	})
}

// Count counts the problems of each file.
func (c *ProjectCheck) Count() {
	files := make(map[string]*CheckedFile, len(c.Files))
	for i := range c.Files {
		f := &c.Files[i]
		f.Errors, f.Warnings = 0, 0
		files[f.Path] = f
	}
	for _, p := range c.Problems {
		switch f := files[p.File]; {
		case f == nil:
		case p.Severity == Error:
			f.Errors++
		default:
			f.Warnings++
		}
	}
}
