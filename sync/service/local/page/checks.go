package page

import "github.com/locsync/locsync/sync/check"

// Checks are what is configured for a key of a project, by its identifier, and a collection.
type Checks func(project, collection, key string) check.Settings
