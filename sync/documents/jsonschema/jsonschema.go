// Package jsonschema describes Go types as JSON Schema, draft 2020-12, by reflection: the reports of commands by their
// json tags, and the configuration by its toml tags. Nothing is written down twice.
package jsonschema

import (
	"encoding/json"
	"reflect"
	"strconv"
	"strings"
	"time"
)

// Draft is the identifier of the dialect.
const Draft = "https://json-schema.org/draft/2020-12/schema"

// Builder collects the definitions of types.
type Builder struct {
	Tag    string                  // of fields: json or toml
	Closed bool                    // nothing besides the known members is right, and none is needed
	Known  map[reflect.Type]Schema // types that look otherwise than their fields say
	Defs   map[string]Schema

	names map[reflect.Type]string // in Defs
}

// Schema is one schema as JSON.
type Schema map[string]any

// Of is the schema of a type. Structs with a name are references to definitions.
func (b *Builder) Of(t reflect.Type) Schema {
	if known, is := b.Known[t]; is {
		return known
	}
	switch {
	case t == reflect.TypeFor[time.Time]():
		return Schema{"type": "string", "format": "date-time"}
	case t == reflect.TypeFor[time.Duration]():
		return Schema{"type": "string"}
	case t.Implements(reflect.TypeFor[json.Marshaler]()):
		return Schema{}
	}
	switch t.Kind() {
	case reflect.Bool:
		return Schema{"type": "boolean"}
	case reflect.Int, reflect.Int32, reflect.Int64, reflect.Uint, reflect.Uint32, reflect.Uint64:
		return Schema{"type": "integer"}
	case reflect.Float32, reflect.Float64:
		return Schema{"type": "number"}
	case reflect.String:
		return Schema{"type": "string"}
	case reflect.Pointer:
		return Schema{"anyOf": []Schema{b.Of(t.Elem()), {"type": "null"}}}
	case reflect.Slice, reflect.Array:
		return Schema{"type": "array", "items": b.Of(t.Elem())}
	case reflect.Map:
		return Schema{"type": "object", "additionalProperties": b.Of(t.Elem())}
	case reflect.Struct:
		return b.named(t)
	}
	return Schema{}
}

func (b *Builder) named(t reflect.Type) Schema {
	if b.Defs == nil {
		b.Defs, b.names = make(map[string]Schema), make(map[reflect.Type]string)
	}
	name, begun := b.names[t]
	if !begun {
		short := strings.ToUpper(t.Name()[:1]) + t.Name()[1:]
		name = short
		for n := 2; b.Defs[name] != nil; n++ { // another package's type of that name
			name = short + strconv.Itoa(n)
		}
		b.names[t], b.Defs[name] = name, Schema{} // a type may hold itself
		s := Schema{"type": "object"}
		properties, required := b.members(t)
		s["properties"] = properties
		if b.Closed {
			s["additionalProperties"] = false
		} else if len(required) > 0 {
			s["required"] = required
		}
		b.Defs[name] = s
	}
	return Schema{"$ref": "#/$defs/" + name}
}

// Name is the definition of a struct that was described.
func (b *Builder) Name(t reflect.Type) string { return b.names[t] }

// members are the members of a struct with those that it always has. Embedded structs are part of it, as in JSON.
func (b *Builder) members(t reflect.Type) (properties map[string]Schema, required []string) {
	properties = make(map[string]Schema)
	for i := range t.NumField() {
		f := t.Field(i)
		name, options, _ := strings.Cut(f.Tag.Get(b.Tag), ",")
		switch {
		case f.Anonymous && name == "" && f.Type.Kind() == reflect.Struct:
			inner, needed := b.members(f.Type)
			for name, s := range inner {
				properties[name] = s
			}
			required = append(required, needed...)
			continue
		case !f.IsExported() || name == "-" || name == "":
			continue
		}
		s := b.Of(f.Type)
		if words := f.Tag.Get("enum"); words != "" {
			s["enum"] = strings.Split(words, ",") // "" first where that is one of them
		}
		properties[name] = s
		if !strings.Contains(options, "omit") {
			required = append(required, name)
		}
	}
	return properties, required
}
