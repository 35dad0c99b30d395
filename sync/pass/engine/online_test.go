package engine

import (
	"net/http"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/service/local"
)

// The service interface has no operation that tells the account: where the service has none of the published ones
// either, the project's record shows whether address, credentials and project are right.
func TestCheckOnlineWhereNothingTellsTheAccount(t *testing.T) {
	t.Parallel()
	w := abc(t, localOnly, nil)
	refuse := 0
	w.wire.failing(func(r *http.Request) local.Fault {
		switch project := strings.HasSuffix(r.URL.Path, "/v1/project/"+w.Config.Projects[0].ID); {
		case !project:
			return local.Fault{Refuse: http.StatusNotFound}
		default:
			return local.Fault{Refuse: refuse}
		}
	})
	if err := w.CheckOnline(t.Context()); err != nil {
		t.Errorf("the project is there: %v", err)
	}
	for code, want := range map[int][]string{401: {"API key"}, 403: {"locsync project list names the projects"},
		404: {"project.id: the service has no project", "locsync project create --write"}} {
		refuse = code
		err := w.CheckOnline(t.Context())
		if err == nil || !Permanent(err) {
			t.Errorf("%d: %v", code, err)
			continue
		}
		for _, text := range want {
			if !strings.Contains(err.Error(), text) {
				t.Errorf("%d: %v lacks %q", code, err, text)
			}
		}
	}
}
