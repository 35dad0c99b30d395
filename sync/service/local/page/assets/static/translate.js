// Adds to the pages for translators what needs a script: checks while typing, keys, and buttons that take a text over.
// Without it all forms work the same.
'use strict';
{
  const form = document.getElementById('fields');

  const explain = (list, found) => {
    const items = found.map((f) => {
      const item = document.createElement('li'), kind = document.createElement('b'), check = document.createElement('span');
      if (f.holds) item.className = 'holds';
      kind.textContent = f.said;
      check.className = 'weak';
      check.textContent = '(' + f.check + ')';
      item.append(kind, ' ' + (f.todo ? f.todo + ' ' : ''), check);
      return item;
    });
    if (list && list.textContent !== items.map((i) => i.textContent).join('')) list.replaceChildren(...items);
  };

  const piece = (p) => {
    if (!p.kind) return document.createTextNode(p.text);
    const part = document.createElement('span');
    part.className = p.kind;
    part.textContent = p.text;
    if (p.title) part.title = p.title;
    return part;
  };

  let waits, asked = 0;
  const check = async () => {
    const mine = ++asked;
    let said;
    try {
      const answer = await fetch('check', { method: 'POST', body: new URLSearchParams(new FormData(form)) });
      if (!answer.ok) return;
      said = await answer.json();
    } catch {
      return; // what is saved is checked all the same
    }
    if (mine !== asked) return; // an answer for what was typed since is on its way
    const found = said.found;
    for (const line of form.querySelectorAll('.shown')) {
      const pieces = said.shown[line.dataset.form] || [];
      line.replaceChildren(...pieces.map(piece));
      line.hidden = pieces.length === 0;
    }
    for (const list of form.querySelectorAll('.findings[data-form]')) {
      explain(list, found.filter((f) => f.form === list.dataset.form));
    }
    explain(document.getElementById('found-whole'), found.filter((f) => f.form === ''));
  };
  const soon = () => {
    clearTimeout(waits);
    waits = setTimeout(check, 250);
  };

  if (form) {
    let changed = false;
    let field = form.querySelector('textarea'); // that was written in last
    const inserts = [...document.querySelectorAll('button.insert')];
    const uses = [...document.querySelectorAll('button.use')];
    const compare = () => {
      for (const text of form.querySelectorAll('textarea')) {
        text.closest('.field').querySelector('.length').textContent = [...text.value].length;
      }
      for (const button of inserts) button.classList.toggle('used', field.value.includes(button.dataset.text));
    };
    form.addEventListener('focusin', (e) => { if (e.target.matches('textarea')) { field = e.target; compare(); } });
    form.addEventListener('input', () => { changed = true; compare(); soon(); });
    form.addEventListener('submit', () => { changed = false; });
    addEventListener('beforeunload', (e) => { if (changed) e.preventDefault(); });
    const press = (state) => form.requestSubmit(form.querySelector(`button[value=${state}]`) || form.querySelector('button[value=draft]'));
    addEventListener('keydown', (e) => {
      if (e.key === 'Enter' && (e.ctrlKey || e.metaKey)) {
        e.preventDefault();
        press(e.shiftKey ? 'confirmed' : 'final');
      } else if (e.altKey && !e.ctrlKey && (e.key === 'ArrowDown' || e.key === 'ArrowUp')) {
        const link = document.getElementById(e.key === 'ArrowDown' ? 'next' : 'previous');
        e.preventDefault();
        if (link) link.click();
      } else if (e.ctrlKey && !e.altKey && !e.metaKey && /^Digit[1-9]$/.test(e.code)) {
        const button = (e.shiftKey ? uses : inserts).find((b) => b.dataset.digit === e.code.at(-1));
        e.preventDefault();
        if (button) button.click();
      }
    });
    for (const says of form.querySelectorAll('.keysays')) says.hidden = false;
    const write = (text) => { // as if it were typed, so that it can be undone
      field.focus();
      if (!document.execCommand('insertText', false, text)) {
        field.setRangeText(text, field.selectionStart, field.selectionEnd, 'end');
        field.dispatchEvent(new Event('input', { bubbles: true }));
      }
    };
    for (const button of uses) {
      button.hidden = false;
      button.addEventListener('click', () => {
        field = document.getElementById(button.dataset.field);
        field.select();
        write(button.dataset.text);
      });
    }
    for (const button of inserts) {
      button.hidden = false;
      button.addEventListener('click', () => write(button.dataset.text));
    }
    for (const line of form.querySelectorAll('.inserts')) line.hidden = false;
    compare();
    const first = form.querySelector('textarea');
    first.focus({ preventScroll: true });
    first.setSelectionRange(first.value.length, first.value.length);
  }
  const clock = new Intl.DateTimeFormat(navigator.language.startsWith(document.documentElement.lang) ? undefined : document.documentElement.lang, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit',
    minute: '2-digit', timeZoneName: 'short' });
  for (const time of document.querySelectorAll('time')) time.textContent = clock.format(Date.parse(time.dateTime));
  const show = document.getElementById('show'), within = document.getElementById('in');
  for (const choice of [show, within]) if (choice) choice.addEventListener('change', () => choice.form.requestSubmit());
}
