package page

import (
	"net/http"
	"time"

	"github.com/locsync/locsync/sync/bound/serve"
	"github.com/locsync/locsync/sync/service/local/page/layout"
)

// New makes the page. What it is asked for is answered by the functions named here.
func New(o Options) *Service {
	if o.Saved == nil {
		o.Saved = func(string, bool) {}
	}
	s := &Service{Options: o, mux: http.NewServeMux(), forms: serve.Memory{Most: maxForms},
		byAccount: serve.Tries[attempt]{AtOnce: 5, Every: 30 * time.Second},
		byAddress: serve.Tries[string]{AtOnce: 40, Every: 3 * time.Second}}
	s.aside = serve.Aside(o.Logger)
	s.mux.HandleFunc("GET "+Path+"static/{file}", layout.Asset)
	s.public("GET", "sign-in", s.signInForm)
	s.public("POST", "sign-in", s.signIn)
	s.public("GET", "invitation", s.invitationForm)
	s.public("POST", "invitation", s.accept)
	s.public("GET", "oidc", s.openID)
	s.private("POST", "oidc", s.linkOpenID)
	s.public("GET", backPath, s.backFromProvider)
	s.public("GET", "oidc-in", s.signInByProvider)
	s.private("POST", "sign-out", s.signOut)
	s.private("GET", "{$}", s.projects)
	s.private("GET", "list", s.list)
	s.private("GET", "key", s.key)
	s.private("POST", "key", s.save)
	s.private("POST", "archive", s.archive)
	s.private("POST", "comment", s.comment)
	s.private("POST", "answered", s.answered)
	s.private("POST", "suggestion", s.decide)
	s.private("GET", "approve", s.approvals)
	s.private("POST", "approve", s.approve)
	s.private("POST", "reject", s.reject)
	s.private("GET", "many", s.many)
	s.private("POST", "many", s.change)
	s.private("POST", "machine", s.translate)
	s.private("POST", "drafts", s.drafts)
	s.private("POST", "check", s.check)
	s.private("GET", "memory", s.memoryPage)
	s.private("GET", "memory.tmx", s.download)
	streamed(s, "POST", "memory", s.upload)
	s.private("POST", "remember", s.fillMemory)
	s.private("GET", "account", s.account)
	s.private("POST", "name", s.changeName)
	s.private("POST", "words", s.changeWords)
	s.private("POST", "password", s.changePassword)
	s.private("POST", "elsewhere", s.leaveElsewhere)
	s.public("GET", "feed", s.feed)
	s.private("POST", "feed", s.makeFeed)
	s.private("POST", "no-feed", s.revokeFeed)
	s.private("POST", "mails", s.mails)
	s.link(linkedPages[0], s.News.Confirm)
	s.link(linkedPages[1], s.News.Unsubscribe)
	s.private("GET", "people", s.people)
	s.private("POST", "people", s.invite)
	s.private("POST", "role", s.changeRole)
	s.private("POST", "revoke", s.revoke)
	s.private("GET", "audit", s.auditLog)
	s.private("POST", "remove", s.remove)
	return s
}
