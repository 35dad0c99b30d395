package notify

import (
	"io/fs"
	"strings"
	"testing"

	"github.com/locsync/locsync/sync/config"
)

const canary = "canary-of-the-address"

const smallest = `
[[project]]
name = "app"
source_language = "en"
target_languages = ["de"]
[[project.files]]
source = "en.json"
output = "{LANGUAGE}.json"
`

func reader(files map[string]string) func(string) ([]byte, error) {
	return func(name string) ([]byte, error) {
		if text, ok := files[name]; ok {
			return []byte(text), nil
		}
		return nil, fs.ErrNotExist
	}
}

// The address of messages comes from its three places; a bad one is named by its key, and never quoted.
func TestAddress(t *testing.T) {
	t.Parallel()
	const slack, secret = "https://hooks.slack.com/services/T0/B0/" + canary, "/" + canary
	env := map[string]string{"SLACK": slack, "NONE": "", "HTTP": "http://example.com" + secret, "BAD": "hooks" + secret,
		"BROKEN": "https://[" + secret, "FTP": "ftp://example.com" + secret, "HERE": "http://127.0.0.1:8065" + secret}
	for keys, want := range map[string]string{
		"":                       "",
		"url_env = \"SLACK\"":    slack,
		"url_env = \"HERE\"":     env["HERE"],
		"url_file = \"url\"":     slack,
		"kind = \"json\"":        "credential",
		"url_env = \"NONE\"":     "locsync.toml:2: notify.url_env: the environment variable NONE is not set",
		"url_env = \"HTTP\"":     "locsync.toml: notify.url_env: the address is plain http to another machine",
		"url_env = \"BAD\"":      "locsync.toml: notify.url_env: what it names holds no address",
		"url_env = \"BROKEN\"":   "locsync.toml: notify.url_env: what it names holds no address",
		"url_env = \"FTP\"":      "locsync.toml: notify.url_env: what it names holds no address",
		"url_file = \"nowhere\"": "locsync.toml:2: notify.url_file: read the secret",
	} {
		c, err := config.Parse("/etc/locsync.toml", []byte("[notify]\n"+keys+"\n"+smallest))
		if err != nil {
			t.Fatalf("%s: %v", keys, err)
		}
		files := map[string]string{"/etc/url": slack + "\n"}
		if want == "credential" {
			env["CREDENTIALS_DIRECTORY"], files["/run/c/notify_url"], want = "/run/c", slack, slack
		}
		s, err := Address(c, func(k string) string { return env[k] }, reader(files))
		delete(env, "CREDENTIALS_DIRECTORY")
		switch {
		case err != nil && (!strings.Contains(err.Error(), want) || want == "" ||
			strings.Contains(err.Error(), canary)):
			t.Errorf("%s: %v", keys, err)
		case err == nil && s.Reveal() != want:
			t.Errorf("%s: got another address", keys)
		}
	}
}

func TestKindOf(t *testing.T) {
	t.Parallel()
	for address, want := range map[string]string{
		"https://hooks.slack.com/services/x":                              "slack",
		"https://contoso.webhook.office.com/webhookb2/x":                  "teams",
		"https://prod-1.westeurope.logic.azure.com:443/workflows/x?sig=y": "teams",
		"https://a.b.environment.api.powerplatform.com:443/x":             "teams",
		"https://hooks.slack.com.example.com/":                            "json",
		"https://chat.example.com/hooks/x":                                "json",
	} {
		if got := kindOf(address); got != want {
			t.Errorf("%s: %s, want %s", address, got, want)
		}
	}
}
