package store

// SyncFolder has nothing to do: Windows cannot sync a folder, and journals renames by itself.
func SyncFolder(string) error { return nil }
