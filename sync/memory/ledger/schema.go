package ledger

import (
	"strings"
	"time"

	"github.com/locsync/locsync/sync/report"
)

// Marks of source files. A push writes them when the service has accepted an import.
var (
	// Pushed are the texts that the service accepted. They go when the key is removed for good, or the file has moved. A
	// pull that rewords a source text stages them.
	Pushed = SourceMarks{kind: "pushed"}

	// Removed are keys that were pushed and that the source lost: for renames, and for what never comes back through a
	// pull. A push writes them, and takes out a key that the source has again.
	Removed = SourceMarks{kind: "removed"}

	// Left are keys of a file that are in another file of the collection since, for their translations. A push writes
	// them, and takes out a key that the file has again.
	Left = SourceMarks{kind: "left"}

	// Archived are the keys of a collection that our own service keeps aside, since no source has them. A push writes
	// them, and takes out a key that the source has again when it was sent.
	Archived = SourceMarks{kind: "archived"}

	// Based are the source texts that a collection had in the base branch when that was last looked at for keys that are
	// gone. A push to a service of ours that has several clients writes them.
	Based = SourceMarks{kind: "based"}

	// Former are, of a branch that is gone, the texts that were pushed for its own collections. They stay for good.
	Former = SourceMarks{kind: "former"}

	// Inherited are the texts that a branch took over from its trunk without pushing them. They go when it pushes the key.
	Inherited = SourceMarks{kind: "inherited"}

	// SourceKnown is the history of a collection's source texts: what the service had from us. A push writes it.
	SourceKnown = SourceMarks{kind: "source known"}

	// SourceSeen are the source texts of a collection that the working tree or a branch had at its last push.
	SourceSeen = SourceMarks{kind: "source seen"}

	// SourceFound are the source texts of a collection that the service had otherwise than it accepted them; the mark of
	// no text where it had none. A pull writes them, and a push takes out what it sends over them.
	SourceFound = SourceMarks{kind: "source found"}
)

// ofSource are the kinds of marks that belong to a source file or a collection.
var ofSource = map[string]bool{
	Pushed.kind: true, Removed.kind: true, Left.kind: true, Former.kind: true, Archived.kind: true,
	Based.kind:     true,
	Inherited.kind: true, SourceKnown.kind: true, SourceSeen.kind: true, SourceFound.kind: true,
}

// Marks of target files.
var (
	// Merged are the texts that both sides agreed on last: the base of the next merge. A pull stages them with its commit.
	Merged = TargetMarks{kind: "merged"}

	// Known is the history of a file: the last few texts of each name that were not edits (see Learn). Pulls and
	// pushes write it, and it goes with the file.
	Known = TargetMarks{kind: "known"}

	// Seen are the texts that the working tree or a branch had when it was last read. Pulls and pushes write
	// them.
	Seen = TargetMarks{kind: "seen"}

	// SeenHere are the texts of Seen that this clone's working tree had in place of earlier ones. They need not be
	// committed, and do not travel. A push writes them.
	SeenHere = TargetMarks{kind: "seen here"}

	// Sent are texts whose import was begun: until it is settled the service may have them.
	Sent = TargetMarks{kind: "sent"}

	// Delivered are texts that the service accepted, and that no pull has merged yet.
	Delivered = TargetMarks{kind: "delivered"}

	// Filler are texts that a pull wrote for keys without a translation: blanks, fallbacks. No push sends them.
	Filler = TargetMarks{kind: "filler"}

	// Made are the source texts that the translations were made for, Outdated the translations whose source text changed
	// since. A pull stages them with its commit.
	Made     = TargetMarks{kind: "made"}
	Outdated = TargetMarks{kind: "outdated"}

	// Further are texts for keys that the source does not have, further forms of plurals, that the service left out. A
	// push writes them, so that it does not send them again.
	Further = TargetMarks{kind: "further"}

	// Elsewhere are keys that only other files of the collection have a translation of, since first contact. The marks are
	// empty. A pull writes them.
	Elsewhere = TargetMarks{kind: "elsewhere"}

	// LeftOut are the keys that the last pull left out of a file. The marks are empty. The next pull of the file
	// replaces them.
	LeftOut = TargetMarks{kind: "left out"}
)

// Passes.
var (
	// Passes are how the last push and pull ended, by ID PassPush and PassPull; each pass replaces its own.
	Passes = Table[report.Past]{"past"}

	// Times are when a pull was last scheduled and a clone last maintained, by ID TimeSchedule and TimeMaintenance.
	Times = Table[time.Time]{"past"}

	// Waiting are the branches that wait and why, by pass; each pass replaces its own.
	Waiting = Table[[]WaitingBranch]{"waiting"}

	// Jobs are imports and exports that were begun, by their ID. They are written before the request, and again when the
	// service has named the job, and go when the outcome is written down. One that a pass finds was interrupted.
	Jobs = Table[Job]{"jobs"}

	// Lost are imports of translations of which nothing tells the outcome, by their ID, until they cannot arrive any more.
	Lost = Table[Job]{"lost"}

	// Deliveries are commits of pulls that the remote may not have yet, by branch. A pull writes one before it moves the
	// branch; with it go the staged marks, when the commit has arrived or is known to be lost.
	Deliveries = Table[Delivery]{"delivery"}
)

