// Package operation is the commands that make one operation of the translation service each: what they take, what they
// do and what they answer. They are values, which the command line turns into its commands; nothing here prints, parses
// flags, or opens a client. Their law: an operation of the service interface that no command makes is a fault, which a
// test finds; what the interface does not have is left to `api`.
package operation

import (
	"context"
	"errors"
	"io"
	"path/filepath"
	"strings"

	"github.com/locsync/locsync/sync/config"
	"github.com/locsync/locsync/sync/documents/transfer"
	"github.com/locsync/locsync/sync/failure"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/terminal"
)

// Operation is one command. One without Run only groups those whose names begin with its own.
type Operation struct {
	Name  string // "documents delete"
	Args  string // as help shows them: "DOCUMENT..."
	Short string
	// Long and Example are for help; an Example is needed where Run is there.
	Long, Example string
	On            Subject
	Of            func() Subject // in place of On, once the flags were read; nil: On
	Least, Most   int            // arguments; Most below Least: any number
	Wants         string         // what the arguments are, for who gives another number
	Files         bool           // the arguments are files
	Flags         []Flag
	Lists         string // the command that shows the names of what the arguments name; "" for none
	// Check says what is wrong with arguments and flags, before anything is read or requested; nil: nothing.
	Check func(args []string) error
	Run   func(ctx context.Context, s *Session, args []string) (Result, error)
	// Document is what it prints with --json, by a value of its type; nil is an object.
	Document any
}

// Subject says which project an operation is about.
type Subject int

// Subjects.
const (
	Keys       Subject = iota // a configured project
	Documents                 // a project that translates documents
	Account                   // none
	Configured                // a configured project, and none by its identifier
	Any                       // none, or one: the only configured one where none is named
)

// Flag is one flag. Value is a *string, *bool, *int, or *[]string.
type Flag struct {
	Name, Short, Usage string
	Value              any
	Words              []string // that the value is one of; empty: anything
	Whole              bool     // of a list: a comma is a part of a value
}

// Session is what an operation works with.
type Session struct {
	Client  *service.Client
	Project *config.Project // the one that is meant; nil where an identifier was given instead
	ID      string          // of the project at the service
	State   string          // the folder of the state
	In      io.Reader
	Show    func(report.Doing)
	Patient func(ctx context.Context) (context.Context, context.CancelFunc)
}

// Result is what an operation answers: a document, and what people see of it.
type Result struct {
	Document any
	Table    *terminal.Table // nil: Text
	Text     string          // with its line ends; of an empty table: what that means
	Partial  bool            // something was left out, and is named
}

// Transfer works with the documents of the session's project.
func (s *Session) Transfer() transfer.Transfer {
	return transfer.Transfer{Client: s.Client, Project: s.ID, Show: s.Show, Patient: s.Patient,
		State: filepath.Join(s.State, "documents.json")}
}

// misuse is an error that stays until the command line changes.
func misuse(err error) error { return failure.Usage(err) }

// Lost is a job of our own that the service does not know any more: another one may do better.
type Lost struct{ error }

func (l Lost) Unwrap() error { return l.error }

// ofJob marks what went wrong with a job.
func ofJob(err error) error {
	if errors.Is(err, service.ErrNotFound) {
		return Lost{err}
	}
	return err
}

// Listed is the result of a list.
func Listed(list interface{ Table() *terminal.Table }, empty string) Result {
	return Result{Document: list, Table: list.Table(), Text: empty + "\n"}
}

// Lines are texts, each on a line.
func Lines(texts []string) string {
	if len(texts) == 0 {
		return ""
	}
	return strings.Join(texts, "\n") + "\n"
}
