import { useSignal } from '@preact/signals';
import { Bytes } from '../../elements/bytes.js';
import { Card, Facts } from '../../elements/card.js';
import { describeStatus } from '../../reading/attempts.js';
import { dateAndTime, fromNow, lengthOfTime, timeNear } from '../../reading/times.js';
import type { Attempt, Delivery } from '../../surface/entry.js';
import { useBench } from '../bench.js';

/** The attempts of a delivery, each of them as a tab with its time. The next one is a tab, too, if it is due. */
export function Attempts({ delivery }: { readonly delivery: Delivery }) {
  const { live } = useBench();
  const { attempts, status, dueAt, createdAt } = delivery;
  const now = live.now.value ?? createdAt;
  const isDue = status === 'pending' && dueAt !== undefined;
  const isHeld = isDue && dueAt > now && live.clock.value?.flow === 'frozen';
  /** Undefined: the latest that was made. */
  const chosen = useSignal<number | undefined>(undefined);
  const tabs = [
    ...attempts.map((each) => ({
      number: each.number,
      label: each.status ?? 'no response',
      at: each.startedAt,
      tone: each.error === undefined ? 'ok' : 'bad',
    })),
    ...(isDue ? [{ number: attempts.length + 1, label: 'due', at: dueAt, tone: 'wait' }] : []),
  ];
  // The next attempt is cancelled with its subscription.
  const shown = Math.max(0, Math.min(chosen.value ?? attempts.length - 1, tabs.length - 1));
  const attempt = attempts[shown];
  const press = (event: KeyboardEvent & { readonly currentTarget: HTMLElement }) => {
    const count = tabs.length;
    const next = {
      ArrowRight: (shown + 1) % count,
      ArrowLeft: (shown + count - 1) % count,
      Home: 0,
      End: count - 1,
    }[event.key];
    if (next === undefined) return;
    event.preventDefault();
    chosen.value = next;
    event.currentTarget.querySelectorAll('button')[next]?.focus();
  };
  return (
    <Card
      title="Attempts"
      aside={
        <small>
          {describeStatus(delivery, now).text}
          {isHeld && ', but the clock is frozen'}
        </small>
      }
    >
      {tabs.length > 0 && (
        <div class="choices" role="tablist" aria-label="Attempts" onKeyDown={press}>
          {tabs.map(({ number, label, at, tone }, index) => (
            <button
              key={number}
              type="button"
              role="tab"
              class="choice"
              id={`tab-${index}`}
              aria-controls="attempt"
              aria-selected={index === shown}
              tabIndex={index === shown ? 0 : -1}
              onClick={() => {
                chosen.value = index;
              }}
            >
              <b class={tone}>
                {number} · {label}
              </b>{' '}
              <small title={dateAndTime(at)}>{timeNear(at, tabs[index - 1]?.at ?? now)}</small>
            </button>
          ))}
        </div>
      )}
      {tabs.length > 0 && (
        <div role="tabpanel" id="attempt" aria-labelledby={`tab-${shown}`}>
          {attempt !== undefined && <MadeAttempt key={shown} attempt={attempt} />}
          {attempt === undefined && dueAt !== undefined && (
            <p>
              Due {fromNow(dueAt, now)}, at {dateAndTime(dueAt)}.
            </p>
          )}
        </div>
      )}
    </Card>
  );
}

/** What an attempt got: the response with its headers and its body, or why there was none. */
function MadeAttempt({ attempt }: { readonly attempt: Attempt }) {
  const { startedAt, duration, error, faults, redirectedTo, headers, responseBody: response } = attempt;
  return (
    <>
      <Facts
        of={{
          at: `${dateAndTime(startedAt)}${duration === undefined ? '' : ` · took ${lengthOfTime(duration)}`}`,
          error,
          injected: faults?.map(({ kind }) => kind).join(', ') || undefined,
          'redirected to': redirectedTo,
        }}
      />
      {headers !== undefined && headers.length > 0 && (
        <pre class="headers">{headers.map(([name, value]) => `${name}: ${value}`).join('\n')}</pre>
      )}
      {response === '' && <small>no body</small>}
      {response !== undefined && response !== '' && (
        <Bytes
          text={response}
          base64={attempt.responseBodyBase64}
          // A response that a listener reported has no headers, and no length.
          {...(headers !== undefined && { whole: attempt.responseBodyLength })}
          name="the response"
        />
      )}
    </>
  );
}
