package events

import (
	"encoding/binary"
	"hash/fnv"
	"iter"
	"maps"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/sync/ledger"
	"github.com/locsync/locsync/sync/report"
)

// Bounds of what is remembered to tell how long translations take.
const (
	mostSent  = 4096                // texts; of more, a sample
	sentSpan  = 90 * 24 * time.Hour // for how long one is waited for
	digestLen = 8
	keyBits   = 40 // of a digest, the low ones; the others are the text's
)

// keyOf tells a key of a source file of a line from others.
func keyOf(line, path, key string) uint64 {
	h := fnv.New64a()
	_, _ = h.Write([]byte(line + "\x00" + path + "\x00" + key)) // never fails
	sum := h.Sum64()
	return (sum ^ sum>>keyBits) & (1<<keyBits - 1)
}

// keepTurnaround writes which source texts were sent, and how long what was brought took.
func (d *Entry) keepTurnaround() error {
	fresh := false
	for _, f := range d.brought {
		for _, keys := range f.Fresh {
			fresh = fresh || len(keys) > 0
		}
	}
	if !fresh && len(d.sent) == 0 {
		return nil
	}
	t, err := partOf(d.tx, d.of.Project, ledger.Turnarounds, "")
	if err := d.startOver(err); err != nil {
		return err
	}
	if len(t.Sent) == 0 && len(d.sent) == 0 { // nothing waits
		return nil
	}
	d.addTurnaround(&t)
	return ledger.Turnarounds.Put(d.tx, d.of.Project, "", t)
}

// addTurnaround adds to what is remembered, and drops what is too old, or what a clock told too early.
func (d *Entry) addTurnaround(t *ledger.Turnaround) {
	t.Sent = slices.DeleteFunc(t.Sent, func(s ledger.SentKeys) bool {
		return d.at.Sub(s.At) > sentSpan || s.At.After(d.at)
	})
	t.Days = recent(t.Days, d.at)
	if len(d.brought) > 0 && len(t.Sent) > 0 {
		d.addTook(t)
	}
	if len(d.sent) > 0 {
		d.addSent(t)
	}
}

// addSent adds the texts that were sent; what is sent again has been waiting. When they become too many, every second
// key goes, by its digest; when they have become few, more are kept again.
func (d *Entry) addSent(t *ledger.Turnaround) {
	waits := make(map[uint64]bool, count(t.Sent))
	for _, s := range t.Sent {
		for digest := range digests(s.Keys) {
			waits[digest] = true
		}
	}
	var keys []byte
	for _, f := range d.sent {
		for i, key := range f.Keys {
			digest := uint64(f.Texts[i])<<keyBits | keyOf(d.of.Line, f.Path, key)
			if !waits[digest] {
				keys = binary.BigEndian.AppendUint64(keys, digest)
			}
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

// digests are those of a push.
func digests(keys []byte) iter.Seq[uint64] {
	return func(yield func(uint64) bool) {
		for len(keys) >= digestLen && yield(binary.BigEndian.Uint64(keys)) {
			keys = keys[digestLen:]
		}
	}
}

// thinned are the digests that end in so many zero bits.
func thinned(keys []byte, bits int) (kept []byte) {
	for digest := range digests(keys) {
		if digest&(1<<bits-1) == 0 {
			kept = binary.BigEndian.AppendUint64(kept, digest)
		}
	}
	return kept
}

// addTook adds how long what was brought took, each key since the first push of its last text. In a sample a key
// counts as often as the sample is thin.
func (d *Entry) addTook(t *ledger.Turnaround) {
	at := make(map[uint64]time.Time, count(t.Sent))
	for _, s := range t.Sent {
		for digest := range digests(s.Keys) {
			at[digest&(1<<keyBits-1)] = s.At
		}
	}
	date := dateOf(d.at)
	for _, f := range d.brought {
		for source, keys := range f.Fresh {
			for _, key := range keys {
				sent, is := at[keyOf(d.of.Line, source, key)]
				if !is {
					continue
				}
				if n := len(t.Days); n == 0 || t.Days[n-1].Date != date {
					t.Days = append(t.Days, ledger.TookDay{Date: date, Took: make(map[string]map[int]int)})
				}
				took := t.Days[len(t.Days)-1].Took
				if took[f.Language] == nil {
					took[f.Language] = make(map[int]int)
				}
				took[f.Language][bucketOf(d.at.Sub(sent))] += 1 << t.Thin
			}
		}
	}
}

// bucketOf is the number of durations that count as equal: below a minute, and from there on in steps of the root of
// two. 90 days are in the 34th.
func bucketOf(took time.Duration) int {
	if took < time.Minute {
		return 0
	}
	return 1 + int(2*math.Log2(took.Minutes()))
}

// middle is a duration in seconds that none of its bucket is further from than a fifth; of the first, half a minute.
func middle(bucket int) int64 {
	return int64(60 * math.Exp2((float64(bucket)-0.5)/2))
}

// recent are the days that are shown.
func recent(days []ledger.TookDay, now time.Time) []ledger.TookDay {
	oldest, today := dateOf(now.AddDate(0, 0, 1-mostDays)), dateOf(now)
	return slices.DeleteFunc(slices.Clone(days), func(d ledger.TookDay) bool {
		return d.Date < oldest || d.Date > today
	})
}

// medians are how long translations took, by language.
func medians(t ledger.Turnaround, now time.Time) (all []report.Turnaround) {
	sum := make(map[string]map[int]int)
	for _, d := range recent(t.Days, now) {
		for language, took := range d.Took {
			if sum[language] == nil {
				sum[language] = make(map[int]int)
			}
			for bucket, keys := range took {
				sum[language][bucket] += keys
			}
		}
	}
	for language, took := range sum {
		l, before := report.Turnaround{Language: language}, 0
		for _, keys := range took {
			l.Keys += keys
		}
		for _, bucket := range slices.Sorted(maps.Keys(took)) {
			if before += took[bucket]; 2*before >= l.Keys {
				l.Median = middle(bucket)
				break
			}
		}
		all = append(all, l)
	}
	slices.SortFunc(all, func(a, b report.Turnaround) int { return strings.Compare(a.Language, b.Language) })
	return all
}
