package config

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

// Every variable that the configuration names for a secret is kept from what git starts.
func TestSecretVariables(t *testing.T) {
	c := parsed(t, projectHead+projectFiles)
	c.Cluster.configured, c.Projects = true, []Project{{}, {}}
	var named []string
	var walk func(v reflect.Value)
	walk = func(v reflect.Value) {
		switch {
		case v.Kind() == reflect.Slice:
			for i := range v.Len() {
				walk(v.Index(i))
			}
		case v.Kind() == reflect.Struct:
			for i := range v.NumField() {
				field := v.Type().Field(i)
				if strings.HasSuffix(field.Tag.Get("toml"), "_env") {
					name := "V" + string(rune('A'+len(named)))
					v.Field(i).SetString(name)
					named = append(named, name)
				} else if field.IsExported() {
					walk(v.Field(i))
				}
			}
		}
	}
	walk(reflect.ValueOf(c).Elem())
	if len(named) < 8 {
		t.Fatalf("the walk found only %q", named)
	}
	for _, name := range append(named, "PGPASSWORD") {
		if !slices.Contains(SecretVariables(c), name) {
			t.Errorf("%s of %q is given to hooks", name, named)
		}
	}
}
