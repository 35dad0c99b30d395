// Package ledger is what locsync remembers, and the only package that says how. schema.go names every record and its
// type.
//
// Git and the service are the memory; the ledger makes that quick, and holds what neither can tell: jobs under way,
// conflicts that wait, texts that were held back. So a ledger may be lost: nothing is reverted then, and nothing
// lost.
//
// There are two sorts of records. Marks are the texts of a file, as digests, so that a ledger gives no text away. The
// others are JSON with an id. Both belong to a scope: a project of a service, one of its branches, or AllProjects.
//
// Transactions are short: nothing is held open over a request, a file that is read, or a call of git.
package ledger

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"maps"
	"strings"

	"github.com/locsync/locsync/sync/text/catalog"
)

// AllProjects is the scope of records that belong to no project.
const AllProjects = ""

// BranchScope is the scope of one of several branches of a project that are translated beside each other.
func BranchScope(project, branch string) string {
	if branch == "" {
		return project
	}
	return project + "#" + branch
}

// BranchOf is the branch that a scope is about, where it is one of several of a project.
func BranchOf(scope, project string) (branch string, is bool) {
	return strings.CutPrefix(scope, project+"#")
}

// Slot addresses the marks of one file, or of one collection.
type Slot struct {
	Scope string
	Kind  string // one of the schema
	Tree  string // of several that are kept apart: the working tree or a branch

	Path       string
	Language   string // of a target file
	Collection string // of a source file

	Staged bool // they become true when the commit that they are about has arrived
}

// Stage is the slot of what these marks will be when the commit has arrived, where they have to wait for that.
func (s Slot) Stage(wait bool) Slot {
	s.Staged = wait
	return s
}

// Parts are the slot as an implementation stores it: its scope, its kind with stage and place, its path, and its
// language or collection.
func (s Slot) Parts() (scope, kind, path, of string) {
	kind = s.Kind
	if s.Staged {
		kind = "staged " + kind
	}
	if s.Tree != "" {
		kind += " " + s.Tree
	}
	return s.Scope, kind, s.Path, s.Language + s.Collection
}

// At is the slot of the same kind with another path, and another language or collection.
func (s Slot) At(path, of string) Slot {
	s.Path, s.Language, s.Collection = path, of, ""
	if ofSource[s.Kind] {
		s.Language, s.Collection = "", of
	}
	return s
}

// Key addresses a record with an id.
type Key struct{ Scope, Kind, ID string }

// Reader reads what is remembered.
type Reader interface {
	// Marks returns the marks of a slot: nil where none were ever stored, or they were dropped since.
	Marks(Slot) (catalog.Marks, error)

	// HasMarks reports whether marks were stored and not dropped since.
	HasMarks(Slot) (bool, error)

	// Slots lists the slots that hold marks and differ from one only by path, language and collection, in their order.
	Slots(Slot) ([]Slot, error)

	// Kinds lists the kinds of the marks and of the records that a scope has, in their order. Those of marks are named as
	// Parts does.
	Kinds(scope string) (marks, records []string, err error)

	// Record reads a record; nil where there is none.
	Record(Key) ([]byte, error)

	// Records visits the records of the kind of a key with their ids, in the order of these.
	Records(Key, func(id string, content []byte) error) error
}

// Marks are catalog.Marks or catalog.Packed.
type Marks interface{ Encode() []byte }

// Writer changes what is remembered.
type Writer interface {
	Reader

	// SetMarks stores the marks of a slot in place of what was there. No marks are marks too: Marks returns an empty set.
	SetMarks(Slot, Marks) error

	// DropMarks forgets a slot.
	DropMarks(Slot) error

	// MoveMarks moves the marks of one slot to another. It reports whether there were any; else nothing is changed.
	MoveMarks(from, to Slot) (bool, error)

	// PutRecord stores a record in place of what was there.
	PutRecord(Key, []byte) error

	// DeleteRecord forgets a record; one that is not there is forgotten already.
	DeleteRecord(Key) error

	// Forget drops all of a scope, but for some kinds.
	Forget(scope string, keep ...string) error
}

