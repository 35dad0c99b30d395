package memories

import (
	"context"
	"fmt"
	"net/http"
	"strings"

	"github.com/locsync/locsync/sync/service"
	"github.com/locsync/locsync/sync/service/wire"
)

// Translate translates texts at once and returns, by target language as it was asked for, the translations in
// the order of the texts: POST /v1/smartTranslation/translate (service interface, real-time translation, named
// without detail; request and answer are the published description's). A single text that could not be
// translated has Error set. The service may charge for it, so it is made once: ErrUnknownOutcome when the
// answer is lost. An answer that does not fit the question is ErrUnusable.
func (e Engines) Translate(ctx context.Context, r TranslateRequest) (map[string][]TranslatedText, error) {
	const op = "translate"
	if r.SourceLanguage == "" || len(r.TargetLanguages) == 0 || len(r.Texts) == 0 {
		return nil, fmt.Errorf("%s: it needs a source language, target languages and texts", op)
	}
	for i, t := range r.Texts {
		if t.Text == "" {
			return nil, fmt.Errorf("%s: text %d is empty", op, i+1)
		}
	}
	answer, err := service.Get[wire.TranslateResponse](ctx, e.client, service.Call{
		Op: op, Method: http.MethodPost, Path: wire.PathSmartTranslation, Body: r, Changes: true,
	})
	if err != nil {
		return nil, err
	}
	translations := make(map[string][]TranslatedText, len(r.TargetLanguages))
	for _, language := range r.TargetLanguages {
		for code, texts := range answer.Translations {
			if strings.EqualFold(code, language) {
				translations[language] = texts
			}
		}
		if n := len(translations[language]); n != len(r.Texts) {
			return nil, &service.Error{Op: op, Err: fmt.Errorf("%w: it has %d translations into %q of %d texts",
				service.ErrUnusable, n, language, len(r.Texts))}
		}
	}
	return translations, nil
}
