import type { ComponentChildren } from 'preact';
import type { Tone } from '../reading/describe-entry.js';
import { passageBetween, timeOfDay } from '../reading/times.js';
import type { Entry } from '../surface/entry.js';
import { KindIcon } from './icon.js';

interface RowProperties {
  readonly href: string;
  readonly isOpen: boolean;
  readonly at: number;
  /** The time of the row above. Undefined for the first row. */
  readonly above: number | undefined;
  readonly type: Entry['type'];
  readonly title: string;
  readonly detail: ComponentChildren;
  readonly outcome: string;
  readonly tone: Tone;
}

/** An entry or a delivery in two short lines. It leads to what it describes. */
export function Row({ href, isOpen, at, above, type, title, detail, outcome, tone }: RowProperties) {
  const passage = above === undefined ? undefined : passageBetween(above, at);
  return (
    <a class="entry" href={href} aria-current={isOpen ? 'true' : undefined}>
      {passage !== undefined && <span class="passage">{passage}</span>}
      <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>
      <KindIcon type={type} />
      <span class="words">
        <b>{title}</b>
        <span>{detail}</span>
      </span>
      <Tag tone={tone} text={outcome} />
    </a>
  );
}

/** An outcome in a word or two. */
export function Tag({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={`tag ${tone}`}>{text}</span>;
}
