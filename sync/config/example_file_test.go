package config

import (
	"fmt"
	"os"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"github.com/locsync/locsync/sync/config/position"
	"github.com/locsync/locsync/sync/config/rules"
	"github.com/locsync/locsync/sync/config/schedule"
)

const exampleFile = "../../config.example.toml"

// samples are the keys that have no default: the example shows a value that would do.
var samples = map[string]bool{
	"project.name": true, "project.source_language": true, "project.target_languages": true,
	"project.files.source": true, "project.files.output": true,
	"project.files.format": true, // by the extension
}

func TestExampleIsValid(t *testing.T) {
	c, err := Load(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	if !c.Service.Embedded() || len(c.Warnings) > 0 {
		t.Errorf("the example must run as it stands: %q, %v", c.Service.URL, c.Warnings)
	}
}

// The example shows every key there is, with the default that really holds.
func TestExampleShowsEveryDefault(t *testing.T) {
	data, err := os.ReadFile(exampleFile)
	if err != nil {
		t.Fatal(err)
	}
	// A commented key counts as shown: it is read too.
	text := regexp.MustCompile(`(?m)^# ([a-z_]+|"[^"]+") = `).ReplaceAllString(string(data), "$1 = ")
	text = regexp.MustCompile(`(?m)^# (\[.*\])$`).ReplaceAllString(text, "$1") // a table
	text = strings.Replace(text, "[[project.documents.pretranslation]]", "[[project.documents.pretranslation]]\n"+
		"kind = \"tm\"\nthreshold = 0\nmin_words = 0\nmemory = \"\"\nprofile = \"\"\nconfirm = \"\"\n", 1)
	var tree map[string]any
	if err := toml.Unmarshal([]byte(text), &tree); err != nil {
		t.Fatal(err)
	}
	defaults := Whole()
	rule := []rules.Rule{{Kind: "tm"}} // which has no default
	defaults.Projects[0].Pretranslation, defaults.Projects[0].Documents.Pretranslation = rule, rule
	compareWithTree(t, "", reflect.ValueOf(defaults).Elem(), tree)
}

func compareWithTree(t *testing.T, path string, v reflect.Value, tree map[string]any) {
	for i := range v.NumField() {
		key := v.Type().Field(i).Tag.Get("toml")
		if key == "" {
			continue
		}
		at := position.Join(path, key)
		shown, ok := tree[key]
		if !ok {
			t.Errorf("%s is not in the example", at)
			continue
		}
		field := v.Field(i)
		switch {
		case field.Type() == scheduleType:
			field = reflect.ValueOf(field.Interface().(schedule.Schedule).String())
		case field.Kind() == reflect.Struct:
			compareWithTree(t, at, field, shown.(map[string]any))
			continue
		case field.Kind() == reflect.Map:
			continue
		case field.Kind() == reflect.Slice && field.Type().Elem().Kind() == reflect.Struct:
			compareWithTree(t, at, field.Index(0), shown.([]map[string]any)[0])
			continue
		}
		if samples[at] {
			continue
		}
		want := fmt.Sprint(field.Interface())
		got := fmt.Sprint(shown)
		if field.Type() == durationType {
			length, err := time.ParseDuration(got) // "10m" and "10m0s" are one duration
			if err != nil {
				t.Errorf("%s: %v", at, err)
			}
			got = length.String()
		}
		if got != want {
			t.Errorf("%s: the example says %v, the default is %v", at, got, want)
		}
	}
}