// Outgoing are texts that the service accepted from here, by TargetID or the ID of a Source, until the service shows
// them and the branch has them. A push writes them when an import is accepted, and a pull takes them out.
var Outgoing = Table[Outbound]{"outgoing"}

// AcceptedAt is when the service last accepted an import of source texts, with the ID "". A push writes it.
var AcceptedAt = Table[time.Time]{"accepted"}

// The IDs of Passes, Waiting and Times.
const (
	PassPush        = "push"
	PassPull        = "pull"
	TimeSchedule    = "schedule"
	TimeMaintenance = "maintenance"
)

// Commits.
var (
	// SeenAt are the commits at which places were last read, by the ID that SeenID gives.
	SeenAt = Table[string]{"seen"}

	// SeenHereAt are the HEAD at which this clone's working tree was read, with the ID "", and the digests of what it saw,
	// by TargetID. They do not travel.
	SeenHereAt = Table[string]{"seen here"}

	// RecollectedAt is the commit up to which the history of a branch was searched for our commits, by branch.
	RecollectedAt = Table[string]{"recollected"}

	// SourceSeenAt are the commits at which the source texts of places were last read, by branch; "" is the working tree.
	SourceSeenAt = Table[string]{"source seen"}

	// BasedAt is the commit of the base branch that Based is of, with the ID "".
	BasedAt = Table[string]{"based"}

	// UnsentAt is the commit of a branch at which a pull found texts for a push, by branch. The push takes it out.
	UnsentAt = Table[string]{"unsent"}
)

// Published is the last status of a project that the processes of a cluster share, with the ID "". The process that
// made a pass writes it at the end, under the lease of the pass.
var Published = Table[Publication]{"published"}

// Decisions that wait, and what a push has still to do.
var (
	// Conflicts are keys that both sides changed, by the ID of a Conflict. Pulls and pushes write them; they go when
	// they are decided, or when both sides have the same text again.
	Conflicts = Table[Conflict]{"conflicts"}

	// Renames are keys whose translations have still to move to their new key, by the ID of a Rename.
	Renames = Table[Rename]{"renames"}

	// PluralKeys are the source files whose plurals travel as keys, one by one, since they did before plurals were joined,
	// with the ID "". The first push writes them, and one that joins them takes them out.
	PluralKeys = Table[[]string]{"plural keys"}

	// Moves are source files that have another path or collection now, by the ID of a Move. They go when a pull has moved
	// the translations.
	Moves = Table[Move]{"moves"}

	// Missing are source files that lack so much that it may be a mistake, by the ID of a Source. They go when the files
	// are whole again, or when it has been meant.
	Missing = Table[Absence]{"missing"}

	// Gone are target files that were deleted, by ID path and language: when that was noticed. They go when the file is
	// back.
	Gone = Table[time.Time]{"gone"}
)

// Whether there is anything to do: with the same configuration and commits there is not. Each pass that finds
// something else replaces its own.
var (
	// Fingerprints are of the last push that found nothing to do, by the branch that is pushed from.
	Fingerprints = Table[Fingerprint]{"looked"}

	// Reconciled are of the last pull that compared everything with the service, by branch.
	Reconciled = Table[Reconciliation]{"reconciled"}
)

// Notified are what people were told, or what was so when messages began, of AllProjects, by the ID of a Fact. One is
// written when its message was posted, or given up. They stay for good.
var Notified = Table[Fact]{"notified"}

// Branches and requests.
var (
	// Lines are the branches that are translated beside each other, by branch. They stay for a while after the branch is
	// gone.
	Lines = Table[Line]{"line"}

	// Requests are the pull or merge requests of translation branches, by branch.
	Requests = Table[Request]{"request"}

	// Balances are what accounts have left, of AllProjects, by a digest of the service's address and the account. The
	// daemon writes them.
	Balances = Table[Balance]{"balance"}

	// Stale are how many translations of a project are older than their source texts, of AllProjects, by the name of the
	// project. The daemon writes them.
	Stale = Table[StaleCount]{"stale"}

	// Forges are the git hosts that want no call for a while, of AllProjects, by a digest of address and token.
	Forges = Table[ForgeWait]{"forge"}
)

// The events of a project: what the status tells of the past. Its IDs are EventsID, DaysID and StandingID.
var (
	// Events are the last events, oldest first.
	Events = Table[[]report.Event]{"diary"}

	// Days are the last days on which something was sent or brought, oldest first.
	Days = Table[[]report.Day]{"diary"}

	// Standing is what began and has not ended, by what it is.
	Standing = Table[map[string]Ongoing]{"diary"}
)

// The IDs of the events.
const (
	EventsID   = "events"
	DaysID     = "days"
	StandingID = "standing"
)

// OfSource reports whether a kind of marks, with the name of a tree or without, belongs to source files or collections.
func OfSource(kind string) bool {
	if ofSource[kind] {
		return true
	}
	return strings.HasPrefix(kind, SourceSeen.kind+" ")
}
