// Creates elements. Text stays text: nothing from a session is parsed as HTML.

type Child = Node | string | null | readonly Child[];
type Attributes = Readonly<Record<string, string | number | boolean | null | ((event: Event) => void)>>;

const SVG = 'http://www.w3.org/2000/svg';

/** `make('a', { href, class: 'path' }, 'text')`. A function becomes a listener; null and false omit an attribute. */
export function make(name: string, attributes: Attributes = {}, ...children: readonly Child[]): HTMLElement {
  return fill(document.createElement(name), attributes, children);
}

export function draw(name: string, attributes: Attributes = {}, ...children: readonly Child[]): SVGElement {
  return fill(document.createElementNS(SVG, name), attributes, children);
}

function fill<Made extends Element>(element: Made, attributes: Attributes, children: readonly Child[]): Made {
  for (const [name, value] of Object.entries(attributes)) {
    if (typeof value === 'function') element.addEventListener(name, value);
    else if (value !== null && value !== false) element.setAttribute(name, value === true ? '' : String(value));
  }
  add(element, children);
  return element;
}

function add(element: Element, children: readonly Child[]): void {
  for (const child of children) {
    if (child === null) continue;
    if (typeof child === 'string' || child instanceof Node) element.append(child);
    else add(element, child);
  }
}

/** A details element that keeps its state by its key when the page is redrawn. */
export function foldable(key: string, head: readonly Child[], body: readonly Child[], attributes: Attributes = {}): HTMLElement {
  return make('details', { ...attributes, 'data-key': key }, make('summary', { 'data-focus': key }, ...head), ...body);
}

/** Replaces the elements and keeps folds, scroll positions, input and focus. */
export function show(place: HTMLElement, elements: readonly Node[]): void {
  const folds = new Map(foldsIn(place).map((fold) => [fold.dataset['key'], fold.open]));
  const scrolls = new Map(all(place, '[data-scroll]').map((one) => [one.dataset['scroll'], placeIn(one)]));
  const focused = document.activeElement?.closest<HTMLElement>('[data-focus]');
  const key = focused?.dataset['focus'];
  const caret = focused instanceof HTMLInputElement ? focused.selectionStart : null;
  place.replaceChildren(...elements);
  for (const fold of foldsIn(place)) fold.open = folds.get(fold.dataset['key']) ?? fold.open;
  for (const one of all(place, '[data-scroll]')) putBack(one, scrolls.get(one.dataset['scroll']));
  const again = key === undefined ? undefined : all(place, '[data-focus]').find(({ dataset }) => dataset['focus'] === key);
  again?.focus({ preventScroll: true });
  if (again instanceof HTMLInputElement && caret !== null) again.setSelectionRange(caret, caret);
}

function all(place: HTMLElement, selector: string): readonly HTMLElement[] {
  return [...place.querySelectorAll<HTMLElement>(selector)];
}

function foldsIn(place: HTMLElement): readonly HTMLDetailsElement[] {
  return [...place.querySelectorAll<HTMLDetailsElement>('details[data-key]')];
}

interface Scrolled {
  readonly left: number;
  readonly top: number;
  /** A reader at the end keeps following new lines. */
  readonly isAtEnd: boolean;
}

function placeIn({ scrollLeft, scrollTop, scrollHeight, clientHeight }: HTMLElement): Scrolled {
  return { left: scrollLeft, top: scrollTop, isAtEnd: scrollTop + clientHeight >= scrollHeight - 8 };
}

function putBack(element: HTMLElement, scrolled: Scrolled | undefined): void {
  const isFollowed = element.hasAttribute('data-follow') && (scrolled?.isAtEnd ?? true);
  element.scrollLeft = scrolled?.left ?? 0;
  element.scrollTop = isFollowed ? element.scrollHeight : (scrolled?.top ?? 0);
}

/** A command with a copy button. */
export function commandLine(command: string): HTMLElement {
  const button = make('button', { type: 'button', class: 'copy', 'data-focus': `copy ${command}` }, 'Copy');
  button.addEventListener('click', () => {
    const showBriefly = (words: string): void => {
      button.textContent = words;
      setTimeout(() => (button.textContent = 'Copy'), 1500);
    };
    navigator.clipboard.writeText(command).then(
      () => showBriefly('Copied'),
      () => showBriefly('Select and copy it'),
    );
  });
  return make('div', { class: 'command' }, make('code', {}, command), button);
}
