package wire

// Paths that our own service answers clients at, beside those of the interface.
const (
	PathOwnQuestions = "/v1/locsync/{projectId}/questions" // GET: what translators ask the developers
	PathOwnWriters   = "/v1/locsync/{projectId}/writers"   // POST: who wrote the translations of keys
	PathOwnArchive   = "/v1/locsync/{projectId}/archive"   // POST: puts keys aside that the source has lost
)

// HeaderOwn is in every answer of our own service, and in none of another one, which is not asked for these paths then.
// The answer to the start of an export lists in it what the service has for the project.
const HeaderOwn = "Locsync-Service"

// What HeaderOwn lists.
const (
	OffersArchive   = "archive"   // PathOwnArchive
	OffersQuestions = "questions" // that wait for an answer
	OffersWriters   = "writers"   // people who translate
	OffersArchived  = "archived=" // and the number of keys that are archived; absent: none
)

// KeysOf are keys of a collection, in an array: of PathOwnWriters with a language, of PathOwnArchive without.
type KeysOf struct {
	Collection string   `json:"collection"`
	Language   string   `json:"language,omitempty"`
	Keys       []string `json:"keys"`
}

// Question is what a translator asks the developers on the page.
type Question struct {
	Collection string `json:"collection"`
	Key        string `json:"key"`
	Language   string `json:"language,omitempty"`
	By         string `json:"by"`
	Text       string `json:"text"`
}
