// Command locsync keeps a repository's resource files and a translation service in sync.
//
// This package is the wiring: flags, one file for each family of commands, configuration to parts, results to standard
// output, logs to standard error, errors to exit codes. It decides nothing about translations. Who imports whom is
// listed in the imports of imports_test.go, which holds the code to it:
//
//	cmd -> everything
//	command, demo, settings -> process, service, web         setup -> discover, migrate, config, terminal, gitops
//	operation -> transfer, document, service, terminal        transfer, inspect, settings, terminal -> files -> failure
//	daemon -> process, engine, web, heartbeat, ledger, terminal, gitops
//	doctor -> process, engine, web, watch, service, ledger, terminal, bound, gitops
//	process -> engine, ledger, service, local, web, gitops
//	web -> engine, exposition, failure, report, wire, heartbeat, bound
//	failure -> service, gitops, forge, ledger, report          terminal -> service, gitops, report
//	document -> jsonschema, config, report, service, terminal  service -> wire
//	engine -> branches, push, pull -> pass, past             push -> imports -> pass
//	engine -> failure, report, bundle, catalog, check, plural, spelling, oracle, ledger, service, gitops, forge, config,
//	          watch, heartbeat
//	check -> plural          spelling -> catalog, plural       service/local -> wire, plural, formats
//	config -> secret         secret -> bound                   manual -> terminal
//	bundle -> config, formats, resource, catalog, report       discover -> config, formats, resource
//	boltledger, pgledger -> ledger -> catalog, report          cluster -> engine, pgledger
//	formats -> one grammar for each row of its table -> resource
package main

import (
	"os"
	"runtime"
)

// The kernel hands SIGTERM and SIGHUP to the first thread, and to no other while that one hangs in a call, as on a
// mount that does not answer. It is kept for the main goroutine, which only waits.
func init() { runtime.LockOSThread() }

func main() { exitWith(Main) }

// exitWith ends the process with what run returns. It runs on another thread than the first, since it touches files.
func exitWith(run func() int) {
	code := make(chan int)
	go func() { code <- run() }()
	os.Exit(<-code)
}
