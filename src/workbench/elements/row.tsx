import type { EntryDescription, Tone } from '../reading/describe-entry.js';
import { nameOf, type Person } from '../reading/people.js';
import { passageBetween, timeOfDay } from '../reading/times.js';
import type { EntryJson } from '../surface/entry.js';
import { Foreign, Initial } from './foreign.js';
import { KindIcon } from './icon.js';

interface RowProperties extends EntryDescription {
  /** Whose it is. */
  readonly who?: Person | undefined;
  /** The newest step of what the title says. It stays in view, however long the title is. */
  readonly newest?: string | undefined;
  /** The request that began it. */
  readonly request?: string | undefined;
  readonly href: string;
  readonly isOpen: boolean;
  readonly at: number;
  /** The time of the row above. Undefined for the first row. */
  readonly above: number | undefined;
  readonly type: EntryJson['type'];
  /** Text of the page itself, before the detail. */
  readonly note?: string | false;
}

/** The most characters of one line, which is more than the widest screen shows. */
const mostInRow = 400;

/** An entry or a delivery in two short lines. It leads to what it describes. */
export function Row({ who, href, isOpen, at, above, type, note, ...description }: RowProperties) {
  const { title, newest, detail, request, outcome, tone } = description;
  const passage = above === undefined ? undefined : passageBetween(above, at);
  return (
    <a class="entry" href={href} aria-current={isOpen ? 'true' : undefined}>
      {passage !== undefined && <span class="passage">{passage}</span>}
      <time dateTime={new Date(at).toISOString()}>{timeOfDay(at)}</time>
      <KindIcon type={type} />
      <b class="title">
        <Who of={who} />
        <Foreign text={title} most={mostInRow} />
        {newest !== undefined && (
          <span class="foreign newest">
            → <Foreign text={newest} most={mostInRow} />
          </span>
        )}
      </b>
      <span class="about">
        {note}
        <Foreign text={detail} most={mostInRow} />
        {request !== undefined && (
          <span class="foreign request">
            <Foreign text={request} most={mostInRow} />
          </span>
        )}
      </span>
      {outcome !== '' && <Tag tone={tone} text={outcome} />}
    </a>
  );
}

/** Whose something is: the initial and the name, or else the phone. Nothing for nobody. */
export function Who({ of: person }: { readonly of: Person | undefined }) {
  if (person === undefined) return null;
  return (
    <span class="of">
      <Initial {...person} />
      <span class="name">
        <Foreign text={nameOf(person)} most={60} />:
      </span>
    </span>
  );
}

/** An outcome in a word or two. */
export function Tag({ tone, text }: { readonly tone: Tone; readonly text: string }) {
  return <span class={`tag ${tone}`}>{text}</span>;
}
