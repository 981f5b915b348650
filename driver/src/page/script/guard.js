// Watches that a press arrives where it was aimed, and swallows one that does not before the page acts on it.
const PRESSES = ['pointerdown', 'mousedown'];
const WATCHED = [...PRESSES, 'pointerup', 'mouseup', 'click', 'auxclick', 'dblclick', 'contextmenu'];
// A guard that was left behind, by a dialog that opened, must not meet a person's own click. In milliseconds.
const LASTS = 10000;
const path = method(Event, 'composedPath');
const stop = method(Event, 'stopImmediatePropagation');
const prevent = method(Event, 'preventDefault');
const clientX = getter(MouseEvent, 'clientX'), clientY = getter(MouseEvent, 'clientY');
const listen = method(EventTarget, 'addEventListener'), forget = method(EventTarget, 'removeEventListener');

// `state.target` is what the last look aimed at.
verbs.guard = () => {
  verbs.unguard();
  const target = state.target;
  const known = rootsAround(target);
  const guard = {hit: null};
  const until = performance.now() + LASTS;
  guard.handle = event => {
    if (!event.isTrusted || performance.now() > until) return;
    const first = path(event)[0];
    if (guard.hit === null && PRESSES.includes(event.type)) {
      guard.hit = first instanceof Node
        && (inside(target, first) || known.has(first) && inside(target, elementAt(clientX(event), clientY(event), known)));
      if (!guard.hit) state.cover = first instanceof Element ? first : null;
    }
    if (guard.hit === false) {
      stop(event);
      prevent(event);
    }
  };
  for (const name of WATCHED) listen(globalThis, name, guard.handle, {capture: true, passive: false});
  state.guard = guard;
  return {};
};

// What is inside these happens in another document: its presses are never seen here.
const FRAMES = ['iframe', 'frame', 'object', 'embed', 'fencedframe'];

verbs.guarded = () => {
  const hit = state.guard?.hit ?? null;
  const cover = hit === false ? state.cover ?? rootElement(document) : null;
  return {hit, framed: FRAMES.includes(localName(state.target)), cover: cover ? describe(cover) : undefined};
};

verbs.unguard = () => {
  if (state.guard) for (const name of WATCHED) forget(globalThis, name, state.guard.handle, {capture: true});
  state.guard = null;
  return {};
};
