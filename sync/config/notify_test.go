package config

import (
	"strings"
	"testing"
)

// What [notify] may say; nothing of what could be the address is quoted.
func TestNotifyKeys(t *testing.T) {
	t.Parallel()
	for keys, want := range map[string]string{
		"kind = \"teasm\"": `notify.kind: "teasm" is not allowed; one of slack, teams, json; did you mean teams?`,
		"url_env = \"https://hooks.slack.com/" + canary + "\"": "notify.url_env: must be the name of an environment variable",
		"url_file = \"a\\u0007\"":                              "notify.url_file:",
		"url = \"https://hooks.slack.com/\"":                   "notify.url:",
	} {
		_, err := Parse("locsync.toml", []byte("[notify]\n"+keys+"\n"+smallest))
		if err == nil || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), canary) {
			t.Errorf("%s: %v", keys, err)
		}
	}
}
