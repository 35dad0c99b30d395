package discover

import (
	"archive/tar"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/gitops/gittest"
	"github.com/locsync/locsync/sync/config"
)

// What is found in real repositories, as far as one can verify it by looking at them.
func TestRealRepositories(t *testing.T) {
	gittest.Long(t)
	for name, want := range map[string]struct {
		source                        string
		languages, files, collections int      // the source's included; source files; imports of the first push are at most languages times collections
		has                           []string // code=path, of languages that are easily missed
		left                          []string // parts of what is left out, with its reason
	}{
		"AdGuardHome": {"en", 36, 3, 3, []string{"si=si-lk", "sr=sr-cs"}, nil},
		"Anki-Android": {"en", 81, 22, 1, []string{"he=iw", "id=ind", "got=got"},
			[]string{"values-heb/02-strings.xml is he once more", "values-tgl/02-strings.xml is fil once more"}},
		"Echo": {"en", 318, 2, 1, []string{"sr-Cyrl=sr-ec", "sr-Latn=sr-el", "be-tarask=be-tarask"},
			[]string{"qqq.json holds notes for translators"}},
		"NewPipe": {"en-US", 117, 1, 1, []string{"pa-Arab=pa-PK", "uz-Latn=b+uz+Latn"},
			[]string{"values-tl/strings.xml is fil once more", "values-und/strings.xml is for"}},
		"OpenEmu": {"en", 16, 6, 6, nil, nil},
		"Sparkle": {"en", 35, 3, 1, nil,
			[]string{"TestApplication/{LOCALE:IOS}.lproj/MainMenu.strings is in a folder for tests"}},
		"Sylius": {"en", 48, 49, 2, nil, []string{"validators.{LANGUAGE}.yml has no file in en"}},
		"Tusky": {"en", 63, 1, 1, []string{"en-GB=en-GB", "en-AU=en-AU"},
			[]string{"donottranslate.xml is named as not to be translated"}},
		"diaspora": {"en", 99, 3, 1, []string{"en-pirate=en_pirate", "hyw=hyw"},
			[]string{"hye-classical.yml has the keys of"}},
		"excalidraw": {"en", 57, 1, 1, []string{"az=az-AZ", "kab=kab-KAB"}, nil},
		"focus-ios": {"en", 85, 5, 1, nil,
			[]string{"XCUITest/{LOCALE:IOS}.lproj/InfoPlist.strings is in a folder for tests",
				"Widgets/{LOCALE:IOS}.lproj/Localizable.strings has no file in en"}},
		"formbricks":   {"en-US", 24, 2, 2, nil, nil},
		"helpy":        {"en", 87, 8, 2, nil, nil},
		"owncloud-ios": {"en", 23, 7, 4, nil, []string{"doc/images/{LANGUAGE}/title.strings is in a folder"}},
		"planka":       {"en-US", 35, 2, 2, []string{"sr-Cyrl=sr-Cyrl-RS", "uz=uz-UZ"}, nil},
		"redmine": {"en", 50, 1, 1, []string{"zh-Hans=zh", "zh-Hant=zh-TW"},
			[]string{"extra/sample_plugin/config/locales/{LANGUAGE}.yml is in a folder"}},
		"thunderbird-android": {"en", 76, 40, 2, []string{"en-GB=en-GB", "he=iw"}, []string{"/src/test/res/"}},
		"uptime-kuma":         {"en", 76, 1, 1, []string{"ca-valencia=ca@valencia", "pa-Arab=pa_PK", "ang=ang"}, nil},
		"violentmonkey":       {"en", 32, 1, 1, nil, nil},
		"wallabag":            {"en", 40, 4, 2, []string{"zh-Hans=zh", "be-Latn=be_Latn"}, nil},

		"Roo-Code": {"en", 18, 18, 18, []string{"zh-Hans=zh-CN"}, nil},
		"ShareX":   {"en", 24, 90, 1, []string{"pt-BR=pt-BR"}, nil},
		"droidkaigi": {"en", 2, 26, 6, []string{"ja=ja"},
			[]string{"app-ios/App/Localizable.xcstrings its source language is ja"}},
		"elk":                  {"en", 42, 1, 1, []string{"en-US=en-US", "en-GB=en-GB", "de-DE=de-DE"}, nil},
		"frigate":              {"en", 53, 28, 1, []string{"nb-NO=nb-NO"}, nil},
		"jabref":               {"en", 26, 1, 1, []string{"pt-BR=pt_BR"}, nil},
		"kubernetes-dashboard": {"en", 9, 1, 1, []string{"zh-Hant-HK=zh-Hant-HK"}, nil},
		"loop": {"en", 11, 1, 1, []string{"zh-Hans=zh-Hans"},
			[]string{"Loop/{LOCALE:IOS}.lproj/InfoPlist.strings has no file in en"}},
		"mastodon-ios": {"en", 50, 10, 4, []string{"ckb-Arab=ckb"},
			[]string{"infoPlist.strings is Mastodon/Resources/{LOCALE:IOS}.lproj/InfoPlist.strings in other capitals"}},
		"mihon":        {"en", 70, 2, 1, []string{"pt-BR=pt-BR"}, nil},
		"petclinic":    {"en", 8, 1, 1, []string{"de=de"}, []string{"messages_en.properties is en once more"}},
		"securedrop":   {"en", 49, 1, 1, []string{"zh-Hans=zh_Hans"}, nil},
		"symfony-demo": {"en", 31, 2, 1, nil, nil},
		"wger-flutter": {"en", 39, 1, 1, []string{"pt-BR=pt_BR"}, nil},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			fsys, names := unpacked(t, archive(t, name))
			r := Find(fsys, Listing{Tracked: names}, Options{})
			files, collections := 0, make(map[string]bool)
			spelled := make(map[string]bool)
			for _, g := range r.Groups {
				files += len(g.Files)
				for _, file := range g.Files {
					f := config.Files{Source: g.Source, Collection: g.Collection}
					source, _ := f.SourceFile(file)
					collections[f.CollectionOf(source)] = true
				}
				for code, way := range g.spelled {
					spelled[code+"="+way] = true
				}
			}
			if r.Source != want.source || len(r.Targets)+1 != want.languages || files != want.files ||
				len(collections) != want.collections {
				t.Errorf("source %s, %d languages, %d source files, %d collections; want %s, %d, %d, %d", r.Source,
					len(r.Targets)+1, files, len(collections),
					want.source, want.languages, want.files, want.collections)
			}
			isPair := func(g Group) bool { return g.Source+" -> "+g.Output == pairsOf[name] }
			if pairsOf[name] != "" && !slices.ContainsFunc(r.Groups, isPair) {
				t.Errorf("no files are %s", pairsOf[name])
			}
			for _, way := range want.has {
				if !spelled[way] {
					t.Errorf("%s is not among the languages: %v", way, r.Targets)
				}
			}
			for _, left := range want.left {
				if !slices.ContainsFunc(r.LeftOut,
					func(l LeftOut) bool { return strings.Contains(l.Path+" "+l.Reason, left) }) {
					t.Errorf("nothing says %q of what is left out: %v", left, r.LeftOut)
				}
			}
		})
	}
}

