package transfer

import (
	"bufio"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"runtime"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
)

// A project of any size can be pushed to: only what a push needs of a record is kept.
func TestLargeProject(t *testing.T) {
	gittest.Long(t)
	if testing.Short() {
		t.Skip("reads a record of 50 MB")
	}
	const documents = 60_000
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		b := bufio.NewWriter(w)
		fmt.Fprint(b, `{"id":"p","name":"p","sourceLanguage":"en","targetLanguages":["de"],"documents":[`)
		for i := range documents {
			if i > 0 {
				fmt.Fprint(b, ",")
			}
			fmt.Fprintf(b,
				`{"id":"%036d_7","name":"guide %d","fullPath":"docs/%d/guide","filename":"guide.md","originalFilename":"guide.md",`+
					`"targetLanguage":"de","externalId":"docs/%d/guide.md","metaInfo":"locsync sha256:%064d","documentDisassemblingStatus":"success",`+
					`"status":"inProgress","statusModificationDate":"2026-01-01T00:00:00Z","workflowStages":[{"id":"%036d","progress":10,`+
					`"status":"assigned","executives":[{"id":"%036d","assignedWordsCount":1,"progress":1}]},{"id":"%036d","progress":10}]}`,
				i/2, i/2, i, i, i, i, i, i)
		}
		fmt.Fprint(b, `]}`)
		_ = b.Flush()
	}))
	defer server.Close()
	t.Chdir(t.TempDir())
	c, err := service.New(service.Options{BaseURL: server.URL})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	tr := Transfer{Client: c, Project: "p", Show: func(report.Doing) {},
		Patient: func(ctx context.Context) (context.Context, context.CancelFunc) { return ctx, func() {} }}
	got, err := tr.Pull(t.Context(), Options{Output: "{PATH}", State: service.Draft}, nil)
	if err != nil || len(got.Documents) != documents {
		t.Fatalf("%d documents, %v", len(got.Documents), err)
	}
	var m runtime.MemStats
	runtime.ReadMemStats(&m)
	t.Logf("%d MB from the system", m.Sys>>20)
}
