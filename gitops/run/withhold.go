package run

import "sync"

// withheld are the environment variables that hold secrets of this process under names of their own. Like the
// environment, they belong to the process as a whole.
var withheld sync.Map

// Withhold keeps variables from everything that git starts, from now on.
func Withhold(names ...string) {
	for _, name := range names {
		withheld.Store(name, true)
	}
}

func isWithheld(name string) bool {
	_, is := withheld.Load(name)
	return is
}
