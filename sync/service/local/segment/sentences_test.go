package segment

import (
	"slices"
	"testing"
)

// A point ends no sentence behind an abbreviation of the text's language, and where a number with a point is an
// ordinal.
func TestSentencesOfLanguages(t *testing.T) {
	for _, c := range []struct {
		language string
		want     []string // the sentences of their text
		space    string
	}{
		{"de", []string{"Am 3. Oktober ist frei."}, " "},
		{"de-AT", []string{"Der 2. Weltkrieg endete 1945.", "Danach kam Frieden."}, " "},
		{"de", []string{"Siehe Abb. 4 und z.B. Kap. Eins.", "Danach weiter."}, " "},
		{"en", []string{"See Sect. 3 for details.", "There are 3.", "Take one."}, " "},
		{"en-US", []string{"It is 5 p.m. Monday.", "Mr. A. Smith left."}, " "},
		{"ru", []string{"Он приехал в г. Москва.", "Это было в 1990 г. Потом он уехал."}, " "},
		{"ja", []string{"「はい。」と言った。", "「いいえ。」", "彼は笑った。"}, ""},
		{"zh-CN", []string{"他说：“好。”", "我们走了。"}, ""},
		{"es", []string{"El Sr. García dice que no.", "Luego se va."}, " "},
		{"hi", []string{"यह पहला वाक्य है।", "यह दूसरा वाक्य है।"}, " "},
		{"ar", []string{"هل هذا صحيح؟", "نعم هو صحيح."}, " "},
		{"cs_CZ", []string{"Dne 17. Listopadu bylo zavřeno.", "Konec."}, " "},
		{"xx", []string{"Dr. Who left.", "Then 3.", "Then 4."}, " "},
	} {
		text := ""
		for i, s := range c.want {
			if i > 0 {
				text += c.space
			}
			text += s
		}
		for file, whole := range map[string]string{"a.txt": text, "a.md": text, "a.html": "<p>" + text + "</p>"} {
			d, err := Parse(t.Context(), file, []byte(whole), Options{Source: c.language})
			if err != nil {
				t.Fatal(err)
			}
			if got := texts(d); !slices.Equal(got, c.want) {
				t.Errorf("%s, %s: %q, want %q", c.language, file, got, c.want)
			}
		}
	}
}

// Words are counted as people count them, about, also where no spaces are between them.
func TestWordsOfScripts(t *testing.T) {
	for text, want := range map[string][2]int{
		"It's 3.14, don't you see?": {5, 5},
		"你好世界":                      {4, 4},
		"ประเทศไทยอยู่ในทวีปเอเชีย":            {5, 8},
		"ฉันชอบกินข้าวผัด เขาชอบกินก๋วยเตี๋ยว": {7, 12},
		"ភាសាខ្មែរ":   {1, 3},
		"ສະບາຍດີ 123": {2, 3},
	} {
		if got := (&Segment{Text: text}).Size().Words; got < want[0] || got > want[1] {
			t.Errorf("%q has %d words, want %v", text, got, want)
		}
	}
}
