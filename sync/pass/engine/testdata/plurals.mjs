// Answers each line of standard input, a question in JSON, with the texts that a library prints for counts. The
// libraries are in the folder that it is run in.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import readline from 'node:readline';
const require = createRequire(process.cwd() + '/');
const load = async (name) => import(pathToFileURL(require.resolve(name)));

// Numbers are printed as they are, so that texts can be compared.
const plain = { getNumberFormat: () => ({ format: String }), getPluralRules: (...args) => new Intl.PluralRules(...args) };

const libraries = {
  // A message of the service.
  async message({ language, texts, ask, counts }) {
    const { IntlMessageFormat } = await load('intl-messageformat');
    return ask.map(([key]) => {
      const message = new IntlMessageFormat(texts[key], language, undefined, { formatters: plain });
      return counts.map((count) => message.format({ count }));
    });
  },
  async i18next({ language, texts, ask, counts }) {
    const { createInstance } = (await load('i18next')).default;
    const instance = createInstance();
    await instance.init({ lng: language, fallbackLng: false, showSupportNotice: false, resources: { [language]: { translation: texts } } });
    return ask.map(([key, options]) => counts.map((count) => instance.t(key, { ...options, count })));
  },
  async i18next3({ language, texts, ask, counts }) {
    const { createInstance } = (await load('i18next23')).default;
    const instance = createInstance();
    await instance.init({ lng: language, fallbackLng: false, compatibilityJSON: 'v3', resources: { [language]: { translation: texts } } });
    return ask.map(([key, options]) => counts.map((count) => instance.t(key, { ...options, count })));
  },
  async icu({ language, texts, ask, counts }) {
    const { createInstance } = (await load('i18next')).default;
    const ICU = require('i18next-icu').default;
    const instance = createInstance().use(new ICU());
    await instance.init({ lng: language, fallbackLng: false, showSupportNotice: false, resources: { [language]: { translation: texts } },
      i18nFormat: { formats: {} } });
    return ask.map(([key, options]) => counts.map((count) => instance.t(key, { ...options, count })));
  },
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  const question = JSON.parse(line);
  console.log(JSON.stringify(await libraries[question.library](question)));
}
