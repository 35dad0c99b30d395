package boltledger

import (
	"crypto/rand"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/gofrs/flock"
)

// Locked is the error of Open where another process has the state directory open. Its fields are what
// that process wrote about itself; they are for messages, the lock alone decides.
type Locked struct {
	Dir     string
	PID     int       // 0 when the process did not get to write it down
	Since   time.Time // when it opened the directory
	Address string    // where it can be asked, as it announced; "" when it did not
}

func (l *Locked) Error() string {
	who := "another process"
	if l.PID != 0 {
		who = fmt.Sprintf("process %d, since %s", l.PID, l.Since.Format(time.DateTime))
	}
	return fmt.Sprintf("%s is in use by %s; stop that one first, or give this one a state_dir of its own", l.Dir, who)
}

// ErrorCode is what reports call this failure.
func (l *Locked) ErrorCode() string { return "busy" }

// lock is the exclusive use of a state directory. The operating system ends it with the process, however
// that ends; the file stays, because removing it would let two processes hold two files of one name.
type lock struct {
	file   *flock.Flock
	dir    string
	holder holder
}

// holder is the content of the holder file. It is a file of its own because a locked one cannot be read by
// others on every system.
type holder struct {
	PID     int       `json:"pid"`
	Since   time.Time `json:"since"`
	Address string    `json:"address,omitempty"`
	ID      string    `json:"id"` // of this lock alone: numbers of processes and files are used again
}

func takeLock(dir string) (*lock, error) {
	file := flock.New(filepath.Join(dir, "lock"), flock.SetPermissions(0o600))
	ok, err := file.TryLock()
	if err != nil {
		return nil, fmt.Errorf("take the lock of %s: %w; state_dir in the configuration can name another folder", dir, err)
	}
	if !ok {
		return nil, whoHolds(dir)
	}
	self := holder{PID: os.Getpid(), Since: time.Now().Truncate(time.Second), ID: rand.Text()}
	l := &lock{file: file, dir: dir, holder: self}
	if err := l.announce(); err != nil {
		l.release()
		return nil, fmt.Errorf("take the lock of %s: %w", dir, err)
	}
	return l, nil
}

// whoHolds reads what the holder wrote. It may be gone, or half-way through taking the lock.
func whoHolds(dir string) *Locked {
	h := readHolder(dir)
	return &Locked{Dir: dir, PID: h.PID, Since: h.Since, Address: h.Address}
}

// readHolder is what the holder file says; empty when that cannot be told.
func readHolder(dir string) holder {
	var h holder
	if data, err := os.ReadFile(filepath.Join(dir, "holder")); err != nil || json.Unmarshal(data, &h) != nil {
		return holder{}
	}
	return h
}

// Claim is a folder that is held like a state directory, with nothing in it but who holds it: what several processes
// must not do at once, whatever states they have.
type Claim struct{ lock *lock }

// TakeClaim takes a claim; the folder is made when it is missing. address is what others read in their *Locked. When
// another process, or another claim of this one, has it the error is a *Locked.
func TakeClaim(dir, address string) (*Claim, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, fmt.Errorf("take the claim of %s: %w", dir, err)
	}
	l, err := takeLock(dir)
	if err != nil {
		return nil, err
	}
	l.holder.Address = address
	if err := l.announce(); err != nil {
		l.release()
		return nil, fmt.Errorf("take the claim of %s: %w", dir, err)
	}
	return &Claim{l}, nil
}

// Release ends a claim.
func (c *Claim) Release() { c.lock.release() }

// Claimed tells who has a claim, or a state directory; nil when there is none. For a moment it keeps others from taking
// it, who have to try again.
func Claimed(dir string) *Locked {
	if _, err := os.Stat(filepath.Join(dir, "holder")); err != nil {
		return nil
	}
	file := flock.New(filepath.Join(dir, "lock"), flock.SetFlag(os.O_RDONLY))
	ok, err := file.TryRLock()
	_ = file.Close()
	if ok || err != nil {
		return nil
	}
	return whoHolds(dir)
}

// announce writes the holder file, whole or not at all.
func (l *lock) announce() error {
	data, err := json.Marshal(l.holder)
	if err != nil {
		return err
	}
	path := filepath.Join(l.dir, "holder")
	if err := os.WriteFile(path+".new", data, 0o600); err != nil {
		return err
	}
	return os.Rename(path+".new", path)
}

// release gives the directory free. The holder file goes first: who finds it finds its process. Where the directory
// went away meanwhile and came back, its holder is another process.
func (l *lock) release() {
	if readHolder(l.dir).ID == l.holder.ID {
		_ = os.Remove(filepath.Join(l.dir, "holder"))
	}
	_ = l.file.Close()
}
