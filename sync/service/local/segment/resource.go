package segment

import (
	"context"
	"errors"
	"fmt"

	"github.com/locsync/locsync/formats"
	"github.com/locsync/locsync/formats/resource"
	"github.com/locsync/locsync/sync/service/wire"
)

// resourceFile reads documents of a format of package formats: one segment for each text that has a key, and for each
// form of a plural. Of two entries with one key the last is a segment: it is the one that programs read.
func resourceFile(name wire.Format) func(context.Context, []byte, Options) (*Document, error) {
	return func(_ context.Context, src []byte, o Options) (*Document, error) {
		format, ok := formats.Named(string(name))
		if !ok {
			return nil, fmt.Errorf("there is no format %s", name)
		}
		keys := resource.Keys{Roots: []string{o.Source}}
		file, err := format.Parse(keys, src)
		if err != nil {
			return nil, fromResource(err)
		}
		shadowed := make(map[int]bool)
		for _, pair := range file.Duplicates() {
			shadowed[min(pair[0], pair[1])] = true
		}
		d := &Document{src: src}
		var entries []resource.Entry
		for e := range file.Entries() {
			if e.Kind != resource.Text || shadowed[e.Node] || !translatable(e.Text, Plain) {
				continue
			}
			if len(entries) == MaxSegments {
				return nil, errSegments
			}
			key := e.Key
			if e.Form != "" {
				key += "[" + e.Form + "]"
			}
			entries = append(entries, e)
			d.segments = append(d.segments, Segment{Key: key, Text: e.Text, Note: e.Note})
		}
		d.rewrite = func(language string, text func(int) (string, bool)) ([]byte, error) {
			return rewriteResource(format, keys, file, entries, language, text)
		}
		return d, nil
	}
}

func rewriteResource(
	format formats.Format, keys resource.Keys, file *resource.File, entries []resource.Entry, language string,
	text func(int) (string, bool)) ([]byte, error) {
	var edits []resource.Edit
	for i, e := range entries {
		if t, ok := text(i); ok && t != e.Text {
			edits = append(edits, resource.Edit{Op: resource.Set, Key: e.Key, Form: e.Form, Text: t})
		}
	}
	if len(edits) == 0 {
		return file.Bytes(), nil
	}
	out, refused := file.Rewrite(edits, nil)
	if len(refused) > 0 {
		return nil, fmt.Errorf("segment %q cannot have the translation %q: %s", refused[0].Key, clip(refused[0].Text),
			refused[0].Reason)
	}
	if _, has := file.Root(); !has {
		return out, nil
	}
	written, err := format.Parse(keys, out)
	if err != nil {
		return nil, fromResource(err)
	}
	return written.RenameRoot(language)
}

func fromResource(err error) error {
	var at *resource.SyntaxError
	if errors.As(err, &at) {
		return &SyntaxError{at.Line, at.Col, at.Msg}
	}
	return err
}
