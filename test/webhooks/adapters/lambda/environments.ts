import { toLambdaHandler } from 'messaging-automation/webhooks';
import type { Environment } from '../support/environment.js';
import type { Sent } from '../support/sent.js';
import { senders } from './events.js';

/** An environment for each kind of sender, and for each form in which it may hand over a body. */
export const lambdaEnvironments: readonly Environment[] = Object.entries(senders).flatMap(
  ([sender, toEvent]) =>
    [false, true].map(
      (isBase64Encoded): Environment => ({
        name: isBase64Encoded ? `${sender}, base64` : sender,
        fix: 'with the proxy integration (no mapping template)',
        open: async (receiver, state) => {
          const handle = toLambdaHandler(receiver);
          return {
            send: async (sent) => {
              const body = Buffer.concat(sent.chunks).toString(isBase64Encoded ? 'base64' : 'utf8');
              const event = toEvent({ method: sent.method, headers: headersOf(sent), body, isBase64Encoded });
              // Middleware that replaces the text by a parsed object, against the event's type.
              if (state === 'parsed') Object.assign(event, { body: { event: 'message.received' } });
              return (await handle(event)).statusCode;
            },
            close: async () => undefined,
          };
        },
        differs: {
          // An event is whole, and nothing can be read away from it.
          'body already consumed': '–',
          'consumed, bad signature': '–',
          'aborted upload': '–',
          'signature in a trailer': '–',
          // As text, bytes that are not UTF-8 have become others.
          ...(!isBase64Encoded && { 'not UTF-8': '401' }),
          // It hands over the last of several values, and that they were several is nowhere to be seen.
          ...(sender === 'ALB' && { 'signature twice': '204' }),
        },
      }),
    ),
);

function headersOf({ headers }: Sent): Record<string, readonly string[]> {
  const several: Record<string, readonly string[]> = {};
  for (const [name, value] of headers) several[name] = [...(several[name] ?? []), value];
  return several;
}
