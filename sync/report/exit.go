package report

// Exit codes of commands, and of what doctor finds.
const (
	ExitDone    = 0
	ExitLater   = 1 // failed, may work later
	ExitWrong   = 2 // usage, configuration or credentials: will not work until they are changed
	ExitPartial = 3 // done, but something was left out

	ExitInterrupted = 130 // ended by a signal before the work was done
)
