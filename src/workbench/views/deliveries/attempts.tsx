import { Bytes, Headers } from '../../elements/bytes.js';
import { Card, Facts } from '../../elements/card.js';
import { describeStatus } from '../../reading/describe-delivery.js';
import { kindInWords } from '../../reading/faults.js';
import { dateAndTime, fromNow, lengthOfTime, timeNear } from '../../reading/times.js';
import type { AttemptRecord, DeliverySnapshot } from '../../surface/entry.js';
import { useLive } from '../use-live.js';

interface AttemptsProperties {
  readonly delivery: DeliverySnapshot;
  /** The number of the attempt that is open at first. Default: the latest. */
  readonly opened: number | undefined;
}

/** The attempts of a delivery with their times, of which one is open. The next one, if it is due, comes last. */
export function Attempts({ delivery, opened }: AttemptsProperties) {
  const live = useLive();
  const { attempts, status, dueAt, createdAt } = delivery;
  const now = live.now.value ?? createdAt;
  const isDue = status === 'pending' && dueAt !== undefined;
  const isHeld = isDue && dueAt > now && live.clock.value?.flow === 'frozen';
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
      {attempts.map((attempt, index) => (
        <details
          key={attempt.number}
          class="attempt"
          name="attempt"
          open={attempt.number === (opened ?? attempts.at(-1)?.number)}
        >
          <summary>
            <b class={attempt.error === undefined ? 'ok' : 'bad'}>
              {attempt.number} · {attempt.status ?? 'no response'}
            </b>{' '}
            <small title={dateAndTime(attempt.startedAt)}>
              {timeNear(attempt.startedAt, attempts[index - 1]?.startedAt ?? now)}
            </small>
          </summary>
          <MadeAttempt attempt={attempt} />
        </details>
      ))}
      {isDue && (
        <p class="attempt">
          <b class="wait">{attempts.length + 1} · due</b> {fromNow(dueAt, now)}, at {dateAndTime(dueAt)}
        </p>
      )}
    </Card>
  );
}

/** What an attempt got: the response with its headers and its body, or why there was none. */
function MadeAttempt({ attempt }: { readonly attempt: AttemptRecord }) {
  const { startedAt, duration, error, faults, redirectedTo, headers, responseBody: response } = attempt;
  return (
    <>
      <Facts
        of={{
          at: `${dateAndTime(startedAt)}${duration === undefined ? '' : ` · took ${lengthOfTime(duration)}`}`,
          error,
          injected: faults?.map((fault) => kindInWords({ delivery: 'any', fault })).join(', ') || undefined,
          'redirected to': redirectedTo,
        }}
      />
      {headers !== undefined && headers.length > 0 && <Headers of={headers} />}
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
