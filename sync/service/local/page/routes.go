package page

import "net/http"

// New makes the page. What it is asked for is answered by the functions named here.
func New(o Options) *Service {
	if o.Saved == nil {
		o.Saved = func(string) {}
	}
	s := &Service{Options: o, mux: http.NewServeMux(), guesses: newGuesses()}
	s.mux.HandleFunc("GET "+Path+"static/{file}", asset)
	s.public("GET", "sign-in", signInForm)
	s.public("POST", "sign-in", s.signIn)
	s.public("GET", "invitation", s.invitationForm)
	s.public("POST", "invitation", s.accept)
	s.private("POST", "sign-out", s.signOut)
	s.private("GET", "{$}", s.projects)
	s.private("GET", "list", s.list)
	s.private("GET", "key", s.key)
	s.private("POST", "key", s.save)
	s.private("POST", "check", s.check)
	s.private("GET", "memory", s.memoryPage)
	s.private("GET", "memory.tmx", s.download)
	streamed(s, "POST", "memory", s.upload)
	s.private("GET", "people", s.people)
	s.private("POST", "people", s.invite)
	s.private("POST", "remove", s.remove)
	return s
}
