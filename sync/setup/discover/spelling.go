package discover

import (
	"cmp"
	"maps"
	"slices"
	"strings"

	"golang.org/x/text/language"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config/languages"
)

// common are languages that products are written in or translated into first. A path that is read as one of them
// probably means it: io, os, to and ml are languages as well.
var common = []string{"en", "de", "fr", "es", "it", "pt", "nl", "pl", "ru", "uk", "cs", "sk", "hu", "ro", "bg", "hr",
	"sr", "sl", "el", "tr", "sv", "da", "nb", "no", "nn", "fi", "et", "lv", "lt", "ja", "ko", "zh", "ar", "he", "fa",
	"hi", "bn", "ur", "th", "vi", "id", "ms", "fil", "ca", "eu", "gl", "af", "sq", "mk", "ka", "hy", "az", "kk", "sw",
	"ta", "te"}

// long are the codes of three letters that software is translated into. Of the thousands of others most are words: app,
// bin, dev, log, min, new.
var long = []string{"ast", "bho", "brx", "ceb", "ckb", "cnr", "csb", "doi", "dsb", "fil", "fur", "gsw", "haw", "hsb",
	"ilo", "kab", "kok", "lmo", "mai", "mni", "nds", "nqo", "nso", "pap", "sah", "sat", "scn", "sma", "smj", "smn",
	"sms", "szl", "tlh", "tok", "vec", "war", "yue", "zgh", "chr", "frp", "kmr", "lzh", "nan", "pms", "rue", "sco",
	"sgs", "tzm"}

// renamed are codes of old that paths still use, and those of common languages in three letters, by what the service
// calls the language.
var renamed = func() map[string]string {
	all := map[string]string{"iw": "he", "in": "id", "ji": "yi", "tl": "fil", "enu": "en", "esn": "es", "esp": "es",
		"plk": "pl", "csy": "cs", "trk": "tr", "ptb": "pt-BR", "chs": "zh-Hans", "cht": "zh-Hant"}
	for _, code := range common {
		base, _ := language.ParseBase(code)
		all[base.ISO3()] = code
	}
	return all
}()

// byName are common languages by their names in English, in small letters.
var byName = func() map[string]string {
	all := map[string]string{"norwegian": "nb", "chinese": "zh-Hans"}
	for _, l := range languages.All() {
		if name := strings.ToLower(l.Name); slices.Contains(common, l.Code) && all[name] == "" {
			all[name] = l.Code
		}
	}
	return all
}()

// named is the language that a name in English means, or a code that begins with a capital: English, german, De, Pt-BR.
// Such names are words as well: they count where their siblings have some, too.
func named(spelling string) string {
	if code := byName[strings.ToLower(spelling)]; code != "" || spelling == "" {
		return code
	}
	if name, script, _ := strings.Cut(strings.ToLower(spelling), "-"); byName[name] != "" && scripts[script] != "" {
		base, _, _ := strings.Cut(byName[name], "-")
		return base + "-" + scripts[script]
	}
	first := strings.ToLower(spelling[:1])
	if first == spelling[:1] || !isCommon(spelling) {
		return ""
	}
	return codeOf(first + spelling[1:])
}

// chinese are the regions that stand for a script; the service names scripts.
var chinese = map[string]string{"zh-CN": "zh-Hans", "zh-SG": "zh-Hans-SG", "zh-TW": "zh-Hant", "zh-HK": "zh-Hant-HK",
	"zh-MO": "zh-Hant-MO"}

// serbian are MediaWiki's names of its two scripts, which would be Serbian in Ecuador and no tag at all.
var serbian = map[string]string{"sr-ec": "sr-Cyrl", "sr-el": "sr-Latn"}

// codeOf turns a spelling of a path into the service's code; "" where it is none by itself.
func codeOf(spelling string) string { return readSpelling(spelling, false) }

// probably is codeOf where the texts prove that a spelling is one: also rare languages, variants, and countries that
// are meant for their language (jp, cz). "" where it is none all the same.
func probably(spelling string) string { return readSpelling(spelling, true) }

