package main

import (
	"maps"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// commandsOf says which command makes an operation of the service interface, and by which flags its parameters are
// said; testdata/script/operations.txtar and documents.txtar call them.
var commandsOf = map[string]string{
	"POST /v1/project/create": "project create --documents --deadline --description --tag --stage --engine",
	"GET /v1/project/list":    "api", // deprecated, and unavailable since 2022
	"GET /v2/project/list":    "project list --name --tag", "GET /v1/project/{projectId}": "project show --id",
	"PUT /v1/project/{projectId}": "project set --name --deadline --description --tag",
	"POST /v1/project/complete":   "project complete --id",
	"POST /v1/project/document": "documents push --language --ocr --placeholders --preset --excel --bilingual " +
		"--id",
	"PUT /v1/document/update": "documents push --placeholders --bilingual",
	"DELETE /v1/document":     "documents delete --language",
	"GET /v1/document":        "documents show", "GET /v1/directory/formats": "documents formats",
	"GET /v1/project/{projectId}/statistics":                         "stats --exact",
	"GET /v1/document/statistics":                                    "documents stats --exact",
	"PUT /v1/project/{projectId}/fuzzyRepetitions":                   "stats --fuzzy-repetitions",
	"POST /v1/project/{projectId}/statistics/build":                  "stats --build",
	"POST /v1/document/export":                                       "documents pull --type --stage --state --language",
	"GET /v1/document/export/{exportId}":                             "documents pull --output",
	"GET /v1/project/{projectId}/mt/available":                       "engines --available",
	"GET /v1/project/{projectId}/mt":                                 "engines",
	"POST /v1/project/{projectId}/mt":                                "engines set",
	"GET /v1/translationmemory":                                      "memories --name",
	"GET /v1/project/{projectId}/translationmemories":                "memories --attached",
	"POST /v1/project/{projectId}/translationmemories":               "memories attach --writable",
	"GET /v1/glossaries":                                             "glossary",
	"PUT /v1/project/{projectId}/glossaries":                         "glossary attach",
	"POST /v1/glossary/import":                                       "glossary import --clear",
	"POST /v1/glossary/export":                                       "glossary export",
	"GET /v1/glossary/export/pendingTasks":                           "glossary pending",
	"GET /v1/glossary/export/{taskId}":                               "glossary export",
	"POST /v1/account/searchMyTeam":                                  "tasks team",
	"GET /v1/projectTask/{projectId}/list":                           "tasks --currency",
	"PUT /v1/projectTask/{projectId}/{taskId}/deadline":              "tasks deadline",
	"POST /v2/project/{projectId}/import":                            "push",
	"GET /v1/project/import-result/{importId}":                       "push",
	"POST /v2/project/{projectId}/export":                            "pull",
	"POST /v1/project/{projectId}/export":                            "project export --language",
	"POST /v1/smartTranslation/translate":                            "translate --profile --html --from --to",
	"POST /v1/callback":                                              "project apply --replace",
	"PUT /v1/file-management/files/":                                 "storage upload --unzip",
	"PUT /v1/projectTask/{projectId}/{taskId}/individual-assignment": "tasks assign --shortlist",

	"POST /v1/project/{projectId}/software-localization/targets": "project apply",
}

// Every operation of the service interface has a command with its parameters, and what is not in the interface has api.
func TestOperationsHaveCommands(t *testing.T) {
	page := readPage(t, filepath.Join("..", "..", "sync", "service", "README.md"))
	rows := regexp.MustCompile("(?m)^\\| `([A-Z]+ /[^`]+)` \\| (interface|named) \\|").FindAllStringSubmatch(page, -1)
	if len(rows) < 30 {
		t.Fatalf("only %d operations were found", len(rows))
	}
	left := maps.Clone(commandsOf)
	root := (&app{}).root()
	for _, row := range rows {
		words := strings.Fields(left[row[1]])
		delete(left, row[1])
		flags := slices.IndexFunc(append(words, "--"), func(w string) bool { return strings.HasPrefix(w, "--") })
		c, rest, err := root.Find(words[:flags])
		if err != nil || c == root || len(rest) > 0 || !c.Runnable() {
			t.Errorf("%s: there is no command for it", row[1])
			continue
		}
		for _, flag := range words[flags:] {
			if c.Flags().Lookup(strings.TrimPrefix(flag, "--")) == nil {
				t.Errorf("%s: %s has no flag %s", row[1], c.CommandPath(), flag)
			}
		}
	}
	for operation := range left {
		t.Errorf("%s is not an operation of the service interface", operation)
	}
}
