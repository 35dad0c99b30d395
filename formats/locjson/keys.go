package locjson

import (
	"hash/maphash"

	"github.com/locsync/locsync/formats/jsonfile"
)

// keySet is the keys of the units that were read: nodes by the hash of their key, in an open table that is never more
// than half full. It holds no strings, so that a key costs one look at the table and, when it is new, none at the file.
type keySet struct {
	seed  maphash.Seed
	slots []slot
	used  int
}

// slot is empty where the node is 0, which is the root.
type slot struct {
	hash uint32
	node int32
}

// add puts in the key of the node that s is about to add, and reports whether it is new.
func (k *keySet) add(s *scanner, key string) bool {
	if k.slots == nil {
		k.seed, k.slots = maphash.MakeSeed(), make([]slot, 128)
	}
	if 2*k.used >= len(k.slots) {
		k.grow()
	}
	h := maphash.String(k.seed, key)
	hash, mask := uint32(h>>32), uint32(len(k.slots)-1)
	at := hash & mask
	for ; k.slots[at].node != 0; at = (at + 1) & mask {
		if k.slots[at].hash == hash && jsonfile.Unquote(s.nodes[k.slots[at].node].Name.Of(s.src)) == key {
			return false
		}
	}
	k.slots[at] = slot{hash, int32(len(s.nodes))}
	k.used++
	return true
}

func (k *keySet) grow() {
	old := k.slots
	k.slots = make([]slot, 4*len(old))
	mask := uint32(len(k.slots) - 1)
	for _, s := range old {
		if s.node == 0 {
			continue
		}
		at := s.hash & mask
		for k.slots[at].node != 0 {
			at = (at + 1) & mask
		}
		k.slots[at] = s
	}
}
