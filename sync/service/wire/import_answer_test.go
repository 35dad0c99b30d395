package wire_test

import (
	"encoding/json"
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/wire"
)

// What an answer says of failure is read in every shape, and never as nothing.
func TestImportAnswerShapes(t *testing.T) {
	const done = `{"status":"completed",`
	for body, want := range map[string]string{
		done + `"keysCreated":2,"errors":null,"failedFileNames":[],"conflictingKeyValues":{}}`: `[] [] map[] 2 counted`,
		done + `"errors":"","failedFileNames":null,"keysDeleted":1}`:                           `[] [] map[] 0`,
		done + `"keysUpdated":2.0,"keyValuesNotChanged":null}`:                                 `[] [] map[] 2 counted`,
		done + `"errors":{"fileName":"a.json","error":"x"}}`:                                   `[a.json: x] [] map[] 0`,
		done + `"errors":"x"}`:                                       `[: x] [] map[] 0`,
		done + `"errors":{"a.json":"x"}}`:                            `[: {"a.json":"x"}] [] map[] 0`,
		done + `"errors":7}`:                                         `[: 7] [] map[] 0`,
		done + `"errors":false}`:                                     `[: false] [] map[] 0`,
		done + `"errors":[null,{},["x"]]}`:                           `[: null : {} : ["x"]] [] map[] 0`,
		done + `"errors":[{"fileName":["a.json"],"error":"x"}]}`:     `[: {"fileName":["a.json"],"error":"x"}] [] map[] 0`,
		done + `"errors":[{"fileName":"a.json","error":{"m":"x"}}]}`: `[a.json: {"m":"x"}] [] map[] 0`,
		done + `"errors":[{"file":"a.json","message":"x"}]}`:         `[: {"file":"a.json","message":"x"}] [] map[] 0`,
		done + `"Errors":[{"FileName":"a.json","Error":"x"}]}`:       `[a.json: x] [] map[] 0`,
		done + `"failedFileNames":"a.json"}`:                         `[] [a.json] map[] 0`,
		done + `"failedFileNames":[{"fileName":"a.json"},3]}`:        `[a.json:  : 3] [] map[] 0`,
		done +
			`"keysCreated":"2"}`: `[: the answer's "keysCreated" cannot be read: "2"] [] map[] 0`,
		done +
			`"keysCreated":{"json":2},"keysUpdated":1}`: `[: the answer's "keysCreated" cannot be read: {"json":2}] [] map[] 1 counted`,
		done +
			`"keysCreated":-1}`: `[: the answer's "keysCreated" cannot be read: -1] [] map[] 0`,
		done + `"conflictingKeyValues":{"k":"v","l":["v","w"]}}`: `[] [] map[k:[v] l:[v w]] 0`,
		done + `"conflictingKeyValues":["k"]}`:                   `[] [] map[k:[]] 0`,
		done +
			`"conflictingKeyValues":[1]}`: `[: the answer's "conflictingKeyValues" cannot be read: [1]] [] map[] 0`,
		done + `"conflictingKeyValues":3}`: `[: the answer's "conflictingKeyValues" cannot be read: 3] [] map[] 0`,
	} {
		var a wire.ImportAnswer
		if err := json.Unmarshal([]byte(body), &a); err != nil || a.Status != wire.Completed {
			t.Errorf("%s: %q, %v", body, a.Status, err)
			continue
		}
		errs := []string{}
		for _, e := range a.Errors {
			errs = append(errs, e.FileName+": "+e.Error)
		}
		got := fmt.Sprint(errs, " ", a.FailedFileNames, " ", a.ConflictingKeyValues, " ", a.KeysCreated+a.KeysUpdated)
		if a.Counted {
			got += " counted"
		}
		if got != want {
			t.Errorf("%s:\n got %s\nwant %s", body, got, want)
		}
	}
	for body, want := range map[string]string{
		`{}`: `no "status"`, `null`: `no "status"`, `{"status":""}`: `no "status"`, `{"status":2}`: `"status" is 2`,
		`{"status":{"code":"completed"}}`: `"status" is {"code":"completed"}`, `[]`: "array", `"completed"`: "string",
	} {
		var a wire.ImportAnswer
		if err := json.Unmarshal([]byte(body), &a); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%s: %v, want an error with %s", body, err, want)
		}
	}
}

// An endless list of errors is cut, and what it would have gone on to say may be about any file.
func TestImportAnswerIsBounded(t *testing.T) {
	body := []byte(`{"status":"completed","errors":[{}` + strings.Repeat(",{}", 5_000_000) + "]}")
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	var a wire.ImportAnswer
	if err := json.Unmarshal(body, &a); err != nil {
		t.Fatal(err)
	}
	runtime.ReadMemStats(&after)
	if last := a.Errors[len(a.Errors)-1]; last.FileName != "" || !strings.Contains(last.Error, "more than") {
		t.Errorf("the last error is %+v", last)
	}
	if took := after.TotalAlloc - before.TotalAlloc; took > 4*uint64(len(body)) {
		t.Errorf("%d bytes of memory for %d bytes of answer", took, len(body))
	}
}
