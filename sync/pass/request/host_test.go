package request

import (
	"reflect"
	"testing"
	"testing/synctest"
	"time"

	"github.com/locsync/locsync/sync/bound/heartbeat"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/text/catalog"
)

// What asks the git host beats with the heartbeat of its pass, before and after each call.
func TestCallsOfTheGitHostBeat(t *testing.T) {
	t.Parallel()
	cfg, err := config.Parse("locsync.toml", []byte("[[project]]\nname = \"a\"\nsource_language = \"en\"\n"+
		"target_languages = [\"de\"]\n[[project.files]]\nsource = \"en.json\"\noutput = \"{LANGUAGE}.json\"\n"))
	if err != nil {
		t.Fatal(err)
	}
	synctest.Test(t, func(t *testing.T) {
		const step = 6 * time.Minute
		beats := heartbeat.New(step)
		b := Branch{Config: cfg, Project: &cfg.Projects[0], Now: time.Now}
		b.Project.Pull.Request.URL, b.Project.Pull.Request.Repository = "https://git.example", "team/app"
		loop := beats.Begin("loop")
		o, err := b.hostOptions(heartbeat.With(t.Context(), loop))
		if err != nil {
			t.Fatal(err)
		}
		for range 5 {
			time.Sleep(step - time.Second)
			o.Alive()
		}
		time.Sleep(step)
		if hanging := beats.Hanging(); len(hanging) != 0 {
			t.Errorf("%v", hanging)
		}
		time.Sleep(time.Second)
		if hanging := beats.Hanging(); len(hanging) != 1 {
			t.Errorf("hanging: %v", hanging)
		}
	})
}

// What is asked is counted by names: added, changed and removed ones.
func TestCountChanges(t *testing.T) {
	unit := func(key, text string) catalog.Unit { return catalog.Unit{Name: catalog.Name{Key: key}, Text: text} }
	c := config.RequestCount{Language: "de", Added: 1}
	countChanges(&c, catalog.Catalog{unit("a", "A"), unit("b", "B"), unit("c", "C")},
		catalog.Catalog{unit("a", "A"), unit("b", "B!"), unit("d", "D"), unit("e", "E")})
	if want := (config.RequestCount{Language: "de", Added: 3, Changed: 1, Removed: 1}); !reflect.DeepEqual(c, want) {
		t.Errorf("%+v, want %+v", c, want)
	}
}
