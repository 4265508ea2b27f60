//go:build unix

package main

import (
	"flag"
	"fmt"
	"math"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"
)

// A row is one piece of work that both sides do. The functions do it once.
type row struct {
	name string
	// contestants are who does the work, the reference first and kubecel second. Others
	// are shown beside them.
	contestants []func()
	// note says what is special about the row.
	note string
}

// A table is rows of one kind, with what is wanted of them.
type table struct {
	name string
	// columns are the names of the contestants.
	columns []string
	// rows makes the rows one after the other, so that only what one of them needs is
	// in memory while it is measured.
	rows func(t *testing.T, measure func(row))
	// mean and least are the ratios of the reference to kubecel that are wanted, as
	// geometric mean and of each row.
	mean, least float64
}

// peerTables are all that make bench-peer measures. A kind of work is one entry.
var peerTables = []table{
	{name: "Validate", columns: []string{"reference", "kubecel", "rules alone"}, rows: validateRows, mean: 30, least: 4},
	{name: "Validate, the HTTPRoute object", columns: []string{"reference", "kubecel", "rules alone"}, rows: routeRows, mean: 60},
	{name: "Eval over dynamic data", columns: []string{"reference", "kubecel", "uncounted"}, rows: evalRows, mean: 7, least: 1},
	{name: "Eval, what was no faster", columns: []string{"reference", "kubecel", "uncounted"}, rows: slowRows, mean: 1, least: 1},
	{name: "CRD in JSON to rules", columns: []string{"reference", "kubecel"}, rows: readRows(false), mean: 4, least: 1.5},
	{name: "CRD in YAML to rules", columns: []string{"reference", "kubecel"}, rows: readRows(true), mean: 3, least: 1.5},
	{name: "ParseObject", columns: []string{"reference", "kubecel"}, rows: parseRows, mean: 2, least: 1},
	{name: "Compile", columns: []string{"reference", "kubecel"}, rows: compileRows, mean: 5},
	{name: "Expressions with their estimates", columns: []string{"reference", "kubecel"}, rows: estimatedRows, mean: 4},
	{name: "Expressions that do not compile", columns: []string{"reference", "kubecel"}, rows: refusedRows, mean: 0.6},
}

const (
	// turns is how often each contestant is measured. The least of many short turns is
	// hardly disturbed by what else the machine does.
	turns = 31
	// batchTime is about how long one measurement takes, in CPU time.
	batchTime = 2 * time.Millisecond
)

// A figure is what one run of a contestant needs.
type figure struct {
	least, median time.Duration
	allocs, bytes uint64
}

// cpuTime is what the process has used so far, its collector included.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		panic(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// compare measures the contestants in turns, so that a load on the machine falls on all.
// The collector does not run meanwhile. What a contestant leaves to it is added: the
// collector goes over all memory in use once as much again is allocated.
func compare(contestants []func()) []figure {
	sizes, times := make([]int, len(contestants)), make([][]time.Duration, len(contestants))
	figures := make([]figure, len(contestants))
	for i, run := range contestants {
		run()
		sizes[i], figures[i].allocs, figures[i].bytes = calibrate(run)
	}
	defer debug.SetGCPercent(debug.SetGCPercent(-1))
	collection := time.Hour
	for range turns {
		start := cpuTime()
		runtime.GC()
		collection = min(collection, cpuTime()-start)
		for i, run := range contestants {
			start := cpuTime()
			for range sizes[i] {
				run()
			}
			times[i] = append(times[i], cpuTime()-start)
		}
	}
	var memory runtime.MemStats
	runtime.GC()
	runtime.ReadMemStats(&memory)
	perByte := float64(collection) / float64(memory.HeapAlloc)
	for i := range figures {
		slices.Sort(times[i])
		garbage := time.Duration(float64(figures[i].bytes) * perByte)
		figures[i].least = max(1, times[i][0]/time.Duration(sizes[i])+garbage)
		figures[i].median = max(1, times[i][turns/2]/time.Duration(sizes[i])+garbage)
	}
	return figures
}

// calibrate finds how many runs make a batch, and what one allocates.
func calibrate(run func()) (n int, allocs, bytes uint64) {
	for n = 1; ; n *= 4 {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		start := cpuTime()
		for range n {
			run()
		}
		spent := cpuTime() - start
		runtime.ReadMemStats(&after)
		if spent > batchTime/4 {
			per := float64(spent) / float64(n)
			return max(1, int(float64(batchTime)/per)), (after.Mallocs - before.Mallocs) / uint64(n), (after.TotalAlloc - before.TotalAlloc) / uint64(n)
		}
	}
}

// TestPeer prints what both sides need for the same work, measured in one process by
// CPU time, with the garbage collected. It runs only when asked for by name. The flag
// -run 'TestPeer/Validate' picks a table.
func TestPeer(t *testing.T) {
	if !strings.Contains(flag.Lookup("test.run").Value.String(), "TestPeer") {
		t.Skip("run by make bench-peer")
	}
	defer debug.SetGCPercent(debug.SetGCPercent(100))
	for _, table := range peerTables {
		t.Run(table.name, func(t *testing.T) {
			fmt.Printf("\n%s (ns: least of %d turns, median; allocations)\n", table.name, turns)
			ratios := make([][]float64, len(table.columns))
			table.rows(t, func(r row) {
				for i, ratio := range printRow(table, r) {
					ratios[i] = append(ratios[i], ratio)
				}
			})
			for i, column := range table.columns[1:] {
				if all := ratios[i+1]; len(all) > 0 {
					fmt.Printf("%-58s %6.2f times less for %s, the geometric mean of %d; least %.2f\n", table.name, geometric(all), column, len(all), slices.Min(all))
				}
			}
			fmt.Printf("%-58s %6.2f wanted, each at least %.1f\n", table.name, table.mean, table.least)
		})
	}
}

// printRow returns how many times less than the reference each contestant needs.
func printRow(table table, r row) (ratios []float64) {
	figures := compare(r.contestants)
	fmt.Printf("%-58s", r.name)
	for i, f := range figures {
		ratios = append(ratios, float64(figures[0].least)/float64(f.least))
		fmt.Printf(" | %s %d %d; %d", table.columns[i], f.least, f.median, f.allocs)
		if i > 0 {
			fmt.Printf(" (%.2f)", ratios[i])
		}
	}
	fmt.Println("", r.note)
	return ratios
}

func geometric(ratios []float64) float64 {
	sum := 0.0
	for _, r := range ratios {
		sum += math.Log(r)
	}
	return math.Exp(sum / float64(len(ratios)))
}
