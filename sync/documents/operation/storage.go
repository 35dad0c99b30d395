package operation

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/locsync/locsync/sync/documents/document"
	"github.com/locsync/locsync/sync/documents/transfer"
	"github.com/locsync/locsync/sync/report"
	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/documents"
	"github.com/locsync/locsync/sync/terminal"
)

// StoredFiles are files of the account's storage.
type StoredFiles struct {
	Files []documents.StoredFile `json:"files"`
}

// Table is what people see of them.
func (d StoredFiles) Table() *terminal.Table {
	rows := terminal.NewTable("PATH", "BYTES", "TYPE", "CREATED", "EXPIRES")
	rows.Numbers(1)
	for _, f := range d.Files {
		rows.Row(f.Path, fmt.Sprint(f.Size), f.Mime, f.CreatedAt, terminal.OrNone(f.ExpirationTime))
	}
	return rows
}

func storageOperations() []*Operation {
	return []*Operation{
		{Name: "storage", Short: "Put files into the account's storage, list, fetch and delete them"},
		storageUpload(),
		{
			Name: "storage list", Args: "FOLDER", On: Account, Least: 1, Most: 1, Wants: "a folder", Document: StoredFiles{},
			Short:   "List the files whose paths begin with a folder",
			Example: "  locsync storage list import\n  locsync storage list import/2031 --json",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				list, err := documents.StorageOf(s.Client).List(ctx, args[0])
				return Listed(StoredFiles{append([]documents.StoredFile{}, list...)}, "there is no file"), err
			},
		},
		{
			Name: "storage download", Args: "PATH FILE", On: Account, Least: 2, Most: 2, Wants: "a path and a file",
			Short:   "Write a file of the storage into a file here",
			Example: "  locsync storage download import/terms.csv terms.csv",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				return writeResult(args[1], func(f *os.File) (int64, error) {
					return documents.StorageOf(s.Client).Download(ctx, args[0], f)
				})
			},
		},
		{
			Name: "storage delete", Args: "PATH", On: Account, Least: 1, Most: 1, Wants: "a path",
			Short:   "Delete a file of the storage",
			Example: "  locsync storage delete import/terms.csv",
			Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
				err := documents.StorageOf(s.Client).Delete(ctx, args[0])
				return Result{Document: document.Object{"deleted": args[0]}, Text: "deleted " + args[0] + "\n"}, err
			},
		},
	}
}

func storageUpload() *Operation {
	unzip := false
	return &Operation{
		Name: "storage upload", Args: "FOLDER FILE...", On: Account, Least: 2, Wants: "a folder and files", Files: true,
		Document: StoredFiles{},
		Short:    "Put files into a folder of the storage",
		Example:  "  locsync storage upload import terms.csv\n  locsync storage upload import all.zip --unzip",
		Flags:    []Flag{{Name: "unzip", Usage: "put what is in zip archives there, in place of them", Value: &unzip}},
		Run: func(ctx context.Context, s *Session, args []string) (Result, error) {
			var sent []service.File
			for _, name := range args[1:] {
				content, f, err := transfer.Open(name, filepath.Base(name))
				if err != nil {
					return Result{}, err
				}
				defer f.Close()
				sent = append(sent, content)
			}
			s.Show(report.Doing{What: "sending " + terminal.Count(len(sent), "file")})
			stored, err := documents.StorageOf(s.Client).UploadFiles(ctx, args[0], sent, unzip)
			return Listed(StoredFiles{append([]documents.StoredFile{}, stored...)}, "nothing was stored"), err
		},
	}
}
