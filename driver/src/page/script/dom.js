// What every act script reads the page with. Runs in an isolated world: the built-ins are our own. A page can still
// shadow members of forms and of the document by element names, so members are called through their prototypes.
const method = (type, name) => Function.prototype.call.bind(type.prototype[name]);
const getter = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).get);
const setter = (type, name) => Function.prototype.call.bind(Object.getOwnPropertyDescriptor(type.prototype, name).set);

const nodeType = getter(Node, 'nodeType');
const parentNode = getter(Node, 'parentNode');
const childNodes = getter(Node, 'childNodes');
const isConnected = getter(Node, 'isConnected');
const textContent = getter(Node, 'textContent');
const rootOf = method(Node, 'getRootNode');
const elementSlot = getter(Element, 'assignedSlot');
const textSlot = getter(Text, 'assignedSlot');
const localName = getter(Element, 'localName');
const shadowRoot = getter(Element, 'shadowRoot');
const hostOf = getter(ShadowRoot, 'host');
const matches = method(Element, 'matches');
const attribute = method(Element, 'getAttribute');
const hasAttribute = method(Element, 'hasAttribute');
const clientRects = method(Element, 'getClientRects');
const boundingRect = method(Element, 'getBoundingClientRect');
const scrollIntoView = method(Element, 'scrollIntoView');
const checkVisibility = method(Element, 'checkVisibility');
const assignedNodes = method(HTMLSlotElement, 'assignedNodes');
const select = method(Document, 'querySelectorAll');
const fromPoint = method(Document, 'elementFromPoint');
const shadowFromPoint = method(ShadowRoot, 'elementFromPoint');
const activeElement = getter(Document, 'activeElement');
const rootElement = getter(Document, 'documentElement');
const create = method(Document, 'createElement');
const shadowActive = getter(ShadowRoot, 'activeElement');

// Kept between the calls of one act. A symbol cannot be shadowed by an element's name.
const state = globalThis[Symbol.for('act')] ??= {};

const isElement = node => nodeType(node) === 1;
const isShadow = node => nodeType(node) === 11 && node instanceof ShadowRoot;
const isHtml = (element, type) => element instanceof type;

// The parent in the flat tree: through slots and shadow hosts.
function up(node) {
  const slot = isElement(node) ? elementSlot(node) : nodeType(node) === 3 ? textSlot(node) : null;
  if (slot) return slot;
  const parent = parentNode(node);
  if (!parent) return null;
  if (isShadow(parent)) return hostOf(parent);
  return isElement(parent) ? parent : null;
}

function inside(outer, node) {
  for (let at = node; at; at = up(at)) if (at === outer) return true;
  return false;
}

// The shadow roots around an element by host: a closed root is reachable from inside only.
function rootsAround(element) {
  const known = new Map();
  for (let root = rootOf(element); isShadow(root); root = rootOf(hostOf(root))) known.set(hostOf(root), root);
  return known;
}

const rootIn = (host, known) => known.get(host) ?? shadowRoot(host);

// The innermost element at a point.
function elementAt(x, y, known) {
  let found = fromPoint(document, x, y);
  while (found) {
    const root = rootIn(found, known);
    const next = root && shadowFromPoint(root, x, y);
    if (!next || next === found || rootOf(next) !== root) break;
    found = next;
  }
  return found;
}

function focusedElement(known) {
  let found = activeElement(document);
  while (found) {
    const root = rootIn(found, known);
    const next = root && shadowActive(root);
    if (!next) break;
    found = next;
  }
  return found;
}

const CONTROL = 'a[href],area[href],button,input,select,textarea,summary,iframe,[contenteditable=""],[contenteditable=true],[onclick],[role=button],[role=link],[role=checkbox],[role=switch]';

// The nearest control around `node` that is strictly inside `outer`.
function innerControl(outer, node) {
  for (let at = node; at && at !== outer; at = up(at)) if (matches(at, CONTROL)) return at;
  return null;
}

