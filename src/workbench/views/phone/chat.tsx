import { useComputed, useSignal } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { useMemo } from 'preact/hooks';
import { Foreign } from '../../elements/foreign.js';
import { hrefOf } from '../../live/route.js';
import { describeStatus } from '../../reading/attempts.js';
import { conversationOf, type DeliveredTurn, type Turn } from '../../reading/conversation.js';
import { hostAndPath } from '../../reading/describe-entry.js';
import type { Contact } from '../../reading/people.js';
import { dateAndTime, dayOf, passageBetween, timeOfDay } from '../../reading/times.js';
import { control } from '../../surface/operations.js';
import { useBench } from '../bench.js';
import { Composer } from './composer.js';

/** How much of a conversation shows at first, and how much more each time. */
const pageOfTurns = 80;

/** The conversation with a contact, and what to write in it. */
export function Chat({ contact }: { readonly contact: Contact }) {
  const { live } = useBench();
  const { id } = contact;
  const shown = useSignal(pageOfTurns);
  const earlier = useMemo(
    () =>
      live.before(async () => {
        const query = { contact: id };
        const [sends, deliveries] = await Promise.all([
          live.surface.control(control.sends.find, { query }),
          live.surface.control(control.deliveries.find, { query }),
        ]);
        return { sends: sends.data, deliveries: deliveries.data };
      }),
    [live, id],
  );
  const turns = useComputed(() => {
    void live.journal.revision.value;
    const { value: before } = earlier;
    return conversationOf(id, {
      entries: live.journal.entries,
      pending: live.pending.value ?? [],
      ...(before && { earlier: before }),
    });
  });
  const all = turns.value;
  return (
    <>
      <div class="chat" tabIndex={0} role="group" aria-label="Chat">
        <ol class="bare" aria-label="Conversation" aria-live="polite">
          {all.length > shown.value && (
            <li class="note">
              <button
                type="button"
                onClick={() => {
                  shown.value += pageOfTurns;
                }}
              >
                Show earlier messages
              </button>
            </li>
          )}
          {all.length === 0 && <li class="note">Nothing yet. Write as the contact, or send a template.</li>}
          {all.slice(-shown.value).map((turn, index, turns) => (
            <Fragment key={turn.key}>
              <Passage turn={turn} before={turns[index - 1]} />
              <li class={turn.kind}>
                <TurnContent turn={turn} />
              </li>
            </Fragment>
          ))}
        </ol>
      </div>
      <Composer contact={contact} />
    </>
  );
}

/** The day above the first turn, and the time that passed before a later one. */
function Passage({ turn, before }: { readonly turn: Turn; readonly before: Turn | undefined }) {
  const { live } = useBench();
  const text =
    before === undefined ? dayOf(turn.at, live.now.value ?? turn.at) : passageBetween(before.at, turn.at);
  return text === undefined ? null : <li class="passage">{text}</li>;
}

function TurnContent({ turn }: { readonly turn: Turn }) {
  const time = (
    <time dateTime={new Date(turn.at).toISOString()} title={dateAndTime(turn.at)}>
      {timeOfDay(turn.at).slice(0, 5)}
    </time>
  );
  switch (turn.kind) {
    case 'note':
      return (
        <EntryLink entry={turn.entry}>
          <span class={turn.tone}>
            <Foreign text={turn.text} />
          </span>
        </EntryLink>
      );
    case 'sent': {
      const { text, templateId, journeyRunId, status, toOptedOut } = turn.send;
      return (
        <>
          <p>
            <Foreign text={text} />
          </p>
          <small>
            <EntryLink entry={turn.entry}>
              <Foreign text={templateId} most={200} />
              {journeyRunId !== undefined && ', by a journey'}
              {toOptedOut && <b class="bad">, although opted out</b>}
              {status === 'pending' && ', on its way'}
            </EntryLink>{' '}
            · {time}
          </small>
        </>
      );
    }
    case 'wrote':
      return (
        <>
          <p>
            <Foreign text={turn.text} />
          </p>
          <small>
            <DeliveryStates turn={turn} /> · {time}
          </small>
        </>
      );
  }
}

/** What became of the deliveries of a message. */
function DeliveryStates({ turn }: { readonly turn: Extract<Turn, { readonly kind: 'wrote' }> }) {
  const { live } = useBench();
  if (turn.deliveries.length > 0) {
    return (
      <>
        {turn.deliveries.map((each, index) => (
          <span key={each.delivery.id}>
            {index > 0 && ', '}
            <DeliveryState turn={each} fallback={turn.entry} />
          </span>
        ))}
      </>
    );
  }
  const subscriptions = live.subscriptions.value;
  const isAwaited = subscriptions?.some(
    ({ enabled, events, createdAt }) =>
      enabled && createdAt <= turn.at && events.includes('message.received'),
  );
  return (
    <EntryLink entry={turn.entry}>
      {subscriptions === undefined || isAwaited ? 'delivering …' : 'nobody is subscribed'}
    </EntryLink>
  );
}

function DeliveryState({
  turn,
  fallback,
}: {
  readonly turn: DeliveredTurn;
  readonly fallback: number | undefined;
}) {
  const { live } = useBench();
  const { delivery, entry = fallback } = turn;
  // Only what counts down reads the time.
  const now = delivery.status === 'pending' ? (live.now.value ?? 0) : 0;
  const { text, tone } = describeStatus(delivery, now);
  return (
    <EntryLink entry={entry} title={`to ${hostAndPath(delivery.url)}`}>
      <span class={tone}>{text}</span>
    </EntryLink>
  );
}

interface EntryLinkProperties {
  readonly entry: number | undefined;
  readonly title?: string;
  readonly children: ComponentChildren;
}

/** Leads to an entry of the timeline, where the journal has it. */
function EntryLink({ entry, title, children }: EntryLinkProperties) {
  const { live } = useBench();
  if (entry === undefined) return <>{children}</>;
  return (
    <a href={hrefOf('timeline', { entry: live.journal.linkTo(entry) })} title={title}>
      {children}
    </a>
  );
}
