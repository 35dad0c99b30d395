package engine

import (
	"slices"
	"testing"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Translators whom the service names are named by the commit that brings their texts, and by no other.
func TestTranslatorsAreCredited(t *testing.T) {
	t.Parallel()
	w := newWorld(t, localOnly+jsonFiles, map[string]string{"locales/en/app.json": `{"a": "A", "b": "B"}`})
	w.clean(push.Options{})
	var asked []string
	c, err := service.New(service.Options{BaseURL: w.server.URL, AccountID: "account", APIKey: worldKey,
		Transport: &ourService{writers: func(of []wire.KeysOf) []string {
			for _, k := range of {
				slices.Sort(k.Keys)
				asked = append(append(asked, k.Language), k.Keys...)
			}
			return []string{"张", "Anna B."}
		}}})
	w.check(err)
	defer c.Close()
	w.Engine = New(Parts{Config: w.Config, Service: c, State: w.store, Log: zap.NewNop()})
	w.translate("main", "de", service.Final, "a", "A de")
	w.pulls(pull.Options{})
	trailers := func() string {
		return w.git("log", "-1", "--format=%(trailers:key=Co-authored-by,valueonly,separator=%x2C)", "l10n")
	}
	if got := trailers(); got != "Anna B. <anna.b@localhost>,张 <张@localhost>" || !slices.Equal(asked, []string{"de", "a"}) {
		t.Errorf("%q; asked for %q", got, asked)
	}
	w.Config.Projects[0].Pull.Credit = false
	w.translate("main", "de", service.Final, "b", "B de")
	w.pulls(pull.Options{})
	if got := trailers(); got != "" || len(asked) != 2 {
		t.Errorf("%q; asked for %q", got, asked)
	}
}
