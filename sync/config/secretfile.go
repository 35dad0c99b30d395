package config

import (
	"slices"

	"github.com/locsync/locsync/sync/config/owner"
)

// SecretVariables are the environment variables that hold secrets for locsync alone: no program that git starts gets
// them. A credential helper of git that needs a forge's token reads a variable of its own.
func SecretVariables(c *Config) []string {
	d := c.Daemon
	names := []string{c.Service.APIKeyEnv, d.WebhookSecretEnv, d.CallbackSecretEnv, d.PageTokenEnv, c.Notify.URLEnv,
		c.Cluster.DatabaseURLEnv}
	if c.Cluster.configured {
		names = append(names, "PGPASSWORD") // which the connection to the database reads as well
	}
	for i := range c.Projects {
		names = append(names, c.Projects[i].Pull.Request.TokenEnv)
	}
	return slices.DeleteFunc(names, func(name string) bool { return name == "" })
}

// ExposedSecrets names the files of secrets that other users may write, and those that tracked says are in a git
// repository. A file that cannot be read is a problem of those who need the secret, and not named here.
func ExposedSecrets(c *Config, tracked func(file string) bool) Problems {
	var found Problems
	look := func(at origin, name string) {
		if name == "" {
			return
		}
		file := c.Resolve(name)
		if why := owner.Exposed(file); why != "" {
			found = append(found, at.problem("%s", why))
		}
		if tracked(file) {
			found = append(found, at.problem("%s is tracked by git, so everyone who has the repository has the "+
				"secret: take it out (git rm --cached), list it in .gitignore, and replace the secret by a new one, "+
				"because the history keeps it", file))
		}
	}
	look(c.origin.at("service").at("api_key_file"), c.Service.APIKeyFile)
	at := c.origin.at("daemon")
	look(at.at("webhook_secret_file"), c.Daemon.WebhookSecretFile)
	look(at.at("callback_secret_file"), c.Daemon.CallbackSecretFile)
	look(at.at("page_token_file"), c.Daemon.PageTokenFile)
	look(c.origin.at("notify").at("url_file"), c.Notify.URLFile)
	look(c.origin.at("cluster").at("database_url_file"), c.Cluster.DatabaseURLFile)
	for i := range c.Projects {
		p := &c.Projects[i]
		look(p.origin.at("pull").at("request").at("token_file"), p.Pull.Request.TokenFile)
		look(p.origin.at("pull").at("signing_key_file"), p.Pull.SigningKeyFile)
	}
	return found.sorted()
}
