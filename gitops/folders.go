package gitops

import "github.com/locsync/locsync/gitops/object"

// Folders gives the names of the folders in a folder, each with a text that is the same only when everything below
// is; and whether there is a symbolic link or submodule beside them.
func (t *Tip) Folders(name string) (folders map[string]string, links bool, err error) {
	at, err := t.lookup(name, true)
	if err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	if !at.IsDir() {
		return nil, false, pathError("readdir", name, errNotDir)
	}
	entries, err := t.entriesOf(at.Hash)
	if err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	folders = map[string]string{}
	for _, e := range entries {
		switch {
		case e.Mode == object.ModeModule || e.Mode == object.ModeLink:
			links = true
		case e.IsDir():
			folders[e.Name] = e.Hash.String()
		}
	}
	return folders, links, nil
}
