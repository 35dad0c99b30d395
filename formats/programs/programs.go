// Package programs is what the programs that read a format's files do with its texts: whose printf they call, what they
// fill in by name, how they choose among plural forms.
//
// Its law: each field is a fact about programs, so that what checks a translation asks for that fact and for no
// format by name.
//
// It finds nothing in texts; package check does.
package programs

// Printf is whose conversions a program knows.
type Printf uint8

// The families of printf.
const (
	C     Printf = iota // C, PHP, JavaScript, Ruby: arguments are converted, or their type is unknown
	Java                // Android, and Java itself
	Apple               // Objective-C and Swift
	Families
	None = Families // per cent signs are signs
)

// Programs is what they do. The zero value is of programs of which nothing is known but printf.
type Programs struct {
	Printf Printf

	Reader   Reader // how they read a text; Unknown: by Printf, and as the source does
	Because  string // what names the reader, for people
	ByFormat bool   // nothing but the format names it

	Named         bool // names in braces and between per cent signs are filled in, so that a difference is an error
	Messages      bool // texts are ICU messages, of a program that nothing names
	Suffixes      bool // plural categories at the end of keys are read, as i18next does
	Rails         bool // maps of plural categories must be whole, and %{attribute} in validations may be left out
	MessageFormat bool // a single apostrophe quotes, where a text has arguments
	Categories    bool // forms are chosen by the language's plural categories, and keys do not end in them
	Whole         bool // forms are for whole numbers alone: there is none for fractions
	Positions     bool // a text with several placeholders gives each a position, or its file is refused
	Once          bool // a file that has an entry twice is refused
	Lines         bool // a text begins and ends with a line break where its source does, or its file is refused
}
