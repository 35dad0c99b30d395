package exposition

import (
	"runtime"
	"runtime/debug"
	"runtime/metrics"
	"time"
)

func gauge(name, help string, labels ...string) *Family { return &Family{name, help, Gauge, labels} }

func counter(name, help string) *Family { return &Family{name, help, Counter, nil} }

// What is told of Go's runtime, with the names and words of Prometheus's library, which dashboards know.
var (
	goroutines = gauge("go_goroutines", "Number of goroutines that currently exist.")
	threads    = gauge("go_threads", "Number of OS threads created.")
	lastGC     = gauge("go_memstats_last_gc_time_seconds", "Number of seconds since 1970 of last garbage collection.")
	goInfo     = gauge("go_info", "Information about the Go environment.", "version")
	pauses     = &Family{"go_gc_duration_seconds",
		"A summary of the wall-time pause (stop-the-world) duration in garbage collection cycles.", Summary, nil}
)

// settings are read by their name in runtime/metrics.
var settings = []struct {
	*Family
	source string
}{
	{gauge("go_gc_gogc_percent", "Heap size target percentage configured by the user, otherwise 100. This value is "+
		"set by the GOGC environment variable, and the runtime/debug.SetGCPercent function. Sourced from "+
		"/gc/gogc:percent."), "/gc/gogc:percent"},
	{gauge("go_gc_gomemlimit_bytes", "Go runtime memory limit configured by the user, otherwise math.MaxInt64. This "+
		"value is set by the GOMEMLIMIT environment variable, and the runtime/debug.SetMemoryLimit function. Sourced "+
		"from /gc/gomemlimit:bytes."), "/gc/gomemlimit:bytes"},
	{gauge("go_sched_gomaxprocs_threads", "The current runtime.GOMAXPROCS setting, or the number of operating system "+
		"threads that can execute user-level Go code simultaneously. Sourced from /sched/gomaxprocs:threads."),
		"/sched/gomaxprocs:threads"},
}

