package check

import (
	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/programs"
)

// ProgramsOf are those that read a format.
func ProgramsOf(format string) programs.Programs {
	f, known := formats.Named(format)
	if !known {
		panic("there is no format " + format)
	}
	return f.Programs
}

// onlyHidden turns off all of Kinds but one.
func onlyHidden(kind string) Level {
	if kind == Hidden {
		return Usual
	}
	return Off
}
