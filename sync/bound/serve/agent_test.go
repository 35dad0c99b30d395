package serve

import "testing"

func TestAgent(t *testing.T) {
	for agent, want := range map[string]string{
		"": "A browser", "curl/8.0": "A browser",
		"Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0":                         "Firefox on Linux",
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36":                    "Chrome on Windows",
		"Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0":          "Edge on Windows",
		"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 Version/18.0 Safari/605.1": "Safari on macOS",
		"Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 Safari/604.1":       "Safari on iPhone",
		"Mozilla/5.0 (Linux; Android 16) AppleWebKit/537.36 Chrome/140.0 Mobile Safari/537.36":           "Chrome on Android",
	} {
		if got := Agent(agent); got != want {
			t.Errorf("%s: %s, want %s", agent, got, want)
		}
	}
}
