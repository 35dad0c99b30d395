package text

import "github.com/locsync/locsync/formats/programs"

// printf are the dialects, by gettext's flags; what they take is in its manual, and its msgfmt -c is their judge.
var printf = map[programs.Reader]*dialect{
	programs.CFormat: {numbering: exclusive, flags: " +-#0'I", star: true, sizes: cSize, leading: true, gapless: true,
		sized: "integer unsigned float count char string", after: cTypes, letters: map[string]string{
			"": "%m", "integer": "id", "unsigned": "uoxX", "float": "eEfFgGaA", "char": "cC", "string": "sS",
			"pointer": "p", "count": "n"}},
	programs.ObjC: {numbering: exclusive, flags: " +-#0'I", star: true, sizes: cSize, leading: true, gapless: true,
		sized: "integer unsigned float count char string", after: cTypes, letters: map[string]string{
			"": "%m", "integer": "id", "unsigned": "uoxX", "float": "eEfFgGaA", "char": "cC", "string": "sS",
			"pointer": "p", "count": "n", "object": "@"}},
	programs.JavaPrintf: {numbering: mixed, flags: "#0- +,(", leading: true, decimals: true, before: javaLast,
		after: javaRule, letters: map[string]string{"": "%n", "string": "bBhHsS", "char": "cC", "integer": "doxX",
			"float": "eEfgGaA", "date": "tT"}},
	programs.Python: {flags: "-+ #0", star: true, sizes: oneOf("hlL"), after: pythonTypes, anyType: "any", python: true,
		letters: map[string]string{"": "%", "char": "c", "string": "sr", "integer": "iduoxX", "float": "eEfgG"}},
	programs.PHP: {numbering: mixed, flags: "0- ", padding: true, decimals: true, bare: true, leading: true,
		sizes: oneOf("l"), letters: map[string]string{"integer": "bduoxX", "float": "ef", "char": "c", "string": "s"}},
	programs.Perl: {numbering: mixed, flags: " +-#0", star: true, vectors: true, sizes: perlSize,
		sized: "integer unsigned float count", after: perlTypes, letters: map[string]string{"": "%", "char": "c",
			"string": "s", "vector": "_",
			"integer": "Did", "unsigned": "UOuboxX", "float": "eEfFgG", "pointer": "p", "count": "n"}},
	programs.Lua: {bare: true, letters: map[string]string{"char": "c", "integer": "dioxXu", "float": "aAeEfgG",
		"string": "s", "escaped": "q"}},
	programs.JavaScript: {numbering: exclusive, flags: "-+ 0I", leading: true, anyType: "any", letters: map[string]string{
		"": "%", "char": "c", "string": "s", "integer": "bdoxX", "float": "f", "any": "j"}},
	programs.Awk: {numbering: exclusive, flags: "#0- +", star: true, leading: true, letters: map[string]string{
		"": "%", "char": "c", "string": "s", "integer": "id", "unsigned": "ouxX", "float": "eEfgG"}},
	programs.Tcl: {numbering: exclusive, flags: "#0- +", star: true, leading: true, sizes: tclSize, bare: true,
		sized: "integer unsigned", letters: map[string]string{"char": "c", "string": "s", "integer": "id", "unsigned": "ouxX",
			"float": "eEfgG"}},
	programs.Elisp: {numbering: setting, flags: "#0- +", star: true, leading: true,
		letters: map[string]string{"": "%", "char": "c", "integer": "dixXo", "float": "eEfgG", "any": "s",
			"escaped": "S"}},
	programs.Pascal: {numbering: mixed, colon: true, flags: "-", star: true, bare: true, decimals: true, after: pascalRule,
		letters: map[string]string{"integer": "duxDUX", "float": "efgmnEFGMN", "pointer": "pP", "string": "sS"}},
	programs.GCC: {numbering: exclusive, flags: "q+#lw", star: true, bare: true, decimals: true, leading: true,
		after: gccRule, letters: map[string]string{"": "<>'m", "char": "c", "integer": "di", "unsigned": "oux",
			"pointer": "p", "string": "s", "%A": "A", "%C": "C", "%D": "DJ", "%E": "E", "%F": "F", "%H": "H", "%K": "K",
			"%L": "L", "%O": "O", "%P": "P", "%Q": "Q", "%T": "T", "%V": "V"}},
	programs.GFortran: {numbering: setting, flags: "l", bare: true, leading: true, gapless: true, after: gccRule,
		letters: map[string]string{"": "C", "char": "c", "integer": "di", "unsigned": "u", "string": "s", "%L": "L"}},
	programs.Librep: {numbering: setting, flags: "-^0+ ", leading: true, letters: map[string]string{
		"": "%", "char": "c", "integer": "dxXo", "any": "s", "escaped": "S"}},
}

// readers is the table.
var readers = map[programs.Reader]reader{
	programs.Ruby:        {read: readRuby, typed: true, exact: true},
	programs.Boost:       {read: readBoost, typed: true},
	programs.Qt:          {read: readQt, typed: true, widest: "wide", exact: true},
	programs.QtPlural:    {read: qtPlural.read},
	programs.KDE:         {read: readKDE, kept: true},
	programs.KUIT:        {read: readKUIT, kept: true},
	programs.Shell:       {read: shell.read},
	programs.Smalltalk:   {read: oneDigit.read},
	programs.YCP:         {read: oneDigit.read},
	programs.CSharp:      {read: csharp.read, ranked: true},
	programs.JavaMessage: {read: readGettextMessage, typed: true},
	programs.PythonBrace: {read: pythonBrace.read},
	programs.PerlBrace:   {read: perlBrace.read, spare: true},
	programs.Scheme:      {read: readTilde, exact: true, typed: true},
	programs.Lisp:        {read: readTilde, exact: true, typed: true},

	programs.MessageFormat:   {read: readMessageFormat, valued: true},
	programs.Composite:       {read: composite.read},
	programs.FormatJS:        {read: formatJS.read, valued: true},
	programs.I18nextICU:      {read: i18nextICU.read, valued: true},
	programs.MessageICU:      {read: icu4c.read, valued: true},
	programs.Flutter:         {read: readFlutter, valued: true},
	programs.FlutterEscaping: {read: readFlutterEscaping, valued: true},
	programs.Extension:       {read: readExtension},
	programs.VueI18n:         {read: readVue},
	programs.I18next:         {read: readI18next},
	programs.Laravel:         {read: readLaravel, spare: true},
	programs.Slang:           {read: dart.read},
	programs.SlangBraces:     {read: braces.read},
	programs.SlangDouble:     {read: doubleBraces.read},
	programs.Inline:          {read: readInline, counted: true},
	programs.Angular:         {read: readAngular, counted: true},
}

func init() {
	for name, d := range printf {
		row := reader{read: d.prepared().read, typed: true, anyType: d.anyType}
		row.exact = name == programs.Python || name == programs.Lua
		readers[name] = row
	}
}
