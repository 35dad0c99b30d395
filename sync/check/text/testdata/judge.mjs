// Answers each line of standard input, ["reader", "text"], with what the library refuses of the text, or finds in it:
// {"refused": "...", "names": [...], "tags": [...]}. Its modules are in the folder that it is run in.
import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';
import readline from 'node:readline';
const require = createRequire(process.cwd() + '/');
const load = async (name) => import(pathToFileURL(require.resolve(name)));
const { parse } = await load('@formatjs/icu-messageformat-parser');
const { createParser } = await load('@intlify/message-compiler');

// Of FormatJS: what is in branches and in tags, too.
function icu(elements, names, tags) {
  for (const e of elements) {
    if (e.type === 8) tags.add(e.value);
    else if (e.type !== 0 && e.type !== 7) names.add(e.value);
    if (e.children) icu(e.children, names, tags);
    for (const option of Object.values(e.options ?? {})) icu(option.value ?? [], names, tags);
  }
}

// Of vue-i18n's nodes: 4 is {name}, 5 is {0}, 7 the key of a link.
function vue(node, names) {
  if (!node || typeof node !== 'object') return;
  if (node.type === 4) names.add(node.key ?? node.k);
  if (node.type === 5) names.add(String(node.index ?? node.i));
  if (node.type === 7) names.add('@:' + (node.value ?? node.v));
  for (const child of Object.values(node)) if (typeof child === 'object') vue(child, names);
}

// Of i18next: what it fills in, where it has no value for anything.
const i18next = (await load('i18next')).default.createInstance();
let asked = new Set();
await i18next.init({
  lng: 'en', fallbackLng: false, showSupportNotice: false, resources: {}, interpolation: { format: (value) => value },
  missingInterpolationHandler: (_, match) => { asked.add(match[1].split(',')[0].trim()); return 'x'; },
});
function filled(text, names) {
  asked = names;
  i18next.services.interpolator.interpolate(text, {}, 'en', {});
}

const readers = {
  i18next: (text, names) => filled(text, names),
  FormatJS: (text, names, tags) => icu(parse(text), names, tags),
  'i18next-icu': (text, names, tags) => icu(parse(text, { ignoreTag: true }), names, tags),
  'vue-i18n': (text, names) => {
    let refused;
    const tree = createParser({ onError: (e) => { refused ??= e; }, location: false }).parse(text);
    if (refused) throw refused;
    vue(tree, names);
  },
};
for await (const line of readline.createInterface({ input: process.stdin })) {
  const [reader, text] = JSON.parse(line);
  const names = new Set(), tags = new Set();
  let refused = '';
  try { readers[reader](text, names, tags); } catch (e) { refused = String(e.message) || 'error'; }
  process.stdout.write(JSON.stringify({ refused, names: [...names], tags: [...tags] }) + '\n');
}
