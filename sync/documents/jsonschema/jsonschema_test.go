package jsonschema

import (
	"reflect"
	"testing"
)

// Types of one name in two packages have a definition each.
func TestTypesOfOneName(t *testing.T) {
	b := Builder{Tag: "json"}
	properties := func(of any) any {
		name, _ := b.Of(reflect.TypeOf(of))["$ref"].(string)
		return b.Defs[name[len("#/$defs/"):]]["properties"]
	}
	type one struct {
		A int `json:"a"`
	}
	first := func() any {
		type one struct {
			B string `json:"b"`
		}
		return one{}
	}()
	for range 2 {
		for _, c := range []struct{ of, want any }{
			{one{}, map[string]Schema{"a": {"type": "integer"}}},
			{first, map[string]Schema{"b": {"type": "string"}}},
		} {
			if got := properties(c.of); !reflect.DeepEqual(got, c.want) {
				t.Errorf("%T: %v, want %v", c.of, got, c.want)
			}
		}
	}
}
