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

// `state.target` is what the last look aimed at; `blank` marks a frame around the target's own: nothing may arrive in it.
verbs.guard = (element, {blank}) => {
  verbs.unguard();
  const target = blank ? null : state.target;
  const known = target ? rootsAround(target) : new Map();
  const guard = {hit: null, clicked: false};
  const until = performance.now() + LASTS;
  guard.handle = event => {
    if (!event.isTrusted || performance.now() > until) return;
    const first = path(event)[0];
    const on = () => target !== null && first instanceof Node
      && (inside(target, first) || known.has(first) && inside(target, elementAt(clientX(event), clientY(event), known)));
    if (guard.hit === null && PRESSES.includes(event.type)) {
      guard.hit = on();
      if (!guard.hit) state.cover = first instanceof Element ? first : null;
    }
    if (guard.hit === false) {
      stop(event);
      prevent(event);
    } else if (event.type === 'click') {
      guard.clicked = on();
    }
  };
  for (const name of WATCHED) listen(globalThis, name, guard.handle, {capture: true, passive: false});
  state.guard = guard;
  return {};
};

verbs.guarded = () => ({
  hit: state.guard?.hit ?? null,
  clicked: state.guard?.clicked ?? false,
  cover: state.guard?.hit === false && state.cover ? describe(state.cover) : undefined,
});

verbs.unguard = () => {
  if (state.guard) for (const name of WATCHED) forget(globalThis, name, state.guard.handle, {capture: true});
  state.guard = null;
  return {};
};

// What is inside these happens in another document: its presses are never seen here.
verbs.takesItsOwnEvents = () => ['iframe', 'frame', 'object', 'embed', 'fencedframe'].includes(localName(state.target));
