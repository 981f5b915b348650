// Fields that take text, and selects. What was there before stays in this world; only a short piece of it leaves, and of a
// password only its length.
const TEXT = ['text', 'search', 'url', 'tel', 'email', 'password', 'number'];
const PICKED = ['date', 'time', 'datetime-local', 'month', 'week', 'color', 'range'];
const inputType = getter(HTMLInputElement, 'type');
const inputValue = getter(HTMLInputElement, 'value'), setInputValue = setter(HTMLInputElement, 'value');
const areaValue = getter(HTMLTextAreaElement, 'value');
const isEditable = getter(HTMLElement, 'isContentEditable');
const focus = method(HTMLElement, 'focus');
const dispatch = method(EventTarget, 'dispatchEvent');

function kindOf(element) {
  if (isHtml(element, HTMLInputElement)) {
    const type = inputType(element);
    if (TEXT.includes(type)) return {kind: 'text', type, secret: type === 'password'};
    if (PICKED.includes(type)) return {kind: 'picked', type};
    return {kind: 'none', problem: `an input of type ${type} takes no text; click it`};
  }
  if (isHtml(element, HTMLTextAreaElement)) return {kind: 'text', type: 'textarea'};
  if (isHtml(element, HTMLSelectElement)) return {kind: 'none', problem: 'it is a list of options; use select'};
  if (isHtml(element, HTMLElement) && isEditable(element)) return {kind: 'rich', type: 'editor'};
  return {kind: 'other'};
}

// The one text field inside an element that is none itself (a wrapper with a role), or null.
function innerField(element) {
  const found = [];
  const walk = [element];
  for (let steps = 0; walk.length && steps < 2000 && found.length < 2; steps++) {
    const at = walk.pop();
    const root = shadowRoot(at);
    for (const child of [...childNodes(at), ...(root ? childNodes(root) : [])]) {
      if (!isElement(child)) continue;
      const {kind} = kindOf(child);
      if ((kind === 'text' || kind === 'rich') && !hiddenReason(child)) found.push(child);
      else walk.push(child);
    }
  }
  return found.length === 1 ? found[0] : null;
}

// The text of an editor as its user wrote it: parts that cannot be edited are its own furniture.
function richText(element) {
  let out = '';
  const walk = [element];
  while (walk.length) {
    const at = walk.pop();
    if (nodeType(at) === 3) out += textContent(at);
    else if (isElement(at) && (at === element || attribute(at, 'contenteditable') !== 'false')) walk.push(...[...childNodes(at)].reverse());
  }
  return out;
}

const read = (element, kind) => kind.kind === 'rich' ? richText(element) : isHtml(element, HTMLTextAreaElement) ? areaValue(element) : inputValue(element);
// Editors keep blanks as no-break spaces and lines as blocks, and pad with zero-width marks.
const bare = text => text.replace(/[\s\u00a0\u200b\u200c\u200d\u2060\ufeff]/g, '');
const lines = text => text.replace(/\r\n?/g, '\n');
const piece = text => text.length > 80 ? text.slice(0, 80) + '…' : text;

// Before anything is done: what kind of field it is, and why it cannot take this text.
verbs.field = (element, {text}) => {
  let field = element;
  let kind = kindOf(field);
  if (kind.kind === 'other') {
    field = innerField(element);
    if (!field) return {problem: 'it is no text field'};
    kind = kindOf(field);
  }
  if (kind.problem) return {problem: kind.problem};
  if ((field !== element || kind.kind !== 'rich') && hasAttribute(field, 'readonly') && kind.type !== 'range' && kind.type !== 'color' || attribute(field, 'aria-readonly') === 'true') {
    return {problem: 'it is read-only'};
  }
  if (kind.kind === 'text' && kind.type !== 'textarea' && /[\r\n]/.test(text)) return {problem: 'it is a single line, and the text has a line break'};
  const before = read(field, kind);
  const limit = Number(attribute(field, 'maxlength') ?? '');
  if (kind.kind === 'text' && kind.type !== 'number' && hasAttribute(field, 'maxlength') && limit >= 0 && before.length + lines(text).length > limit) {
    return {problem: `it takes at most ${limit} characters, and would have ${before.length + lines(text).length}`};
  }
  if (kind.kind === 'picked') {
    // A copy says what the field would make of the text, before the field itself is touched.
    const copy = create(document, 'input');
    copy.setAttribute('type', kind.type);
    for (const name of ['min', 'max', 'step']) if (hasAttribute(field, name)) copy.setAttribute(name, attribute(field, name));
    setInputValue(copy, text);
    const value = inputValue(copy);
    if (kind.type === 'color' ? value !== text.toLowerCase() : value !== text && !(kind.type === 'range' && Number(value) === Number(text) && text.trim() !== '')) {
      const form = {date: '2026-03-14', time: '14:05', 'datetime-local': '2026-03-14T14:05', month: '2026-03', week: '2026-W11', color: '#00ff00', range: `a number, ${attribute(field, 'min') ?? 0} to ${attribute(field, 'max') ?? 100} in its steps`}[kind.type];
      return {problem: `an input of type ${kind.type} does not take that text; give ${kind.type === 'range' ? form : `it like ${form}`}`};
    }
    if (!getter(HTMLInputElement, 'validity')(copy).valid) return {problem: `the text is outside what the field allows (min ${attribute(field, 'min') ?? 'none'}, max ${attribute(field, 'max') ?? 'none'}, step ${attribute(field, 'step') ?? 'its own'})`};
    state.wanted = value;
  }
  state.field = field;
  state.kind = kind;
  state.before = before;
  return {kind: kind.kind, secret: kind.secret === true};
};

