package push

// PushOptions narrow or widen a push.
type Options struct {
	Project      string // "" for all
	All          bool   // also keys that did not change
	Translations bool   // the repository's translations stand wherever the two sides never agreed on a text; they are sent whatever push.translations says
	Force        bool   // past the brake that holds back source files which lost many keys
	DryRun       bool   // only report

	Ours   bool // send the repository's texts of conflicts, over the service's
	Theirs bool // let the service's texts of conflicts stand

	// Only conflicts about these keys, in these languages and target files (as reports name them, relative to the repository); empty: in all.
	Keys, Languages, Files []string

	Near   bool // a file here may have changed: where none did, the branch's remote is not asked
	Yields bool // the pull after it takes the service's texts at first contact
}
