import { useSignal } from '@preact/signals';
import type { ComponentChildren } from 'preact';
import { useLayoutEffect, useRef } from 'preact/hooks';
import './virtual-list.css';

interface VirtualListProperties<Item> {
  /** Oldest first. The list shows the newest first. */
  readonly items: readonly Item[];
  readonly label: string;
  /** The height of a row in pixels, as the style sheet has it. */
  readonly rowHeight: number;
  readonly keyOf: (item: Item) => string | number;
  /** Renders an item below the one above it, if there is one. */
  readonly render: (item: Item, above: Item | undefined) => ComponentChildren;
  /** What to say of the topmost visible item, above the list. */
  readonly headingOf: (item: Item) => string;
  /** Whether an item is the selected one. */
  readonly isSelected: (item: Item) => boolean;
  readonly onSelect: (item: Item) => void;
}

/** Rows above and below what is visible. */
const spare = 8;

/**
 * A list that only renders its visible rows. New rows appear at the top. If the user has scrolled down, the visible rows stay
 * in place.
 */
export function VirtualList<Item>(properties: VirtualListProperties<Item>) {
  const { items, label, rowHeight, keyOf, render, headingOf, isSelected, onSelect } = properties;
  const box = useRef<HTMLDivElement>(null);
  const top = useSignal(0);
  const height = useSignal(600);
  const before = useRef<Item | undefined>(undefined);
  // The selection follows the keys with a delay. Until then, the next key continues from here.
  const aim = useRef<Item | undefined>(undefined);
  const selected = items.findLastIndex(isSelected);
  // The row that gets the focus: the selected one after a key, and the one that was selected when it is closed.
  const last = useRef<Item | undefined>(undefined);
  const focusRow = (item: Item | undefined) => {
    const position = item === undefined ? 0 : items.length - items.lastIndexOf(item);
    box.current
      ?.querySelector<HTMLElement>(`[aria-posinset="${position}"] a`)
      ?.focus({ preventScroll: true });
  };
  useLayoutEffect(() => {
    const isClosed = selected < 0 && document.activeElement === document.body;
    if (isClosed || (aim.current !== undefined && aim.current === items[selected])) {
      focusRow(isClosed ? last.current : aim.current);
      aim.current = undefined;
    }
    if (selected >= 0) last.current = items[selected];
  }, [items[selected]]);

  useLayoutEffect(() => {
    const element = box.current;
    if (element === null) return;
    const observer = new ResizeObserver(() => {
      height.value = element.clientHeight;
    });
    observer.observe(element);
    return () => observer.disconnect();
  }, []);

  // New rows push the others down, so the scroll position moves with them.
  const newest = items.at(-1);
  useLayoutEffect(() => {
    const element = box.current;
    const known = before.current === undefined ? -1 : items.lastIndexOf(before.current);
    before.current = newest;
    if (element === null || known < 0 || element.scrollTop < rowHeight) return;
    element.scrollTop += (items.length - 1 - known) * rowHeight;
  }, [newest]);

  const first = Math.max(0, Math.floor(top.value / rowHeight) - spare);
  const count = Math.ceil(height.value / rowHeight) + 2 * spare;
  const rows = newestFirst(items, first, count);
  const topmost = items[items.length - 1 - Math.floor(top.value / rowHeight)];

  const move = (event: KeyboardEvent) => {
    const step = { ArrowDown: 1, j: 1, ArrowUp: -1, k: -1 }[event.key];
    if (step === undefined || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    const from = aim.current ?? items[selected] ?? last.current;
    const place = from === undefined ? -1 : items.lastIndexOf(from);
    const next = place < 0 ? newest : items[place - step];
    const element = box.current;
    if (next === undefined || element === null) return;
    aim.current = next;
    onSelect(next);
    const start = (items.length - 1 - items.lastIndexOf(next)) * rowHeight;
    const above = element.querySelector('.heading')?.clientHeight ?? 0;
    if (start < element.scrollTop) element.scrollTop = start;
    const end = start + rowHeight + above - element.clientHeight;
    if (end > element.scrollTop) element.scrollTop = end;
  };

  return (
    <div
      class="virtual-list"
      ref={box}
      tabIndex={-1}
      aria-keyshortcuts="j k"
      onScroll={(event) => {
        top.value = event.currentTarget.scrollTop;
      }}
      onKeyDown={move}
    >
      {top.value > 4 * rowHeight && (
        <button type="button" class="to-newest primary" onClick={() => box.current?.scrollTo({ top: 0 })}>
          Jump to newest
        </button>
      )}
      {topmost !== undefined && <p class="heading">{headingOf(topmost)}</p>}
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

function newestFirst<Item>(items: readonly Item[], first: number, count: number): readonly Item[] {
  const end = items.length - first;
  return items.slice(Math.max(0, end - count), Math.max(0, end)).reverse();
}
