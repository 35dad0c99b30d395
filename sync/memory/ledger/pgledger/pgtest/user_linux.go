package pgtest

import (
	"os"
	"os/exec"
	"syscall"
)

// immediate is the signal on which a server ends without writing anything down.
const immediate = syscall.SIGQUIT

// unprivileged is the number of a user without rights: PostgreSQL refuses to run as root.
const unprivileged = 65534

// own has a program run as a user that PostgreSQL accepts, who gets the folder where there is one. It ends with this
// process.
func (s *Server) own(folder string, c *exec.Cmd) error {
	c.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: immediate}
	if os.Getuid() != 0 {
		return nil
	}
	c.SysProcAttr.Credential = &syscall.Credential{Uid: unprivileged, Gid: unprivileged}
	if folder == "" {
		return nil
	}
	return os.Chown(folder, unprivileged, unprivileged)
}
