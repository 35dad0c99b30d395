package service

import (
	"archive/zip"
	"bytes"
	"compress/gzip"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"math/rand/v2"
	"os"
	"path"
	"runtime"
	"strings"
	"testing"
	"unicode/utf8"

	"pgregory.net/rapid"
)

type member struct {
	name, content string
	mode          fs.FileMode
	method        uint16
}

func file(name, content string) member { return member{name, content, 0o644, zip.Deflate} }

func zipped(t testing.TB, members ...member) []byte {
	t.Helper()
	var b bytes.Buffer
	w := zip.NewWriter(&b)
	for _, m := range members {
		h := &zip.FileHeader{Name: m.name, Method: m.method}
		h.SetMode(m.mode)
		part, err := w.CreateHeader(h)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(part, m.content); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func gzipped(text string) []byte {
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, _ = io.WriteString(w, text)
	_ = w.Close()
	return b.Bytes()
}

// What was packed comes out, in order.
func TestArchiveRoundTrip(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		names := rapid.SliceOfDistinct(rapid.StringMatching(`[a-z]{1,4}(/[a-zA-Zé0-9.-]{1,6}[a-z]){0,2}\.json`),
			rapid.ID[string]).Draw(rt, "names")
		var members []member
		for _, name := range names {
			m := file(name, rapid.StringN(0, 50, 400).Draw(rt, "content"))
			m.method = rapid.SampledFrom([]uint16{zip.Store, zip.Deflate}).Draw(rt, "method")
			members = append(members, m)
		}
		b := zipped(t, members...)
		entries, refused, err := zipArchive(bytes.NewReader(b), int64(len(b)), defaultLimits)
		if err != nil || len(refused) > 0 || len(entries) != len(members) {
			rt.Fatalf("%v %v, %v", entries, refused, err)
		}
		for i, m := range members {
			content, err := entries[i].ReadAll()
			if err != nil || entries[i].Name != m.name || string(content) != m.content ||
				entries[i].Size != int64(len(content)) {
				rt.Fatalf("%s: %q, %v; want %s: %q", entries[i].Name, content, err, m.name, m.content)
			}
		}
	})
}

// Names and kinds that must not become files are listed, and do not spoil the others.
func TestArchiveRefusals(t *testing.T) {
	link := member{"link", "/etc/passwd", fs.ModeSymlink | 0o777, zip.Store}
	for _, m := range []member{
		file("../up.json", ""), file("a/../../up.json", ""), file("a/../b.json", ""), file("/etc/passwd", ""),
		file(`a\b.json`, ""),
		file(`..\up.json`, ""), file("C:/a.json", ""), file("c:a.json", ""),
		file("a//b.json", ""), file("./a.json", ""),
		file("a/.", ""),
		file(".git/config", ""), file("a/.GIT/hooks/x", ""), file(".git./config", ""),
		file("a\x00b", ""), file("a\nb", ""),
		file("\xff\xfe", ""),
		file(strings.Repeat("a", 256), ""), file(strings.Repeat("a/", 2049)+"b", ""), file("", ""),
		link, {"pipe", "", fs.ModeNamedPipe | 0o644, zip.Store}, {"device", "", fs.ModeDevice | 0o644, zip.Store},
		{"../folder/", "", fs.ModeDir | 0o755, zip.Store},
	} {
		t.Run(m.name[:min(len(m.name), 20)], func(t *testing.T) {
			b := zipped(t, file("good.json", "{}"), m, member{"folder/", "", fs.ModeDir | 0o755, zip.Store})
			entries, refused, err := zipArchive(bytes.NewReader(b), int64(len(b)), defaultLimits)
			if err != nil || len(entries) != 1 || entries[0].Name != "good.json" || len(refused) != 1 ||
				refused[0].Reason == "" {
				t.Errorf("%v %v, %v", entries, refused, err)
			}
		})
	}
	t.Run("twice", func(t *testing.T) {
		b := zipped(t, file("a.json", "1"), file("b.json", "2"), file("a.json", "3"))
		entries, refused, err := zipArchive(bytes.NewReader(b), int64(len(b)), defaultLimits)
		if err != nil || len(entries) != 1 || entries[0].Name != "b.json" || len(refused) != 2 {
			t.Errorf("%v %v, %v", entries, refused, err)
		}
	})
	t.Run("encrypted, unknown method", func(t *testing.T) {
		for _, at := range []int{8, 10} { // flags and method in the table of contents
			b := zipped(t, file("a.json", "1"), file("b.json", "2"))
			directory := bytes.Index(b, []byte("PK\x01\x02"))
			binary.LittleEndian.PutUint16(b[directory+at:], binary.LittleEndian.Uint16(b[directory+at:])|1)
			entries, refused, err := zipArchive(bytes.NewReader(b), int64(len(b)), defaultLimits)
			if err != nil || len(entries) != 1 || len(refused) != 1 {
				t.Errorf("%v %v, %v", entries, refused, err)
			}
		}
	})
	t.Run("checksum of zero", func(t *testing.T) {
		var b bytes.Buffer
		w := zip.NewWriter(&b)
		part, err := w.CreateRaw(&zip.FileHeader{Name: "a.json", Method: zip.Store, CompressedSize64: 2,
			UncompressedSize64: 2})
		if err != nil {
			t.Fatal(err)
		}
		_, _ = io.WriteString(part, "{}")
		_ = w.Close()
		if _, _, err := zipArchive(bytes.NewReader(b.Bytes()), int64(b.Len()), defaultLimits); !errors.Is(err,
			zip.ErrChecksum) {
			t.Errorf("error %v", err)
		}
	})
	t.Run("another name before the content", func(t *testing.T) {
		b := zipped(t, file("a.json", "1"))
		b[30] = 'x'
		if _, _, err := zipArchive(bytes.NewReader(b), int64(len(b)), defaultLimits); !errors.Is(err, ErrUnusable) {
			t.Errorf("error %v", err)
		}
	})
}

