package catalog

// Wording is what Reword looks at: one source file.
type Wording struct {
	Base Marks // the texts that the service was last known to have, from here or merged here
	// Behind are texts of the repository that are not edits: they are older than Base, and come from before a merge.
	Behind map[Name]bool
	Ours   Catalog // the repository's source texts
	Theirs Catalog // the service's source texts
}

// Worded is the outcome of Reword.
type Worded struct {
	Changes   []Change   // what to write, in the repository's order; each one's Op is Changed
	Conflicts []Conflict // both sides changed it, and the repository's is kept
	Held      []Held     // blanks of the service
	Agreed    []Name     // both sides have the same text, and it is not Base
}

// Reword decides by the law of Decide which texts of a source file those that were changed at the service replace.
// The repository is the authority for its sources: it decides which names there are, and its text counts where both
// sides changed one. The first row that fits counts; "-" is not a text, o, t and b are texts, "any" includes none.
//
//	repository  service  base   outcome
//	-           any      any    nothing to do: the source decides which keys there are
//	o           -        any    o stays: nothing is removed for a key that the service lacks
//	t           t        any    nothing to do, and agreed on
//	o           ""       any    held: a blank replaces nothing
//	o           t        none   o stays: at first contact the repository's texts stand, and a push sends them
//	behind      t        any    t is written: the older text is not an edit
//	o           t        o      t is written: only the service changed
//	o           t        t      o stays, and is pending for a push: only the repository changed
//	o           t        other  o stays, and is reported with t: both changed
func Reword(in Wording) Worded {
	var out Worded
	theirs := in.Theirs.Index()
	for _, our := range in.Ours {
		at, there := theirs[our.Name]
		if !there {
			continue
		}
		text := in.Theirs[at].Text
		base, known := in.Base[our.Name]
		claim := Claim{New: text, Present: our.Text, Met: known, Agreed: base}
		if known && in.Behind[our.Name] {
			claim.Past = []Mark{MarkOf(our.Text)}
		}
		outcome := Decide(claim)
		switch {
		case outcome == Alike:
			if base != MarkOf(text) {
				out.Agreed = append(out.Agreed, our.Name)
			}
		case text == "":
			reason := "the service has a blank where the source file has a text; the text stays"
			out.Held = append(out.Held, Held{our.Name, text, reason})
		case outcome == Replaces:
			out.Changes = append(out.Changes, Change{Changed, our.Name, text})
		case outcome == Both:
			out.Conflicts = append(out.Conflicts, Conflict{our.Name, our.Text, text})
		}
	}
	return out
}
