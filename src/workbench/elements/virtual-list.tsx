import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef, useState } from 'preact/hooks';
import './virtual-list.css';

interface VirtualListProperties<Item> {
  /** Oldest first. The list shows the newest first. */
  readonly items: readonly Item[];
  readonly label: string;
  readonly keyOf: (item: Item) => string | number;
  /** Renders an item below the one above it, if there is one. */
  readonly render: (item: Item, above: Item | undefined) => ComponentChildren;
  /** What to say of the topmost visible item, above the list. */
  readonly headingOf: (item: Item) => string;
  /** Whether an item is the selected one. */
  readonly isSelected: (item: Item) => boolean;
  readonly onSelect: (item: Item) => void;
}

/** The height of a row in pixels, as timeline.css has it. */
const rowHeight = 50;

/** Rows above and below what is visible. */
const spare = 8;

/**
 * A list that only renders its visible rows. New rows appear at the top. If the user has scrolled down, the visible rows stay
 * in place.
 */
export function VirtualList<Item>(properties: VirtualListProperties<Item>) {
  const { items, label, keyOf, render, headingOf, isSelected, onSelect } = properties;
  const box = useRef<HTMLDivElement>(null);
  const [top, setTop] = useState(0);
  const [height, setHeight] = useState(600);
  /** The visible items, and the place of the topmost from the top. */
  const anchor = useRef<{ readonly visible: readonly Item[]; readonly place: number }>(undefined);
  // The selection follows the keys with a delay. Until then, the next key continues from here.
  const aim = useRef<Item | undefined>(undefined);
  const selected = items.findLastIndex(isSelected);
  const last = useRef<Item | undefined>(undefined);
  const placeOf = (item: Item) => items.length - 1 - items.lastIndexOf(item);
  /** Focuses the row of an item, if it is rendered. */
  const focusRow = (item: Item) => {
    const row = box.current?.querySelector<HTMLElement>(`[aria-posinset="${placeOf(item) + 1}"] a`);
    row?.focus({ preventScroll: true });
    return row != null;
  };

  // Rows that come above push the others: the scroll position moves with them. A visible row may go to the top: most stay.
  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const { visible, place } = anchor.current ?? { visible: [], place: 0 };
    if (element.scrollTop >= rowHeight) {
      const pushed = visible.flatMap((item, index) =>
        items.includes(item) ? placeOf(item) - place - index : [],
      );
      const [median = 0] = pushed.sort((one, other) => one - other).slice(pushed.length / 2);
      element.scrollTop += median * rowHeight;
    }
    const now = Math.floor(element.scrollTop / rowHeight);
    const end = Math.max(0, items.length - now);
    const next = items.slice(Math.max(0, end - Math.ceil(element.clientHeight / rowHeight)), end).reverse();
    anchor.current = { visible: next, place: now };
  });

  // The selected row comes into view.
  useLayoutEffect(() => {
    const element = box.current;
    const item = items[selected];
    if (element !== null && item !== undefined) {
      const start = placeOf(item) * rowHeight;
      const above = element.querySelector('.heading')?.clientHeight ?? 0;
      if (start < element.scrollTop) element.scrollTop = start;
      const end = start + rowHeight + above - element.clientHeight;
      if (end > element.scrollTop) element.scrollTop = end;
      setTop(element.scrollTop);
    } else if (last.current !== undefined && document.activeElement === document.body) {
      focusRow(last.current);
    }
    last.current = item ?? last.current;
  }, [items[selected]]);

  // A key moves the focus, too, once the row is rendered.
  useLayoutEffect(() => {
    const { current } = aim;
    if (current !== undefined && current === items[selected] && focusRow(current)) aim.current = undefined;
  });

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => setHeight(element.clientHeight));
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  const topmost = Math.floor(top / rowHeight);
  const first = Math.max(0, topmost - spare);
  const count = Math.ceil(height / rowHeight) + 2 * spare;
  const end = Math.max(0, items.length - first);
  const rows = items.slice(Math.max(0, end - count), end).reverse();
  const headed = items[items.length - 1 - topmost];

  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = aim.current ?? items[selected] ?? last.current;
    const next = from === undefined ? items.at(-1) : items[items.lastIndexOf(from) - step];
    if (next === undefined) return;
    aim.current = next;
    onSelect(next);
  };

  return (
    <div
      class="virtual-list"
      ref={box}
      tabIndex={-1}
      aria-keyshortcuts="j k"
      onScroll={(event) => setTop(event.currentTarget.scrollTop)}
      onKeyDown={move}
    >
      {top > 4 * rowHeight && (
        <button type="button" class="to-newest primary" onClick={() => box.current?.scrollTo({ top: 0 })}>
          Jump to newest
        </button>
      )}
      {headed !== undefined && <p class="heading">{headingOf(headed)}</p>}
      <ol aria-label={label} style={{ height: `${items.length * rowHeight}px` }}>
        {rows.map((item, index) => (
          <li
            key={keyOf(item)}
            aria-setsize={items.length}
            aria-posinset={first + index + 1}
            class={isSelected(item) ? 'selected' : ''}
            style={{ height: `${rowHeight}px`, transform: `translateY(${(first + index) * rowHeight}px)` }}
          >
            {render(item, items[items.length - first - index])}
          </li>
        ))}
      </ol>
    </div>
  );
}
