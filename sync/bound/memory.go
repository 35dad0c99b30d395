package bound

import (
	"math"
	"os"
	"path"
	"runtime/debug"
	"strconv"
	"strings"
)

// mostMemory is when the garbage collector works harder, where nothing else is said: well below the promise. A pull of
// 500,000 translations takes no longer with it; with 200 MB it takes a quarter more.
const mostMemory = 224 << 20

// projectMemory is what a project of a daemon takes while it rests. Without it in the limit a daemon of thousands has
// its garbage collected again and again, in vain.
const projectMemory = 96 << 10

// LimitMemory tells the garbage collector how much there is for a number of projects: nine tenths of what the control
// group of this process may have (systemd's MemoryMax and MemoryHigh, a container's limit), at most mostMemory and what
// the projects take. GOMEMLIMIT wins.
func LimitMemory(projects int) {
	if os.Getenv("GOMEMLIMIT") == "" {
		most := mostMemory + int64(projects)*projectMemory
		debug.SetMemoryLimit(min(most, groupMemory("/proc/self/cgroup", "/sys/fs/cgroup")/10*9))
	}
}

// groupMemory is the least limit of the control group that a file names, and of those around it.
func groupMemory(file, root string) int64 {
	least := int64(math.MaxInt64)
	text, _ := os.ReadFile(file) // other systems have none
	for line := range strings.Lines(string(text)) {
		group, unified := strings.CutPrefix(strings.TrimSpace(line), "0::")
		if !unified {
			continue
		}
		for group = path.Join("/", group); ; group = path.Dir(group) {
			for _, name := range []string{"memory.max", "memory.high"} {
				limit, _ := os.ReadFile(path.Join(root, group, name))
				if n, err := strconv.ParseInt(strings.TrimSpace(string(limit)), 10, 64); err == nil && n > 0 {
					least = min(least, n)
				}
			}
			if group == "/" {
				break
			}
		}
	}
	return least
}