// pairsOf are sources and outputs of real repositories that one can verify by looking at them.
var pairsOf = map[string]string{
	"AdGuardHome":          "client/src/__locales/en.json -> client/src/__locales/{LANGUAGE}.json",
	"Anki-Android":         "api/src/main/res/values/strings.xml -> api/src/main/res/values-{LOCALE:ANDROID}/strings.xml",
	"Echo":                 "i18n/**/en.json -> i18n/{DIR}/{LANGUAGE}.json",
	"NewPipe":              "app/src/main/res/values/strings.xml -> app/src/main/res/values-{LOCALE:ANDROID}/strings.xml",
	"OpenEmu":              "OpenEmu/en.lproj/*.strings -> OpenEmu/{LOCALE:IOS}.lproj/{NAME}.strings",
	"Sparkle":              "Sparkle/en.lproj/*.strings -> Sparkle/{LOCALE:IOS}.lproj/{NAME}.strings",
	"Tusky":                "app/src/main/res/values/strings.xml -> app/src/main/res/values-{LOCALE:ANDROID}/strings.xml",
	"diaspora":             "config/locales/diaspora/en.yml -> config/locales/diaspora/{LANGUAGE}.yml",
	"excalidraw":           "packages/excalidraw/locales/en.json -> packages/excalidraw/locales/{LANGUAGE}.json",
	"formbricks":           "apps/web/locales/en-US.json -> apps/web/locales/{LANGUAGE}.json",
	"helpy":                "app/themes/flat/locales/en.yml -> app/themes/flat/locales/{LANGUAGE}.yml",
	"planka":               "client/src/locales/en-US/*.json -> client/src/locales/{LANGUAGE}/{NAME}.json",
	"redmine":              "config/locales/en.yml -> config/locales/{LANGUAGE}.yml",
	"uptime-kuma":          "src/lang/en.json -> src/lang/{LANGUAGE}.json",
	"violentmonkey":        "_locales/en/*.yml -> _locales/{LANGUAGE}/{NAME}.yml",
	"wallabag":             "translations/messages.en.yml -> translations/messages.{LANGUAGE}.yml",
	"Roo-Code":             "src/i18n/locales/en/*.json -> src/i18n/locales/{LANGUAGE}/{NAME}.json",
	"elk":                  "locales/en.json -> locales/{LANGUAGE}.json",
	"frigate":              "web/public/locales/en/**/*.json -> web/public/locales/{LANGUAGE}/{DIR}/{NAME}.json",
	"jabref":               "jablib/src/main/resources/l10n/JabRef_en.properties -> jablib/src/main/resources/l10n/JabRef_{LANGUAGE}.properties",
	"kubernetes-dashboard": "modules/web/i18n/messages.xlf -> modules/web/i18n/{LANGUAGE}/messages.{LANGUAGE}.xlf",
	"loop":                 "Loop/Localizable.xcstrings -> ",
	"mihon": "i18n/src/commonMain/moko-resources/base/{plurals,strings}.xml -> " +
		"i18n/src/commonMain/moko-resources/{LOCALE:ANDROID}/{NAME}.xml",
	"petclinic":    "src/main/resources/messages/messages.properties -> src/main/resources/messages/messages_{LANGUAGE}.properties",
	"securedrop":   "securedrop/translations/*.pot -> securedrop/translations/{LANGUAGE}/LC_MESSAGES/{NAME}.po",
	"symfony-demo": "translations/messages+intl-icu.en.xlf -> translations/messages+intl-icu.{LANGUAGE}.xlf",
	"wger-flutter": "lib/l10n/app_en.arb -> lib/l10n/app_{LANGUAGE}.arb",
}

