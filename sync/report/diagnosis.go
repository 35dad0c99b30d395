package report

import "time"

// Levels of findings.
const (
	LevelOK      = "ok"
	LevelWarning = "warning" // it works, and not as well as it could, or not for long
	LevelFault   = "fault"
	LevelSkipped = "skipped" // not looked at
)

// Finding is one thing that was looked at.
type Finding struct {
	Area    string `json:"area"`
	Project string `json:"project,omitempty"`
	Check   string `json:"check"`
	Level   string `json:"level"`
	Found   string `json:"found"`
	Do      string `json:"do,omitempty"` // of a warning or fault: what to do
	Code    int    `json:"code"`         // of a fault: the exit code that it alone would end with
}

// Diagnosis is what doctor prints with --json.
type Diagnosis struct {
	Version  string    `json:"version"`
	At       time.Time `json:"at"`
	OK       bool      `json:"ok"` // no fault was found
	Code     int       `json:"code"`
	Findings []Finding `json:"findings"`
}
