package engine

import (
	"reflect"
	"testing"
)

// Whatever a report can say, what the first run said of it is in the report of both: but why that run ended.
func TestReportOfTwoRunsKeepsAllOfTheFirst(t *testing.T) {
	push, pull := pushed{ProjectPush: filled[ProjectPush]()}, pulled{ProjectPull: filled[ProjectPull]()}
	keeps(t, push.then(pushed{}).ProjectPush)
	keeps(t, pull.then(pulled{}).ProjectPull)
	pull.Pushed = false // its commit is gone with the clone
	if both := pull.then(pulled{}); both.Commit != "" || len(both.Files) > 0 || both.Keys != 0 || both.Requests != 1 {
		t.Errorf("%+v", both)
	}
}

// filled is a report with something in every exported field.
func filled[R any]() (r R) {
	v := reflect.ValueOf(&r).Elem()
	for i := range v.NumField() {
		switch f := v.Field(i); {
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
	return r
}

func keeps(t *testing.T, report any) {
	t.Helper()
	v := reflect.ValueOf(report)
	for i := range v.NumField() {
		switch name := v.Type().Field(i).Name; name {
		case "Name", "Base", "Branch", "Error", "Skipped": // the second run's
		default:
			if v.Type().Field(i).IsExported() && v.Field(i).IsZero() {
				t.Errorf("%s of the first run is lost: %T", name, report)
			}
		}
	}
}
