package report

// The codes of problems: what went wrong, by cause. A code keeps its meaning; new ones may come.
const (
	CodeSyntax        = "syntax"
	CodeRead          = "unreadable"
	CodeWrite         = "unwritten"
	CodeClash         = "clash"
	CodeDuplicate     = "duplicate"
	CodeSpelling      = "spelling"
	CodeFormat        = "format"
	CodeDivided       = "divided"
	CodeOrphan        = "orphan"
	CodeStray         = "stray"
	CodePattern       = "pattern"
	CodePath          = "place"
	CodeIgnored       = "ignored"
	CodeLanguage      = "language"
	CodeGap           = "missing"
	CodeConfiguration = "configuration"
	CodeConflict      = "conflict"
	CodeNoConflict    = "no-conflict"
	CodeReplaced      = "replaced"
	CodeRemoved       = "removed"
	CodeRename        = "rename"
	CodeGuard         = "guard"
	CodeShape         = "shape"
	CodeService       = "service"
	CodeArchive       = "archive"
	CodeBranch        = "branch"
	CodeRequest       = "request"
	CodeRepository    = "repository"
	CodeMemory        = "memory"
	CodeUnplaced      = "unplaced"
	CodeQuestion      = "question"
	CodeDatabase      = "database"
	CodeFault         = "internal"

	// The checks of translations; package check and skip_checks name them so.
	CodePrintf     = "printf"
	CodeNames      = "names"
	CodeICU        = "icu"
	CodeMarkup     = "markup"
	CodePlurals    = "plurals"
	CodeCharacters = "characters"

	// What is harmless to a program; package check and [project.check] name it so. CodeLanguage is one of them, too.
	CodeSame   = "same"
	CodeScript = "script"
	CodeURL    = "url"
	CodeNumber = "number"
	CodeEnds   = "ends"
	CodeBlank  = "blank"
	CodeLength = "length"
	CodeHidden = "hidden"
	CodeStale  = "stale"
	CodeTerms  = "terms"
)

// Code is what a code means. Severity is that of its problems where they do not say.
type Code struct{ Code, Severity, Meaning string }

// Codes are all codes, as `locsync help json` lists them.
var Codes = []Code{
	{CodeSyntax, Error, "a file does not parse; it is skipped, and what was pushed of it stays"},
	{CodeRead, Error, "a file or folder cannot be read"},
	{CodeWrite, Error, "a file cannot be written, or not proven to be right; it is left as it is"},
	{CodeClash, Error, "a key has two different texts; neither is sent"},
	{CodeDuplicate, Warning, "a file has an entry twice; an error where its tools refuse that"},
	{CodeSpelling, Warning, "an entry is spelled as readers of its format do not like; an error where they refuse it"},
	{CodeFormat, Error, "a file holds values that its configured format has no keys for; they are skipped"},
	{CodeDivided, Error, "a key is translated differently in several files of one collection"},
	{CodeOrphan, Warning, "a translation of a key that the source does not have"},
	{CodeStray, Warning, "a file of translations without a source file"},
	{CodePattern, Error, "a pattern of the configuration matches no file"},
	{CodePath, Error, "files that would be written over one another, or to a path that cannot be written"},
	{CodeIgnored, Warning, "a file of translations that git ignores"},
	{CodeLanguage, Warning, "a language that a service is known not to have; another language's text under a key"},
	{CodeGap, Error, "a key without a translation (check --missing)"},
	{CodeConfiguration, Error, "the configuration cannot be used as it is"},
	{CodeConflict, Error, "a text was changed on both sides, or never agreed on; one counts, or it waits for a decision"},
	{CodeNoConflict, Error, "--ours or --theirs names something that has no conflict"},
	{CodeReplaced, Warning, "a text of the service was replaced or kept by a push, as push.conflicts says"},
	{CodeRemoved, Warning, "a key that the source does not have, or has lost, stays at the service, or is archived there"},
	{CodeRename, Error, "it cannot be told which key or file has become which; translations stay where they are"},
	{CodeGuard, Error, "a file would lose or change more than the guard allows; it is held back"},
	{CodeShape, Error, "a translation has another shape than its source: one text, a plural, a list"},
	{CodeService, Error, "the service did not take something, or gave something that cannot be used"},
	{CodeArchive, Error, "an entry of the service's archive is unsafe, or belongs to no configured file"},
	{CodeBranch, Error, "a git branch cannot follow, be delivered or be told; nothing is lost"},
	{CodeRequest, Error, "the pull or merge request for the branch could not be made or brought up to date"},
	{CodeRepository, Error, "the repository cannot be looked at, so that its state is not known"},
	{CodeMemory, Warning, "the remote does not take what was agreed on, so that other clones do not know of it"},
	{CodeUnplaced, Error, "translations wait at the service for a source file that the base branch does not have"},
	{CodeQuestion, Warning, "a translator asks the developers about a key, on the page for translators"},
	{CodeDatabase, Error, "the database that the daemons of a cluster share cannot be used"},
	{CodeFault, Error, "a fault of locsync itself in a file or project, which is skipped; the log has its stack"},
	{CodePrintf, Error, "printf placeholders (%s, %1$d) differ from the source's"},
	{CodeNames, Error, "named placeholders ({name}, {{name}}, %{name}) differ from the source's"},
	{CodeICU, Error, "an ICU message is malformed, or has other arguments than the source's"},
	{CodeMarkup, Error, "tags are not those of the source, or are not closed"},
	{CodePlurals, Error, "plural forms that the language needs are missing, or do not fit"},
	{CodeCharacters, Error, "characters that the file's readers cannot take"},
	{CodeSame, Warning, "the source text where a translation is expected, of three words or more"},
	{CodeScript, Warning, "letters of a script that neither the language nor the source is written in"},
	{CodeURL, Error, "an address whose host or scheme the source does not have"},
	{CodeNumber, Warning, "a number of two digits or more that the source has and the translation does not"},
	{CodeEnds, Warning, "other punctuation, blanks or line breaks at either end; an error where msgfmt refuses it"},
	{CodeBlank, Warning, "white space alone"},
	{CodeLength, Warning, "more characters than the comment allows"},
	{CodeHidden, Warning, "characters that show nothing or reorder others; letters that look like others"},
	{CodeStale, Warning, "a translation that is older than its source text, by git's history (check --stale)"},
	{CodeTerms, Warning, "a term that must stay, or be translated in one way"},
}

// severityOf is that of a code's problems; Error of one that is not known.
func severityOf(code string) string {
	for _, c := range Codes {
		if c.Code == code {
			return c.Severity
		}
	}
	return Error
}