// archive is the archive of a real repository; without it the test is skipped, and says so.
func archive(t *testing.T, name string) string {
	t.Helper()
	for variable, folder := range map[string]string{"LOCSYNC_REPOSITORIES": "repositories", "LOCSYNC_STRANGERS": "strangers"} {
		dir := os.Getenv(variable)
		if dir == "" {
			dir = filepath.Join("..", "..", "..", "..", "shared", folder)
		}
		file := filepath.Join(dir, name+".tar.gz")
		if _, err := os.Stat(file); err == nil {
			return file
		}
	}
	t.Skipf("%s is not there (LOCSYNC_REPOSITORIES, LOCSYNC_STRANGERS)", name)
	return ""
}

// unpacked is an archive as a tree of files.
func unpacked(t *testing.T, archive string) (fstest.MapFS, []string) {
	t.Helper()
	f, err := os.Open(archive)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	z, err := gzip.NewReader(f)
	if err != nil {
		t.Fatal(err)
	}
	fsys, names := fstest.MapFS{}, []string(nil)
	for r := tar.NewReader(z); ; {
		h, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fsys, names
		}
		if err != nil {
			t.Fatal(fmt.Errorf("%s: %w", archive, err))
		}
		if h.Typeflag != tar.TypeReg {
			continue
		}
		data, err := io.ReadAll(r)
		if err != nil {
			t.Fatal(err)
		}
		name := path.Clean(h.Name)
		fsys[name] = &fstest.MapFile{Data: data, Mode: 0o644}
		names = append(names, name)
	}
}
