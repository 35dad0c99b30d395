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
	approving := only((*visitor).Reviews, "Only reviewers approve texts. Ask one of them.")
	rejecting := only((*visitor).Reviews, "Only reviewers reject texts. Ask one of them.")
	archiving := only((*visitor).Manages, "Only managers archive, restore and delete keys. Ask one of them.")
	memories := only((*visitor).Manager, "Only managers see, fill and download whole memories. Ask one of them.")
	inviting := only((*visitor).Manager, "Only managers invite people. Ask one of them.")
	roles := only((*visitor).Manager, "Only managers give roles. Ask one of them.")
	auditing := only((*visitor).Manager, "Only managers see what was done. Ask one of them.")
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
	s.private("POST", "archive", archiving(s.archive))
	s.private("POST", "comment", s.comment)
	s.private("POST", "answered", s.answered)
	s.private("POST", "suggestion", s.decide)
	s.private("GET", "approve", approving(s.approvals))
	s.private("POST", "approve", approving(s.approve))
	s.private("POST", "reject", rejecting(s.reject))
	s.private("GET", "many", s.many)
	s.private("POST", "many", s.change)
	s.private("POST", "machine", s.translate)
	s.private("POST", "drafts", s.drafts)
	s.private("POST", "check", s.check)
	s.private("GET", "memory", memories(s.memoryPage))
	s.private("GET", "memory.tmx", memories(s.download))
	s.streamed("POST", "memory", memories(s.upload))
	s.private("POST", "remember", memories(s.fillMemory))
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
	s.private("GET", "people", inviting(s.people))
	s.private("POST", "people", inviting(s.invite))
	s.private("POST", "role", roles(s.changeRole))
	s.private("POST", "revoke", inviting(s.revoke))
	s.private("GET", "audit", auditing(s.auditLog))
	s.private("POST", "remove", inviting(s.remove))
	return s
}
