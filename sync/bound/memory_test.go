package bound

import (
	"math"
	"os"
	"path/filepath"
	"runtime/debug"
	"testing"
)

// The least limit of the control groups around a process counts.
func TestGroupMemory(t *testing.T) {
	root := t.TempDir()
	write := func(name, text string) string {
		t.Helper()
		name = filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(name), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(name, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		return name
	}
	file := write("cgroup", "1:name=systemd:/x\n0::/system.slice/locsync.service\n")
	if n := groupMemory(file, root); n != math.MaxInt64 {
		t.Errorf("without a limit: %d", n)
	}
	write("system.slice/locsync.service/memory.max", "max\n")
	write("system.slice/memory.max", "536870912\n")
	if n := groupMemory(file, root); n != 512<<20 {
		t.Errorf("the slice's limit: %d", n)
	}
	write("system.slice/locsync.service/memory.high", "268435456\n")
	if n := groupMemory(file, root); n != 256<<20 {
		t.Errorf("the service's limit: %d", n)
	}
}

// A daemon of many projects has room for what they take while they rest: with less its garbage would be collected
// without end.
func TestMemoryOfProjects(t *testing.T) {
	t.Setenv("GOMEMLIMIT", "")
	before := debug.SetMemoryLimit(-1)
	defer debug.SetMemoryLimit(before)
	most := groupMemory("/proc/self/cgroup", "/sys/fs/cgroup") / 10 * 9
	for _, projects := range []int{0, 1, 5000} {
		LimitMemory(projects)
		if got, want := debug.SetMemoryLimit(-1), min(most, mostMemory+int64(projects)*projectMemory); got != want {
			t.Errorf("of %d projects: %d, want %d", projects, got, want)
		}
	}
}
