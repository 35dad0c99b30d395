package formats

import (
	"slices"
	"strings"

	"github.com/locsync/locsync/formats/resource"
)

// Notes are what people have to know about a format, in Markdown.
type Notes struct {
	Kept string // what is read, sent and kept
	Lost []Loss // what the format or the service has no place for
}

// Loss is something that does not reach the service, or does not come back. It is lost of the files that have comments
// for translators, or one of the signs; without either it is told on the format's page alone.
type Loss struct {
	What  string
	noted bool
	signs []string
}

// Losses are what is lost of a file.
func (f Format) Losses(file *resource.File) []string {
	var lost []string
	for _, loss := range f.Notes.Lost {
		has := slices.ContainsFunc(loss.signs, func(sign string) bool { return strings.Contains(file.Source(), sign) })
		if has || loss.noted && hasNote(file) {
			lost = append(lost, loss.What)
		}
	}
	return lost
}

func hasNote(file *resource.File) bool {
	for e := range file.Entries() {
		if e.Note != "" {
			return true
		}
	}
	return false
}

var (
	lostNotes   = Loss{What: "Comments for translators are not sent; they stay.", noted: true}
	lostPlurals = Loss{What: "The format has no plural forms, but those of a message inside a text."}
)

// joinedPlurals is said of formats whose programs read the forms of a plural under keys of their own.
const joinedPlurals = "Keys that differ in a plural category at their end (`days_one`, `days_other`; `day`, " +
	"`day_plural`), and maps of categories, are one key with forms at the service, and come back " +
	"with the categories of each language; " +
	"`plurals = \"keys\"` sends them one by one."

