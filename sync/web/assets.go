package web

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"io/fs"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var staticFiles embed.FS

// asset is a file of the page's own. Its name holds a digest of what is in it, so that a browser keeps it for ever and
// asks for another after an upgrade.
type asset struct {
	kind string
	body []byte
}

var assets, assetNames = readAssets()

// readAssets returns the files by the path that they are served at, and these paths by the files' names.
func readAssets() (map[string]asset, map[string]string) {
	files, names := make(map[string]asset), make(map[string]string)
	err := fs.WalkDir(staticFiles, "static", func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		body, err := staticFiles.ReadFile(file)
		if err != nil {
			return err
		}
		sum := sha256.Sum256(body)
		ext := path.Ext(file)
		served := "/" + strings.TrimSuffix(file, ext) + "." + hex.EncodeToString(sum[:6]) + ext
		files[served] = asset{kind: kindOf(ext), body: body}
		names[path.Base(file)] = served
		return nil
	})
	if err != nil { // they are in this program
		panic(err)
	}
	return files, names
}

// kindOf is the content type of a file: not what the machine's own tables say, which take 7 ms to read.
func kindOf(ext string) string {
	switch ext {
	case ".js":
		return "text/javascript; charset=utf-8"
	case ".css":
		return "text/css; charset=utf-8"
	case ".svg":
		return "image/svg+xml"
	}
	return "application/octet-stream"
}

func serveAsset(w http.ResponseWriter, r *http.Request) {
	a, there := assets[r.URL.Path]
	if !there {
		plain(w, http.StatusNotFound, "no such file; the page was made by another version, so load it again")
		return
	}
	w.Header().Set("Content-Type", a.kind)
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(a.body) // the reader is gone when this fails
}
