package yamlfile

import "github.com/locsync/locsync/formats/resource"

// Plod is Scan without its short cut for common lines.
func Plod(src string) (*resource.Layout, error) { return scan(src, true) }