// Store is an open ledger. Its own methods are each a transaction. It may be used by any goroutine.
type Store interface {
	Writer

	// View runs a function in a transaction that sees the ledger as it is at its begin.
	View(func(Reader) error) error

	// Update runs a function whose changes become durable together, or not at all when it returns an error, which is
	// returned as it is. What Update returned without error for is stored.
	Update(func(Writer) error) error

	// Rebuilt reports where a damaged ledger was put when this one was opened empty instead, and what was wrong with
	// it; "" where all was well.
	Rebuilt() (aside string, why error)

	// Size is how many bytes are stored; 0 where that is unknown.
	Size() int64
}

// NewerError says that a ledger was written by a newer locsync: this one must not touch it.
type NewerError struct {
	Format, Known int
	Own           string // what this locsync could be given instead
}

func (e *NewerError) Error() string {
	return fmt.Sprintf("it was written by a newer locsync (format %d, this one knows %d); "+
		"use that locsync, or give this one %s", e.Format, e.Known, e.Own)
}

// LeaseError says that a write was refused because another process works on the project now, or may.
type LeaseError struct {
	Project string
	Err     error
}

func (e *LeaseError) Error() string {
	return fmt.Sprintf("nothing more is written for project %q: %v", e.Project, e.Err)
}

func (e *LeaseError) Unwrap() error { return e.Err }

// Format is the number of the schema. An older ledger is converted once, when it is opened.
const Format = 2

// Table is the records of one kind, by id.
type Table[T any] struct{ kind string }

// Kind is the name of the kind.
func (t Table[T]) Kind() string { return t.kind }

// Get reads the record of an id; ok is false where there is none.
func (t Table[T]) Get(r Reader, scope, id string) (value T, ok bool, err error) {
	content, err := r.Record(Key{scope, t.kind, id})
	if err != nil || content == nil {
		return value, false, err
	}
	if err := json.Unmarshal(content, &value); err != nil {
		return value, false, &DamagedError{t.kind, id, err}
	}
	return value, true, nil
}

// DamagedError tells of a record whose content is not what its kind has.
type DamagedError struct {
	Kind, ID string
	Err      error
}

func (e *DamagedError) Error() string {
	return fmt.Sprintf("read record %s %s: %v", e.Kind, e.ID, e.Err)
}

// Unwrap returns Err.
func (e *DamagedError) Unwrap() error { return e.Err }

// List reads all records, in the order of their ids.
func (t Table[T]) List(r Reader, scope string) (values []T, err error) {
	err = r.Records(Key{scope, t.kind, ""}, func(_ string, content []byte) error {
		var value T
		if err := json.Unmarshal(content, &value); err != nil {
			return fmt.Errorf("read records %s: %w", t.kind, err)
		}
		values = append(values, value)
		return nil
	})
	return values, err
}

// Put stores a record in place of what was there.
func (t Table[T]) Put(w Writer, scope, id string, value T) error {
	content, err := json.Marshal(value)
	if err != nil {
		return fmt.Errorf("store record %s %s: %w", t.kind, id, err)
	}
	return w.PutRecord(Key{scope, t.kind, id}, content)
}

// Delete forgets a record; one that is not there is forgotten already.
func (t Table[T]) Delete(w Writer, scope, id string) error {
	return w.DeleteRecord(Key{scope, t.kind, id})
}

// PutAll stores records that know their ids.
func PutAll[T interface{ ID() string }](t Table[T], w Writer, scope string, all []T) error {
	return Each(all, func(value T) error { return t.Put(w, scope, value.ID(), value) })
}

// DeleteAll forgets records that know their ids.
func DeleteAll[T interface{ ID() string }](t Table[T], w Writer, scope string, all []T) error {
	return Each(all, func(value T) error { return t.Delete(w, scope, value.ID()) })
}

// Each does something for all values, up to the first that it fails for.
func Each[T any](all []T, do func(T) error) error {
	for _, value := range all {
		if err := do(value); err != nil {
			return err
		}
	}
	return nil
}

// ID is an id of several parts.
func ID(parts ...string) string { return strings.Join(parts, "\x00") }

