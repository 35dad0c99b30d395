// Answers, of a file of translations and its source file in XLIFF, why Angular's build refuses the unit k, and which
// placeholders its text has: one line of JSON for each.
import { createRequire } from 'node:module';
import { createInterface } from 'node:readline';
import { pathToFileURL } from 'node:url';

const require = createRequire(process.cwd() + '/');
const { Xliff1TranslationParser, Xliff2TranslationParser } = await import(
  pathToFileURL(require.resolve('@angular/localize/tools')).href);
const parsers = [new Xliff1TranslationParser(), new Xliff2TranslationParser()];

function read(text) {
  for (const parser of parsers) {
    const seen = parser.analyze('messages.xlf', text);
    if (!seen.canParse) continue;
    const bundle = parser.parse('messages.xlf', text, seen.hint);
    const wrong = bundle.diagnostics.messages.filter((m) => m.type === 'error').map((m) => m.message);
    const is = bundle.translations.k;
    return { wrong: wrong.join('; ') || (is ? '' : 'there is no text'), names: is ? is.placeholderNames : [] };
  }
  return { wrong: 'it is no XLIFF', names: [] };
}

for await (const line of createInterface({ input: process.stdin })) {
  const [source, translation] = JSON.parse(line);
  const from = read(source);
  const to = read(translation);
  const unknown = to.names.filter((n) => !from.names.includes(n));
  if (!to.wrong && unknown.length > 0) to.wrong = 'placeholder name mismatch: ' + unknown.join(', ');
  console.log(JSON.stringify({
    Source: from.wrong, Refused: to.wrong, Lost: from.names.filter((n) => !to.names.includes(n)),
  }));
}
