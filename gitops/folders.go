package gitops

// Folders gives the names of the folders in a folder, each with a text that is the same only when everything below is; and whether there is a symbolic link
// or submodule beside them.
func (t *Tip) Folders(name string) (folders map[string]string, links bool, err error) {
	at, err := t.lookup(name, true)
	if err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	if !at.isDir() {
		return nil, false, pathError("readdir", name, errNotDir)
	}
	entries, err := t.entriesOf(at.hash)
	if err != nil {
		return nil, false, pathError("readdir", name, err)
	}
	folders = map[string]string{}
	for _, e := range entries {
		switch {
		case e.mode == modeModule || e.mode == modeLink:
			links = true
		case e.isDir():
			folders[e.name] = e.hash.String()
		}
	}
	return folders, links, nil
}
