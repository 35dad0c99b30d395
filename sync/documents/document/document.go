// Package document has the documents of commands that show what the service has, or that have no report of their own,
// and the schemas of the documents of all commands.
package document

import (
	"maps"
	"reflect"
	"slices"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/config/schedule"
	"github.com/locsync/locsync/sync/documents/jsonschema"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/service/memories"
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

// Configuration is the JSON Schema of the configuration file.
func Configuration() jsonschema.Schema {
	b := jsonschema.Builder{Tag: "toml", Closed: true, Known: map[reflect.Type]jsonschema.Schema{
		reflect.TypeFor[schedule.Schedule](): {"type": "string"},
	}}
	root := b.Of(reflect.TypeFor[config.Config]())
	return jsonschema.Schema{"$schema": jsonschema.Draft, "title": config.FileName, "$ref": root["$ref"], "$defs": b.Defs}
}
