import type { ComponentChildren } from 'preact';
import { Action } from '../../elements/action.js';
import { hrefOf } from '../../live/route.js';
import type { EntryJson } from '../../surface/entry.js';
import { control, operations } from '../../surface/operations.js';
import { ConnectApplication, ConnectReceiver, ForwardDeliveries } from '../deliveries/connect.js';
import { RemedyAction, useExplanation } from '../deliveries/explanation.js';
import { useLive } from '../use-live.js';

const phone = '+15551234567';

/** The first steps that have happened, and the latest delivery to the built-in receiver that failed. */
function firstStepsIn(
  entries: readonly EntryJson[],
  subscriptions: readonly { readonly id: string; readonly url: string }[],
  receiver: string | undefined,
) {
  const own = new Set(subscriptions.filter(({ url }) => url === receiver).map(({ id }) => id));
  const attempts = entries.filter((entry) => entry.type === 'attempt');
  const received = attempts.filter(({ delivery }) => own.has(delivery.subscriptionId));
  const failed = received.findLast(({ attempt }) => attempt.error !== undefined);
  const done = {
    connect: own.size > 0,
    write: entries.some(({ type }) => type === 'message'),
    fail: failed !== undefined,
    mend: failed !== undefined && received.some(({ attempt }) => attempt.error === undefined),
  };
  return { done, failed: failed?.delivery.id };
}

/** The first steps in a new workspace: each one is ticked when it has happened. */
export function FirstSteps() {
  const live = useLive();
  const [person] = live.people.value.values();
  const name = person?.name ?? person?.phone ?? 'Ada';
  const { done, failed } = firstStepsIn(
    live.journal.entries,
    live.subscriptions.value ?? [],
    live.receiver.value?.url,
  );
  const isOld = live.failing.value.length > 0 || live.runs.value.length > 0;
  const isEmpty = live.journal.entries.length === 0;
  const next = (['connect', 'write', 'fail', 'mend'] as const).find((step) => !done[step]);
  const step = (which: keyof typeof done, title: string, children?: ComponentChildren) => (
    <li class={done[which] ? 'done' : ''} {...(next === which && { 'aria-current': 'step' as const })}>
      <b>{title}</b>
      {done[which] && <span class="tag ok">done</span>}
      {next === which && <div>{children}</div>}
    </li>
  );
  const write = async () => {
    if (person === undefined) {
      const body = { phone, properties: { firstName: name } };
      await live.surface.api(operations.contacts.upsert, { body });
    }
    const body = { phone: person?.phone ?? phone, body: 'Hello' };
    await live.surface.control(control.simulate.inboundMessage, { body });
  };
  return (
    <section class="detail first-steps" aria-label="First steps">
      <h2>{isEmpty ? `Nothing has happened ${isOld ? 'since the journal began' : 'yet'}` : 'First steps'}</h2>
      {isEmpty && isOld && (
        <p>
          What happened before is in <a href={hrefOf('deliveries')}>Deliveries</a> and{' '}
          <a href={hrefOf('journeys')}>Journeys</a>.
        </p>
      )}
      <p>Every request, send, message, event, journey step and delivery appears here immediately.</p>
      <ol class="bare" aria-label="First steps">
        {step(
          'connect',
          'Connect a receiver',
          <>
            <p>The server has one inside. It verifies each webhook, at first with a wrong secret.</p>
            <ConnectReceiver mode="wrong_secret" />
          </>,
        )}
        {step(
          'write',
          'Write as a contact',
          <>
            <p>A message from a contact becomes the webhook message.received.</p>
            <Action look="primary" onRun={write}>
              Write “Hello” as {name}
            </Action>
          </>,
        )}
        {step('fail', 'See the webhook fail', <p>The receiver responds in a moment.</p>)}
        {step('mend', 'See it succeed', failed && <Mend id={failed} />)}
      </ol>
      {next === undefined && <p>You have seen a webhook fail, its reason, and its success.</p>}
      <OwnApplication isOpen={isEmpty || next === undefined} />
    </section>
  );
}

/** Why the delivery failed, and the action that mends it. */
function Mend({ id }: { readonly id: string }) {
  const { causes = [], remedy } = useExplanation(id).value ?? {};
  return (
    <>
      <p>
        {causes[0]?.explanation} <a href={hrefOf('deliveries', { delivery: id })}>See the delivery</a>
      </p>
      {remedy === undefined ? <p>The retry follows.</p> : <RemedyAction remedy={remedy} />}
    </>
  );
}

/** How to connect an application and a receiver of one's own. */
function OwnApplication({ isOpen }: { readonly isOpen: boolean }) {
  return (
    <details class="more" open={isOpen}>
      <summary>Connect your application</summary>
      <ConnectApplication />
      <p>Forward the deliveries to your own receiver:</p>
      <ForwardDeliveries />
    </details>
  );
}
