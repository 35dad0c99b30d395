package programs

// Reader is how one kind of program reads a text: what in it is an argument, a tag, a form, and what it refuses.
type Reader string

// The readers. Those of gettext are named by its flags. Unknown is of programs that nothing names: what the source does
// is all that is known of them.
const (
	Unknown     Reader = ""
	CFormat     Reader = "c"
	ObjC        Reader = "objc"
	JavaPrintf  Reader = "java-printf"
	JavaMessage Reader = "java" // MessageFormat, as msgfmt judges it
	Python      Reader = "python"
	PythonBrace Reader = "python-brace"
	PHP         Reader = "php"
	Perl        Reader = "perl"
	PerlBrace   Reader = "perl-brace"
	Ruby        Reader = "ruby"
	Lua         Reader = "lua"
	JavaScript  Reader = "javascript"
	Awk         Reader = "awk"
	Tcl         Reader = "tcl"
	Elisp       Reader = "elisp"
	Librep      Reader = "librep"
	Scheme      Reader = "scheme"
	Lisp        Reader = "lisp"
	Pascal      Reader = "object-pascal"
	Smalltalk   Reader = "smalltalk"
	YCP         Reader = "ycp"
	GCC         Reader = "gcc-internal"
	GFortran    Reader = "gfc-internal"
	Shell       Reader = "sh"
	CSharp      Reader = "csharp"
	Boost       Reader = "boost"
	Qt          Reader = "qt"
	QtPlural    Reader = "qt-plural"
	KDE         Reader = "kde"
	KUIT        Reader = "kde-kuit"

	MessageFormat   Reader = "java.text.MessageFormat"
	Composite       Reader = ".NET String.Format"
	FormatJS        Reader = "FormatJS"
	I18nextICU      Reader = "i18next-icu"       // FormatJS without tags
	MessageICU      Reader = "ICU MessageFormat" // Symfony's, which is PHP's intl
	Flutter         Reader = "flutter gen-l10n"
	FlutterEscaping Reader = "flutter gen-l10n, use-escaping"
	Extension       Reader = "browser extension"
	VueI18n         Reader = "vue-i18n"
	I18next         Reader = "i18next"
	Laravel         Reader = "Laravel"
	Slang           Reader = "slang"
	SlangBraces     Reader = "slang, braces"
	SlangDouble     Reader = "slang, double_braces"
	Inline          Reader = "XLIFF"
	Angular         Reader = "Angular" // XLIFF whose braces begin a message of ICU
)

// gettextReaders are those that a flag of gettext names: what msgfmt -c judges.
var gettextReaders = map[Reader]bool{
	CFormat: true, ObjC: true, JavaPrintf: true, JavaMessage: true, Python: true, PythonBrace: true, PHP: true,
	Perl: true, PerlBrace: true, Ruby: true, Lua: true, JavaScript: true, Awk: true, Tcl: true, Elisp: true,
	Librep: true, Scheme: true, Lisp: true, Pascal: true, Smalltalk: true, YCP: true, GCC: true, GFortran: true,
	Shell: true, CSharp: true, Boost: true, Qt: true, QtPlural: true, KDE: true, KUIT: true,
}

// HasElements reports whether a reader's texts have the inline elements of XLIFF.
func (r Reader) HasElements() bool { return r == Inline || r == Angular }

// Gettext reports whether a reader is one of gettext's flags.
func (r Reader) Gettext() bool { return gettextReaders[r] }