// An archive that was cut anywhere, or has any bit flipped, is refused or hands out nothing but what was
// packed.
func TestArchiveDamage(t *testing.T) {
	want := map[string]string{"de/app.json": `{"a":"Größe","b":"x"}`, "fr/app.json": strings.Repeat("bonjour ", 20),
		"it.json": ""}
	whole := zipped(t, file("de/app.json", want["de/app.json"]),
		member{"fr/app.json", want["fr/app.json"], 0o644, zip.Store}, file("it.json", ""))
	check := func(what string, b []byte) (refused bool) {
		entries, _, err := zipArchive(bytes.NewReader(b), int64(len(b)), defaultLimits)
		if err != nil {
			if !errors.Is(err, ErrUnusable) {
				t.Errorf("%s: %v", what, err)
			}
			return true
		}
		for _, e := range entries {
			content, err := e.ReadAll()
			if original, known := want[e.Name]; err != nil || !known || string(content) != original {
				t.Errorf("%s: %s holds %q, %v", what, e.Name, content, err)
			}
		}
		return false
	}
	for n := range whole {
		if !check(fmt.Sprint("cut at ", n), whole[:n]) {
			t.Errorf("cut at %d of %d: taken", n, len(whole))
		}
	}
	taken := 0
	for bit := range len(whole) * 8 {
		b := bytes.Clone(whole)
		b[bit/8] ^= 1 << (bit % 8)
		if !check(fmt.Sprint("bit ", bit), b) {
			taken++
		}
	}
	t.Logf("%d of %d flipped bits did not matter", taken, len(whole)*8)
}

func TestArchiveBounds(t *testing.T) {
	within := func(b []byte, change func(*limits)) error {
		l := defaultLimits
		change(&l)
		_, _, err := zipArchive(bytes.NewReader(b), int64(len(b)), l)
		return err
	}
	zeros := strings.Repeat("\x00", 4<<20)
	bomb := zipped(t, file("bomb", zeros))
	if err := within(bomb, func(*limits) {}); !isBeyond(err) {
		t.Errorf("a bomb of %d bytes: %v", len(bomb), err)
	}
	if err := within(bomb, func(l *limits) { l.ratio = 10_000; l.decoded = 1 << 20 }); !isBeyond(err) {
		t.Errorf("more than allowed unpacked: %v", err)
	}
	if err := within(bomb, func(l *limits) { l.ratio = 10_000 }); err != nil {
		t.Errorf("within all bounds: %v", err)
	}
	// Small members that are many: together they are too much.
	var split []member
	for i := range 8 {
		split = append(split, file(fmt.Sprint(i), zeros[:1<<19]))
	}
	if b := zipped(t, split...); !isBeyond(within(b, func(*limits) {})) {
		t.Errorf("a bomb in pieces: %v", within(b, func(*limits) {}))
	}
	if b := zipped(t, split...); !isBeyond(within(b, func(l *limits) { l.members = 7 })) {
		t.Error("more members than allowed are taken")
	}
	// Members that lie over each other: each is modest, their sum is not.
	if b := overlapping(2); within(b, func(*limits) {}) != nil {
		t.Errorf("two members over each other: %v", within(b, func(*limits) {}))
	}
	if b := overlapping(2000); !isBeyond(within(b, func(*limits) {})) {
		t.Errorf("overlapping members: %v", within(b, func(*limits) {}))
	}
}

