package wire

// Query parameters of storage.
const (
	QueryUnzip    = "unzip"    // of PathStorageFiles, default false
	QueryBatchKey = "batchKey" // of PathStorageFileList: StoredFiles.NextBatchKey of the batch before
)

// StoredFile is a file of the storage. PUT PathStorageFiles answers 201 and an array of them, PUT
// PathStorageFile one.
type StoredFile struct {
	Name           string `json:"name"`
	Mime           string `json:"mime"`
	Path           string `json:"path"`
	Size           int64  `json:"size"`
	CreatedAt      string `json:"createdAt"`
	LastAccessTime string `json:"lastAccessTime,omitempty"`
	ExpirationTime string `json:"expirationTime,omitempty"`
}

// StoredFiles is the answer of PathStorageFileList. An empty NextBatchKey is the end.
type StoredFiles struct {
	Items        []StoredFile `json:"items"`
	NextBatchKey string       `json:"nextBatchKey,omitempty"`
}
