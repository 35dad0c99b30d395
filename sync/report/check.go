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
