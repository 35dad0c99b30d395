package local

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"

	"github.com/locsync/locsync/sync/service/wire"
)

// maxRealtimeTexts is how many texts one call may have.
const maxRealtimeTexts = 1000

// profileForm is what the identifier of a translation profile looks like. Profiles are made in a user interface that does not exist here, so any
// of this form is taken.
var profileForm = regexp.MustCompile(`^[0-9A-Za-z][0-9A-Za-z_-]{0,63}$`)

// translate answers POST /v1/smartTranslation/translate: pseudo-translations, at once. The answer names the languages as the caller spelled them.
func (s *Service) translate(c *call) error {
	raw, err := readBody(c, maxModel)
	if err != nil {
		return err
	}
	ask, codes, err := readTranslateRequest(raw)
	if err != nil {
		return err
	}
	out := wire.TranslateResponse{Translations: make(map[string][]wire.TranslatedText, len(codes))}
	for i, code := range codes {
		translated := make([]wire.TranslatedText, len(ask.Texts))
		for n, t := range ask.Texts {
			translated[n].Translation = pseudo(t.Text, code)
		}
		out.Translations[ask.TargetLanguages[i]] = translated
	}
	return c.json(http.StatusOK, out)
}

// readTranslateRequest reads and checks a request; codes are its target languages as the table of languages spells them.
func readTranslateRequest(raw []byte) (ask *wire.TranslateRequest, codes []string, err error) {
	b, err := readMembers("body", raw)
	if err != nil {
		return nil, nil, err
	}
	ask = &wire.TranslateRequest{
		SourceLanguage:  member[string](b, "sourceLanguage"),
		TargetLanguages: member[[]string](b, "targetLanguages"),
		Profile:         member[string](b, "profile"),
		IsHTML:          member[bool](b, "isHtml"),
		ExternalTag:     member[string](b, "externalTag"),
	}
	texts := member[[]json.RawMessage](b, "texts")
	switch {
	case b.err != nil:
		return nil, nil, b.err
	case ask.SourceLanguage == "":
		return nil, nil, invalid("sourceLanguage", "is missing")
	case len(ask.TargetLanguages) == 0:
		return nil, nil, invalid("targetLanguages", "is missing or empty; name at least one")
	case len(texts) == 0:
		return nil, nil, invalid("texts", "is missing or empty; give at least one")
	case len(texts) > maxRealtimeTexts:
		return nil, nil, invalid("texts", "has %d texts; send at most %d at once", len(texts), maxRealtimeTexts)
	case ask.Profile != "" && !profileForm.MatchString(ask.Profile):
		return nil, nil, invalid("profile", "%q is not the identifier of a translation profile", clip([]byte(ask.Profile)))
	}
	source, err := languageCode("sourceLanguage", ask.SourceLanguage)
	if err != nil {
		return nil, nil, err
	}
	for i, word := range ask.TargetLanguages {
		code, err := targetCodes("targetLanguages", []string{word}, source)
		if err != nil {
			return nil, nil, err
		}
		ask.TargetLanguages[i] = strings.TrimSpace(word)
		codes = append(codes, code...)
	}
	for _, raw := range texts {
		t, err := readTranslateText(raw)
		if err != nil {
			return nil, nil, err
		}
		ask.Texts = append(ask.Texts, t)
	}
	return ask, codes, nil
}

func readTranslateText(raw []byte) (wire.TranslateText, error) {
	m, err := readMembers("texts", raw)
	if err != nil {
		return wire.TranslateText{}, err
	}
	text, context := member[*string](m, "text"), member[string](m, "context")
	switch {
	case m.err != nil:
		return wire.TranslateText{}, invalid("texts", "%v", m.err)
	case text == nil:
		return wire.TranslateText{}, invalid("texts", "%s has no member text", clip(raw))
	}
	return wire.TranslateText{Text: *text, Context: context}, nil
}
