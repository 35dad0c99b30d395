package events

import (
	"encoding/binary"
	"hash/fnv"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// Bounds of what is remembered to tell how long translations take.
const (
	mostSent  = 4096                // keys; of more, a sample
	sentSpan  = 90 * 24 * time.Hour // for how long one is waited for
	mostTook  = 100                 // of a language; the latest
	digestLen = 8
)

// digestOf tells a key of a source file of a line from others.
func digestOf(line, path, key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(line + "\x00" + path + "\x00" + key)) // never fails
	return h.Sum64()
}

// keepTurnaround writes which source texts were sent, and how long what was brought took.
func (d *Entry) keepTurnaround() error {
	if !slices.ContainsFunc(d.brought, func(f report.PulledFile) bool { return len(f.Fresh.Keys) > 0 }) &&
		len(d.sent) == 0 {
		return nil
	}
	t, err := partOf(d.tx, d.of.Project, ledger.Turnarounds, "")
	if err := d.startOver(err); err != nil {
		return err
	}
	t.Sent = slices.DeleteFunc(t.Sent, func(s ledger.SentKeys) bool {
		return d.at.Sub(s.At) > sentSpan || s.At.After(d.at) // or a clock told it too early
	})
	d.addTook(&t)
	d.addSent(&t)
	return ledger.Turnarounds.Put(d.tx, d.of.Project, "", t)
}

// addSent adds the keys that were sent. When they become too many, every second one goes, by its digest;
// when they have become few, more are kept again.
func (d *Entry) addSent(t *ledger.Turnaround) {
	var keys []byte
	for _, f := range d.sent {
		for _, key := range f.Keys {
			keys = binary.BigEndian.AppendUint64(keys, digestOf(d.of.Line, f.Path, key))
		}
	}
	if len(keys) > 0 {
		t.Sent = append(t.Sent, ledger.SentKeys{At: d.at, Keys: thinned(keys, t.Thin)})
	}
	if t.Thin > 0 && count(t.Sent) < mostSent/4 {
		t.Thin--
	}
	for count(t.Sent) > mostSent {
		t.Thin++
		for i, s := range t.Sent {
			t.Sent[i].Keys = thinned(s.Keys, t.Thin)
		}
	}
	t.Sent = slices.DeleteFunc(t.Sent, func(s ledger.SentKeys) bool { return len(s.Keys) == 0 })
}

func count(sent []ledger.SentKeys) (n int) {
	for _, s := range sent {
		n += len(s.Keys) / digestLen
	}
	return n
}

// thinned are the digests that end in so many zero bits.
func thinned(keys []byte, bits int) (kept []byte) {
	for digest := range slices.Chunk(keys, digestLen) {
		if len(digest) == digestLen && binary.BigEndian.Uint64(digest)&(1<<bits-1) == 0 {
			kept = append(kept, digest...)
		}
	}
	return kept
}

// addTook adds how long what was brought took: by language, one for each push that it was sent by.
func (d *Entry) addTook(t *ledger.Turnaround) {
	at := make(map[uint64]time.Time)
	for _, s := range t.Sent { // the last push of a key counts
		for digest := range slices.Chunk(s.Keys, digestLen) {
			if len(digest) == digestLen {
				at[binary.BigEndian.Uint64(digest)] = s.At
			}
		}
	}
	took := make(map[string]map[int64]int)
	for _, f := range d.brought {
		for _, key := range f.Fresh.Keys {
			for _, source := range f.Fresh.Sources {
				sent, is := at[digestOf(d.of.Line, source, key)]
				if !is {
					continue
				}
				if took[f.Language] == nil {
					took[f.Language] = make(map[int64]int)
				}
				took[f.Language][int64(d.at.Sub(sent)/time.Second)]++
			}
		}
	}
	for language, keys := range took {
		if t.Took == nil {
			t.Took = make(map[string][]ledger.Took)
		}
		all := recent(t.Took[language], d.at)
		for _, seconds := range slices.Backward(slices.Sorted(maps.Keys(keys))) {
			all = append(all, ledger.Took{At: d.at, Seconds: seconds, Keys: keys[seconds]})
		}
		t.Took[language] = all[max(0, len(all)-mostTook):]
	}
	for language, all := range t.Took {
		if len(recent(all, d.at)) == 0 {
			delete(t.Took, language)
		}
	}
}

// recent are those that are not too old to be shown, and that no clock told too early.
func recent(took []ledger.Took, now time.Time) []ledger.Took {
	return slices.DeleteFunc(slices.Clone(took), func(t ledger.Took) bool {
		return t.At.After(now) || now.Sub(t.At) > mostDays*24*time.Hour
	})
}

// medians are how long translations took, by language.
func medians(t ledger.Turnaround, now time.Time) (all []report.Turnaround) {
	for language, took := range t.Took {
		took = recent(took, now)
		slices.SortFunc(took, func(a, b ledger.Took) int { return int(a.Seconds - b.Seconds) })
		sum := report.Turnaround{Language: language}
		for _, t := range took {
			sum.Keys += t.Keys
		}
		before := 0
		for _, t := range took {
			if before += t.Keys; 2*before >= sum.Keys {
				sum.Median = t.Seconds
				break
			}
		}
		if sum.Keys > 0 {
			all = append(all, sum)
		}
	}
	slices.SortFunc(all, func(a, b report.Turnaround) int { return strings.Compare(a.Language, b.Language) })
	return all
}
