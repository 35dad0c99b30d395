//go:build soak

package engine

import (
	"flag"
	"fmt"
	"testing"
	"time"
)

var stormFor = flag.Duration("storm.for", 5*time.Minute, "how long TestStorms goes on")

// Storm after storm, each with another seed.
func TestStorms(t *testing.T) {
	t.Parallel()
	end := time.Now().Add(*stormFor)
	for seed := uint64(time.Now().UnixNano()); time.Now().Before(end); seed++ {
		if !t.Run(fmt.Sprint("seed ", seed), func(t *testing.T) { newStorm(t, seed, seed%2 == 0).run(3, 40) }) {
			return
		}
	}
}
