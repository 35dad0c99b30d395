package resourcetest

import (
	"bytes"
	"hash/fnv"
	"slices"
	"strings"
	"testing"
)

// Mutated has the laws hold for what a fuzzer gives and for the mutants of it.
func Mutated(laws func(t *testing.T, src []byte)) func(t *testing.T, src []byte) {
	return func(t *testing.T, src []byte) {
		for _, one := range Mutants(src) {
			laws(t, one)
		}
	}
}

// Mutants are a file, and what becomes of it where people and merges are careless: a member twice, twice with another
// kind of value, with another kind of value alone, and an escape that is cut. They depend on the bytes alone. A fuzzer
// that changes bytes does not find these: most of its files are refused before.
func Mutants(src []byte) [][]byte {
	h := fnv.New64a()
	_, _ = h.Write(src)
	random := h.Sum64()
	next := func(n int) int {
		random = random*6364136223846793005 + 1442695040888963407
		return int(random >> 33 % uint64(n))
	}
	all := [][]byte{src}
	between, members := "", [][2]int(nil)
	switch begin := bytes.TrimLeft(bytes.TrimPrefix(src, []byte("\ufeff")), " \t\r\n"); {
	case bytes.HasPrefix(begin, []byte("{")), bytes.HasPrefix(begin, []byte("[")):
		between, members = ",", membersOf(src)
	case bytes.HasPrefix(begin, []byte("<")):
		members = elementsOf(src)
	default:
		members = linesOf(src)
	}
	if len(members) > 0 {
		at := members[next(len(members))]
		member, start, end := string(src[at[0]:at[1]]), string(src[:at[0]]), string(src[at[1]:])
		odd := oddOf(member, next)
		all = append(all, []byte(start+member+between+member+end), []byte(start+member+between+odd+end),
			[]byte(start+odd+end))
	}
	if cut := escapesOf(src); len(cut) > 0 {
		at := cut[next(len(cut))]
		all = append(all, slices.Delete(slices.Clone(src), at, min(at+1+next(3), len(src))))
	} else if at := bytes.LastIndexByte(src, '"'); at >= 0 {
		all = append(all, slices.Insert(slices.Clone(src), at, []byte([]string{`\`, `\u1`, `&#`, `\ud800`}[next(4)])...))
	}
	return all
}

// oddOf is a member with a value of another kind.
func oddOf(member string, next func(int) int) string {
	if name, rest, is := strings.Cut(member, ">"); is && strings.HasPrefix(member, "<") {
		ends := rest[max(strings.LastIndex(rest, "</"), 0):]
		return name + ">" + []string{"", "5", "<a/>", "<a>", member}[next(5)] + ends
	}
	end := strings.IndexAny(member, ":=")
	if end < 0 {
		end = 0
	} else {
		end++
	}
	line := ""
	if strings.HasSuffix(member, "\n") {
		line = "\n"
	}
	odd := []string{"5", "null", `"x"`, "{}", "[]", `{"a":{}}`, `["x"]`, "", " [a]", " *a", "true"}
	return member[:end] + odd[next(len(odd))] + line
}

// membersOf are the members of objects, and the items of arrays, at any depth.
func membersOf(src []byte) (all [][2]int) {
	var begins []int
	text := false
	for i := 0; i < len(src); i++ {
		last := len(begins) - 1
		end := func() {
			if last >= 0 && len(bytes.TrimSpace(src[begins[last]:i])) > 0 {
				all = append(all, [2]int{begins[last], i})
			}
		}
		switch c := src[i]; {
		case text && c == '\\':
			i++
		case c == '"':
			text = !text
		case text:
		case c == '{' || c == '[':
			begins = append(begins, i+1)
		case c == ',':
			if end(); last >= 0 {
				begins[last] = i + 1
			}
		case c == '}' || c == ']':
			if end(); last >= 0 {
				begins = begins[:last]
			}
		}
	}
	return all
}

// elementsOf are the elements that end, at any depth.
func elementsOf(src []byte) (all [][2]int) {
	var begins []int
	for i := 0; i < len(src); i++ {
		if src[i] != '<' {
			continue
		}
		length := bytes.IndexByte(src[i:], '>') + 1
		switch tag := src[i : i+length]; {
		case length == 0:
			return all
		case bytes.HasPrefix(tag, []byte("<!")), bytes.HasPrefix(tag, []byte("<?")):
		case bytes.HasPrefix(tag, []byte("</")):
			if last := len(begins) - 1; last >= 0 {
				all = append(all, [2]int{begins[last], i + length})
				begins = begins[:last]
			}
		case !bytes.HasSuffix(tag, []byte("/>")):
			begins = append(begins, i)
		}
		i += length - 1
	}
	return all
}

// linesOf are the lines that are not blank.
func linesOf(src []byte) (all [][2]int) {
	at := 0
	for line := range bytes.Lines(src) {
		if len(bytes.TrimSpace(line)) > 0 {
			all = append(all, [2]int{at, at + len(line)})
		}
		at += len(line)
	}
	return all
}

// escapesOf is what is behind the characters that begin an escape.
func escapesOf(src []byte) (all []int) {
	for i, c := range src[:max(len(src)-1, 0)] {
		if c == '\\' || c == '&' {
			all = append(all, i+1)
		}
	}
	return all
}