// The notes of each row.
var (
	notesJSON = Notes{
		Kept: "Keys are the names of the outermost object; what is nested below is left alone, and `check` names it. " +
			"Comments and trailing commas are kept. " + joinedPlurals,
		Lost: []Loss{lostNotes},
	}
	notesNestedJSON = Notes{
		Kept: "Names are joined to keys by `/`, or by `separator`. The files of ngx-translate, vue-i18n, i18next and " +
			"browser extensions are such; of the latter's entries `message` is the text, and `description` its comment. " +
			joinedPlurals,
		Lost: []Loss{lostNotes},
	}
	notesYAML = Notes{
		Kept: "Keys are the names of the outermost map. Anchors, aliases, block texts and comments are kept. Comments " +
			"go along. " + joinedPlurals,
	}
	notesNestedYAML = Notes{
		Kept: "Names are joined to keys by `/`. A file may have its language as its root, as Rails has. What an alias " +
			"repeats is edited where it is defined. Comments go along. " + joinedPlurals,
	}
	notesStrings = Notes{
		Kept: "UTF-8 and UTF-16 are read and kept. A comment above an entry goes along.",
		Lost: []Loss{
			{What: "The format has no plural forms; `.stringsdict` has them."},
		},
	}
	notesCatalogs = Notes{
		Kept: "One file has all languages, so `output` is left out. A key without a source text is its own text. " +
			"Plural variations are one text; variations by device and substitutions are texts under names like " +
			"`key|==|device.mac`. The comment of a key goes along. What is written gets the state `translated`; a " +
			"translation that is `new` counts as none.",
		Lost: []Loss{
			{What: "That a translation needs review is not sent.",
				signs: []string{`"needs_review"`}},
			{What: "Variations by width are not sent; they stay.",
				signs: []string{`"width"`}},
			{What: "Keys that are stale or not to be translated are not sent; they stay."},
		},
	}
	notesDictionaries = Notes{
		Kept: "The plural categories of a variable are one text, named `key|==|variable`; the text that variables are " +
			"in is `key|==|NSStringLocalizedFormatKey`, where it has more than variables. A key that a `.strings` file " +
			"beside it has, too, is translated in both; programs take the dictionary's. The comment above an entry goes " +
			"along with its variables. Binary property lists are not read.",
		Lost: []Loss{
			{What: "What varies by device (`NSStringDeviceSpecificRuleType`) or width " +
				"(`NSStringVariableWidthRuleType`) is not sent: it stays as it is, and new languages do not have it.",
				signs: []string{"NSStringDeviceSpecificRuleType", "NSStringVariableWidthRuleType"}},
		},
	}
	notesAndroid = Notes{
		Kept: "Strings, string arrays and plurals; styled texts travel with their tags. Files in a folder " +
			"`composeResources` are spelled as Compose Multiplatform reads them. Comments go along.",
		Lost: []Loss{
			{What: "What is not translatable, or a reference to another resource, is not sent; it stays in the " +
				"source."},
		},
	}
	notesLocJSON = Notes{
		Kept: "The service's own format: comments, labels and maximum lengths go along with source texts.",
		Lost: []Loss{
			{What: "Targets of units are not read.",
				signs: []string{`"target"`}},
			{What: "Files of translations have no comments, labels and maximum lengths; the format has no plural " +
				"forms, but those of a message inside a text."},
		},
	}
	notesARB = Notes{
		Kept: "Descriptions go along as comments; other attributes stay in the source file, as Flutter reads them from " +
			"there alone. Plural forms are in messages inside a text.",
		Lost: []Loss{
			{What: "Placeholders' types, formats and examples are not sent.",
				signs: []string{`"placeholders"`}},
		},
	}
	notesProperties = Notes{
		Kept: "ISO-8859-1, UTF-8 and `\\uXXXX` are kept; a new file is spelled as its source. Comments go along.",
		Lost: []Loss{
			lostPlurals,
		},
	}
	notesPO = Notes{
		Kept: "Keys are msgids, behind msgctxt and `␄` where there is one. The source is the template (`.pot`), or a " +
			"PO of the source language. Plurals are forms of one key; the header's formula tells their categories. Where " +
			"it has more forms than the language, they all get a text, since programs show an empty one: that of `other`, " +
			"which is read at the index of most numbers; so do forms that the service lacks. Fuzzy entries are not " +
			"pushed, and count as not translated, as " +
			"programs pass over them; a pull that writes their text takes the mark away. Obsolete entries, references " +
			"and flags stay; flags like `c-format` and `no-python-format` say what is a placeholder in that text. " +
			"Extracted comments go along. A new language has " +
			"Language and Plural-Forms in its header, and all entries of its source; `incomplete = \"blank\"` does " +
			"nothing. Where the template lost a msgid and has a similar one instead, its translation becomes a fuzzy one of " +
			"that, with the former msgid (`#|`), as by `msgmerge --previous`; else it becomes obsolete (`#~`), " +
			"until an entry of its msgid comes again.",
		Lost: []Loss{
			{What: "References, flags, previous msgids and translators' comments are not sent; they stay.",
				signs: []string{"\n#:", "\n#,", "\n#|", "\n# "}},
			{What: "That an entry is fuzzy is not sent.",
				signs: []string{", fuzzy"}},
			{What: "Forms for fractions alone are not taken, nor those for millions where the header has none."},
		},
	}
	notesXLIFF = Notes{
		Kept: "Versions 1.2 and 2, of one language pair. The key is the id; in a folder `translations`, which is " +
			"Symfony's, the resname (`name`) or else the source. The source file's text is the target, where it has one, " +
			"else the source. A target with the state `needs-translation` is not pushed, and counts as not translated; " +
			"so is one with the state `new` or `initial` that is a copy of its source. A pull that writes it makes that " +
			"`translated`, and brings the unit's source up to date. Inline codes are in the texts as they are spelled. " +
			"Notes go along. A new language has the units with translations. `incomplete = \"blank\"` does nothing. " +
			"Units of several segments are left alone. In what Xcode exports (`en.xliff`, `de.xliff`) " +
			"the key is the `original` of the `<file>` in front of the id: " +
			"`App/en.lproj/InfoPlist.strings␄CFBundleName`. The project has its translations by `xcodebuild " +
			"-importLocalizations`. Exports in `.xcloc` folders are left alone.",
		Lost: []Loss{
			{What: "What a state says of a translation is not sent, but that there is none; it stays.",
				signs: []string{` state="`, ` approved="`}},
			{What: "Alternative translations, contexts and widths are not sent; they stay.",
				signs: []string{"<alt-trans", "<context-group", ` maxwidth="`, ":matches", ` sizeRestriction="`}},
			lostPlurals,
		},
	}
	notesResx = Notes{
		Kept: "Texts and their comments. Headers and schema stay as they are.",
		Lost: []Loss{
			{What: "Images, files and other typed data are not sent; they stay in the neutral file, where programs " +
				"take them from.",
				signs: []string{` type="System.`, ` mimetype="application`}},
			{What: "What the designer of Windows Forms says of controls, under names that begin with `>>`, is not sent.",
				signs: []string{`"&gt;&gt;`}},
			{What: "The format has no plural forms."},
		},
	}
)
