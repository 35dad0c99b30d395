package segment

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// hidden replaces each byte of a tag within a sentence, which is not a part of it. It is one byte long.
const hidden = '\x01'

// rules are how sentences of a language end.
type rules struct {
	abbreviations map[string]bool // they end with a point that ends no sentence
	ordinals      bool            // "3." is "third"
}

// ordinals are the languages that write a point behind an ordinal number.
var ordinals = strings.Fields("bs cs da de et eu fi fo hr hu is lb lt lv nb nn no pl sk sl sq sr tr")

// abbreviations of languages, without the point at the end. Words that also end sentences, like "no" of Spanish, are
// not among them.
var abbreviations = map[string]string{
	"en": "mr mrs ms dr prof st sr jr vs etc e.g i.e fig figs no nos vol sect sec ch art cf ca " +
		"approx inc ltd co corp p pp " +
		"al u.s u.k a.m p.m dept est gen gov rev tel jan feb mar apr jun jul aug sept oct nov dec",
	"de": "hr fr dr prof st bzw usw z.b d.h u.a o.ä s.o s.u v.a i.d.r z.t nr str tel abb abs art " +
		"aufl bd bsp ca evtl ggf " +
		"inkl jh kap max min mind mio mrd n.chr v.chr rd s sog tab vgl zzgl jan feb apr aug sept okt nov dez",
	"fr": "m mm mme mlle dr prof etc p.ex c.-à-d fig vol p pp art chap env cf ex éd tél av bd janv " +
		"févr avr juil sept oct " +
		"nov déc",
	"es": "sr sra sres srta dr dra prof ud uds vd etc p.ej fig art cap núm pág págs tel vol av c cf ee.uu a.m p.m",
	"it": "sig sig.ra sigg dott dott.ssa prof ing avv ecc es p.es fig art cap pag pagg tel vol cfr ca",
	"pt": "sr sra srs dr dra prof profa etc ex p.ex fig art cap núm pág págs tel vol av cf a.m p.m",
	"nl": "dhr mevr mw dr prof ir ing bijv bv enz d.w.z o.a m.b.t t.a.v t.o.v i.v.m fig nr blz art " +
		"hfst tel ca evt incl max " +
		"min",
	"sv": "dr prof bl.a dvs d.v.s e.d etc ex fig m.fl m.m nr osv o.s.v s.k st t.ex tel ca",
	"da": "dr prof bl.a dvs etc f.eks fig m.fl m.m nr osv tlf ca",
	"nb": "dr prof bl.a dvs etc f.eks fig m.fl m.m nr osv tlf ca",
	"fi": "esim ym jne yms ks huom mm n nro puh s tri v",
	"pl": "dr prof mgr inż np m.in itp itd tzn tzw tj ok rys str nr ul al godz r w ww tel wg",
	"cs": "dr ing mgr prof např tzn tj tzv atd apod obr č str ul tel r stol mj popř resp",
	"sk": "dr ing mgr prof napr tzn t.j tzv atď atp obr č str ul tel r stor",
	"hu": "dr prof pl stb kb ill ún vö ábra u k tel sz",
	"ru": "г гг в вв т.е т.д т.п т.к т.н др пр им ул д кв стр рис табл гл п пп ч см ср напр проф " +
		"акад руб коп тыс млн млрд тел",
	"uk": "р рр ст т.зв т.д т.п тощо ін див рис табл гл п пп ч ім вул буд кв стор проф акад грн коп тис млн млрд тел",
	"tr": "dr prof doç sn vb vs bkz örn yy s sf no tel cad sok mah alb",
	"el": "κ.λπ κ.ά π.χ δηλ κ κα κος δρ αρ σελ τηλ",
}

// rulesOf are those of a language, by its code. One without a list of its own has the English one: titles are written
// with it in many others.
func rulesOf(code string) rules {
	base, _, _ := strings.Cut(strings.ToLower(strings.ReplaceAll(code, "_", "-")), "-")
	list, known := abbreviations[base]
	if !known {
		list = abbreviations["en"]
	}
	r := rules{abbreviations: make(map[string]bool), ordinals: slices.Contains(ordinals, base)}
	for word := range strings.FieldsSeq(list) {
		r.abbreviations[word] = true
	}
	return r
}

