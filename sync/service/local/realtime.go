package local

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"go.uber.org/zap"

	"github.com/locsync/locsync/sync/service/local/api"
	"github.com/locsync/locsync/sync/service/local/machine"
	"github.com/locsync/locsync/sync/service/local/pseudo"
	"github.com/locsync/locsync/sync/service/wire"
)

// maxRealtimeTexts is how many texts one call may have.
const maxRealtimeTexts = 1000

// profileForm is what the identifier of a translation profile looks like. Profiles are made in a user interface that
// does not exist here, so any of this form is taken; that of an engine names the engine.
var profileForm = regexp.MustCompile(`^(?:engine:)?[0-9A-Za-z][0-9A-Za-z_-]{0,63}$`)

// translate answers POST /v1/smartTranslation/translate, at once: with the engine that the profile names, and with
// pseudo-translations where it names none. The answer names the languages as the caller spelled them.
func (s *Service) translate(c *api.Call) error {
	ask, source, codes, err := readTranslateRequest(c)
	if err != nil {
		return err
	}
	out := wire.TranslateResponse{Translations: make(map[string][]wire.TranslatedText, len(codes))}
	for i, code := range codes {
		out.Translations[ask.TargetLanguages[i]] = s.translated(c, ask, source, code)
	}
	return c.Answer(http.StatusOK, out)
}

// translated are the translations into one language. What an engine could not translate is marked.
func (s *Service) translated(c *api.Call, ask *wire.TranslateRequest, source, code string) []wire.TranslatedText {
	out := make([]wire.TranslatedText, len(ask.Texts))
	texts := make([]string, len(ask.Texts))
	for n, t := range ask.Texts {
		texts[n] = t.Text
	}
	engine, named := s.engines.Find(ask.Profile)
	if ask.Profile == "" || !named {
		for n, text := range texts {
			out[n].Translation = pseudo.Text(text, code)
		}
		return out
	}
	translations, err := s.engines.Translate(c.Request.Context(), engine.ID,
		machine.Job{Source: source, Target: code, Texts: texts, HTML: ask.IsHTML})
	if err != nil {
		s.o.Logger.Warn("texts stay without a translation: the engine failed", zap.String("language", code), zap.Error(err))
	}
	for n, t := range translations {
		if out[n].Error = !t.OK; t.OK {
			out[n].Translation = t.Text
		}
	}
	return out
}

// readTranslateRequest reads and checks a request; source and codes are its languages as the table of languages
// spells them.
func readTranslateRequest(c *api.Call) (ask *wire.TranslateRequest, source string, codes []string,
	err error) {
	b, err := api.ReadObject(c)
	if err != nil {
		return nil, "", nil, err
	}
	ask = &wire.TranslateRequest{
		SourceLanguage:  api.Member[string](b, "sourceLanguage"),
		TargetLanguages: api.Member[[]string](b, "targetLanguages"),
		Profile:         api.Member[string](b, "profile"),
		IsHTML:          api.Member[bool](b, "isHtml"),
		ExternalTag:     api.Member[string](b, "externalTag"),
	}
	texts := api.Member[[]json.RawMessage](b, "texts")
	switch {
	case b.Err != nil:
		return nil, "", nil, b.Err
	case ask.SourceLanguage == "":
		return nil, "", nil, api.Invalid("sourceLanguage", "is missing")
	case len(ask.TargetLanguages) == 0:
		return nil, "", nil, api.Invalid("targetLanguages", "is missing or empty; name at least one")
	case len(texts) == 0:
		return nil, "", nil, api.Invalid("texts", "is missing or empty; give at least one")
	case len(texts) > maxRealtimeTexts:
		return nil, "", nil, api.Invalid("texts", "has %d texts; send at most %d at once", len(texts), maxRealtimeTexts)
	case ask.Profile != "" && !profileForm.MatchString(ask.Profile):
		return nil, "", nil, api.Invalid("profile", "%q is not the identifier of a translation profile",
			api.Clip([]byte(ask.Profile)))
	}
	source, err = api.LanguageCode("sourceLanguage", ask.SourceLanguage)
	if err != nil {
		return nil, "", nil, err
	}
	for i, word := range ask.TargetLanguages {
		code, err := api.TargetCodes("targetLanguages", []string{word}, source)
		if err != nil {
			return nil, "", nil, err
		}
		ask.TargetLanguages[i] = strings.TrimSpace(word)
		codes = append(codes, code...)
	}
	for _, raw := range texts {
		t, err := readTranslateText(raw)
		if err != nil {
			return nil, "", nil, err
		}
		ask.Texts = append(ask.Texts, t)
	}
	return ask, source, codes, nil
}

func readTranslateText(raw []byte) (wire.TranslateText, error) {
	m, err := api.ReadMembers("texts", raw)
	if err != nil {
		return wire.TranslateText{}, err
	}
	text, context := api.Member[*string](m, "text"), api.Member[string](m, "context")
	switch {
	case m.Err != nil:
		return wire.TranslateText{}, api.Invalid("texts", "%v", m.Err)
	case text == nil:
		return wire.TranslateText{}, api.Invalid("texts", "%s has no member text", api.Clip(raw))
	}
	return wire.TranslateText{Text: *text, Context: context}, nil
}
