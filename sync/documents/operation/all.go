package operation

// All are the operations, groups first.
func All() []*Operation {
	var all []*Operation
	for _, some := range [][]*Operation{documentOperations(), projectOperations(), engineOperations(),
		callbackOperations(), storageOperations(), taskOperations(), glossaryOperations(), memoryOperations(),
		{auditOperation(), apiOperation()}} {
		all = append(all, some...)
	}
	return all
}

// JSONDocuments are what the operations print with --json, by their names.
func JSONDocuments() map[string]any {
	all := map[string]any{}
	for _, o := range All() {
		if o.Document != nil {
			all[o.Name] = o.Document
		}
	}
	return all
}
