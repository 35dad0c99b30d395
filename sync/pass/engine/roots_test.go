package engine

import (
	"fmt"
	"testing"

	"github.com/locsync/locsync/sync/pass/pull"
	"github.com/locsync/locsync/sync/pass/push"
	"github.com/locsync/locsync/sync/report"
)

// A file that stands under another language's root keeps every text, and says so; a root without texts takes the first ones.
func TestPullOfForeignRoots(t *testing.T) {
	t.Parallel()
	const ja, ru = "en:\n  models:\n    user: ユーザー\n  save: 保存\n", "ru-RU:\n  models:\n    user: Ю\n  save: Да\n"
	w := newWorld(t, railsFiles, map[string]string{
		"config/locales/en.yml": "en:\n  models:\n    user: User\n  order: [:day, :month]\n  save: Save\n",
		"config/locales/ja.yml": ja,
		"config/locales/ru.yml": ru,
		"config/locales/ar.yml": "ar: # ours\n",
	})
	w.reports(w.pushes(push.Options{}), "config/locales/en.yml (en): models/user save")
	for _, l := range []string{"ja", "ru", "ar"} {
		w.final(l, "save", "new")
	}
	result := w.pulls(pull.Options{})
	if len(result.Problems) != 2 {
		t.Fatalf("problems: %v", result.Problems)
	}
	for _, p := range result.Problems {
		root := map[string]string{"ja": "en", "ru": "ru-RU"}[p.Language]
		w.problem([]report.Problem{p}, "config/locales/"+p.Language+".yml", fmt.Sprintf("its root is %q, expected %q", root, p.Language))
	}
	w.file("config/locales/ja.yml", ja)
	w.file("config/locales/ru.yml", ru)
	w.file("config/locales/ar.yml", "ar: # ours\n  save: new\n")

	w.write("config/locales/ja.yml", "ja"+ja[2:])
	w.commit()
	w.problem(w.pulls(pull.Options{}).Problems[:1], `the repository has "保存" and the service "new"`) // the file is met for the first time
	w.pulls(pull.Options{AcceptService: true})
	w.file("config/locales/ja.yml", "ja:\n  models:\n    user: ユーザー\n  save: new\n")
}
