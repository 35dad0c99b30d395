package failure

import (
	"github.com/locsync/locsync/sync/report"
)

// UsageError is a problem that only a change of the configuration or the arguments ends: the exit code 2 of commands.
type UsageError struct{ Err error }

func (e *UsageError) Error() string { return e.Err.Error() }

// ErrorCode is what reports call it.
func (e *UsageError) ErrorCode() string {
	if code := Code(e.Err); code != report.FailedInternal {
		return code
	}
	return report.FailedConfig
}

func (e *UsageError) Unwrap() error { return e.Err }
