package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"net"
	"os"
	"slices"
	"strings"

	"golang.org/x/crypto/ssh"
	"golang.org/x/crypto/ssh/agent"
)

// sshKeys are the keys that one handshake may show, and what became of them.
type sshKeys struct {
	host   *sshHost
	ctx    context.Context
	hangUp func() // the agent's line, which signs until the handshake is over
	shown  int
	notes  []string
}

// signers gives the key files that were asked for, the agent's keys, the usual files.
func (k *sshKeys) signers() ([]ssh.Signer, error) {
	list := k.files(k.host.wanted, true)
	if !k.host.only {
		list = append(list, k.ofAgent()...)
	} else if len(list) < len(k.host.wanted) { // a key with a passphrase, or its public half, may be in the agent
		list = append(list, slices.DeleteFunc(k.ofAgent(), func(s ssh.Signer) bool { return !k.isWanted(s.PublicKey()) })...)
	}
	list = append(list, k.files(k.host.usual, false)...)
	k.shown = len(list)
	return list, nil
}

func (k *sshKeys) isWanted(key ssh.PublicKey) bool {
	for _, file := range k.host.wanted {
		for _, name := range []string{file, file + ".pub"} {
			content, err := os.ReadFile(name)
			if err != nil {
				continue
			}
			if public, _, _, _, err := ssh.ParseAuthorizedKey(content); err == nil && bytes.Equal(public.Marshal(), key.Marshal()) {
				return true
			}
		}
	}
	return false
}

func (k *sshKeys) files(names []string, wanted bool) (list []ssh.Signer) {
	for _, name := range names {
		content, err := os.ReadFile(name)
		if err != nil {
			if wanted {
				k.notes = append(k.notes, err.Error())
			}
			continue
		}
		signer, err := ssh.ParsePrivateKey(content)
		var locked *ssh.PassphraseMissingError
		switch {
		case errors.As(err, &locked):
			k.notes = append(k.notes, name+" has a passphrase; ssh-add it to an agent")
		case err != nil:
			k.notes = append(k.notes, name+": "+err.Error())
		default:
			list = append(list, signer)
		}
	}
	return list
}

func (k *sshKeys) ofAgent() []ssh.Signer {
	if k.host.agent == "" || k.host.agent == "none" {
		return nil
	}
	conn, err := new(net.Dialer).DialContext(k.ctx, "unix", k.host.agent)
	if err != nil {
		k.notes = append(k.notes, "the ssh agent does not answer: "+err.Error())
		return nil
	}
	stop := context.AfterFunc(k.ctx, func() { conn.Close() }) // a key may wait for somebody to touch it
	k.hangUp = func() { stop(); conn.Close() }
	list, err := agent.NewClient(conn).Signers()
	if err != nil {
		k.notes = append(k.notes, "the ssh agent does not answer: "+err.Error())
	}
	return list
}

func (k *sshKeys) close() {
	if k.hangUp != nil {
		k.hangUp()
	}
}

// tried says which keys the server did not accept, or why there was none.
func (k *sshKeys) tried() string {
	said := fmt.Sprintf("it accepted none of %s for user %s", count(k.shown, "key"), k.host.user)
	if k.shown == 0 {
		said = "there is no ssh key to show; add one to an agent, or name its file: git config core.sshCommand \"ssh -i FILE\""
	}
	return strings.Join(append([]string{said}, k.notes...), "; ")
}