// Why a user cannot operate it, or null.
function disabledReason(element) {
  if (matches(element, ':disabled')) {
    return hasAttribute(element, 'disabled') ? 'disabled' : 'disabled by its fieldset or group';
  }
  for (let at = element; at; at = up(at)) {
    const own = at === element;
    if (!own && matches(at, 'button:disabled,select:disabled')) return 'inside a disabled control';
    if ((attribute(at, 'aria-disabled') ?? '').trim().toLowerCase() === 'true') return own ? 'aria-disabled' : 'inside an aria-disabled element';
    if (hasAttribute(at, 'inert')) return own ? 'inert' : 'inside an inert element';
  }
  return null;
}

// Why a user cannot see it, or null.
function hiddenReason(element) {
  if (isHtml(element, HTMLAreaElement)) {
    const image = imageOf(element);
    return image ? hiddenReason(image) : 'no picture uses its map';
  }
  const style = getComputedStyle(element);
  if (style.display === 'none') return 'display: none';
  let boxed = element;
  while (boxed && getComputedStyle(boxed).display === 'contents') boxed = up(boxed);
  if (!boxed || !checkVisibility(boxed)) return 'it is not rendered';
  if (style.visibility !== 'visible') return `visibility: ${style.visibility}`;
  for (let at = boxed; at; at = up(at)) if (Number(getComputedStyle(at).opacity) === 0) return at === element ? 'opacity: 0' : 'opacity: 0 of an ancestor';
  if (style.pointerEvents === 'none') return 'pointer-events: none';
  return null;
}

const boxed = list => Array.prototype.map.call(list, r => ({x: r.x, y: r.y, w: r.width, h: r.height})).filter(r => r.w > 0 && r.h > 0);

function contentRects(node) {
  const range = new Range();
  range.selectNodeContents(node);
  return boxed(range.getClientRects());
}

// Where an element is: its own boxes (one a line), else those of what it contains.
function boxesOf(element) {
  const own = boxed(clientRects(element));
  if (own.length) return own;
  if (isHtml(element, HTMLAreaElement)) return areaBoxes(element);
  if (isHtml(element, HTMLSlotElement)) return assignedNodes(element, {flatten: true}).flatMap(node => isElement(node) ? boxed(clientRects(node)) : contentRects(node));
  return contentRects(rootIn(element, rootsAround(element)) ?? element);
}

// The first picture that uses the map which an area is part of.
function imageOf(area) {
  let map = up(area);
  while (map && !isHtml(map, HTMLMapElement)) map = up(map);
  const name = map && attribute(map, 'name');
  if (!name) return null;
  for (const image of select(document, 'img[usemap]')) if (attribute(image, 'usemap') === `#${name}`) return image;
  return null;
}

// A part of an image map: the box of its shape on the picture.
function areaBoxes(area) {
  const image = imageOf(area);
  if (!image) return [];
  const at = boundingRect(image);
  const style = getComputedStyle(image);
  const left = at.x + parseFloat(style.borderLeftWidth) + parseFloat(style.paddingLeft);
  const top = at.y + parseFloat(style.borderTopWidth) + parseFloat(style.paddingTop);
  const shape = (attribute(area, 'shape') ?? 'rect').toLowerCase();
  const numbers = (attribute(area, 'coords') ?? '').split(',').map(Number).filter(Number.isFinite);
  if (shape === 'default') return [{x: at.x, y: at.y, w: at.width, h: at.height}];
  if (shape.startsWith('circ')) {
    const [cx, cy, r] = numbers;
    return numbers.length < 3 ? [] : [{x: left + cx - r, y: top + cy - r, w: 2 * r, h: 2 * r}];
  }
  const xs = numbers.filter((_, i) => i % 2 === 0), ys = numbers.filter((_, i) => i % 2 === 1);
  if (xs.length < 2 || ys.length < 2) return [];
  const x = Math.min(...xs), y = Math.min(...ys);
  return [{x: left + x, y: top + y, w: Math.max(...xs) - x, h: Math.max(...ys) - y}];
}

// How an element is spoken of where it has no uid.
function describe(element) {
  const word = text => (text ?? '').replace(/\s+/g, ' ').trim().slice(0, 60);
  const role = word(attribute(element, 'role'));
  const name = word(attribute(element, 'aria-label')) || word(attribute(element, 'alt')) || word(attribute(element, 'title')) || word(textContent(element).slice(0, 2000));
  return {tag: localName(element), role, name};
}
