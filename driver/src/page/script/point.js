// Whether an element can be operated, and where it takes a click.
const FRACTIONS = [[.5, .5], [.25, .5], [.75, .5], [.5, .25], [.5, .75], [.1, .5], [.9, .5], [.15, .15], [.85, .15], [.15, .85], [.85, .85]];
const BOXES = 6;

function clip(box) {
  const x = Math.max(box.x, 0), y = Math.max(box.y, 0);
  const w = Math.min(box.x + box.w, innerWidth) - x, h = Math.min(box.y + box.h, innerHeight) - y;
  return w > 0 && h > 0 ? {x, y, w, h} : null;
}

// The first point at which the page would hand a click to `target` or to something inside it. Points on another control
// inside it come last, and for a label never: they would operate that control.
function findPoint(target, control) {
  const all = boxesOf(target);
  if (!all.length) return {off: 'it has no box on the page'};
  const boxes = all.map(clip).filter(Boolean).sort((a, b) => b.w * b.h - a.w * a.h).slice(0, BOXES);
  if (!boxes.length) return {off: 'it is outside the visible part of the page'};
  const known = rootsAround(target);
  let cover = null, second = null;
  for (const [fx, fy] of FRACTIONS) {
    for (const box of boxes) {
      const x = box.x + box.w * fx, y = box.y + box.h * fy;
      const found = elementAt(x, y, known);
      if (!found || !inside(target, found)) {
        cover ??= found;
        continue;
      }
      const inner = innerControl(target, found);
      if (!inner || inner === control) return {x, y};
      if (!control && !matches(inner, ':disabled')) second ??= {x, y};
    }
  }
  return second ?? {cover, off: cover ? null : 'it lies outside what is shown'};
}

function union(boxes) {
  if (!boxes.length) return null;
  const x = Math.min(...boxes.map(b => b.x)), y = Math.min(...boxes.map(b => b.y));
  return [x, y, Math.max(...boxes.map(b => b.x + b.w)) - x, Math.max(...boxes.map(b => b.y + b.h)) - y];
}

// A label that activates the element stands in for it where it is hidden or covered itself.
function labelsOf(element) {
  for (const type of [HTMLInputElement, HTMLSelectElement, HTMLTextAreaElement, HTMLButtonElement]) {
    if (isHtml(element, type)) return [...(getter(type, 'labels')(element) ?? [])];
  }
  return [];
}

function bring(element, block) {
  let at = isHtml(element, HTMLAreaElement) ? imageOf(element) : element;
  // What has no box of its own cannot be scrolled to: its first part with one can.
  for (let steps = 0; at && !clientRects(at).length && steps < 50; steps++) {
    at = Array.prototype.find.call(childNodes(at), isElement) ?? null;
  }
  scrollIntoView(at ?? up(element) ?? element, {behavior: 'instant', block, inline: block === 'center' ? 'center' : 'nearest'});
}

// One look. `scroll` brings it into view first: center, start, end or nearest. `self` allows no label in its place.
verbs.look = (element, {scroll, self}) => {
  if (!isConnected(element)) return {gone: true};
  if (isHtml(element, HTMLOptionElement) && !clientRects(element).length) {
    return {unfit: 'it is an option of a closed list; use select on the list'};
  }
  const disabled = disabledReason(element);
  if (disabled) return {disabled};
  let first = null;
  for (const target of self ? [element] : [element, ...labelsOf(element)]) {
    const hidden = hiddenReason(target);
    if (hidden) {
      first ??= {hidden};
      continue;
    }
    if (scroll) bring(target, scroll);
    const {x, y, off, cover} = findPoint(target, target === element ? null : element);
    state.target = target;
    const found = {box: union(boxesOf(target)), label: target !== element};
    if (x !== undefined) return {...found, point: [x, y]};
    if (!first) {
      state.cover = cover ?? null;
      first = {...found, off, cover: cover ? describe(cover) : undefined};
    }
  }
  return first;
};

// What covered it at the last look, and what that lies in: an object for the caller to identify.
verbs.coverAt = (_, {level}) => {
  let at = state.cover;
  for (let steps = 0; at && steps < level; steps++) at = up(at);
  return at && state.target && !inside(at, state.target) ? at : null;
};

// Whether any part of it can be seen, after scrolling.
verbs.inView = element => {
  if (!isConnected(element)) return {gone: true};
  const boxes = boxesOf(element).map(clip).filter(Boolean);
  if (!boxes.length) return {off: 'it is outside the visible part of the page'};
  for (let at = up(element); at; at = up(at)) {
    const style = getComputedStyle(at);
    if (at === rootElement(document) || style.overflowX === 'visible' && style.overflowY === 'visible') continue;
    const box = boundingRect(at);
    const meets = boxes.some(b => b.x < box.x + box.width && b.x + b.w > box.x && b.y < box.y + box.height && b.y + b.h > box.y);
    if (!meets && getComputedStyle(element).position !== 'fixed') return {off: 'it is cut off by an element around it'};
  }
  return {};
};

verbs.bring = (element, {block}) => {
  if (!isConnected(element)) return {gone: true};
  const hidden = hiddenReason(element);
  if (hidden && hidden !== 'pointer-events: none') return {hidden};
  bring(element, block);
  return {};
};
