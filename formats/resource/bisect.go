package resource

import (
	"slices"
)

// without makes the edits but for those that the grammar does not get right, of which there is one at least: the fault.
// Halves are tried beside what is known to be good, so that a few culprits among many edits cost a few attempts.
func (f *File) without(edits []Edit, like *File, fresh bool, fault error) ([]byte, []Refusal) {
	s := bisector{f: f, like: like, fresh: fresh, out: f.bytes, attempts: 40 + maxBisected/(len(f.bytes)+1<<10)}
	s.split(s.together(edits), fault)
	return s.out, append(s.refused, s.culprits...)
}

// maxBisected is about how many bytes may be read for finding culprits, so that no file holds up the others. In one
// with so many of them that this is not enough, the edits that were not tried are refused too.
const maxBisected = 16 << 20

// bisector is a search for culprits.
type bisector struct {
	f, like  *File
	fresh    bool
	attempts int // that are left

	done     []Edit // what is good together
	out      []byte
	refused  []Refusal // among what is done
	culprits []Refusal
}

// together groups the edits that only make sense at once: forms of one key, and all that is in one list.
func (s *bisector) together(edits []Edit) [][]Edit {
	var groups [][]Edit
	at := make(map[string]int, len(edits))
	for _, e := range edits {
		of := s.groupOf(e)
		i, ok := at[of]
		if !ok {
			i = len(groups)
			at[of] = i
			groups = append(groups, nil)
		}
		groups[i] = append(groups[i], e)
	}
	return groups
}

func (s *bisector) groupOf(e Edit) string {
	for _, f := range []*File{s.f, s.like} {
		if f == nil {
			continue
		}
		last, there := f.last(id{e.Key, e.Form})
		if !there {
			continue
		}
		list := -1
		for i := int(last); i > 0; i = int(f.nodes[i].Parent) {
			if f.nodes[i].Kind == List && i != f.top {
				list = i
			}
		}
		if list >= 0 {
			return f.spelledKey(list)
		}
	}
	return e.Key
}

// split tries the halves of groups whose edits, together with those done, lead to the fault.
func (s *bisector) split(groups [][]Edit, fault error) {
	if len(groups) == 1 {
		s.culprits = append(s.culprits, s.refuse(groups[0], fault)...)
		return
	}
	half := len(groups) / 2
	s.try(groups[:half])
	s.try(groups[half:])
}

// refuse returns the refusals of a group of edits. Where the format itself has a reason against one of them, that is
// what people are told.
func (s *bisector) refuse(edits []Edit, fault error) []Refusal {
	_, refused, alone := s.f.attempt(edits, s.like, s.fresh)
	if alone != nil {
		refused = nil
	}
	for _, e := range edits {
		if !slices.ContainsFunc(refused, func(r Refusal) bool { return r.Edit == e }) {
			refused = append(refused, Refusal{Edit: e, Unproven: true,
				Reason: "this file is written in a way that does not let it be changed here (" + fault.Error() + "), " +
					"so it was left as it is; make this change by hand"})
		}
	}
	return refused
}

func (s *bisector) try(groups [][]Edit) {
	all := append(slices.Clip(s.done), slices.Concat(groups...)...)
	if s.attempts--; s.attempts < 0 {
		for _, e := range all[len(s.done):] {
			s.culprits = append(s.culprits, Refusal{Edit: e, Unproven: true,
				Reason: "too many other changes of this file could not be made, so this one was not tried; " +
					"make those by hand first"})
		}
		return
	}
	out, refused, fault := s.f.attempt(all, s.like, s.fresh)
	if fault != nil {
		s.split(groups, fault)
		return
	}
	s.done, s.out, s.refused = all, out, refused
}