// readSpelling judges the parts of a spelling one by one: a parser of whole language tags takes an Android folder
// (zh-rTW) for something else altogether.
func readSpelling(spelling string, proven bool) string {
	if code, ok := serbian[spelling]; ok {
		return code
	}
	if m := joined.FindStringSubmatch(spelling); m != nil && slices.Contains(common, m[1]) {
		spelling = m[1] + "-" + m[2]
	}
	// sr@latin, pt_BR, and Android's values-b+sr+Latn
	spelling = strings.NewReplacer("_", "-", "@", "-", "+", "-").Replace(strings.TrimPrefix(spelling, "b+"))
	parts := strings.Split(plainSpelling(spelling), "-")
	first := strings.ToLower(parts[0])
	isCapital := len(first) == 2 && strings.ToUpper(first) == parts[0] && slices.Contains(common, first) // EN, DE
	isAlone := len(parts) == 1
	if _, isPart := subtag(parts[len(parts)-1]); len(parts) == 2 && strings.EqualFold(first, parts[1]) && !isPart {
		parts = parts[:1] // en_EN, ja_JA
	}
	switch {
	case !proven && first != parts[0] && !isCapital:
		return ""
	case proven:
		first = likelyBase(first, isAlone)
	case renamed[first] == "":
		if _, err := language.ParseBase(first); err != nil || len(first) != 2 && !slices.Contains(long, first) {
			return ""
		}
	}
	parts[0] = cmp.Or(renamed[first], first)
	for i, p := range parts[1:] {
		code, ok := subtag(p)
		switch {
		case ok && (!proven || len(p) != 3 || p[0] <= '9'):
			parts[i+1] = code
		case !proven:
			return ""
		case len(p) == 2:
			parts[i+1] = strings.ToUpper(p)
		default:
			parts[i+1] = strings.ToLower(p)
		}
	}
	isScript := func(part string) int { return bit(len(part) == 4 && part[0] > '9') }
	slices.SortStableFunc(parts[1:], func(a, b string) int { return isScript(b) - isScript(a) }) // sr_RS@latin
	code := strings.Join(parts, "-")
	if !languages.WellFormed(code) {
		return ""
	}
	return cmp.Or(chinese[code], code)
}

// likelyBase is the language of a code in small letters, also of one of old (heb, ind), or, where it may be, of the
// country with this code; "" of what means none.
func likelyBase(code string, maybeCountry bool) string {
	if slices.Contains([]string{"und", "mul", "mis", "zxx", "car", "dev"}, code) {
		return "" // none, several, Android's cars, i18next's developers
	}
	if base, err := language.ParseBase(code); err == nil {
		known, _ := language.DeprecatedBase.Compose(base)
		return known.String()
	}
	tag, err := language.Parse("und-" + code)
	spoken, sure := tag.Base()
	if err != nil || !maybeCountry || len(code) != 2 || sure == language.No {
		return code
	}
	return spoken.String()
}

// joined is a common language and its region without a mark between them: enGB.
var joined = re(`^([a-z][a-z])([A-Z][A-Z])$`)

// sameLanguage reports whether two codes are of one language, in whatever script and region.
func sameLanguage(a, b string) bool {
	a, _, _ = strings.Cut(a, "-")
	b, _, _ = strings.Cut(b, "-")
	return a == b
}

// scripts are those of some languages by their names in English: zh_SIMPLIFIED, chinese-traditional, sr@latin.
var scripts = map[string]string{"simplified": "Hans", "traditional": "Hant", "latin": "Latn", "cyrillic": "Cyrl"}

// subtag is a script or region of a spelling, as codes have it.
func subtag(p string) (string, bool) {
	switch len(p) {
	case 4:
		s, err := language.ParseScript(p)
		return s.String(), err == nil
	case 2, 3:
		r, err := language.ParseRegion(strings.ToUpper(p))
		return r.String(), err == nil && (r.IsCountry() || r.IsGroup())
	}
	if script := scripts[strings.ToLower(p)]; script != "" {
		return script, true
	}
	return p, p == "valencia"
}

// forTests says why a code is of no language that people speak: codes for private use, and the regions of Android's
// pseudo-languages.
func forTests(spelling string) string {
	parts := strings.FieldsFunc(strings.ToLower(spelling), func(r rune) bool { return r == '-' || r == '_' || r == '+' })
	isPseudo := func(part string) bool { return slices.Contains([]string{"pseudo", "xa", "xb", "rxa", "rxb"}, part) }
	switch {
	case len(parts) == 0:
	case parts[0] == "qqq":
		return "holds notes for translators"
	case len(parts[0]) == 3 && parts[0] >= "qaa" && parts[0] <= "qtz", slices.ContainsFunc(parts, isPseudo):
		return madeForTests
	}
	return ""
}

const madeForTests = "is in a pseudo-language, which a tool makes for tests"

// isCommon reports whether a spelling is of a common language. What codes were renamed to does not count: in is a word.
func isCommon(spelling string) bool {
	first, _, _ := strings.Cut(strings.ReplaceAll(spelling, "_", "-"), "-")
	return slices.Contains(common, strings.ToLower(first)) || len(first) > 2
}