var memory = []struct {
	*Family
	of func(*runtime.MemStats) float64
}{
	{gauge("go_memstats_alloc_bytes",
		"Number of bytes allocated in heap and currently in use. Equals to /memory/classes/heap/objects:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.Alloc) }},
	{counter("go_memstats_alloc_bytes_total",
		"Total number of bytes allocated in heap until now, even if released already. Equals to "+
			"/gc/heap/allocs:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.TotalAlloc) }},
	{gauge("go_memstats_sys_bytes",
		"Number of bytes obtained from system. Equals to /memory/classes/total:byte."),
		func(ms *runtime.MemStats) float64 { return float64(ms.Sys) }},
	{counter("go_memstats_mallocs_total",
		"Total number of heap objects allocated, both live and gc-ed. Semantically a counter version for "+
			"go_memstats_heap_objects gauge. Equals to /gc/heap/allocs:objects + /gc/heap/tiny/allocs:objects."),
		func(ms *runtime.MemStats) float64 { return float64(ms.Mallocs) }},
	{counter("go_memstats_frees_total",
		"Total number of heap objects frees. Equals to /gc/heap/frees:objects + /gc/heap/tiny/allocs:objects."),
		func(ms *runtime.MemStats) float64 { return float64(ms.Frees) }},
	{gauge("go_memstats_heap_alloc_bytes",
		"Number of heap bytes allocated and currently in use, same as go_memstats_alloc_bytes. Equals to "+
			"/memory/classes/heap/objects:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.HeapAlloc) }},
	{gauge("go_memstats_heap_sys_bytes",
		"Number of heap bytes obtained from system. Equals to /memory/classes/heap/objects:bytes + "+
			"/memory/classes/heap/unused:bytes + /memory/classes/heap/released:bytes + "+
			"/memory/classes/heap/free:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.HeapSys) }},
	{gauge("go_memstats_heap_idle_bytes",
		"Number of heap bytes waiting to be used. Equals to /memory/classes/heap/released:bytes + "+
			"/memory/classes/heap/free:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.HeapIdle) }},
	{gauge("go_memstats_heap_inuse_bytes",
		"Number of heap bytes that are in use. Equals to /memory/classes/heap/objects:bytes + "+
			"/memory/classes/heap/unused:bytes"),
		func(ms *runtime.MemStats) float64 { return float64(ms.HeapInuse) }},
	{gauge("go_memstats_heap_released_bytes",
		"Number of heap bytes released to OS. Equals to /memory/classes/heap/released:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.HeapReleased) }},
	{gauge("go_memstats_heap_objects",
		"Number of currently allocated objects. Equals to /gc/heap/objects:objects."),
		func(ms *runtime.MemStats) float64 { return float64(ms.HeapObjects) }},
	{gauge("go_memstats_stack_inuse_bytes",
		"Number of bytes obtained from system for stack allocator in non-CGO environments. Equals to "+
			"/memory/classes/heap/stacks:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.StackInuse) }},
	{gauge("go_memstats_stack_sys_bytes",
		"Number of bytes obtained from system for stack allocator. Equals to /memory/classes/heap/stacks:bytes "+
			"+ /memory/classes/os-stacks:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.StackSys) }},
	{gauge("go_memstats_mspan_inuse_bytes",
		"Number of bytes in use by mspan structures. Equals to /memory/classes/metadata/mspan/inuse:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.MSpanInuse) }},
	{gauge("go_memstats_mspan_sys_bytes",
		"Number of bytes used for mspan structures obtained from system. Equals to "+
			"/memory/classes/metadata/mspan/inuse:bytes + /memory/classes/metadata/mspan/free:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.MSpanSys) }},
	{gauge("go_memstats_mcache_inuse_bytes",
		"Number of bytes in use by mcache structures. Equals to /memory/classes/metadata/mcache/inuse:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.MCacheInuse) }},
	{gauge("go_memstats_mcache_sys_bytes",
		"Number of bytes used for mcache structures obtained from system. Equals to "+
			"/memory/classes/metadata/mcache/inuse:bytes + /memory/classes/metadata/mcache/free:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.MCacheSys) }},
	{gauge("go_memstats_buck_hash_sys_bytes",
		"Number of bytes used by the profiling bucket hash table. Equals to "+
			"/memory/classes/profiling/buckets:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.BuckHashSys) }},
	{gauge("go_memstats_gc_sys_bytes",
		"Number of bytes used for garbage collection system metadata. Equals to "+
			"/memory/classes/metadata/other:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.GCSys) }},
	{gauge("go_memstats_other_sys_bytes",
		"Number of bytes used for other system allocations. Equals to /memory/classes/other:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.OtherSys) }},
	{gauge("go_memstats_next_gc_bytes",
		"Number of heap bytes when next garbage collection will take place. Equals to /gc/heap/goal:bytes."),
		func(ms *runtime.MemStats) float64 { return float64(ms.NextGC) }},
}

// ShowProcess adds what Go's runtime and the operating system say of this process. The latter is Linux's.
func ShowProcess(p *Page) {
	p.Add(goroutines, float64(runtime.NumGoroutine()))
	n, _ := runtime.ThreadCreateProfile(nil)
	p.Add(threads, float64(n))
	p.Add(goInfo, 1, runtime.Version())
	gc := debug.GCStats{PauseQuantiles: make([]time.Duration, 5)}
	debug.ReadGCStats(&gc)
	values := make([]float64, len(gc.PauseQuantiles))
	for i, pause := range gc.PauseQuantiles {
		values[i] = pause.Seconds()
	}
	p.Quantiles(pauses, []float64{0, .25, .5, .75, 1}, values, gc.PauseTotal.Seconds(), gc.NumGC)
	p.Add(lastGC, float64(gc.LastGC.UnixNano())/1e9)
	samples := make([]metrics.Sample, len(settings))
	for i, s := range settings {
		samples[i].Name = s.source
	}
	metrics.Read(samples)
	for i, s := range settings {
		if v := samples[i].Value; v.Kind() == metrics.KindUint64 {
			p.Add(s.Family, float64(v.Uint64()))
		}
	}
	var ms runtime.MemStats
	runtime.ReadMemStats(&ms)
	for _, m := range memory {
		p.Add(m.Family, m.of(&ms))
	}
	showSystem(p)
}
