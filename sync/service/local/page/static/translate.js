// Adds to the pages for translators what needs a script: checks while typing, keys, and buttons that take a text over.
// Without it all forms work the same.
'use strict';
{
  const form = document.getElementById('fields');

  const explain = (list, found) => {
    const items = found.map((f) => {
      const item = document.createElement('li'), kind = document.createElement('b'), check = document.createElement('span');
      if (f.holds) item.className = 'holds';
      kind.textContent = f.holds ? 'Held back by pulls:' : 'Warning:';
      check.className = 'weak';
      check.textContent = '(' + f.check + ')';
      item.append(kind, ' ' + f.reason + ' ', check);
      return item;
    });
    if (list && list.textContent !== items.map((i) => i.textContent).join('')) list.replaceChildren(...items);
  };

  let waits, asked = 0;
  const check = async () => {
    const mine = ++asked;
    let found;
    try {
      const answer = await fetch('check', { method: 'POST', body: new URLSearchParams(new FormData(form)) });
      if (!answer.ok) return;
      found = await answer.json();
    } catch {
      return; // what is saved is checked all the same
    }
    if (mine !== asked) return; // an answer for what was typed since is on its way
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
    form.addEventListener('input', () => { changed = true; soon(); });
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
      }
    });
    for (const says of form.querySelectorAll('.keysays')) says.hidden = false;
    for (const button of document.querySelectorAll('button.use')) {
      button.hidden = false;
      button.addEventListener('click', () => {
        const field = document.getElementById(button.dataset.field);
        field.value = button.dataset.text;
        field.dispatchEvent(new Event('input', { bubbles: true }));
        field.focus();
      });
    }
    const first = form.querySelector('textarea');
    first.focus({ preventScroll: true });
    first.setSelectionRange(first.value.length, first.value.length);
  }
  const show = document.getElementById('show'), within = document.getElementById('in');
  for (const choice of [show, within]) if (choice) choice.addEventListener('change', () => choice.form.requestSubmit());
}
