package main

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/BurntSushi/toml"
	"github.com/santhosh-tekuri/jsonschema/v6"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/failure"
)

// schemaOf is what locsync help TOPIC --schema prints, compiled at a place in it. The compiler holds it to its dialect.
func schemaOf(topic, at string) (*jsonschema.Schema, error) {
	var out bytes.Buffer
	a := &app{out: &out, err: &out}
	root := a.root()
	root.SetArgs([]string{"help", topic, "--schema"})
	if err := root.Execute(); err != nil {
		return nil, err
	}
	doc, err := jsonschema.UnmarshalJSON(&out)
	if err != nil {
		return nil, err
	}
	compiler := jsonschema.NewCompiler()
	compiler.AssertFormat()
	if err := compiler.AddResource("schema.json", doc); err != nil {
		return nil, err
	}
	return compiler.Compile("schema.json" + at)
}

var compiled sync.Map // by command

// fitsSchema tells whether what a command printed with --json is what its schema says.
func fitsSchema(args []string, printed string) error {
	name := "failure" // of an unknown command
	for n := range args {
		if words := strings.Join(args[:n+1], " "); jsonDocuments[words] != nil {
			name = words
		}
	}
	schema, known := compiled.Load(name)
	if !known {
		made, err := schemaOf("json", "#/$defs/"+url.PathEscape(name))
		if err != nil {
			return err
		}
		schema, _ = compiled.LoadOrStore(name, made)
	}
	value, err := jsonschema.UnmarshalJSON(strings.NewReader(printed))
	if err != nil {
		return err
	}
	if err := schema.(*jsonschema.Schema).Validate(value); err != nil {
		return fmt.Errorf("%s: %w", name, err)
	}
	return nil
}