// Digest names some content by 16 letters and digits.
func Digest(content []byte) string {
	sum := sha256.Sum256(content)
	return hex.EncodeToString(sum[:8])
}

// TargetMarks is a kind of marks of target files.
type TargetMarks struct{ kind, tree string }

// In is the kind for what was seen in one of several trees: a branch.
func (k TargetMarks) In(tree string) TargetMarks { return TargetMarks{k.kind, tree} }

// Of is the slot of a target file.
func (k TargetMarks) Of(scope, path, language string) Slot {
	return Slot{Scope: scope, Kind: k.kind, Tree: k.tree, Path: path, Language: language}
}

// Slots lists the target files that have such marks.
func (k TargetMarks) Slots(r Reader, scope string) ([]Slot, error) {
	return r.Slots(k.Of(scope, "", ""))
}

// MarshalText is the kind's name in records.
func (k TargetMarks) MarshalText() ([]byte, error) { return []byte(k.kind), nil }

// UnmarshalText is the inverse of MarshalText.
func (k *TargetMarks) UnmarshalText(name []byte) error {
	*k = TargetMarks{kind: string(name)}
	return nil
}

// SourceMarks is a kind of marks of source files, or with an empty path of a whole collection.
type SourceMarks struct{ kind, tree string }

// Kind is the name of the kind.
func (k SourceMarks) Kind() string { return k.kind }

// In is the kind for what was seen in one of several trees: the working tree or a branch.
func (k SourceMarks) In(tree string) SourceMarks { return SourceMarks{k.kind, tree} }

// Of is the slot of a source file.
func (k SourceMarks) Of(scope string, at Source) Slot {
	return Slot{Scope: scope, Kind: k.kind, Tree: k.tree, Path: at.Path, Collection: at.Collection}
}

// Slots lists the source files that have such marks.
func (k SourceMarks) Slots(r Reader, scope string) ([]Slot, error) {
	return r.Slots(k.Of(scope, Source{}))
}

// Source is the source file of a slot.
func (s Slot) Source() Source { return Source{s.Collection, s.Path} }

// Amend changes the marks of a slot; where there are none, they begin empty.
func Amend(tx Writer, slot Slot, change func(catalog.Marks)) error {
	marks, err := tx.Marks(slot)
	if err != nil {
		return err
	}
	if marks == nil {
		marks = make(catalog.Marks)
	}
	change(marks)
	return tx.SetMarks(slot, marks)
}

// KeepMarks stores marks; nil stores nothing where nothing is.
func KeepMarks(tx Writer, slot Slot, now catalog.Marks) error {
	if now == nil {
		if has, err := tx.HasMarks(slot); err != nil || !has {
			return err
		}
	}
	return tx.SetMarks(slot, now)
}

// NewTable is the table of a kind that another package keeps.
func NewTable[T any](kind string) Table[T] { return Table[T]{kind} }

// RenameMarks gives the marks of a slot the names that rename has for their keys, as forms of other keys; those that it
// has no form for stay. A mark's number in a history stays with it.
func RenameMarks(tx Writer, slot Slot, rename func(key string) (of, form string)) error {
	marks, err := tx.Marks(slot)
	if err != nil || marks == nil {
		return err
	}
	changed := false
	for n, mark := range maps.Clone(marks) {
		form, number, numbered := strings.Cut(n.Form, "\x00")
		of, category := rename(n.Key)
		if form != "" || category == "" {
			continue
		}
		if numbered {
			category += "\x00" + number
		}
		delete(marks, n)
		marks[catalog.Name{Key: of, Form: category}] = mark
		changed = true
	}
	if !changed {
		return nil
	}
	return tx.SetMarks(slot, marks)
}

// AllSlots lists the slots of a scope that hold marks, of every kind. Their Kind is named as Parts does, and what they
// are of, a language or a collection, is Language or Collection.
func AllSlots(r Reader, scope string) (all []Slot, err error) {
	kinds, _, err := r.Kinds(scope)
	if err != nil {
		return nil, err
	}
	err = Each(kinds, func(kind string) error {
		slots, err := r.Slots(Slot{Scope: scope, Kind: kind})
		all = append(all, slots...)
		return err
	})
	return all, err
}
