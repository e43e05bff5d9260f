import type { ComponentChildren } from 'preact';
import type { EntryDescription, Tone } from '../reading/describe-entry.js';
import { passageBetween, timeOfDay } from '../reading/times.js';
import type { Entry } from '../surface/entry.js';
import { Foreign } from './foreign.js';
import { KindIcon } from './icon.js';

interface RowProperties extends EntryDescription {
  readonly href: string;
  readonly isOpen: boolean;
  readonly at: number;
  /** The time of the row above. Undefined for the first row. */
  readonly above: number | undefined;
  readonly type: Entry['type'];
  /** Text of the page itself, before the detail. */
  readonly note?: ComponentChildren;
  /** Whether it belongs to the row above. */
  readonly isPart?: boolean;
}

/** The most characters of one line, which is more than the widest screen shows. */
const mostInRow = 400;

/** An entry or a delivery in two short lines. It leads to what it describes. */
export function Row({ href, isOpen, at, above, type, note, isPart, ...description }: RowProperties) {
  const { title, detail, outcome, tone } = description;
  const passage = above === undefined ? undefined : passageBetween(above, at);
  return (
    <a class={isPart ? 'entry part' : 'entry'} href={href} aria-current={isOpen ? 'true' : undefined}>
      {passage !== undefined && <span class="passage">{passage}</span>}
      <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>
      <KindIcon type={type} />
      <span class="words">
        <b>
          <Foreign text={title} most={mostInRow} />
        </b>
        <span>
          {note}
          <Foreign text={detail} most={mostInRow} />
        </span>
      </span>
      <Tag tone={tone} text={outcome} />
    </a>
  );
}

/** An outcome in a word or two. */
export function Tag({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={`tag ${tone}`}>{text}</span>;
}
