package gitops

import (
	"bytes"
	"container/list"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"os"
	"sync"
)

// Pack files, after gitformat-pack(5). The index answers where an object lies:
//
//	version 2:  ff 't' 'O' 'c', version, fanout[256], names (20 bytes each, sorted), CRCs, 31-bit offsets, 64-bit offsets, trailer
//	version 1:  fanout[256], then (offset, name) pairs
//
// and the pack holds per object a header of kind and size, the base for a delta (a distance back, or a name), and a zlib
// stream.

// maxChain is the longest chain of deltas that git itself writes.
const maxChain = 4095

// pack is one pack file and its index.
type pack struct {
	path   string // without extension
	index  io.ReaderAt
	idx    *os.File // the index when it is read from disk, nil when it is in memory
	v1     bool
	fanout [256]uint32

	mu   sync.Mutex
	data *os.File // opened at first use and kept: a repack cannot take it away then
}

// smallIndex is read into memory whole, which saves a descriptor.
const smallIndex = 64 << 10

func openPack(path string) (*pack, error) {
	f, err := os.Open(path + ".idx")
	if err != nil {
		return nil, err
	}
	p := &pack{path: path, index: f, idx: f}
	if info, err := f.Stat(); err == nil && info.Size() <= smallIndex {
		all, err := io.ReadAll(f)
		f.Close()
		if err != nil {
			return nil, err
		}
		p.index, p.idx = bytes.NewReader(all), nil
	}
	var head [8 + 1024]byte
	if _, err := p.index.ReadAt(head[:], 0); err != nil {
		p.close()
		return nil, fmt.Errorf("pack index %s.idx is cut short: %w", path, err)
	}
	table := head[8:]
	if !bytes.Equal(head[:4], []byte{0xff, 't', 'O', 'c'}) {
		p.v1, table = true, head[:1024]
	} else if v := binary.BigEndian.Uint32(head[4:]); v != 2 {
		p.close()
		return nil, fmt.Errorf("pack index %s.idx: version %d is %w", path, v, ErrUnsupported)
	}
	last := uint32(0)
	for i := range p.fanout {
		p.fanout[i] = binary.BigEndian.Uint32(table[4*i:])
		if p.fanout[i] < last {
			p.close()
			return nil, fmt.Errorf("pack index %s.idx is damaged: its table decreases; git index-pack %s.pack rebuilds it", path, path)
		}
		last = p.fanout[i]
	}
	return p, nil
}

func (p *pack) close() error {
	p.mu.Lock()
	defer p.mu.Unlock()
	var errs []error
	if p.idx != nil {
		errs = append(errs, p.idx.Close())
	}
	if p.data != nil {
		errs = append(errs, p.data.Close())
		p.data = nil
	}
	return errors.Join(errs...)
}

func (p *pack) opened() bool {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.data != nil
}

func (p *pack) file() (*os.File, error) {
	p.mu.Lock()
	defer p.mu.Unlock()
	if p.data == nil {
		f, err := os.Open(p.path + ".pack")
		if err != nil {
			return nil, err
		}
		p.data = f
	}
	return p.data, nil
}

// find gives the offset of an object in the pack.
func (p *pack) find(h hash) (off int64, ok bool, err error) {
	lo, hi := uint32(0), p.fanout[h[0]]
	if h[0] > 0 {
		lo = p.fanout[h[0]-1]
	}
	base, stride, skip := int64(8+1024), int64(20), int64(0)
	if p.v1 {
		base, stride, skip = 1024, 24, 4
	}
	var name [20]byte
	for lo < hi {
		mid := lo + (hi-lo)/2
		if _, err := p.index.ReadAt(name[:], base+int64(mid)*stride+skip); err != nil {
			return 0, false, fmt.Errorf("read pack index %s.idx: %w", p.path, err)
		}
		switch bytes.Compare(name[:], h[:]) {
		case 0:
			off, err = p.offset(int64(mid))
			return off, err == nil, err
		case -1:
			lo = mid + 1
		default:
			hi = mid
		}
	}
	return 0, false, nil
}

// offset reads the place of the nth object in the index's order.
func (p *pack) offset(n int64) (int64, error) {
	var b [8]byte
	if p.v1 {
		_, err := p.index.ReadAt(b[:4], 1024+n*24)
		return int64(binary.BigEndian.Uint32(b[:4])), err
	}
	count := int64(p.fanout[255])
	offsets := 8 + 1024 + count*24
	if _, err := p.index.ReadAt(b[:4], offsets+n*4); err != nil {
		return 0, err
	}
	off := binary.BigEndian.Uint32(b[:4])
	if off&(1<<31) == 0 {
		return int64(off), nil
	}
	_, err := p.index.ReadAt(b[:], offsets+count*4+int64(off&^(1<<31))*8)
	return int64(binary.BigEndian.Uint64(b[:])), err
}

