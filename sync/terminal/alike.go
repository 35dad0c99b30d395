package terminal

// alikes groups problems of one kind, in the order of the first of each. What is the same kind, its reader says.
func alikes[P any, K comparable](problems []P, kind func(P) K) [][]P {
	known := make(map[K]int)
	var groups [][]P
	for _, p := range problems {
		k := kind(p)
		i, ok := known[k]
		if !ok {
			i = len(groups)
			known[k], groups = i, append(groups, nil)
		}
		groups[i] = append(groups[i], p)
	}
	return groups
}
