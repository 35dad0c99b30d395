package serve

import (
	"cmp"
	"strings"
)

// Agent is what people call a browser and its system.
func Agent(agent string) string {
	first := func(names ...string) string {
		for i := 0; i < len(names); i += 2 {
			if strings.Contains(agent, names[i]) {
				return names[i+1]
			}
		}
		return ""
	}
	browser := first("Firefox/", "Firefox", "Edg", "Edge", "OPR/", "Opera", "Chrome/", "Chrome", "Safari/", "Safari")
	system := first("Android", "Android", "iPhone", "iPhone", "iPad", "iPad", "Windows", "Windows", "Mac OS X", "macOS",
		"Linux", "Linux")
	if browser == "" || system == "" {
		return cmp.Or(browser, system, "A browser")
	}
	return browser + " on " + system
}
