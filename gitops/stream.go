package gitops

import (
	"bufio"
	"context"
	"errors"
	"io"
	"net"
	"net/url"

	"github.com/go-git/go-git/v5/plumbing/format/pktline"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/capability"
	"github.com/go-git/go-git/v5/plumbing/protocol/packp/sideband"
	"github.com/go-git/go-git/v5/plumbing/transport"
)

// line is a connection to a service of git's (git-upload-pack, git-receive-pack) that speaks from the first byte on: a
// command started over ssh, or git://. It ends with the context that it was opened with, whatever it is waiting for.
type line struct {
	io.Reader
	io.Writer
	closeWrite func() error
	close      func()        // nothing depends on how a line ends whose answer was read
	said       func() string // what the other side printed beside the protocol, once it has ended
}

// lines is the library's transport over such connections. The library's own cannot be cancelled before the first answer,
// and leaves the connection behind.
type lines struct {
	open func(ctx context.Context, service string) (*line, error)
}

func (l lines) NewUploadPackSession(*transport.Endpoint, transport.AuthMethod) (transport.UploadPackSession, error) {
	return &lineSession{open: l.open, service: transport.UploadPackServiceName}, nil
}

func (l lines) NewReceivePackSession(*transport.Endpoint, transport.AuthMethod) (transport.ReceivePackSession, error) {
	return &lineSession{open: l.open, service: transport.ReceivePackServiceName}, nil
}

// lineSession is one exchange: the server says what it has, we ask or send, it answers. It is opened when it is first
// asked, and everything happens under the context of that call.
type lineSession struct {
	open    func(ctx context.Context, service string) (*line, error)
	service string
	ctx     context.Context
	line    *line
	asked   bool
}

func (s *lineSession) AdvertisedReferences() (*packp.AdvRefs, error) {
	return s.AdvertisedReferencesContext(context.Background())
}

func (s *lineSession) AdvertisedReferencesContext(ctx context.Context) (*packp.AdvRefs, error) {
	var err error
	if s.line, err = s.open(ctx, s.service); err != nil {
		return nil, err
	}
	answer := movingReader{ctx, s.line.Reader, s.service == transport.ReceivePackServiceName}
	s.line.Reader, s.line.Writer = bufio.NewReader(answer), movingWriter{ctx, s.line.Writer} // whole packets are read, as they come
	s.ctx = ctx
	refs := packp.NewAdvRefs()
	err = refs.Decode(s.line)
	switch {
	case errors.Is(err, packp.ErrEmptyAdvRefs), err == nil && refs.IsEmpty():
		if s.service == transport.UploadPackServiceName {
			return nil, transport.ErrEmptyRemoteRepository
		}
		return refs, nil
	case err != nil:
		return nil, s.broken(err)
	}
	transport.FilterUnsupportedCapabilities(refs.Capabilities)
	return refs, nil
}

// broken says why the conversation ended: our context, or what the other side said about it.
func (s *lineSession) broken(err error) error {
	if s.ctx.Err() != nil {
		return context.Cause(s.ctx)
	}
	var told *pktline.ErrorLine
	if errors.As(err, &told) {
		return &saidError{told.Text, err}
	}
	if errors.Is(err, packp.ErrEmptyInput) || errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		err = errors.New("the connection ended early")
	}
	if words := s.line.said(); words != "" {
		return &saidError{words, err}
	}
	return err
}

func (s *lineSession) UploadPack(_ context.Context, req *packp.UploadPackRequest) (*packp.UploadPackResponse, error) {
	if req.IsEmpty() {
		return nil, transport.ErrEmptyUploadPackRequest
	}
	if err := req.Validate(); err != nil {
		return nil, err
	}
	s.asked = true
	err := req.UploadRequest.Encode(s.line)
	if err == nil {
		err = req.UploadHaves.Encode(s.line, true)
	}
	if err == nil {
		err = pktline.NewEncoder(s.line).EncodeString("done\n")
	}
	if err != nil {
		return nil, s.broken(err)
	}
	answer := packp.NewUploadPackResponse(req)
	if err := answer.Decode(io.NopCloser(s)); err != nil {
		return nil, s.broken(err)
	}
	return answer, nil
}

// Read gives what the server sends, with our reason when it ends before its time.
func (s *lineSession) Read(b []byte) (int, error) {
	n, err := s.line.Read(b)
	if err != nil && s.ctx.Err() != nil {
		err = context.Cause(s.ctx)
	}
	return n, err
}

func (s *lineSession) ReceivePack(_ context.Context, req *packp.ReferenceUpdateRequest) (*packp.ReportStatus, error) {
	s.asked = true
	sendErr := req.Encode(s.line)
	if sendErr == nil {
		sendErr = s.line.closeWrite()
	}
	// A server that refuses early stops reading, and has said why.
	var answer io.Reader = s
	if req.Capabilities.Supports(capability.Sideband64k) {
		demuxer := sideband.NewDemuxer(sideband.Sideband64k, s)
		demuxer.Progress = req.Progress
		answer = demuxer
	}
	report := packp.NewReportStatus()
	if err := report.Decode(answer); err != nil {
		return nil, s.broken(errors.Join(sendErr, err))
	}
	return report, nil
}

// Close ends the conversation; one in which nothing was asked in the manner that servers expect.
func (s *lineSession) Close() error {
	if s.line == nil {
		return nil
	}
	if !s.asked && s.ctx.Err() == nil {
		_, _ = s.line.Write([]byte("0000"))
	}
	s.line.close()
	return nil
}

// saidError is what the other side said, in its own words.
type saidError struct {
	words string
	err   error
}

func (e *saidError) Error() string { return lastLines(e.words, 3) }
func (e *saidError) Unwrap() error { return e.err }

// gitLine connects to a git:// address, which knows neither keys nor passwords.
func gitLine(address string) (func(context.Context, string) (*line, error), error) {
	u, err := url.Parse(address)
	if err != nil {
		return nil, err
	}
	host := u.Host
	if u.Port() == "" {
		host = net.JoinHostPort(u.Hostname(), "9418")
	}
	return func(ctx context.Context, service string) (*line, error) {
		conn, err := new(net.Dialer).DialContext(ctx, "tcp", host)
		if err != nil {
			return nil, err
		}
		stop := context.AfterFunc(ctx, func() { conn.Close() })
		hello := packp.GitProtoRequest{RequestCommand: service, Pathname: u.Path, Host: u.Host}
		if err := hello.Encode(conn); err != nil {
			stop()
			return nil, errors.Join(err, conn.Close())
		}
		return &line{
			Reader: conn, Writer: conn,
			closeWrite: func() error { return nil }, // the pack says where it ends, and the daemon hangs up on a half-closed line
			close:      func() { stop(); conn.Close() },
			said:       func() string { return "" },
		}, nil
	}, nil
}