func isBeyond(err error) bool {
	var own local
	return errors.Is(err, ErrUnusable) && errors.As(err, &own)
}

// overlapping nests n members: the content of each is the next one with its header, and the table of
// contents names them all. Every byte is unpacked up to n times.
func overlapping(n int) []byte {
	content := make([]byte, 16<<10)
	_, _ = rand.NewChaCha8([32]byte{}).Read(content) // it never fails
	var directory []byte
	offset := 0
	for i := range n { // from the innermost outwards; offsets count from the end until all is known
		name := fmt.Sprintf("%06d", i)
		sizes := make([]byte, 12)
		binary.LittleEndian.PutUint32(sizes, crc32.ChecksumIEEE(content))
		binary.LittleEndian.PutUint32(sizes[4:], uint32(len(content)))
		binary.LittleEndian.PutUint32(sizes[8:], uint32(len(content)))
		offset = (n - 1 - i) * (30 + len(name))
		entry := append([]byte("PK\x01\x02\x14\x00\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00"), sizes...)
		entry = append(entry, 6, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0)
		entry = append(binary.LittleEndian.AppendUint32(entry, uint32(offset)), name...)
		directory = append(directory, entry...)
		local := append([]byte("PK\x03\x04\x14\x00\x00\x00\x00\x00\x00\x00\x00\x00"), sizes...)
		local = append(append(local, 6, 0, 0, 0), name...)
		content = append(local, content...)
	}
	tail := append([]byte("PK\x05\x06\x00\x00\x00\x00"), binary.LittleEndian.AppendUint16(
		binary.LittleEndian.AppendUint16(nil, uint16(n)), uint16(n))...)
	tail = binary.LittleEndian.AppendUint32(binary.LittleEndian.AppendUint32(tail, uint32(len(directory))),
		uint32(len(content)))
	return append(append(append(content, directory...), tail...), 0, 0)
}

// A million members are refused before they cost the memory of a million.
func TestArchiveMillionMembers(t *testing.T) {
	one := zipped(t, file("a", ""))
	directory, end := bytes.Index(one, []byte("PK\x01\x02")), bytes.Index(one, []byte("PK\x05\x06"))
	const n = 1 << 20 // a multiple of 65536, so that the count in the tail may be 0
	var b bytes.Buffer
	b.Write(one[:directory])
	b.Write(bytes.Repeat(one[directory:end], n))
	tail := bytes.Clone(one[end:])
	binary.LittleEndian.PutUint16(tail[8:], 0)
	binary.LittleEndian.PutUint16(tail[10:], 0)
	binary.LittleEndian.PutUint32(tail[12:], uint32(n*(end-directory)))
	b.Write(tail)
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, _, err := zipArchive(bytes.NewReader(b.Bytes()), int64(b.Len()), defaultLimits)
	runtime.ReadMemStats(&after)
	if !isBeyond(err) {
		t.Errorf("error %v", err)
	}
	// The directory is read, and no entry is made: zip.NewReader allocates 5.7 times the archive's bytes.
	if used := after.TotalAlloc - before.TotalAlloc; used > 2*uint64(b.Len()) {
		t.Errorf("%d bytes were allocated for %d members in %d bytes", used, n, b.Len())
	}
}

