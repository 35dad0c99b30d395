package gitops

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strings"
	"sync"

	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
	githttp "github.com/go-git/go-git/v5/plumbing/transport/http"
)

// session speaks the pack protocol with a server: http by default, ssh and git:// where there is no git program. The
// library provides messages and http; what to ask for and what to send is decided here, because the library's own push
// walks the history of every reference of the remote first.
type session struct {
	r       *Repo
	address string // without credentials
	proto   transport.Transport
	web     *http.Client // nil unless http

	mu     sync.Mutex
	login  login
	listed *upload // what list opened, for the fetch that follows; http only, where it holds no connection
}

func newSession(r *Repo, address string) (*session, error) {
	s := &session{r: r, address: redact(address)}
	switch scheme, _, _ := strings.Cut(address, "://"); scheme {
	case "http", "https":
		s.login = firstLogin(r, address)
		client, redirects, err := webClient(r.set, address, r.o.Remote)
		if err != nil {
			return nil, fmt.Errorf("remote %s: %w", s.address, err)
		}
		client.Transport = hearing{moving{client.Transport}}
		s.web, s.proto = client, githttp.NewClientWithOptions(client, &githttp.ClientOptions{RedirectPolicy: redirects})
	case "git":
		open, err := gitLine(address)
		if err != nil {
			return nil, fmt.Errorf("remote %s: %w", s.address, err)
		}
		s.proto = lines{open}
	default:
		host, err := newSSHHost(r.set, address)
		if err != nil {
			return nil, fmt.Errorf("remote %s: %w", s.address, err)
		}
		s.proto = lines{host.open}
	}
	return s, nil
}

// close lets idle connections go.
func (s *session) close() error {
	if s.web != nil {
		s.web.CloseIdleConnections()
	}
	return nil
}

func (s *session) endpoint() (*transport.Endpoint, error) {
	ep, err := transport.NewEndpoint(s.address)
	if err != nil {
		return nil, fmt.Errorf("remote %s: %w", s.address, err)
	}
	return ep, nil
}

// withLogin runs one exchange, and once more with credentials from git's helpers when the server asks who we are.
func (s *session) withLogin(ctx context.Context, exchange func(transport.AuthMethod) error) error {
	l := s.who()
	err := exchange(l.method())
	if !errors.Is(err, transport.ErrAuthenticationRequired) || s.web == nil || l.from == fromHelper {
		if l.from == fromHelper && errors.Is(err, transport.ErrAuthenticationRequired) {
			s.remember(login{headers: l.headers}) // the helper's answer went stale: ask it again next time
			l.tell(ctx, s.r, "reject")
		}
		return s.explain(ctx, l, err)
	}
	asked, ok := l.ask(ctx, s.r, s.address)
	if !ok {
		return s.explain(ctx, l, err)
	}
	if err = exchange(asked.method()); errors.Is(err, transport.ErrAuthenticationRequired) {
		asked.tell(ctx, s.r, "reject")
		return s.explain(ctx, asked, err)
	}
	if err == nil {
		asked.tell(ctx, s.r, "approve")
	}
	s.remember(asked)
	return s.explain(ctx, asked, err)
}

func (s *session) who() login {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.login
}

func (s *session) remember(l login) {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.login = l
}

func (s *session) list(ctx context.Context) (adv advertised, err error) {
	err = s.withLogin(ctx, func(auth transport.AuthMethod) error {
		up, err := s.openUpload(ctx, auth)
		if err != nil {
			return err
		}
		adv = up.advertised
		if s.web == nil {
			return up.Close()
		}
		s.mu.Lock()
		defer s.mu.Unlock()
		s.listed = up
		return nil
	})
	return adv, err
}

// upload is a connection for fetching, after the server said what it has.
type upload struct {
	transport.UploadPackSession
	advertised
	can *capability.List
}