// Every command has a definition, and what is not a document of a command does not fit.
func TestSchemas(t *testing.T) {
	root := (&app{}).root()
	for name := range allDocuments(root) {
		if _, err := schemaOf("json", "#/$defs/"+url.PathEscape(name)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
	}
	for name := range jsonDocuments {
		if found, rest, err := root.Find(strings.Fields(name)); err != nil || len(rest) > 0 || found == root {
			t.Errorf("there is no command %q", name)
		}
	}
	for _, wrong := range []string{`{}`, `{"schema": 2, "projects": []}`, `{"schema": 1}`,
		`{"schema": 1, "error": "x"}`,
		`{"schema": 1, "projects": [{"name": "app"}]}`,
		`{"schema": 1, "projects": [], "error": "x", "error_code": "odd"}`} {
		if fitsSchema([]string{"push"}, wrong) == nil {
			t.Errorf("%s fits the schema", wrong)
		}
	}
	if _, err := schemaOf("json", ""); err != nil {
		t.Error(err)
	}
	if _, err := schemaOf("environment", ""); !errors.As(err, new(*failure.UsageError)) {
		t.Errorf("%v", err)
	}
}

// The page on JSON names each member of the documents that are locsync's own.
func TestDocsNameTheMembers(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, err: &out}
	root := a.root()
	root.SetArgs([]string{"help", "json", "--schema"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]any `json:"$defs"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	page, members, seen := readPage(t, filepath.Join("docs", "json.md")), 0, make(map[string]bool)
	var walk func(of string, value any)
	walk = func(of string, value any) {
		switch value := value.(type) {
		case []any:
			for _, v := range value {
				walk(of, v)
			}
		case map[string]any:
			if ref, is := value["$ref"].(string); is && !seen[ref] {
				seen[ref] = true
				name := strings.TrimPrefix(ref, "#/$defs/")
				walk(name, doc.Defs[name])
			}
			properties, _ := value["properties"].(map[string]any)
			for member := range properties {
				members++
				if !regexp.MustCompile(`\b` + regexp.QuoteMeta(member) + `\b`).MatchString(page) {
					t.Errorf("docs/json.md does not name %s of %s", member, of)
				}
			}
			for _, v := range value {
				walk(of, v)
			}
		}
	}
	for _, command := range []string{"status", "push", "pull", "sync", "check"} {
		walk(command, doc.Defs[command])
	}
	if members < 100 {
		t.Errorf("only %d members were found", members)
	}
}

// The example configuration fits the configuration's schema, and a wrong one does not.
func TestSchemaOfTheConfiguration(t *testing.T) {
	schema, err := schemaOf("configuration", "")
	if err != nil {
		t.Fatal(err)
	}
	text, err := os.ReadFile(filepath.Join("..", "..", "config.example.toml"))
	if err != nil {
		t.Fatal(err)
	}
	for more, fits := range map[string]bool{"": true, "\nodd = 1\n": false, "\nexclude = 1\n": false,
		"\nplurals = \"joint\"\n": false, "\nplurals = \"keys\"\n": true} {
		var parsed map[string]any
		whole := strings.Replace(string(text), "\nexclude = []\n", "\n", 1) + more
		if _, err := toml.Decode(whole, &parsed); err != nil {
			t.Fatal(err)
		}
		asJSON, err := json.Marshal(parsed)
		if err != nil {
			t.Fatal(err)
		}
		value, err := jsonschema.UnmarshalJSON(bytes.NewReader(asJSON))
		if err != nil {
			t.Fatal(err)
		}
		if err := schema.Validate(value); (err == nil) != fits {
			t.Errorf("%q: %v", more, err)
		}
	}
}

// Of each key the schema has what the example says about it, and the default that holds; of one that takes one of a few
// words, those that the configuration takes. Files that init writes name the schema of a release.
func TestSchemaExplainsTheConfiguration(t *testing.T) {
	var out bytes.Buffer
	a := &app{out: &out, err: &out}
	root := a.root()
	root.SetArgs([]string{"help", "configuration", "--schema"})
	if err := root.Execute(); err != nil {
		t.Fatal(err)
	}
	var doc struct {
		Defs map[string]struct {
			Properties map[string]struct {
				Type, Ref, Description string
				Default                any
				Enum                   []string
			}
		} `json:"$defs"`
	}
	if err := json.Unmarshal(out.Bytes(), &doc); err != nil {
		t.Fatal(err)
	}
	keys, defaults, enums := 0, 0, 0
	for table, of := range doc.Defs {
		for key, p := range of.Properties {
			keys++
			if p.Default != nil {
				defaults++
			}
			plain := !strings.HasPrefix(p.Description, "#")
			if (p.Description == "" || !plain) && table != "Config" { // whose tables are named by what they are of
				t.Errorf("%s.%s has the description %q", table, key, p.Description)
			}
			if len(p.Enum) == 0 {
				continue
			}
			enums++
			if word, is := p.Default.(string); is && !slices.Contains(p.Enum, word) {
				t.Errorf("%s.%s: the default %q is none of %q", table, key, word, p.Enum)
			}
		}
	}
	if keys < 100 || defaults < 85 || enums < 20 {
		t.Errorf("%d keys, %d defaults, %d enums", keys, defaults, enums)
	}
	push := doc.Defs["Push"].Properties
	if got := push["conflicts"]; got.Default != "overwrite" || strings.Join(got.Enum, " ") != "overwrite skip report" ||
		got.Description != "A value that the service holds differently: overwrite it, skip it (the service's counts as "+
			"accepted), or report it." {
		t.Errorf("%+v", got)
	}
	if d := doc.Defs["Service"].Properties["job_timeout"].Default; d != "30m" {
		t.Errorf("%v", d)
	}
	written := readPage(t, filepath.Join("..", "..", "sync", "setup", "locsync.toml.tmpl"))
	entry := readPage(t, filepath.Join("..", "..", "systemd", "package", "schemastore.json"))
	if !strings.HasPrefix(written, "#:schema "+config.SchemaURL+"\n") || !strings.Contains(entry, `"`+config.SchemaURL+`"`) {
		t.Errorf("%s\n%s", written, entry)
	}
}