// From the wire to the entries: what counts as an archive, what as a file, and what is left on the disk.
func TestDownload(t *testing.T) {
	packed := string(zipped(t, file("de.json", "{}"), file("../x", "")))
	for _, c := range []struct {
		name    string
		step    step
		entries string // names and contents
		refused int
		err     error
		status  int
	}{
		{name: "archive", step: say(200, packed), entries: "de.json={}", refused: 1},
		{name: "archive called JSON", step: say(200, packed, "Content-Type", "application/json", "Content-Disposition",
			`attachment; filename="a.json"`), entries: "de.json={}", refused: 1},
		{name: "empty archive", step: say(200, string(zipped(t)))},
		{name: "file", step: say(200, `{"k":"v"}`, "Content-Disposition", `attachment; filename="strings-de.json"`),
			entries: `strings-de.json={"k":"v"}`},
		{name: "file with an encoded name", step: say(200, `x`, "Content-Disposition",
			`attachment; filename="_.json"; filename*=UTF-8''gr%C3%BC%C3%9Fe.json`), entries: `grüße.json=x`},
		{name: "file with a path for a name", step: say(200, `x`, "Content-Disposition",
			`attachment; filename="../../etc/a.json"`), entries: `a.json=x`},
		{name: "file with a bad name", step: say(200, `x`, "Content-Disposition", `attachment; filename=".."`),
			refused: 1},
		{name: "file without a name", step: say(200, `x`), entries: `=x`},
		{name: "empty file", step: say(200, ``, "Content-Disposition", `attachment; filename="a.strings"`),
			entries: `a.strings=`},
		{name: "nothing", step: say(200, ``), err: ErrUnusable},
		{name: "page", step: say(200, `<html>`, "Content-Type", "text/html; charset=utf-8"), err: ErrUnusable},
		{name: "damaged archive", step: say(200, packed[:len(packed)-30]), err: ErrUnusable},
		{name: "archive without its head", step: say(200, "x"+packed[3:], "Content-Type", "application/zip"),
			err: ErrUnusable},
		{name: "not ready", step: say(204, ``), err: ErrNotReady},
		{name: "accepted", step: say(202, `later`), err: ErrNotReady},
		{name: "failed", step: say(422, `{"detail":"no keys"}`), err: ErrExportFailed, status: 422},
		{name: "gone", step: say(404, ``), err: ErrNotFound, status: 404},
		{name: "too long", step: say(200, strings.Repeat("x", 2<<20), "Content-Disposition",
			`attachment; filename="a.json"`),
			err: ErrUnusable},
	} {
		t.Run(c.name, func(t *testing.T) {
			s := serve(t, c.step)
			client := s.Client(t)
			client.limits.spool = 1 << 20
			dir := t.TempDir()
			a, err := client.Strings().TryDownload(t.Context(), "e", dir)
			if c.err != nil {
				var e *Error
				if !errors.Is(err, c.err) || !errors.As(err, &e) || e.Status != c.status || a != nil {
					t.Errorf("%v, %v", a, err)
				}
			} else {
				if err != nil {
					t.Fatal(err)
				}
				var got []string
				for _, e := range a.Entries {
					content, err := e.ReadAll()
					if err != nil {
						t.Error(err)
					}
					r, err := e.Open()
					if err != nil {
						t.Fatal(err)
					}
					again, err := io.ReadAll(r)
					if err = errors.Join(err, r.Close()); err != nil || !bytes.Equal(again, content) {
						t.Errorf("%s reads %q and %q, %v", e.Name, content, again, err)
					}
					got = append(got, e.Name+"="+string(content))
				}
				if strings.Join(got, ",") != c.entries || len(a.Refused) != c.refused {
					t.Errorf("entries %q, refused %v", got, a.Refused)
				}
				if err := a.Close(); err != nil {
					t.Error(err)
				}
				for _, e := range a.Entries {
					if _, err := e.ReadAll(); err == nil && e.Size > 0 {
						t.Errorf("%s reads after Close", e.Name)
					}
				}
			}
			if left, err := os.ReadDir(dir); err != nil || len(left) > 0 {
				t.Errorf("left behind: %v, %v", left, err)
			}
		})
	}
}

// A damaged download is fetched again; the export is still there.
func TestDownloadAgain(t *testing.T) {
	packed := string(zipped(t, file("de.json", "{}")))
	s := serve(t, half, say(200, packed[:40]), say(200, packed))
	a, err := s.Client(t).Strings().Download(t.Context(), "e", t.TempDir())
	if err != nil || len(a.Entries) != 1 || len(s.Seen()) != 3 {
		t.Fatalf("%v, %v after %d requests", a, err, len(s.Seen()))
	}
	_ = a.Close()
}

// Whatever bytes arrive: no panic, no unsafe name, and every entry reads as long as it says.
func FuzzArchive(f *testing.F) {
	f.Add(zipped(f, file("a.json", "{}"), file("../x", "y")))
	f.Add(zipped(f))
	f.Add(zipped(f, member{"s", "x", fs.ModeSymlink, zip.Store}, file("d/", "")))
	f.Add(overlapping(3))
	l := defaultLimits
	l.decoded, l.members = 1<<20, 100
	f.Fuzz(func(t *testing.T, b []byte) {
		entries, refused, err := zipArchive(bytes.NewReader(b), int64(len(b)), l)
		if err != nil && !errors.Is(err, ErrUnusable) {
			t.Fatal(err)
		}
		total := int64(0)
		for _, e := range entries {
			content, err := e.ReadAll()
			if err != nil || int64(len(content)) != e.Size {
				t.Fatalf("%q: %d bytes of %d, %v", e.Name, len(content), e.Size, err)
			}
			if !fs.ValidPath(e.Name) || path.Clean(e.Name) != e.Name || strings.Contains(e.Name, `\`) {
				t.Fatalf("unsafe name %q", e.Name)
			}
			total += e.Size
		}
		if total > l.decoded {
			t.Fatalf("%d bytes in all", total)
		}
		for _, r := range refused {
			if r.Reason == "" || !utf8.ValidString(r.Name) {
				t.Fatalf("refused %q: %q", r.Name, r.Reason)
			}
		}
	})
}
