// Asks Chromium about messages of browser extensions: a line of JSON, {"texts": [...], "names": [...]}, is answered by a list
// of {"Refused", "Names"}. An extension of each text alone is loaded, and one of all that were taken shows what is filled in.
import { spawn } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { createInterface } from "node:readline";

const root = mkdtempSync(tmpdir() + "/judge");
const browser = spawn("chromium", ["--headless=new", "--no-sandbox", "--disable-gpu", "--no-first-run", "--disable-sync",
  "--disable-background-networking", "--disable-component-update", "--user-data-dir=" + root + "/profile",
  "--remote-debugging-pipe", "--enable-unsafe-extension-debugging"], { stdio: ["ignore", "ignore", "ignore", "pipe", "pipe"] });
const [, , , commands, events] = browser.stdio;
let closing = false;
browser.on("exit", (code) => closing || process.exit(code || 1)); // or what was asked would be waited for

const waiting = new Map();
let last = 0, rest = "";
events.setEncoding("utf8").on("data", (more) => {
  const messages = (rest + more).split("\0");
  rest = messages.pop();
  for (const message of messages.map(JSON.parse)) {
    const of = message.id ?? message.method;
    waiting.get(of)?.(message);
    waiting.delete(of);
  }
});
const call = (method, params, sessionId) => new Promise((resolve) => {
  waiting.set(++last, resolve);
  commands.write(JSON.stringify({ id: last, method, params, sessionId }) + "\0");
});

const event = (name) => new Promise((resolve) => waiting.set(name, resolve));

const load = (name, messages) => {
  const dir = root + "/" + name;
  mkdirSync(dir + "/_locales/en", { recursive: true });
  writeFileSync(dir + "/manifest.json", JSON.stringify({ manifest_version: 3, name, version: "1", default_locale: "en" }));
  writeFileSync(dir + "/page.html", "<!doctype html>");
  writeFileSync(dir + "/_locales/en/messages.json", JSON.stringify(messages));
  return call("Extensions.loadUnpacked", { path: dir });
};

for await (const line of createInterface({ input: process.stdin })) {
  const { texts, names } = JSON.parse(line);
  const message = (text) => ({ message: text,
    placeholders: Object.fromEntries(names.map((name) => [name, { content: " \u2039" + name + "\u203a" }])) });
  const answers = [], taken = {};
  for (const [i, text] of texts.entries()) {
    const refused = (await load("one", { key: message(text) })).error?.message ?? "";
    answers.push({ Refused: refused, Names: [] });
    if (!refused) taken["key" + i] = message(text);
  }
  const { result } = await load("all", taken);
  const { result: { targetId } } = await call("Target.createTarget", { url: "about:blank" });
  const { result: { sessionId } } = await call("Target.attachToTarget", { targetId, flatten: true });
  await call("Page.enable", {}, sessionId);
  const loaded = event("Page.loadEventFired");
  await call("Page.navigate", { url: `chrome-extension://${result.id}/page.html` }, sessionId);
  await loaded;
  const expression = `JSON.stringify(${JSON.stringify(Object.keys(taken))}.map((key) =>
    chrome.i18n.getMessage(key, [1, 2, 3, 4, 5, 6, 7, 8, 9].map((n) => "\u2039" + n + "\u203a"))))`;
  const shown = JSON.parse((await call("Runtime.evaluate", { expression }, sessionId)).result.result.value);
  Object.keys(taken).forEach((key, i) => {
    answers[key.slice(3)].Names = [...shown[i].matchAll(/\u2039(.*?)\u203a/g)].map((m) => m[1]);
  });
  console.log(JSON.stringify(answers));
}
const ended = new Promise((resolve) => browser.on("exit", resolve));
closing = true;
call("Browser.close", {});
await ended;
rmSync(root, { recursive: true, force: true, maxRetries: 5, retryDelay: 100 });
