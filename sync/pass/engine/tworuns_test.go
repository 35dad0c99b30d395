package engine

import (
	"reflect"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// Whatever a report can say, what the first run said of it is in the report of both: but why that run ended.
func TestReportOfTwoRunsKeepsAllOfTheFirst(t *testing.T) {
	sent, got := push.Report{ProjectPush: filled[report.ProjectPush]()}, pull.Report{ProjectPull: filled[report.ProjectPull]()}
	keeps(t, sent.Then(push.Report{}).ProjectPush)
	keeps(t, got.Then(pull.Report{}).ProjectPull)
	got.Pushed = false // its commit is gone with the clone
	if both := got.Then(pull.Report{}); both.Commit != "" || len(both.Files) > 0 || both.Keys != 0 || both.Requests != 1 {
		t.Errorf("%+v", both)
	}
}

// filled is a report with something in every exported field.
func filled[R any]() (r R) {
	fill(reflect.ValueOf(&r).Elem())
	return r
}

func fill(v reflect.Value) {
	for i := range v.NumField() {
		switch f := v.Field(i); {
		case f.Kind() == reflect.Struct:
			fill(f)
		case !f.CanSet():
		case f.Kind() == reflect.Slice:
			f.Set(reflect.MakeSlice(f.Type(), 1, 1))
		case f.Kind() == reflect.String:
			f.SetString("x")
		case f.Kind() == reflect.Bool:
			f.SetBool(true)
		default:
			f.SetInt(1)
		}
	}
}

func keeps(t *testing.T, result any) {
	t.Helper()
	lost(t, reflect.ValueOf(result))
}

func lost(t *testing.T, v reflect.Value) {
	t.Helper()
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; name {
		case "Name", "Base", "Part", "Branch", "Failure", "Skipped": // the second run's
		case "Scope", "Outcome":
			lost(t, v.Field(i))
		default:
			if v.Field(i).IsZero() {
				t.Errorf("%s of the first run is lost: %s", name, v.Type())
			}
		}
	}
}
