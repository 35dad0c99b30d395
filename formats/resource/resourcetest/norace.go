//go:build !race

package resourcetest

import "github.com/locsync/locsync/formats/resource"

// many is how many keys the largest file has.
const many = resource.MaxEntries - 1 // the editing adds one
