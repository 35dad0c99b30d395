package audit

import (
	"encoding/json"
	"testing"

	"github.com/locsync/locsync/sync/service/local/store"
)

func TestWords(t *testing.T) {
	projects := map[string]string{"1": "app"}
	for _, c := range []struct {
		kind string
		what store.Noted
		want string
	}{
		{store.NotedProjectCreated, store.Noted{Project: "1", Name: "app"}, "made the project app"},
		{store.NotedImport, store.Noted{Project: "1", Collection: "main", Language: "de", Files: []string{"a", "b"}, Count: 2},
			"imported 2 keys from a, b in main (de) of app"},
		{store.NotedKeysDeleted, store.Noted{Project: "2", Count: 1, Keys: []string{"x"}}, "deleted 1 key of 2: x"},
		{store.NotedInvited, store.Noted{Roles: []store.Grant{{Role: store.Translator, Projects: []string{"1"},
			Languages: []string{"de", "fr"}}, {Role: store.Manager}}},
			"invited a person who chooses a name as translator of app into de, fr and manager"},
		{store.NotedPerson, store.Noted{Name: "Ben", Manager: true}, "made the account of Ben as manager of everything"},
		{store.NotedPersonChanged, store.Noted{Name: "Ben", Roles: []store.Grant{{Role: store.Reviewer}}},
			"changed what this person may do: Ben as reviewer"},
		{store.NotedSignedIn, store.Noted{}, "signed in"},
		{store.NotedBackup, store.Noted{}, "made a backup"},
		{store.NotedRestored, store.Noted{Made: "2026-11-30T18:00:00Z"}, "restored a backup of 2026-11-30T18:00:00Z"},
		{"newer", store.Noted{}, "newer"},
	} {
		what, err := json.Marshal(c.what)
		if err != nil {
			t.Fatal(err)
		}
		if got := Words(&store.Note{Type: c.kind, What: what}, projects); got != c.want {
			t.Errorf("%s: %q, want %q", c.kind, got, c.want)
		}
	}
	if got := Words(&store.Note{Type: "broken", What: []byte("{")}, nil); got != "broken" {
		t.Errorf("%q", got)
	}
}
