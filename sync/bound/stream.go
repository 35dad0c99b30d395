package bound

import (
	"compress/gzip"
	"errors"
	"io"
)

// Gzip unpacks a stream, whose begin is read with the first byte that is asked for. The caller bounds what comes out.
func Gzip(from io.Reader) io.Reader { return &lazyGzip{from: from} }

type lazyGzip struct {
	from io.Reader
	gz   *gzip.Reader
}

func (l *lazyGzip) Read(p []byte) (int, error) {
	if l.gz == nil {
		gz, err := gzip.NewReader(l.from)
		if err != nil {
			return 0, err
		}
		l.gz = gz
	}
	return l.gz.Read(p)
}

// Fails is a stream that cannot be read.
func Fails(err error) io.Reader { return broken{err} }

type broken struct{ err error }

func (b broken) Read([]byte) (int, error) { return 0, b.err }

// ReaderAt refuses to read more than Left bytes in all; with Off it no longer counts.
type ReaderAt struct {
	From io.ReaderAt
	Left int64
	Off  bool
}

// ReadAt implements io.ReaderAt.
func (b *ReaderAt) ReadAt(p []byte, at int64) (int, error) {
	if !b.Off {
		if b.Left -= int64(len(p)); b.Left < 0 {
			return 0, errors.New("too much to read")
		}
	}
	return b.From.ReadAt(p, at)
}
