package audit

import (
	"encoding/json"
	"testing"

	"github.com/locsync/locsync/sync/service/local/store"
	"github.com/locsync/locsync/sync/service/local/words"
)

func TestWords(t *testing.T) {
	projects := map[string]string{"1": "app"}
	for _, c := range []struct {
		kind string
		what store.Noted
		want string
	}{
		{store.NotedProjectCreated, store.Noted{Project: "1", Name: "app"}, "Project made: app"},
		{store.NotedImport, store.Noted{Project: "1", Collection: "main", Language: "de", Files: []string{"a", "b"}, Count: 2},
			"Texts imported: Project: app; Collection: main; German (de); Files: a, b; Keys: 2"},
		{store.NotedKeysDeleted, store.Noted{Project: "2", Count: 1, Keys: []string{"x"}}, "Keys deleted: Project: 2; Keys: 1 (x)"},
		{store.NotedInvited, store.Noted{Roles: []store.Grant{{Role: store.Translator, Projects: []string{"1"},
			Languages: []string{"de", "fr"}}, {Role: store.Manager}}},
			"Person invited: a person who chooses a name; translator of app into German (de), French (fr); manager"},
		{store.NotedPerson, store.Noted{Name: "Ben", Manager: true}, "Account made: Ben; manager of everything"},
		{store.NotedPersonChanged, store.Noted{Name: "Ben", Roles: []store.Grant{{Role: store.Reviewer}}},
			"Roles changed: Ben; reviewer"},
		{store.NotedSignedIn, store.Noted{}, "Signed in"},
		{store.NotedBackup, store.Noted{}, "Backup made"},
		{store.NotedRestored, store.Noted{Made: "2026-11-30T18:00:00Z"}, "Backup restored: 2026-11-30T18:00:00Z"},
		{"newer", store.Noted{}, "newer"},
	} {
		what, err := json.Marshal(c.what)
		if err != nil {
			t.Fatal(err)
		}
		if got := Words(words.Choose("", ""), &store.Note{Type: c.kind, What: what}, projects); got != c.want {
			t.Errorf("%s: %q, want %q", c.kind, got, c.want)
		}
	}
	if got := Words(words.Choose("", ""), &store.Note{Type: "broken", What: []byte("{")}, nil); got != "broken" {
		t.Errorf("%q", got)
	}
}
