package formats

// The notes of each row, as its page of the manual has them.
const (
	notesJSON = "Keys are the names of the outermost object; what is nested below is left alone, and `check` names " +
		"it. Comments and trailing commas are kept. The format has no comments for translators, and no plural " +
		"forms of its own: i18next's keys that end in a category (`days_one`) are texts like others."
	notesNestedJSON = "Names are joined to keys by `/`, or by `separator`. The files of ngx-translate, vue-i18n, " +
		"i18next and browser extensions are such; of the latter's entries `message` is the text, and " +
		"`description` stays as it is. No comments for translators are sent. Plural forms are keys like others."
	notesYAML = "Keys are the names of the outermost map. Anchors, aliases, block texts and comments are kept." +
		" Comments go along. Plural forms are keys like others."
	notesNestedYAML = "Names are joined to keys by `/`. A file may have its language as its root, as Rails has. Maps of " +
		"plural categories are texts under one key. What an alias repeats is edited where it is defined." +
		" Comments go along. A plural form that only a translation has stays in the repository."
	notesStrings = "UTF-8 and UTF-16 are read and kept. A comment above an entry goes along. Plurals are in files of " +
		"another format."
	notesCatalogs = "One file has all languages, so `output` is left out. A key without a source text is its own text. " +
		"Plural variations are one text; variations by device and substitutions are texts under names like " +
		"`key|==|device.mac`. The comment of a key goes along. Keys that are not to be translated or that are stale stay " +
		"as they are, and so do variations by width. What is written gets the state `translated`; a translation that is " +
		"`new` counts as none, and the service is not told that one needs review."
	notesDictionaries = "The plural categories of a variable are one text, named `key|==|variable`; the text that " +
		"variables are in is `key|==|NSStringLocalizedFormatKey`, where it has more than variables. A key that a " +
		"`.strings` file beside it has, too, is translated in both; programs take the dictionary's. The comment above " +
		"an entry goes along with its variables. What varies by device (`NSStringDeviceSpecificRuleType`) or width " +
		"(`NSStringVariableWidthRuleType`) is not sent: it stays as it is, and new languages do not have it. Binary " +
		"property lists are not read."
	notesAndroid = "Strings, string arrays and plurals; styled texts travel with their tags. What is not translatable, " +
		"or a reference to another resource, stays in the source. Files in a folder `composeResources` are " +
		"spelled as Compose Multiplatform reads them. Comments go along."
	notesLocJSON = "The service's own format: comments, labels and maximum lengths go along. Targets of units in a " +
		"source file are not read. The format has no plural forms, but messages inside a text."
	notesARB = "Descriptions go along as comments; placeholders and other attributes stay in the source file, as " +
		"Flutter reads them from there alone. Plural forms are in messages inside a text."
	notesProperties = "ISO-8859-1, UTF-8 and `\\uXXXX` are kept; a new file is spelled as its source. Comments go " +
		"along. The format has no plural forms, but those of a message format inside a text."
	notesPO = "Keys are msgids, behind msgctxt and `␄` where there is one. The source is the template (`.pot`), or a " +
		"PO of the source language. Plurals are forms of one key; the header's formula tells their categories; " +
		"forms for fractions and millions alone are not taken. Fuzzy entries are not pushed, and count as not " +
		"translated, as programs pass over them; a pull that writes their text takes the mark away. Obsolete " +
		"entries, references and flags stay; flags like `c-format` and `no-python-format` say what is a placeholder in " +
		"that text. Extracted comments go along. A new language has Language and " +
		"Plural-Forms in its header, and all entries of its source; `incomplete = \"blank\"` does nothing."
	notesXLIFF = "Versions 1.2 and 2, of one language pair. The key is the id; in a folder `translations`, which is " +
		"Symfony's, the resname (`name`) or else the source. The source file's text is the target, where it has one, " +
		"else the source. A target with the state `needs-translation` is not pushed, and counts as not translated; so " +
		"is one with the state `new` or `initial` that is a copy of its source. A pull that writes it makes that " +
		"`translated`, and brings the unit's source up to date. Inline codes are in the texts as they are spelled. " +
		"Notes go along. A new language has the units with translations. Plurals are messages inside a text; " +
		"`incomplete = \"blank\"` does nothing. Units of several segments are left alone, and so are Xcode's exports."
	notesResx = "Texts and their comments. Images, files and other typed data stay in the neutral file, where programs " +
		"take them from; headers and schema stay as they are. The format has no plural forms."
)
