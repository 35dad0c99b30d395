// Package assets is the page's own files: its style, script and icon.
//
// Its law: the address of a file has a digest of what is in it, so that a browser keeps it until it changes.
package assets

import (
	"crypto/sha256"
	"embed"
	"encoding/hex"
	"fmt"
	"net/http"
	"path"
	"strings"
)

//go:embed static
var files embed.FS

// kinds are the content types of the page's own files: not what the machine's own table says.
var kinds = map[string]string{".css": "text/css; charset=utf-8", ".js": "text/javascript; charset=utf-8",
	".svg": "image/svg+xml"}

// Path is where a file is served, below the page.
func Path(name string) (string, error) {
	body, err := files.ReadFile("static/" + name)
	if err != nil {
		return "", fmt.Errorf("file of the translation page: %w", err)
	}
	sum := sha256.Sum256(body)
	ext := path.Ext(name)
	return "static/" + strings.TrimSuffix(name, ext) + "." + hex.EncodeToString(sum[:6]) + ext, nil
}

// Serve answers with the file that the path ends with.
func Serve(w http.ResponseWriter, r *http.Request) {
	parts := strings.Split(r.PathValue("file"), ".")
	name := parts[0] + "." + parts[len(parts)-1]
	served, err := Path(name)
	if err != nil || path.Base(served) != r.PathValue("file") {
		http.Error(w, "no such file; the page was made by another version, so load it again", http.StatusNotFound)
		return
	}
	body, _ := files.ReadFile("static/" + name) // it was read above
	w.Header().Set("Content-Type", kinds[path.Ext(name)])
	w.Header().Set("Cache-Control", "public, max-age=31536000, immutable")
	_, _ = w.Write(body) // the reader is gone when this fails
}
