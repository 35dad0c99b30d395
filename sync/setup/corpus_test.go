package setup

import (
	"encoding/csv"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// corpusDir is the folder of real files, where there is one.
func corpusDir() string {
	if dir := os.Getenv("LOCSYNC_CORPUS"); dir != "" {
		return dir
	}
	return filepath.Join("..", "..", "..", "shared", "corpus")
}

// corpusTrees are the trees of the corpus's products, as far as it has them: the youngest version of each file where it
// stood, by product.
func corpusTrees(t *testing.T) map[string]map[string]string {
	t.Helper()
	f, err := os.Open(filepath.Join(corpusDir(), "MANIFEST.tsv"))
	if os.IsNotExist(err) {
		t.Skip("no corpus of real files here (LOCSYNC_CORPUS)")
	}
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	r := csv.NewReader(f)
	r.Comma, r.LazyQuotes, r.FieldsPerRecord = '\t', true, -1
	rows, err := r.ReadAll()
	if err != nil {
		t.Fatal(err)
	}
	trees := make(map[string]map[string]string)
	for _, row := range rows[1:] {
		file, product, name, why := row[0], row[1], row[3], row[8]
		if trees[product] == nil {
			trees[product] = make(map[string]string)
		}
		if _, there := trees[product][name]; there && strings.Contains(why, "historic version") {
			continue
		}
		data, err := os.ReadFile(filepath.Join(corpusDir(), filepath.FromSlash(file)))
		if err != nil {
			t.Fatal(err)
		}
		trees[product][name] = string(data)
	}
	return trees
}

// What init makes of real products, of which the corpus has a part of the files: of those in code, such as Nextcloud's
// and VS Code's extension, the source texts are not among them. Whatever it proposes works.
func TestInitOfRealProducts(t *testing.T) {
	trees := corpusTrees(t)
	for product, want := range map[string]string{
		"AntennaPod/AntennaPod": "en -> ar ast az bg br de fa he hi ko pt ro ru zh-Hant; core, ui",
		"LineageOS/android_packages_apps_Dialer": "en -> af am ar cs de fa fr he hi ja lt ru sr-Latn zh-Hans; " +
			strings.Repeat("android, ", 8) + "dialer-voicemail-listui, android, android, android",
		"adium/adium":                     "en -> de; main",
		"nextcloud/notes":                 "en-GB -> ar de es fr he ja pl ru zh-Hans; main",
		"openstreetmap/id-tagging-schema": "sv -> am as be-tarask; main",
		"syncthing/syncthing":             "en -> ar az ca-valencia he-IL ru zh-Hans; main",
		"FreeTubeApp/FreeTube":            "en-US -> af ar awa be bg br ckb-Arab de-DE fr-FR he ja ru ta; main",
		"svenfuchs/rails-i18n":            "en -> ar bg bn-IN da de dsb el en-CA en-IE es-419 fa fil gl-ES he hsb ja mk nb ne pap-AW pl sk sr vi zh-Hans; main",
		"transmission/transmission":       "en -> da de es fr he ja nl pt-PT ru; macosx-QuickLookPlugin, macosx",
		"microsoft/vscode-cpptools":       "en -> ja ru zh-Hans; main",
	} {
		if len(trees[product]) == 0 {
			t.Errorf("the corpus has no %s", product)
			continue
		}
		found := worksAsItStands(t, trees[product])
		var collections []string
		for _, g := range found.Groups {
			collections = append(collections, g.Collection)
		}
		if got := found.Source + " -> " + strings.Join(found.Targets, " ") + "; " +
			strings.Join(collections, ", "); got != want {
			t.Errorf("%s: %s\nwant %s", product, got, want)
		}
		delete(trees, product)
	}
	for _, files := range trees {
		worksAsItStands(t, files)
	}
}