// packEntry is an object's header in the pack.
type packEntry struct {
	kind kind  // commit, tree, blob, tag, or one of the two deltas
	size int64 // of what the zlib stream holds
	body int64 // where the stream begins
	base int64 // for a delta by distance: where the base begins
	name hash  // for a delta by name: the base
}

const (
	deltaByDistance kind = 6
	deltaByName     kind = 7
)

func (p *pack) entry(f *os.File, off int64) (packEntry, error) {
	var b [48]byte
	n, err := f.ReadAt(b[:], off)
	if err != nil && err != io.EOF {
		return packEntry{}, err
	}
	head := b[:n]
	bad := fmt.Errorf("pack %s.pack is damaged at %d; git fsck tells more", p.path, off)
	i := 0
	next := func() (byte, bool) {
		if i >= len(head) {
			return 0, false
		}
		i++
		return head[i-1], true
	}
	c, ok := next()
	e := packEntry{kind: kind(c >> 4 & 7), size: int64(c & 15)}
	for shift := 4; ok && c&0x80 != 0; shift += 7 {
		if c, ok = next(); shift > 56 {
			return e, bad
		}
		e.size |= int64(c&0x7f) << shift
	}
	switch e.kind {
	case kindCommit, kindTree, kindBlob, kindTag:
	case deltaByDistance:
		c, ok = next()
		back := int64(c & 0x7f)
		for ok && c&0x80 != 0 {
			c, ok = next()
			back = (back+1)<<7 | int64(c&0x7f)
		}
		if e.base = off - back; back <= 0 || e.base <= 0 {
			return e, bad
		}
	case deltaByName:
		if len(head)-i < 20 {
			return e, bad
		}
		copy(e.name[:], head[i:])
		i += 20
	default:
		return e, bad
	}
	if !ok || e.size < 0 {
		return e, bad
	}
	e.body = off + int64(i)
	return e, nil
}

// unpack reads the object at an offset, applying its chain of deltas. The bytes are the caller's.
func (s *store) unpack(p *pack, off int64) (kind, []byte, error) {
	f, err := p.file()
	if err != nil {
		return 0, nil, err
	}
	type link struct {
		off   int64
		delta []byte
	}
	var chain []link
	var k kind
	var data []byte
	for at := off; data == nil; {
		if cachedKind, cached, ok := s.bases.get(p, at); ok {
			k, data = cachedKind, cached
			if len(chain) == 0 {
				data = bytes.Clone(cached)
			}
			break
		}
		e, err := p.entry(f, at)
		if err != nil {
			return 0, nil, err
		}
		if len(chain) > maxChain {
			return 0, nil, fmt.Errorf("pack %s.pack: a chain of more than %d deltas", p.path, maxChain)
		}
		body, err := inflate(io.NewSectionReader(f, e.body, 1<<62-e.body), e.size, 0)
		if err != nil {
			return 0, nil, fmt.Errorf("pack %s.pack at %d: %w", p.path, at, err)
		}
		if e.kind != deltaByDistance && e.kind != deltaByName {
			k, data = e.kind, body
			if len(chain) > 0 {
				s.bases.put(p, at, k, data)
			}
			break
		}
		chain = append(chain, link{at, body})
		if at = e.base; e.kind == deltaByName {
			base, ok, err := p.find(e.name)
			if err != nil || !ok {
				return 0, nil, fmt.Errorf("pack %s.pack: base %s of a delta: %w", p.path, e.name, errors.Join(err, errMissing))
			}
			at = base
		}
	}
	for i := len(chain) - 1; i >= 0; i-- {
		if data, err = applyDelta(data, chain[i].delta); err != nil {
			return 0, nil, fmt.Errorf("pack %s.pack at %d: %w", p.path, chain[i].off, err)
		}
		if i > 0 {
			s.bases.put(p, chain[i].off, k, data)
		}
	}
	return k, data, nil
}

