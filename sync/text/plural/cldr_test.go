package plural

import (
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// The table agrees with CLDR's rules, which are evaluated here; the generator reads the samples beside them instead.
// LOCSYNC_CLDR names a folder with an unpacked cldr-core of npm.
func TestTableAgainstRules(t *testing.T) {
	dir := os.Getenv("LOCSYNC_CLDR")
	if dir == "" {
		t.Skip("LOCSYNC_CLDR does not name an unpacked cldr-core")
	}
	var about struct{ Version string }
	readJSON(t, filepath.Join(dir, "package.json"), &about)
	if about.Version != CLDR {
		t.Errorf("the table is made from %s, and %s is here; run go generate", CLDR, about.Version)
	}
	for file, look := range map[string]func(string) []Category{"plurals": Categories, "ordinals": Ordinals} {
		kind := map[string]string{"plurals": "cardinal", "ordinals": "ordinal"}[file]
		var data struct{ Supplemental map[string]json.RawMessage }
		readJSON(t, filepath.Join(dir, "supplemental", file+".json"), &data)
		var languages map[string]map[string]string
		if err := json.Unmarshal(data.Supplemental["plurals-type-"+kind], &languages); err != nil {
			t.Fatal(err)
		}
		if len(languages) < 100 {
			t.Fatalf("%d languages", len(languages))
		}
		for language, rules := range languages {
			if language != "und" {
				compareRules(t, kind+" "+language, rules, look(language))
			}
		}
	}
}

func readJSON(t *testing.T, name string, into any) {
	t.Helper()
	src, err := os.ReadFile(name)
	if err == nil {
		err = json.Unmarshal(src, into)
	}
	if err != nil {
		t.Fatal(err)
	}
}

func compareRules(t *testing.T, name string, rules map[string]string, got []Category) {
	t.Helper()
	const limit = 3000
	numbers := make(map[string][]int) // by category: the whole numbers that are in it
	for n := range limit {
		category := Other
		for key, rule := range rules {
			condition, _, _ := strings.Cut(rule, "@")
			if c := strings.TrimPrefix(key, "pluralRule-count-"); c != Other && holds(condition, n) {
				category = c
			}
		}
		numbers[category] = append(numbers[category], n)
	}
	if len(rules) != len(got) {
		t.Errorf("%s: %d categories, want %d", name, len(got), len(rules))
	}
	for _, c := range got {
		if _, ok := rules["pluralRule-count-"+c.Name]; !ok {
			t.Errorf("%s has no category %s", name, c.Name)
		}
		has := numbers[c.Name]
		if rare := len(has) == 0 || has[0] >= 1000; rare != c.Rare {
			t.Errorf("%s %s: rare is %v, want %v", name, c.Name, c.Rare, rare)
		}
		if ends := len(has) > 0 && len(has) < 16 && has[len(has)-1] < 1000; ends && !slices.Equal(has, c.Numbers) ||
			!ends && c.Numbers != nil {
			t.Errorf("%s %s: numbers are %v, want %v", name, c.Name, c.Numbers, has[:min(len(has), 30)])
		}
	}
}

// holds evaluates a condition of CLDR's rules (UTS 35, "Plural rules syntax") for a whole number: i and n are the
// number itself, and what counts fraction digits or exponents (v w f t c e) is 0.
func holds(condition string, n int) bool {
	for _, or := range strings.Split(condition, " or ") {
		all := true
		for _, and := range strings.Split(or, " and ") {
			all = all && relation(strings.TrimSpace(and), n)
		}
		if all {
			return true
		}
	}
	return false
}

func relation(s string, n int) bool {
	left, right, negated := strings.Cut(s, "!=")
	if !negated {
		left, right, _ = strings.Cut(s, "=")
	}
	operand, modulus, isModulo := strings.Cut(strings.TrimSpace(left), "%")
	value := 0
	if operand = strings.TrimSpace(operand); operand == "n" || operand == "i" {
		value = n
	}
	if isModulo {
		m, err := strconv.Atoi(strings.TrimSpace(modulus))
		if err != nil {
			panic(s)
		}
		value %= m
	}
	in := false
	for _, r := range strings.Split(right, ",") {
		from, to, isRange := strings.Cut(strings.TrimSpace(r), "..")
		if !isRange {
			to = from
		}
		a, err := strconv.Atoi(from)
		b, err2 := strconv.Atoi(to)
		if err != nil || err2 != nil {
			panic(s)
		}
		in = in || a <= value && value <= b
	}
	return in != negated
}