// openUpload connects for fetching. An empty server is not an error.
func (s *session) openUpload(ctx context.Context, auth transport.AuthMethod) (*upload, error) {
	ep, err := s.endpoint()
	if err != nil {
		return nil, err
	}
	conn, err := s.proto.NewUploadPackSession(ep, auth)
	if err != nil {
		return nil, err
	}
	refs, err := conn.AdvertisedReferencesContext(ctx)
	if errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return &upload{conn, advertised{refs: map[string]hash{}}, capability.NewList()}, nil
	}
	if err != nil {
		_ = conn.Close()
		return nil, err
	}
	up := &upload{conn, advertised{refs: refs.References}, refs.Capabilities}
	for _, pair := range refs.Capabilities.Get(capability.SymRef) {
		if target, ok := strings.CutPrefix(pair, "HEAD:"); ok {
			up.head = target
		}
	}
	return up, nil
}

func (s *session) fetch(ctx context.Context, want map[string]hash) (p *packed, err error) {
	have, err := s.r.haves()
	if err != nil {
		return nil, err
	}
	err = s.withLogin(ctx, func(auth transport.AuthMethod) error {
		s.mu.Lock()
		up := s.listed
		s.listed = nil
		s.mu.Unlock()
		var err error
		if up == nil {
			if up, err = s.openUpload(ctx, auth); err != nil {
				return err
			}
		}
		defer up.Close()
		p, err = s.download(ctx, up, want, have)
		return err
	})
	return p, err
}

func (s *session) download(ctx context.Context, up *upload, want map[string]hash, have []hash) (*packed, error) {
	req := packp.NewUploadPackRequestFromCapabilities(up.can)
	for _, c := range []capability.Capability{capability.NoProgress, capability.Shallow} {
		if up.can.Supports(c) {
			if err := req.Capabilities.Set(c); err != nil {
				return nil, err
			}
		}
	}
	for _, name := range sortedKeys(want) {
		req.Wants = append(req.Wants, want[name])
	}
	req.Haves = have
	for h := range *s.r.shallow.Load() {
		req.Shallows = append(req.Shallows, h)
	}
	answer, err := up.UploadPack(ctx, req)
	if errors.Is(err, transport.ErrEmptyUploadPackRequest) {
		return nil, nil // somebody else fetched it meanwhile
	}
	if err != nil && strings.Contains(err.Error(), "not our ref") {
		return nil, fmt.Errorf("%w: the branch was set back meanwhile", errMissing)
	}
	if err != nil {
		return nil, err
	}
	defer answer.Close()
	var pack io.Reader = answer
	switch {
	case req.Capabilities.Supports(capability.Sideband64k):
		pack = sideband.NewDemuxer(sideband.Sideband64k, answer)
	case req.Capabilities.Supports(capability.Sideband):
		pack = sideband.NewDemuxer(sideband.Sideband, answer)
	}
	return s.r.receivePack(ctx, &plainReader{pack})
}

// plainReader hides the demuxer's habit of giving bytes together with io.EOF after its last packet from io.Copy's
// shortcuts.
type plainReader struct{ r io.Reader }

func (p *plainReader) Read(b []byte) (int, error) { return p.r.Read(b) }

func (s *session) push(ctx context.Context, u update) (said []string, err error) {
	thin, thinned := u.thin, false
	if thin != nil {
		u.thin = func(w io.Writer, have []hash) (ok bool, err error) {
			ok, err = thin(w, have)
			thinned = ok
			return ok, err
		}
	}
	err = s.withLogin(ctx, func(auth transport.AuthMethod) error {
		said, err = s.pushOnce(ctx, u, auth)
		var refused *Refused
		if errors.As(err, &refused) && thinned && strings.Contains(refused.Status, "unpack") {
			u.thin = nil // a whole pack needs nothing that the server may have lost
			said, err = s.pushOnce(ctx, u, auth)
		}
		return err
	})
	return said, err
}

func (s *session) pushOnce(ctx context.Context, u update, auth transport.AuthMethod) ([]string, error) {
	ep, err := s.endpoint()
	if err != nil {
		return nil, err
	}
	down, err := s.proto.NewReceivePackSession(ep, auth)
	if err != nil {
		return nil, err
	}
	defer down.Close()
	refs, err := down.AdvertisedReferencesContext(ctx)
	if err != nil && !errors.Is(err, transport.ErrEmptyRemoteRepository) {
		return nil, err
	}
	if refs == nil {
		refs = packp.NewAdvRefs()
	}
	switch now := refs.References[u.ref]; {
	case now == u.to:
		return nil, nil
	case now != u.old:
		return nil, &movedError{u.ref, u.old, now}
	}
	if len(u.options) > 0 && !refs.Capabilities.Supports(capability.PushOptions) {
		return nil, errDeaf
	}
	req, progress, err := s.request(ctx, u, refs)
	if err != nil {
		return nil, err
	}
	ctx, heard := hear(ctx)
	report, err := down.ReceivePack(ctx, req)
	if s.web != nil {
		progress = heard.printed()
	}
	said := saidLines(progress.String())
	who, _ := auth.(login)
	return said, judge(report, err, u, said, who)
}

