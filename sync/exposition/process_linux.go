package exposition

import (
	"bytes"
	"math"
	"os"
	"strconv"
	"strings"
)

var (
	cpu       = counter("process_cpu_seconds_total", "Total user and system CPU time spent in seconds.")
	virtual   = gauge("process_virtual_memory_bytes", "Virtual memory size in bytes.")
	resident  = gauge("process_resident_memory_bytes", "Resident memory size in bytes.")
	started   = gauge("process_start_time_seconds", "Start time of the process since unix epoch in seconds.")
	files     = gauge("process_open_fds", "Number of open file descriptors.")
	filesMost = gauge("process_max_fds", "Maximum number of open file descriptors.")
	virtMost  = gauge("process_virtual_memory_max_bytes", "Maximum amount of virtual memory available in bytes.")
	received  = counter("process_network_receive_bytes_total",
		"Number of bytes received by the process over the network.")
	sent = counter("process_network_transmit_bytes_total",
		"Number of bytes sent by the process over the network.")
)

// ticks is how many make a second in /proc, on every machine that Go knows.
const ticks = 100

// showSystem adds what /proc says of this process. What cannot be read is left out.
func showSystem(p *Page) {
	if stat := afterName(read("stat")); len(stat) > 21 { // its second field is a name; the first here is the third there
		p.Add(cpu, (parsed(stat[11])+parsed(stat[12]))/ticks)
		p.Add(virtual, parsed(stat[20]))
		p.Add(resident, parsed(stat[21])*float64(os.Getpagesize()))
		if boot := field(read("../stat"), "btime"); len(boot) > 0 {
			p.Add(started, parsed(boot[0])+parsed(stat[19])/ticks)
		}
	}
	if open, err := os.ReadDir("/proc/self/fd"); err == nil {
		p.Add(files, float64(len(open)-1)) // one is the folder that is being read
	}
	limits := read("limits")
	if most := field(limits, "Max open files"); len(most) > 0 {
		p.Add(filesMost, parsed(most[0]))
	}
	if most := field(limits, "Max address space"); len(most) > 0 {
		p.Add(virtMost, parsed(most[0]))
	}
	// Two lines begin with IpExt:, names first.
	net := read("net/netstat")
	names := field(net, "IpExt:")
	_, after, _ := strings.Cut(net, "\nIpExt:")
	values := field(after, "IpExt:")
	for i := range min(len(names), len(values)) {
		switch names[i] {
		case "InOctets":
			p.Add(received, parsed(values[i]))
		case "OutOctets":
			p.Add(sent, parsed(values[i]))
		}
	}
}

func read(name string) string {
	text, _ := os.ReadFile("/proc/self/" + name)
	return string(bytes.TrimSpace(text))
}

// afterName are the fields behind the program's name, which may hold spaces and brackets itself.
func afterName(stat string) []string {
	return strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
}

// field are the words behind a name that begins a line.
func field(text, name string) []string {
	for line := range strings.Lines(text) {
		if rest, found := strings.CutPrefix(line, name); found {
			return strings.Fields(rest)
		}
	}
	return nil
}

func parsed(s string) float64 {
	if s == "unlimited" {
		return math.MaxUint64
	}
	v, _ := strconv.ParseFloat(s, 64)
	return v
}
