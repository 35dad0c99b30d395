// Keeps the status page up to date without loading it again: after each bell of the daemon it asks for the page and brings its own one to the same
// state, node by node, so that focus, scrolling and open parts stay. Without it the page is the same, and renewed by the browser.
'use strict';
{
  const live = document.getElementById('live');
  let source, later, loading = false, again = false, skew = 0;

  // Times go on while nothing happens, in the words of the daemon.
  const ago = (seconds) => {
    const far = Math.abs(seconds);
    const words = far < 45 ? '' : far < 5400 ? Math.max(Math.floor((far + 30) / 60), 1) + ' min'
      : far < 129600 ? Math.floor((far + 1800) / 3600) + ' h' : Math.floor((far + 43200) / 86400) + ' days';
    return !words ? (seconds < 0 ? 'in a moment' : 'just now') : seconds > 0 ? words + ' ago' : 'in ' + words;
  };
  const clock = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit',
    minute: '2-digit', timeZoneName: 'short' });
  const clockWithSeconds = new Intl.DateTimeFormat(undefined, { year: 'numeric', month: 'short', day: 'numeric', hour: '2-digit',
    minute: '2-digit', second: '2-digit', timeZoneName: 'short' });
  const tick = () => {
    for (const span of document.querySelectorAll('.abs')) {
      const text = clock.format(Date.parse(span.closest('time').dateTime)); // by the reader's clock; the daemon wrote UTC
      if (span.textContent !== text) span.textContent = text;
    }
    const now = document.getElementById('now');
    const shown = clockWithSeconds.format(Date.parse(now.dateTime));
    if (now.textContent !== shown) now.textContent = shown;
    for (const span of document.querySelectorAll('time > .ago')) {
      const text = ago(Math.trunc((Date.now() + skew - Date.parse(span.parentNode.dateTime)) / 1000));
      if (span.textContent !== text) span.textContent = text;
    }
  };
  const setClock = () => { skew = Date.parse(document.getElementById('now').dateTime) - Date.now(); };

  const alike = (a, b) => a && a.nodeType === b.nodeType && a.nodeName === b.nodeName && (a.id || '') === (b.id || '');

  // morph makes an element like another one. What the reader did to it stays: whether a part is open, and what this script shows itself.
  const morph = (from, to) => {
    if (from === live) return;
    const own = (name) => name === 'open' && from.nodeName === 'DETAILS';
    for (const { name, value } of to.attributes) if (!own(name) && from.getAttribute(name) !== value) from.setAttribute(name, value);
    for (const { name } of [...from.attributes]) if (!own(name) && !to.hasAttribute(name)) from.removeAttribute(name);
    let at = from.firstChild;
    for (const want of [...to.childNodes]) {
      let have = at;
      if (!alike(have, want)) {
        have = null;
        if (want.id) for (let other = at; other && !have; other = other.nextSibling) if (alike(other, want)) have = other;
      }
      if (!have) {
        from.insertBefore(document.importNode(want, true), at);
        continue;
      }
      while (at !== have) at = remove(at);
      at = have.nextSibling;
      if (have.nodeType === Node.ELEMENT_NODE) morph(have, want);
      else if (have.data !== want.data) have.data = want.data;
    }
    while (at) at = remove(at);
  };
  const remove = (node) => {
    const next = node.nextSibling;
    node.remove();
    return next;
  };

  const show = (page) => {
    if (page.querySelector('script')?.getAttribute('src') !== document.querySelector('script').getAttribute('src')) {
      location.reload(); // another version of the daemon
      return;
    }
    const focused = document.activeElement;
    const near = focused?.closest('main [id]')?.closest('section[id]')?.id;
    document.title = page.title;
    document.querySelector('link[rel=icon]').href = page.querySelector('link[rel=icon]').href;
    morph(document.body, page.body);
    if (focused && focused !== document.body && !focused.isConnected) {
      const to = document.getElementById(focused.id) || document.getElementById(near) || document.getElementById('main');
      if (!to.matches('a, button, summary')) to.tabIndex = -1;
      to.focus({ preventScroll: true });
    }
    setClock();
    tick();
  };

  // load asks for the page: one at a time, and not more often than every second.
  const load = () => {
    again = loading;
    if (loading) return;
    loading = true;
    const request = new XMLHttpRequest(); // it makes a document without a script's hands in it
    request.open('GET', location.href.split('#')[0]);
    request.responseType = 'document';
    request.timeout = 30000;
    request.onloadend = () => {
      const there = request.status === 200 && request.response?.getElementById('now');
      if (there) show(request.response);
      if (!source) say(there ? 'renewed every 30 seconds' : 'not connected; trying again', true);
      setTimeout(() => {
        loading = false;
        if (again) load();
      }, 1000);
    };
    request.send();
  };

  document.getElementById('q')?.addEventListener('input', (event) => {
    const address = new URL(location.href);
    address.searchParams.set('q', event.target.value);
    history.replaceState(null, '', address);
    load();
  });

  const say = (text, off) => {
    live.textContent = text;
    live.classList.toggle('off', off);
  };
  const listen = () => {
    clearTimeout(later);
    if (source || document.hidden) return; // a hidden page costs nobody anything
    source = new EventSource('api/events');
    source.onopen = () => {
      say('live', false);
      load(); // what happened while nobody listened
    };
    source.addEventListener('change', load);
    source.onerror = () => {
      if (source.readyState !== EventSource.CLOSED) { // the browser tries itself
        say('not connected; trying again', true);
        return;
      }
      source = null; // refused, as where too many listen: look at once, and each time that it is tried again, which is when the answer says (Retry-After)
      load();
      later = setTimeout(listen, 30000);
    };
  };
  const stop = () => {
    clearTimeout(later);
    source?.close();
    source = null;
  };
  document.addEventListener('visibilitychange', () => (document.hidden ? stop() : listen()));
  addEventListener('pagehide', stop);
  addEventListener('pageshow', listen);
  setClock();
  setInterval(tick, 15000);
}
