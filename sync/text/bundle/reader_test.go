package bundle

import (
	"slices"
	"testing"
	"testing/fstest"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/programs"
)

// What reads a file is named by the files of its repository that set up a program, the nearest first.
func TestReading(t *testing.T) {
	tree := fstest.MapFS{}
	for name, content := range map[string]string{
		"vue/package.json":        `{"dependencies": {"vue-i18n": "^11.0.0", "vue": "3"}}`,
		"old/package.json":        `{"dependencies": {"vue-i18n": "^8.2.0"}}`,
		"next/package.json":       `{"devDependencies": {"next-intl": "4", "use-intl": "4"}}`,
		"i18next/package.json":    `{"dependencies": {"i18next": "25", "react-i18next": "15"}}`,
		"icu/package.json":        `{"dependencies": {"i18next": "25", "i18next-icu": "2"}}`,
		"both/package.json":       `{"dependencies": {"i18next": "25", "react-intl": "7"}}`,
		"vue/plain/package.json":  `{"dependencies": {"left-pad": "1"}}`,
		"bad/package.json":        `{"dependencies": `,
		"flutter/l10n.yaml":       "arb-dir: lib/l10n\nuse-escaping: true # as ICU\n",
		"relaxed/l10n.yaml":       "relax-syntax: true\n",
		"intl/pubspec.yaml":       "flutter_intl:\n  enabled: true\n",
		"slang/pubspec.yaml":      "dependencies:\n  slang: ^4.0.0\n",
		"slang/braces/slang.yaml": "string_interpolation: braces\ninput_file_pattern: .json\n",
		"slang/double/build.yaml": "targets:\n  $default:\n    builders:\n      slang_build_runner:\n        options:\n" +
			"          string_interpolation: double_braces # as ngx\n",
		"php/composer.json":   `{"require": {"laravel/framework": "^11"}}`,
		"web/angular.json":    "{}",
		"nx/messages.xlf":     `<file source-language="en" original="ng2.template">`,
		"two/messages.xlf":    `<file id="ngi18n" original="ng.template">`,
		"php/messages.en.xlf": `<file source-language="en" original="file.ext">`,
	} {
		tree[name] = &fstest.MapFile{Data: []byte(content)}
	}
	r := newReading(tree)
	for _, c := range []struct {
		file, format string
		want         programs.Reader
	}{
		{"vue/src/locales/en.json", "json", programs.VueI18n},
		{"vue/plain/locales/en.json", "structured-json", programs.VueI18n},
		{"old/en.json", "json", programs.Unknown},
		{"next/messages/en.json", "structured-json", programs.FormatJS},
		{"i18next/en.json", "json", programs.I18next},
		{"icu/en.json", "json", programs.I18nextICU},
		{"both/en.json", "json", programs.Unknown},
		{"bad/en.json", "json", programs.Unknown},
		{"en.json", "json", programs.Unknown},
		{"ext/_locales/en/messages.json", "structured-json", programs.Extension},
		{"web/src/messages.xlf", "xliff", programs.Angular},
		{"nx/messages.xlf", "xliff", programs.Angular},
		{"two/messages.xlf", "xliff", programs.Angular},
		{"php/messages.en.xlf", "xliff", programs.Inline},
		{"php/lang/en.json", "json", programs.Laravel},
		{"php/other/en.json", "json", programs.Unknown},
		{"slang/i18n/en.i18n.json", "structured-json", programs.Slang},
		{"slang/braces/lib/en.json", "structured-json", programs.SlangBraces},
		{"slang/braces/lib/en.yaml", "structured-yaml", programs.Unknown},
		{"slang/double/en.i18n.json", "structured-json", programs.SlangDouble},
		{"flutter/lib/l10n/app_en.arb", "arb", programs.FlutterEscaping},
		{"relaxed/lib/l10n/app_en.arb", "arb", programs.Unknown},
		{"intl/lib/l10n/app_en.arb", "arb", programs.Unknown},
		{"lib/app_en.arb", "arb", programs.Flutter},
		{"translations/messages+intl-icu.en.yaml", "structured-yaml", programs.MessageICU},
		{"translations/messages.en.yaml", "structured-yaml", programs.Unknown},
		{"src/messages.properties", "properties", programs.MessageFormat},
	} {
		format, _ := formats.Named(c.format)
		got := r.program(c.file, format)
		byFormat := []string{"lib/app_en.arb", "src/messages.properties", "php/messages.en.xlf"}
		if is := slices.Contains(byFormat, c.file); got.ByFormat != is {
			t.Errorf("%s: only the format names the reader: %v", c.file, got.ByFormat)
		}
		if got.Reader != c.want || (got.Because == "") != (c.want == programs.Unknown) {
			t.Errorf("%s: %q because of %q, want %q", c.file, got.Reader, got.Because, c.want)
		}
	}
}
