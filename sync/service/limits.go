package service

import "time"

// Patience is how long work goes on whose caller waits for nothing else, see Options.
const Patience = 3 * time.Minute

// limits bound what one call may take; see defaultLimits.
type limits struct {
	headers          time.Duration // until an answer begins, once the request is written
	idle, whole      time.Duration // silence within an answer; a request from first to last byte
	json, problem    int64         // bytes of an answer or an exported file, of an error body
	spool, decoded   int64         // bytes of a download as it comes, and unpacked
	directory        int64         // bytes of a zip's table of contents
	members          int
	ratio, ratioFrom int64 // unpacked : packed; below so many unpacked bytes it does not matter
	retries
}

// retries bound how often a call is made.
type retries struct {
	attempts, rateAttempts      int
	backoff, backoffMax, giveUp time.Duration
	retryAfter                  time.Duration // a failing service that asks for a longer wait gets it from the caller
}

var defaultLimits = limits{
	headers: time.Minute, idle: 30 * time.Second, whole: 10 * time.Minute,
	json: 32 << 20, problem: 64 << 10,
	spool: 256 << 20, decoded: 1 << 30, directory: 8 << 20, members: 20_000, ratio: 200, ratioFrom: 1 << 20,
	retries: retries{
		attempts: 4, rateAttempts: 6,
		backoff: 500 * time.Millisecond, backoffMax: 8 * time.Second, giveUp: Patience,
		retryAfter: 30 * time.Second,
	},
}
