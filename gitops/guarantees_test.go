package gitops

import (
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"sync"
	"sync/atomic"
	"testing"

	"github.com/locsync/locsync/gitops/gittest"
)

// What this package guarantees, what may go wrong, and the tests that try it.
//
//	tree, index and HEAD stay as they are          TestLoop, TestKilledAtEveryStep, TestCheckedOut
//	a reference never names a missing object       TestKilledAtEveryStep, TestGarbageIsCollectedMeanwhile, TestLinesThatBreak
//	a reference moves only from what was compared  TestSwapRacesGit, TestRefsAgreeWithGit, TestManyPublishers
//	the remote's branch gains children of its tip  TestManyPublishers, TestMovedRemote, TestALeaseLostBetweenListAndUpdate
//	no commit of others becomes unreachable        TestManyPublishers, TestUnpublishedWorkIsLeftAlone, TestLocalBranchMeanwhile
//	nothing changed costs one request              TestNothingCostsOneRequest, TestRequestsPerPass
//	git fsck --strict has nothing to say           gittest.Sound, in most of them
//	one commit waits for a branch, never two       TestOneCommitWaits
//	every call ends when it is silent, not before  TestSilence, TestSlowAndSilent, TestCallsEnd, TestDeadlines, TestLinesThatBreak
//	and at once when it is to                      TestCancelled, TestReadsEnd
//
//	killed at any step                             TestKilledAtEveryStep, TestReservationsThatKilledProcessesLeft,
//	                                               TestPendingIsDeliveredByAnotherProcess
//	gc, repack, pack-refs all along                TestGarbageIsCollectedMeanwhile, TestReadsWhileGitRepacks, TestSwapRacesGit
//	people commit, amend, delete meanwhile         TestLocalBranchMeanwhile, TestUnpublishedWorkIsLeftAlone
//	the branch is checked out somewhere            TestCheckedOut, TestLinkedWorktrees, TestLeftAndDeliveredLater
//	the remote moves, goes back, goes away         TestMovedRemote, TestRewoundAndDeletedRemote, TestRewoundBetweenListAndFetch, TestRenamedDefaultBranch
//	answers lost, cut, empty; silence              TestFaultsOnTheWay, TestLinesThatBreak, TestFetchesThatBreak
//	401, 403, 404, 407, 429, 5xx, redirects, TLS   TestStatuses, TestAnswersThatNeedAPerson, TestSecretsDoNotFollowRedirects, TestCertificates, TestProxies
//	host keys unknown, changed, revoked            TestKnownHosts
//	keys refused, locked, absent                   TestSSHKeys
//	hooks, protection, sizes, locks at the server  TestRefusals, TestRefusedUntilItIsAllowed, TestTooLarge, TestALockAtTheServer, TestLoopOverSSH
//	disk full, read-only, too many files           TestFullDisk, TestFoldersThatMayNotBeWritten, TestTooManyOpenFiles
//	every kind of repository                       TestKindsOfRepositories, TestPromisedBlobs, TestWhatIsRefusedAtOpening, TestShallowOverHTTP,
//	                                               TestSituations, TestPartialClonesOfEveryDepth, TestIndexesOfEverySort, TestALenderGoes
//	remotes of every name, address and age         TestRemotesOfEveryShape, TestAServerThatWantsMultiAck, TestSettingsOfAddressesAreGits
//	files that are damaged or locked               TestDamagedFiles, TestReadsWhatGitReads, TestADamagedReference,
//	                                               TestALockThatAStoppedMachineLeft
//	large and many                                 TestLargeRepositories, TestManyReferences, TestWalksThatWouldNotEnd
//	trees that no git makes, walks without end     TestNamesThatNoGitMakes, TestWalksThatWouldNotEnd
//	several common ancestors, reverts, renames     TestMergesAreGits, TestARevertIsNotUndone,
//	                                               TestMergesFollowTheRepository, TestShallowCloneDeepensItself,
//	                                               TestNewFilesFollowARenamedFolder
//	files of the caller that both sides changed    TestFilesOfTheCallerAreNotMergedByLines
//	a branch that base took in as one commit       TestBranchesThatWereSquashed
//	clones that are damaged, or old                TestCloneIsMadeAgain, TestOldFaultsAreNoDamage
//	a remote that is pushed to elsewhere           TestForks
//	rules of the remote and of what is fetched     TestRulesOfBothSides
//	something holds the local branch               TestLocalBranchesNeverBlockDelivery
//	files renamed in letter case                   TestRemovedIsWhatWasNamed
//	hooks and filters that look for secrets        TestChildrenGetNoSecrets
//	git is missing or too old                      TestOldGit
//	filters, line ends, ignored and linked paths   TestFilters, TestLFS, TestLineEndsAreGits, TestIgnored, TestModesStay, TestNamesThatDifferInCaseOnly,
//	                                               TestAttributesAreGits, TestAttributesOfTheMachine, TestNamesOfEverySort
//	names that leave their place or clash          TestPathsThatAreRefused, TestBadPathsAreRefusedTogether, TestBranchNamesThatClash,
//	                                               TestBranchNamesThatClashAtTheRemote
//	empty remote, no commit, detached HEAD         TestBranchesThatAreNotThere
//	a clock that went back                         TestWhatACommitSays
//	commits that must be signed                    TestDoesNotCommitUnsigned, TestCommitsAndMergesAreSigned, TestSignsWithAKeyOfTheAgent
//	a repository of another user                   TestRepositoryOfAnotherUser, TestRemoteOfAnotherUser
//
// TestTheTableIsTrue keeps the names in it.
func TestTheTableIsTrue(t *testing.T) {
	t.Parallel()
	set := token.NewFileSet()
	var names []string
	for _, pattern := range []string{"*_test.go", "*/*_test.go"} {
		found, err := filepath.Glob(pattern)
		if err != nil {
			t.Fatal(err)
		}
		names = append(names, found...)
	}
	there, table := map[string]bool{}, ""
	for _, name := range names {
		f, err := parser.ParseFile(set, name, nil, parser.ParseComments)
		if err != nil {
			t.Fatal(err)
		}
		for _, d := range f.Decls {
			if fn, ok := d.(*ast.FuncDecl); ok {
				there[fn.Name.Name] = true
				if fn.Name.Name == t.Name() {
					table = fn.Doc.Text()
				}
			}
		}
	}
	listed := regexp.MustCompile(`\bTest\w+`).FindAllString(table, -1)
	if len(listed) < 50 {
		t.Errorf("the table names %d tests", len(listed))
	}
	for _, name := range listed {
		if !there[name] {
			t.Errorf("%s is in the table and nowhere else", name)
		}
	}
}