// plainSpelling undoes what {LOCALE:ANDROID} does to a spelling.
func plainSpelling(spelling string) string {
	if strings.HasPrefix(spelling, "b+") {
		return spelling
	}
	parts := strings.Split(spelling, "-")
	for i, p := range parts[1:] {
		if r, ok := strings.CutPrefix(p, "r"); ok && len(r) >= 2 && r[0] >= '0' && r[0] <= 'Z' {
			parts[i+1] = r
		}
	}
	return strings.Join(parts, "-")
}

// Choose settles how paths spell the languages that are to be translated into: as the files do that are there. For a
// language that a group has no file of yet it is the way of other groups of its platform, in the group's own style, or
// what the platform reads.
func (r *Result) Choose(targets []string) {
	r.Targets, r.Paths = targets, make(map[string]string)
	for i := range r.Groups {
		r.Groups[i].Paths = make(map[string]string)
	}
	for _, code := range append([]string{r.Source}, targets...) {
		there := make(map[string]map[string]int) // by platform: how many groups spell it in which way
		for _, g := range r.Groups {
			if there[g.platform()] == nil {
				there[g.platform()] = make(map[string]int)
			}
			if way := g.spelled[code]; way != "" {
				there[g.platform()][way]++
			}
		}
		ways, votes := make([]string, len(r.Groups)), make(map[string]int)
		for i, g := range r.Groups {
			ways[i] = code
			if code != r.Source || g.spelled[code] != "" {
				ways[i] = g.way(code, most(there[g.platform()], ""))
			}
			votes[ways[i]]++
		}
		best := most(votes, code)
		if best != code {
			r.Paths[code] = best
		}
		for i, way := range ways {
			if way != best {
				r.Groups[i].Paths[code] = way
			}
		}
	}
}

// most is the key with the most votes: of several with as many this one, or the first.
func most(votes map[string]int, otherwise string) string {
	best := otherwise
	for _, way := range slices.Sorted(maps.Keys(votes)) {
		if votes[way] > votes[best] {
			best = way
		}
	}
	return best
}

func (g *Group) platform() string {
	if g.Kind == browserExtension {
		return g.Kind
	}
	return g.row().Flat()
}

// way is how a group's paths spell a language. others is the way of groups like it, empty where none has the language.
func (g *Group) way(code, others string) string {
	way := g.spelled[code]
	way = cmp.Or(way, g.spelled[codeOf(code)]) // zh-TW was asked for, and the files are zh-Hant's
	switch {
	case way != "":
		return way
	case g.region != "":
		return strings.ReplaceAll(likely(region(code)), "-", g.region)
	case strings.HasSuffix("/"+g.Output, "/lang/{LANGUAGE}.json") && strings.Contains("/"+g.Output, "/assets/"):
		return strings.ToLower(strings.ReplaceAll(likely(region(code)), "-", "_")) // Minecraft's de_de
	case others != "":
		way = others
	case g.row().Platform == formats.Android:
		return androidSpelling(code)
	case g.row().Spelling == formats.Regional, g.Kind == browserExtension:
		return strings.ReplaceAll(region(code), "-", "_")
	case g.row().Spelling == formats.Underlined:
		return strings.ReplaceAll(code, "-", "_")
	default:
		way = code
	}
	underscores, hyphens, lower, upper := false, false, false, false
	for _, spelled := range g.spelled {
		if at := strings.IndexAny(spelled, "-_"); at > 0 && spelled[at+1] > '9' {
			underscores = underscores || spelled[at] == '_'
			hyphens = hyphens || spelled[at] == '-'
			lower = lower || strings.ToLower(spelled) == spelled
			upper = upper || strings.ToLower(spelled) != spelled
		}
	}
	if underscores && !hyphens {
		way = strings.ReplaceAll(way, "-", "_")
	}
	if lower && !upper {
		way = strings.ToLower(way)
	}
	return way
}

// androidSpelling is what {LOCALE:ANDROID} needs to yield a folder that Android knows. Scripts have no letter there,
// and regions in numbers neither: they are written as in values-b+sr+Latn, or, for Chinese, as a region.
func androidSpelling(code string) string {
	code = region(code)
	parts := strings.Split(code, "-")
	if slices.ContainsFunc(parts[1:], func(p string) bool { return len(p) != 2 }) {
		return "b+" + strings.Join(parts, "+")
	}
	return code
}

// region is a code with the region that stands for Chinese in a script, for platforms that know no scripts.
func region(code string) string {
	for region, script := range chinese {
		if script == code {
			return region
		}
	}
	return code
}
