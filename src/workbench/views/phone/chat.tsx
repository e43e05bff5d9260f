import { useComputed } from '@preact/signals';
import { type ComponentChildren, Fragment } from 'preact';
import { useMemo, useState } from 'preact/hooks';
import { Action, attempt } from '../../elements/action.js';
import { Foreign } from '../../elements/foreign.js';
import { hrefOf } from '../../live/route.js';
import { conversationOf, type Turn } from '../../reading/conversation.js';
import { chainsOf } from '../../reading/deliveries.js';
import { describeStatus } from '../../reading/describe-delivery.js';
import { hostAndPath } from '../../reading/describe-entry.js';
import { firstNameIn, type PhoneContact } from '../../reading/people.js';
import { dateAndTime, timeOfDay } from '../../reading/times.js';
import type { DeliverySnapshot } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { Passage } from '../passage.js';
import { useLive } from '../use-live.js';

/** How much of a conversation shows at first, and how much more each time. */
const pageOfTurns = 80;

/** The conversation with a contact, and what to write in it. */
export function Chat({ contact }: { readonly contact: PhoneContact }) {
  const live = useLive();
  const { id } = contact;
  const [shown, setShown] = useState(pageOfTurns);
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
  const { value: all } = useComputed(() => {
    const { sends = [], deliveries = [] } = earlier.value ?? {};
    const { journal, pending } = live;
    return conversationOf(id, {
      entries: journal.entries,
      sends,
      deliveries: [...deliveries, ...(pending.value ?? []), ...journal.deliveries.value.values()],
    });
  });
  return (
    <>
      <div class="chat" tabIndex={0} role="group" aria-label="Chat">
        <ol class="bare" aria-label="Conversation" aria-live="polite">
          {all.length > shown && (
            <li class="note">
              <button type="button" onClick={() => setShown(shown + pageOfTurns)}>
                Show earlier messages
              </button>
            </li>
          )}
          {all.length === 0 && <li class="note">Nothing yet. Write as the contact, or send a template.</li>}
          {all.slice(-shown).map((turn, index, turns) => (
            <Fragment key={turn.key}>
              <Passage at={turn.at} before={turns[index - 1]?.at} />
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

function TurnContent({ turn }: { readonly turn: Turn }) {
  const text = <Foreign text={turn.text} />;
  if (turn.kind === 'note')
    return (
      <EntryLink entry={turn.entry}>
        <span class={turn.tone}>{text}</span>
      </EntryLink>
    );
  return (
    <>
      <p>{text}</p>
      <small>
        {turn.kind === 'sent' ? <SendState turn={turn} /> : <DeliveryStates turn={turn} />} ·{' '}
        <time dateTime={new Date(turn.at).toISOString()} title={dateAndTime(turn.at)}>
          {timeOfDay(turn.at).slice(0, 5)}
        </time>
      </small>
    </>
  );
}

/** From which template a message is, and what is special about it. */
function SendState({ turn: { entry, send } }: { readonly turn: Extract<Turn, { readonly kind: 'sent' }> }) {
  return (
    <EntryLink entry={entry}>
      <Foreign text={send.templateId} most={200} />
      {send.journeyRunId !== undefined && ', by a journey'}
      {send.toOptedOut && <b class="bad">, although opted out</b>}
      {send.status === 'pending' && ', on its way'}
    </EntryLink>
  );
}

/** What became of the deliveries of a message. What was sent again counts as it was the last time. */
function DeliveryStates({ turn }: { readonly turn: Extract<Turn, { readonly kind: 'wrote' }> }) {
  const live = useLive();
  const ends = chainsOf(turn.deliveries.map(live.asItIs)).flatMap((chain) => chain.slice(-1));
  const of = (wanted: DeliverySnapshot['status']) => ends.filter(({ status }) => status === wanted);
  const worst = of('failed')[0] ?? of('pending')[0] ?? of('cancelled')[0] ?? ends[0];
  if (worst !== undefined) {
    // Only what counts down reads the time.
    const now = worst.status === 'pending' ? (live.now.value ?? 0) : 0;
    const { text, tone } = describeStatus(worst, now);
    return (
      <a href={hrefOf('deliveries', { delivery: worst.id })} title={`to ${hostAndPath(worst.url)}`}>
        <span class={tone}>
          {ends.length === 1 ? text : `${of('delivered').length} of ${ends.length} delivered`}
        </span>
      </a>
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

interface EntryLinkProperties {
  readonly entry: number | undefined;
  readonly children: ComponentChildren;
}

/** Leads to an entry of the timeline, where the journal has it. */
function EntryLink({ entry, children }: EntryLinkProperties) {
  const { journal } = useLive();
  if (entry === undefined) return <>{children}</>;
  return <a href={hrefOf('timeline', { entry: journal.linkTo(entry) })}>{children}</a>;
}

/** Writes as the contact. */
function Composer({ contact: { phone, properties } }: { readonly contact: PhoneContact }) {
  const { surface } = useLive();
  const [text, setText] = useState('');
  const write = (body: string) => surface.control(control.simulate.inboundMessage, { body: { phone, body } });
  const send = async (event: Event) => {
    event.preventDefault();
    if (text === '') return;
    setText('');
    if (!(await attempt(() => write(text)))) setText(text);
  };
  const label = `Write as ${firstNameIn(properties) ?? phone}`;
  return (
    <div class="say">
      <form onSubmit={send}>
        <textarea
          rows={1}
          value={text}
          aria-label={label}
          aria-keyshortcuts="c"
          placeholder={label}
          title="Enter sends. Shift+Enter begins a line."
          onInput={(event) => setText(event.currentTarget.value)}
          onKeyDown={(event) => {
            if (event.key === 'Enter' && !event.shiftKey && !event.isComposing) void send(event);
          }}
        />
        <button type="submit" class="primary">
          Send
        </button>
      </form>
      <div class="acts">
        <Action aria-label="Write START: opt in" onRun={() => write('START')}>
          START
        </Action>
        <Action aria-label="Write STOP: opt out" onRun={() => write('STOP')}>
          STOP
        </Action>
      </div>
    </div>
  );
}