// perhapsMoved says whether a status may mean a lost lease as well as a lock that is held, or a clash of names: old servers
// have the same words for all of them, and new ones different words for the first.
func perhapsMoved(status string) bool {
	for _, words := range []string{"failed to update ref", "non-fast-forward", "cannot lock", "remote failure",
		"incorrect old value", "reference already exists", "reference does not exist"} {
		if strings.Contains(status, words) {
			return true
		}
	}
	return false
}

// saidLines are the lines that a server printed for people; a page of html is none.
func saidLines(s string) []string {
	if strings.HasPrefix(strings.TrimSpace(s), "<") {
		return nil
	}
	return strings.FieldsFunc(s, func(c rune) bool { return c == '\n' || c == '\r' })
}

// request is the one update command, with the pack behind it.
func (s *session) request(ctx context.Context, u update, refs *packp.AdvRefs) (*packp.ReferenceUpdateRequest, *bytes.Buffer, error) {
	var have []hash
	for _, h := range refs.References {
		have = append(have, h)
	}
	var pack bytes.Buffer
	into := movingWriter{ctx, &pack}
	thin := false
	if u.thin != nil && !refs.Capabilities.Supports("no-thin") {
		var err error
		if thin, err = u.thin(into, have); err != nil {
			return nil, nil, err
		}
	}
	if !thin {
		if _, _, err := u.pack(into, have); err != nil {
			return nil, nil, err
		}
	}
	req := packp.NewReferenceUpdateRequestFromCapabilities(refs.Capabilities)
	progress := new(bytes.Buffer)
	if refs.Capabilities.Supports(capability.Sideband64k) {
		if err := req.Capabilities.Set(capability.Sideband64k); err != nil {
			return nil, nil, err
		}
		req.Progress = progress
	}
	if len(u.options) > 0 {
		if err := req.Capabilities.Set(capability.PushOptions); err != nil {
			return nil, nil, err
		}
		for _, o := range u.options {
			key, value, _ := strings.Cut(o, "=")
			req.Options = append(req.Options, &packp.Option{Key: key, Value: value})
		}
	}
	req.Commands = []*packp.Command{{Name: refName(u.ref), Old: u.old, New: u.to}}
	req.Packfile = io.NopCloser(&pack)
	return req, progress, nil
}

// judge reads the server's report. Only a report that names the reference is an answer; anything else leaves open what
// happened.
func judge(report *packp.ReportStatus, err error, u update, said []string, who login) error {
	if errors.Is(err, transport.ErrAuthenticationRequired) || errors.Is(err, transport.ErrAuthorizationFailed) ||
		errors.Is(err, transport.ErrRepositoryNotFound) {
		return err // said before anything was read
	}
	var status *githttp.Err
	if errors.As(unwrapped(err), &status) && refusedByStatus(status.StatusCode()) {
		return &Refused{u.ref, strings.TrimSpace(fmt.Sprint(status.StatusCode(), " ", http.StatusText(status.StatusCode()))), saidLines(who.conceal(status.Reason))}
	}
	if report == nil {
		if err == nil {
			err = errors.New("the server sent no report")
		}
		return &unsure{err}
	}
	for _, c := range report.CommandStatuses {
		if string(c.ReferenceName) != u.ref {
			continue
		}
		if c.Status == "ok" {
			return nil
		}
		status := c.Status
		if report.UnpackStatus != "ok" {
			status += ": " + report.UnpackStatus
		}
		refused := &Refused{u.ref, status, said}
		if perhapsMoved(status) {
			return &unsure{refused}
		}
		return refused
	}
	if report.UnpackStatus != "ok" {
		return &Refused{u.ref, "unpack: " + report.UnpackStatus, said}
	}
	return &unsure{errors.Join(err, errors.New("the server's report does not name the branch"))}
}