// The field itself, for the caller to aim at.
verbs.fieldElement = () => state.field;

// The focus in the field, the caret at its end.
verbs.caret = () => {
  const field = state.field;
  const known = rootsAround(field);
  const holds = () => {
    const active = focusedElement(known);
    return active !== null && (active === field || state.kind.kind === 'rich' && (inside(active, field) && isEditable(active) || inside(field, active)));
  };
  if (!isConnected(field)) return {gone: true};
  state.before = read(field, state.kind);
  if (!holds()) focus(field, {preventScroll: true});
  if (!holds()) {
    const active = focusedElement(known);
    return {focus: active ? describe(active) : {tag: 'nothing', role: '', name: ''}};
  }
  const end = state.kind.kind === 'text' && read(field, state.kind).length;
  if (state.kind.kind === 'rich') {
    const root = rootOf(field);
    const selection = isShadow(root) && root.getSelection ? root.getSelection() : getSelection();
    selection.selectAllChildren(field);
    selection.collapseToEnd();
  } else if (isHtml(field, HTMLTextAreaElement)) {
    method(HTMLTextAreaElement, 'setSelectionRange')(field, end, end);
  } else if (['number', 'email'].includes(state.kind.type)) {
    // These two have no selection of their own to set; the page's selection moves inside them.
    getSelection().modify('move', 'forward', 'documentboundary');
  } else {
    method(HTMLInputElement, 'setSelectionRange')(field, end, end);
  }
  return {};
};

function changed(element) {
  dispatch(element, new Event('input', {bubbles: true, composed: true}));
  dispatch(element, new Event('change', {bubbles: true}));
}

// A date, a colour, a slider: set in one go, as its picker does.
verbs.pick = () => {
  focus(state.field, {preventScroll: true});
  if (inputValue(state.field) === state.wanted) return {};
  setInputValue(state.field, state.wanted);
  changed(state.field);
  return {};
};

// Whether the field holds now what was there with the text behind it.
verbs.typed = (_, {text}) => {
  const {field, kind, before} = state;
  if (!isConnected(field)) return {gone: true};
  const now = read(field, kind);
  const wanted = kind.kind === 'picked' ? state.wanted : before + lines(text);
  const took = kind.kind === 'rich' ? bare(now) === bare(wanted) : now === wanted;
  const found = {took, length: now.length, expected: wanted.length};
  return kind.secret ? found : {...found, now: piece(now), wanted: piece(wanted)};
};

const optionText = getter(HTMLOptionElement, 'text'), optionValue = getter(HTMLOptionElement, 'value'), optionLabel = getter(HTMLOptionElement, 'label');
const optionSelected = getter(HTMLOptionElement, 'selected'), setSelected = setter(HTMLOptionElement, 'selected');
const optionsOf = element => [...getter(HTMLSelectElement, 'options')(element)];
const shown = option => ({value: piece(optionValue(option)), label: piece(optionText(option) || optionLabel(option))});
const LISTED = 20;

// Chooses the option whose value, label or trimmed text is `wanted`.
verbs.choose = (element, {wanted}) => {
  if (!isHtml(element, HTMLSelectElement)) {
    if (isHtml(element, HTMLOptionElement)) return {problem: 'it is an option; select it on the list that it belongs to'};
    return {problem: 'it is no list that select can set; click it, and then what it opens'};
  }
  const options = optionsOf(element);
  const key = wanted.trim();
  const found = options.filter(option => optionValue(option) === wanted || optionLabel(option).trim() === key || optionText(option).trim() === key);
  const list = from => ({options: from.slice(0, LISTED).map(shown), more: Math.max(from.length - LISTED, 0)});
  if (!found.length) return {problem: 'no such option', ...list(options)};
  if (found.length > 1) return {problem: 'several options fit', ...list(found)};
  const [option] = found;
  if (matches(option, ':disabled')) return {problem: 'that option is disabled'};
  if (getComputedStyle(option).display === 'none') return {problem: 'that option is hidden'};
  const many = getter(HTMLSelectElement, 'multiple')(element);
  const dropped = many ? options.filter(other => other !== option && optionSelected(other)).map(shown) : [];
  state.option = option;
  state.select = element;
  focus(element, {preventScroll: true});
  for (const other of many ? options : []) if (other !== option && optionSelected(other)) setSelected(other, false);
  setSelected(option, true);
  changed(element);
  return {chosen: shown(option), dropped: dropped.slice(0, LISTED)};
};

verbs.chosen = () => {
  if (!isConnected(state.select) || !isConnected(state.option)) return {gone: true};
  const now = optionsOf(state.select).filter(optionSelected);
  return {took: now.length === 1 && now[0] === state.option, now: now.slice(0, LISTED).map(shown)};
};