// packedSize reads the length of an object from its header, or from the head of its delta.
func (s *store) packedSize(p *pack, off int64) (kind, int64, error) {
	f, err := p.file()
	if err != nil {
		return 0, 0, err
	}
	e, err := p.entry(f, off)
	if err != nil {
		return 0, 0, err
	}
	size := e.size
	if e.kind == deltaByDistance || e.kind == deltaByName {
		head, err := inflate(io.NewSectionReader(f, e.body, 1<<62-e.body), 0, 24)
		if err != nil {
			return 0, 0, err
		}
		_, rest, err := deltaNumber(head)
		if err != nil {
			return 0, 0, err
		}
		if size, _, err = deltaNumber(rest); err != nil {
			return 0, 0, err
		}
	}
	for depth := 0; e.kind == deltaByDistance; depth++ {
		if off = e.base; depth > maxChain {
			return 0, 0, fmt.Errorf("pack %s.pack: a chain of more than %d deltas", p.path, maxChain)
		}
		if e, err = p.entry(f, off); err != nil {
			return 0, 0, err
		}
	}
	if e.kind == deltaByName {
		return 0, 0, errMissing
	}
	return e.kind, size, nil
}

var errDelta = errors.New("damaged delta")

func deltaNumber(b []byte) (int64, []byte, error) {
	n := int64(0)
	for i := 0; i < len(b) && i < 9; i++ {
		n |= int64(b[i]&0x7f) << (7 * i)
		if b[i]&0x80 == 0 {
			return n, b[i+1:], nil
		}
	}
	return 0, nil, errDelta
}

// applyDelta builds an object from its base: the delta is a list of "copy from the base" and "insert these bytes".
func applyDelta(base, delta []byte) ([]byte, error) {
	from, rest, err := deltaNumber(delta)
	if err != nil {
		return nil, err
	}
	to, rest, err := deltaNumber(rest)
	if err != nil || from != int64(len(base)) || to > maxObject {
		return nil, errDelta
	}
	out := make([]byte, 0, min(to, int64(len(base)+len(delta)))) // nearly always enough, whatever the delta claims
	for len(rest) > 0 {
		op := rest[0]
		rest = rest[1:]
		if op == 0 {
			return nil, errDelta
		}
		if op&0x80 == 0 {
			if int(op) > len(rest) {
				return nil, errDelta
			}
			out, rest = append(out, rest[:op]...), rest[op:]
			continue
		}
		var off, n uint32
		for i := 0; i < 7; i++ {
			if op&(1<<i) == 0 {
				continue
			}
			if len(rest) == 0 {
				return nil, errDelta
			}
			if i < 4 {
				off |= uint32(rest[0]) << (8 * i)
			} else {
				n |= uint32(rest[0]) << (8 * (i - 4))
			}
			rest = rest[1:]
		}
		if n == 0 {
			n = 0x10000
		}
		if uint64(off)+uint64(n) > uint64(len(base)) || int64(len(out))+int64(n) > to {
			return nil, errDelta
		}
		out = append(out, base[off:off+n]...)
	}
	if int64(len(out)) != to {
		return nil, errDelta
	}
	return out, nil
}

// baseCache keeps the objects that deltas were built on: neighbours in a pack share them, and without it a chain is
// unpacked again for each of its members. Least recently used goes first. Its bytes are never handed out.
type baseCache struct {
	mu    sync.Mutex
	limit int
	used  int
	order *list.List // of *base, most recent first
	at    map[baseKey]*list.Element
}

type baseKey struct {
	p   *pack
	off int64
}

type base struct {
	key  baseKey
	kind kind
	data []byte
}

func newBaseCache(limit int) *baseCache {
	return &baseCache{limit: limit, order: list.New(), at: map[baseKey]*list.Element{}}
}

func (c *baseCache) get(p *pack, off int64) (kind, []byte, bool) {
	c.mu.Lock()
	defer c.mu.Unlock()
	e, ok := c.at[baseKey{p, off}]
	if !ok {
		return 0, nil, false
	}
	c.order.MoveToFront(e)
	b := e.Value.(*base)
	return b.kind, b.data, true
}

func (c *baseCache) put(p *pack, off int64, k kind, data []byte) {
	c.mu.Lock()
	defer c.mu.Unlock()
	key := baseKey{p, off}
	if _, ok := c.at[key]; ok || len(data) > c.limit/2 {
		return
	}
	c.at[key] = c.order.PushFront(&base{key, k, data})
	for c.used += len(data); c.used > c.limit; {
		oldest := c.order.Back()
		b := oldest.Value.(*base)
		c.order.Remove(oldest)
		delete(c.at, b.key)
		c.used -= len(b.data)
	}
}
