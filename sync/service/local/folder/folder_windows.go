package folder

// Sync has nothing to do: Windows cannot sync a folder, and journals renames by itself.
func Sync(string) error { return nil }

// GiveTo has nothing to do: what is made in a folder is its owner's.
func GiveTo(string, string) error { return nil }
