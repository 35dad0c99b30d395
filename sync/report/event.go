package report

import "time"

// Day is how much went each way on one day of UTC: values sent by pushes, and texts added, changed or removed by pulls.
type Day struct {
	Date   string `json:"date"` // 2026-11-21
	Pushed int    `json:"pushed"`
	Pulled int    `json:"pulled"`

	Languages map[string]int `json:"languages,omitempty"` // translations that pulls added or changed, by language
}

// Arrived is how many translations pulls brought on the last of these days, by language.
func Arrived(days []Day, last int) map[string]int {
	arrived := make(map[string]int)
	for _, d := range days[max(0, len(days)-last):] {
		for language, n := range d.Languages {
			arrived[language] += n
		}
	}
	return arrived
}

// Event is something that happened, for people. Passes that found nothing to do are none.
type Event struct {
	At     time.Time `json:"at"`
	What   string    `json:"what"`             // what it was about, as the table below has it
	Base   string    `json:"base,omitempty"`   // the branch, where several are translated beside each other
	Result string    `json:"result"`           // what became of it
	Text   string    `json:"text"`             // a sentence or two
	Commit string    `json:"commit,omitempty"` // that a pull made or delivered
	URL    string    `json:"url,omitempty"`    // of the commit or the request, as far as it is known

	// Equal failures in a row are one event, as is what is skipped for the same reason within a day: At is the last time,
	// Since the first. Of what recovered or ended, Since is when it began, and Count how often it failed.
	Since time.Time `json:"since,omitzero"`
	Count int       `json:"count,omitempty"`
}

// The events, by What, with their results:
//
//	push, pull  ok, partial    something was sent or brought; partial: something else was left out
//	            failed         it did not work
//	            recovered      it works again
//	skip        skipped        nothing is pushed, for a reason: the branch that is checked out
//	git         began, ended   git was in the middle of something for long, so that nothing could be done
//	hold        began, ended   a file is held back by the brake of pushes or the guard of pulls
//	conflict    began, ended   keys that both sides changed
//	request     made, offered, kept, declined, ended, failed   the pull or merge request for the branch
//	branch      ended          a branch that was translated is gone
//	clone       ok             a damaged clone was made again
//	reload      ok, failed     the configuration was read again, or refused
const (
	// ResultRecovered is of a pass that failed before and works again.
	ResultRecovered = "recovered"
	// ResultBegan and ResultEnded are of what lasts.
	ResultBegan = "began"
	ResultEnded = "ended"
)
