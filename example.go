// Package locsync has the example of a configuration, whose comments are the manual of its keys: in the packages as a
// file, and in the schema that editors read.
package locsync

import _ "embed"

// Example is config.example.toml.
//
//go:embed config.example.toml
var Example string
