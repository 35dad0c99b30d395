package report

import "testing"

func TestDocument(t *testing.T) {
	for _, c := range []struct {
		report  any
		failure Failure
		want    string
	}{
		{nil, Failure{}, `{"schema":1}`},
		{struct{}{}, Failure{}, `{"schema":1}`},
		{map[string]any{"a": "<&>"}, Failure{}, `{"schema":1,"a":"<&>"}`},
		{nil, Failure{"it is down", FailedUnreachable},
			`{"schema":1,"error":"it is down","error_code":"unreachable"}`},
		{PushReport{Projects: []ProjectPush{}}, Failure{"no", FailedConfig},
			`{"schema":1,"projects":[],"error":"no","error_code":"config"}`},
	} {
		got, err := Document(c.report, c.failure)
		if err != nil || string(got) != c.want {
			t.Errorf("%v, %v: %s, %v; want %s", c.report, c.failure, got, err, c.want)
		}
	}
	if _, err := Document([]int{1}, Failure{}); err == nil {
		t.Error("a list was taken for a report")
	}
}