// Several processes commit for one branch at once: one commit waits, the others are told, and again for everybody who
// comes before it is delivered or dropped.
func TestOneCommitWaits(t *testing.T) {
	t.Parallel()
	dir := gittest.Init(t, sample)
	gittest.Bare(t, dir)
	var kept atomic.Int64
	var wg sync.WaitGroup
	for _, name := range []string{"a", "b", "c", "d"} {
		r := open(t, dir, Options{Remote: "origin"})
		tip := at(t, r, "l10n", "")
		wg.Go(func() {
			_, err := r.Commit(t.Context(), tip, "l10n", files(name, name), message(name))
			if err == nil {
				kept.Add(1)
			} else if !errors.Is(err, ErrMoved) || !strings.Contains(err.Error(), "Push or Drop") {
				t.Error(err)
			}
		})
	}
	wg.Wait()
	if n := kept.Load(); n != 1 {
		t.Errorf("%d commits were kept", n)
	}
	r := open(t, dir, Options{Remote: "origin"})
	if _, err := r.Commit(t.Context(), at(t, r, "l10n", ""), "l10n", files("e", "e"), message("e")); !errors.Is(err,
		ErrMoved) {
		t.Errorf("a second one: %v", err)
	}
	if out := gittest.Git(t, dir, "for-each-ref", "--format=%(refname)", "refs/locsync-outbox"); out != "refs/locsync-outbox/l10n" {
		t.Errorf("waiting: %q", out)
	}
	push(t, r, must[*Tip](t)(r.Pending("l10n")))
	push(t, r, commitOn(t, r, at(t, r, "l10n", ""), "l10n", files("e", "e")))
	gittest.Sound(t, dir)
}

// A remote that is another user's folder on this machine is not read, for its configuration is code; until it is
// trusted.
func TestRemoteOfAnotherUser(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("only root can give a repository away")
	}
	dir := gittest.Init(t, sample)
	bare := gittest.Bare(t, dir)
	if err := filepath.WalkDir(bare, func(p string, _ fs.DirEntry, _ error) error {
		return os.Lchown(p, 12345, 12345)
	}); err != nil {
		t.Fatal(err)
	}
	_, err := open(t, dir, Options{Remote: "origin"}).At(t.Context(), "main", "")
	if !errors.Is(err, ErrOwner) || !strings.Contains(err.Error(), "safe.directory") {
		t.Error(err)
	}
}