// cutPoints are the offsets in s where a new sentence begins, in order: behind the white space that follows a point,
// exclamation or question mark (with closing quotes and brackets), where the next sentence begins with a capital
// letter, a digit or a sign that opens something; and directly behind the full stops of Chinese and Japanese. Where it
// is in doubt, after an abbreviation, an initial, an ordinal number or a quotation that goes on, it does not cut: two
// sentences in one segment are a lesser evil than half a sentence.
func (l rules) cutPoints(s string) []int {
	var points []int
	for at := 0; at < len(s); {
		r, size := utf8.DecodeRuneInString(s[at:])
		switch {
		case strings.ContainsRune("。！？｡", r):
			at += size
			quotes := closers(s[at:])
			at += quotes
			if next, _ := utf8.DecodeRuneInString(s[at:]); quotes == 0 || !unicode.Is(unicode.Hiragana, next) {
				points = append(points, at)
			}
			continue
		case strings.ContainsRune(ends, r):
			end := at + size
			for end < len(s) && strings.IndexByte(".!?", s[end]) >= 0 {
				end++
			}
			end += closers(s[end:])
			next := end + spaces(s[end:])
			if next > end && next < len(s) && opens(s[next:]) && !(r == '.' && l.abbreviated(s[:at])) {
				points = append(points, next)
			}
			at = max(next, end)
			continue
		}
		at += size
	}
	return points
}

// ends are the signs that end a sentence where white space follows: of the Latin script and its neighbours, of Arabic,
// Urdu, the scripts of India, Armenian, Ethiopic, Burmese and Khmer.
const ends = ".!?…؟۔।॥։።፧။៕"

// closers is the length of the quotes and brackets that s begins with and that close something.
func closers(s string) int {
	n := 0
	for _, r := range s {
		if r != hidden && !strings.ContainsRune(`"'”’»)]}」』）*_`, r) {
			break
		}
		n += utf8.RuneLen(r)
	}
	return n
}

func spaces(s string) int {
	return len(s) - len(strings.TrimLeftFunc(s, unicode.IsSpace))
}

// opens tells whether a sentence may begin with s.
func opens(s string) bool {
	r, _ := utf8.DecodeRuneInString(strings.TrimLeft(s, string(hidden)))
	return !unicode.IsLower(r) && (unicode.IsLetter(r) || unicode.IsDigit(r) ||
		strings.ContainsRune("\"'“‘„«([{¿¡<*_`!「『（", r))
}

// abbreviated tells whether the word that s ends with is an abbreviation, an initial or an ordinal number, so that the
// point behind it is its own.
func (l rules) abbreviated(s string) bool {
	word := s[strings.LastIndexFunc(s, func(r rune) bool {
		return unicode.IsSpace(r) || r == hidden || strings.ContainsRune("(\"'“„«", r)
	})+1:]
	if r, size := utf8.DecodeRuneInString(word); size > 0 && size == len(word) && unicode.IsUpper(r) {
		return true
	}
	if l.ordinals && len(word) > 0 && len(word) <= 2 && strings.Trim(word, "0123456789") == "" {
		return true
	}
	return l.abbreviations[strings.ToLower(word)]
}

// pieces are the sentences of s as ranges without the white space around them. Only cut points that allowed agrees to
// are used.
func (l rules) pieces(s string, allowed func(at int) bool) [][2]int {
	var out [][2]int
	from := 0
	add := func(to int) {
		a, b := from, to
		a += spaces(s[a:b])
		b = a + len(strings.TrimRightFunc(s[a:b], unicode.IsSpace))
		if a < b {
			out = append(out, [2]int{a, b})
		}
		from = to
	}
	for _, at := range l.cutPoints(s) {
		if allowed == nil || allowed(at) {
			add(at)
		}
	}
	add(len(s))
	return out
}
