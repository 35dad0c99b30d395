// Package document has the documents of commands that show what the service has, or that have no report of their own,
// and the schemas of the documents of all commands.
package document

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"time"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/example"
	"github.com/locsync/locsync/sync/config/kinds"
	"github.com/locsync/locsync/sync/config/position"
	"github.com/locsync/locsync/sync/config/rules"
	"github.com/locsync/locsync/sync/config/schedule"
	"github.com/locsync/locsync/sync/documents/jsonschema"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/memories"
	"github.com/locsync/locsync/sync/service/wire"
)

type (
	// Misconfigured is printed where the configuration cannot be used, and by any command that failed without a result.
	Misconfigured struct {
		Problems []report.Problem `json:"problems"`
	}
	// Spoken is what a command says that tells people something.
	Spoken struct {
		Text string `json:"text,omitempty"`
	}
	// Listening is printed by service once it accepts calls.
	Listening struct {
		URL string `json:"url"`
	}
	// Invitation is printed by service invite.
	Invitation struct {
		URL string `json:"url"` // where it is accepted
	}
	// Invitations is printed by service invitations.
	Invitations struct {
		Invitations []wire.Invitation `json:"invitations"`
	}
	// Revoked is printed by service invitations revoke.
	Revoked struct {
		Revoked []string `json:"revoked"` // identifiers
	}
	// Backup is printed by service backup.
	Backup struct {
		File     string    `json:"file"`
		Accounts []string  `json:"accounts"`
		Created  time.Time `json:"created"`
		Files    int       `json:"files"`
		Bytes    int64     `json:"bytes"` // of the files
	}
	// Restored is printed by service restore and service move.
	Restored struct {
		Data     string    `json:"data"` // the folder
		Accounts []string  `json:"accounts"`
		Created  time.Time `json:"created"`            // when the backup was made
		Replaced string    `json:"replaced,omitempty"` // the folder with what was there before
	}
	Glossaries struct {
		Glossaries []memories.Glossary `json:"glossaries"`
	}
	Memories struct {
		Memories []memories.Memory `json:"memories"`
	}
	AttachedMemories struct {
		Memories []memories.ProjectMemory `json:"memories"`
	}
	Statistics struct {
		Languages documents.ProjectStatistics `json:"languages"`
	}
	Tasks struct {
		Tasks []documents.Task `json:"tasks"`
	}
	Team struct {
		Members []documents.TeamMember `json:"members"`
	}
)

// Object is a document whose members are said by the command's help alone.
type Object map[string]any

// Schemas is the JSON Schema of the documents of commands, given by a value of each.
func Schemas(commands map[string]any) jsonschema.Schema {
	b := jsonschema.Builder{Tag: "json", Known: map[reflect.Type]jsonschema.Schema{
		reflect.TypeFor[Object](): {"type": "object"},
	}}
	document := func(v any) jsonschema.Schema {
		return jsonschema.Schema{"allOf": []jsonschema.Schema{{"$ref": "#/$defs/document"}, b.Of(reflect.TypeOf(v))}}
	}
	failed := document(Misconfigured{})
	failed["required"] = []string{"error", "error_code"}
	defs := map[string]jsonschema.Schema{"failure": failed}
	for _, name := range slices.Sorted(maps.Keys(commands)) { // in order: types of one name are numbered
		defs[name] = jsonschema.Schema{"anyOf": []jsonschema.Schema{document(commands[name]), {"$ref": "#/$defs/failure"}}}
	}
	properties := b.Of(reflect.TypeFor[report.Failure]())
	defs["document"] = jsonschema.Schema{
		"type":       "object",
		"properties": jsonschema.Schema{"schema": jsonschema.Schema{"const": report.Schema}},
		"required":   []string{"schema"},
		"allOf":      []jsonschema.Schema{properties},
	}
	for name, s := range b.Defs {
		defs[name] = s
	}
	return jsonschema.Schema{
		"$schema": jsonschema.Draft,
		"title":   "What the commands of locsync print with --json",
		"$ref":    "#/$defs/document",
		"$defs":   defs,
	}
}

// Configuration is the JSON Schema of the configuration file, with what the commented example says of each key.
func Configuration() jsonschema.Schema {
	b := jsonschema.Builder{Tag: "toml", Closed: true, Known: map[reflect.Type]jsonschema.Schema{
		reflect.TypeFor[schedule.Schedule](): {"type": "string"},
	}}
	root := b.Of(reflect.TypeFor[config.Config]())
	k := keys{builder: &b, comments: example.Comments(example.Text)}
	k.describe("", reflect.ValueOf(config.Whole()).Elem())
	return jsonschema.Schema{"$schema": jsonschema.Draft, "$id": config.SchemaURL, "title": config.FileName,
		"$ref": root["$ref"], "$defs": b.Defs}
}

// keys describes the keys of tables: what they are about, their defaults, and the words that they take.
type keys struct {
	builder  *jsonschema.Builder
	comments map[string]string
}

// words are those of keys that are listed elsewhere.
var words = map[string][]string{"project.files.format": append([]string{""}, formats.Names()...),
	"project.pretranslation.kind": rules.Kinds}

func (k keys) describe(path string, table reflect.Value) {
	members := k.builder.Defs[k.builder.Name(table.Type())]["properties"].(map[string]jsonschema.Schema)
	for i := range table.NumField() {
		name, value := table.Type().Field(i).Tag.Get("toml"), table.Field(i)
		if name == "" {
			continue
		}
		at, s := position.Join(path, name), maps.Clone(members[name])
		members[name] = s
		if about := k.comments[at]; about != "" {
			s["description"] = about
		}
		if allowed := words[at]; allowed != nil {
			s["enum"] = allowed
		}
		if table.Type() == reflect.TypeFor[kinds.Check]() && name != "terms" && name != "paths" {
			s["enum"] = kinds.Levels
		}
		switch list := value.Kind() == reflect.Slice; {
		case value.Type() == reflect.TypeFor[schedule.Schedule]():
			s["default"] = value.Interface().(schedule.Schedule).String()
		case value.Kind() == reflect.Struct:
			k.describe(at, value)
		case list && value.Type().Elem().Kind() == reflect.Struct:
			element := reflect.New(value.Type().Elem()).Elem()
			if value.Len() > 0 {
				element = value.Index(0)
			}
			k.describe(at, element)
		case value.Kind() == reflect.Map || needed[at]:
		case list && value.Len() == 0:
			s["default"] = []string{}
		case value.Type() == reflect.TypeFor[time.Duration]():
			s["default"] = short(value.Interface().(time.Duration))
		default:
			s["default"] = value.Interface()
		}
	}
}

// needed are keys without a default.
var needed = map[string]bool{"project.name": true, "project.source_language": true, "project.target_languages": true,
	"project.files.source": true, "project.files.output": true, "project.pretranslation.kind": true,
	"project.documents.pretranslation.kind": true}

// short is a duration without the units that it has none of.
func short(d time.Duration) string {
	text := d.String()
	for _, none := range []string{"m0s", "h0m"} {
		if cut, is := strings.CutSuffix(text, none); is {
			text = cut + none[:1]
		}
	}
	return text
}
