import { useState } from 'preact/hooks';
import type { DeliveryExplanation } from '../../../server/index.js';
import { Action } from '../../elements/action.js';
import { Bytes } from '../../elements/bytes.js';
import { Card, Facts } from '../../elements/card.js';
import { Copy } from '../../elements/copy.js';
import { Tag } from '../../elements/row.js';
import { bytesIn } from '../../reading/bytes.js';
import { dateAndTime, lengthOfTime } from '../../reading/times.js';
import type { DeliverySnapshot } from '../../surface/entry.js';
import { control } from '../../surface/operations.js';
import { useLive } from '../use-live.js';

interface SentBytesProperties {
  readonly delivery: DeliverySnapshot;
  readonly explained: DeliveryExplanation | undefined;
}

/** The sent request: bytes, signature and clocks. */
export function SentBytes({ delivery, explained }: SentBytesProperties) {
  const last = delivery.attempts.at(-1);
  const { matches, secretEnding } = explained?.signature ?? {};
  return (
    <Card
      title="Sent request"
      aside={
        matches !== undefined && (
          <Tag
            tone={matches ? 'ok' : 'bad'}
            text={matches ? 'signature matches these bytes' : 'signature does not match'}
          />
        )
      }
    >
      <pre>
        POST {delivery.url}
        {'\nContent-Type: application/json'}
        {`\nContent-Length: ${bytesIn(delivery.body, undefined).length}`}
        {last && `\n${explained?.signature.header ?? 'X-Service-Signature'}: ${last.signature}`}
      </pre>
      <Bytes text={delivery.body} name="the body of the delivery" />
      <Facts
        of={{
          delivery: delivery.id,
          secret: secretEnding && <Secret subscriptionId={delivery.subscriptionId} ending={secretEnding} />,
          ...(explained?.clocks.timestamp !== undefined && timesOf(explained.clocks)),
        }}
      />
    </Card>
  );
}

interface SecretProperties {
  readonly subscriptionId: string;
  readonly ending: string;
}

/** The end of the secret. The whole secret shows when a person asks for it. */
function Secret({ subscriptionId: id, ending }: SecretProperties) {
  const { surface } = useLive();
  const [secret, setSecret] = useState<string>();
  const show = async () =>
    setSecret((await surface.control(control.subscriptions.secret, { path: { id } })).secret);
  if (secret === undefined) {
    return (
      <>
        ends in <code>{ending}</code>{' '}
        <Action look="quiet" onRun={show}>
          Show the secret
        </Action>
      </>
    );
  }
  return (
    <>
      <code>{secret}</code> <Copy text={secret}>Copy the secret</Copy>
    </>
  );
}

/** The timestamp of the delivery next to each known clock. */
function timesOf({ timestamp = 0, machine, workspace, receiver }: DeliveryExplanation['clocks']) {
  const beside = (at: number | undefined) => {
    if (at === undefined) return undefined;
    const ahead = at - timestamp;
    if (Math.abs(ahead) < 1_000) return dateAndTime(at);
    return `${dateAndTime(at)} · ${lengthOfTime(ahead)} ${ahead > 0 ? 'later' : 'earlier'}`;
  };
  return {
    timestamp: dateAndTime(timestamp),
    'this machine': beside(machine),
    'the workspace': beside(workspace),
    'your receiver': beside(receiver),
  };
}
