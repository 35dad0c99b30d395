package wire

// TranslateRequest is the body of POST PathSmartTranslation (published description only). The service
// interface requires a translation profile, which is made in its user interface.
type TranslateRequest struct {
	SourceLanguage  string          `json:"sourceLanguage"`
	TargetLanguages []string        `json:"targetLanguages"`
	Texts           []TranslateText `json:"texts"`
	Profile         string          `json:"profile,omitempty"`
	IsHTML          bool            `json:"isHtml,omitempty"`
	ExternalTag     string          `json:"externalTag,omitempty"`
}

// TranslateText is one text to translate.
type TranslateText struct {
	Text    string `json:"text"`
	Context string `json:"context,omitempty"`
}

// TranslateResponse is the answer: target language -> the translations, in the order of the texts.
type TranslateResponse struct {
	Translations map[string][]TranslatedText `json:"translations"`
}

// TranslatedText is the translation of one text into one language, or the sign that there is none.
type TranslatedText struct {
	Translation     string `json:"translation"`
	Error           bool   `json:"error"`
	SegmentMetadata string `json:"segmentMetadata,omitempty"`
}
