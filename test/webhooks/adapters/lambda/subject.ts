import { toLambdaHandler } from 'messaging-automation/webhooks';
import type { Sent } from '../support/sent.js';
import type { Subject } from '../support/subject.js';
import { senders } from './events.js';

/** One column for each kind of sender, and for each form in which it may hand over a body. */
export const lambdaSubjects: readonly Subject[] = Object.entries(senders).flatMap(([sender, toEvent]) =>
  [false, true].map(
    (isBase64Encoded): Subject => ({
      name: isBase64Encoded ? `${sender}, base64` : sender,
      open: async (receiver, arrangement) => {
        const handle = toLambdaHandler(receiver);
        return {
          send: async (sent) => {
            const body = Buffer.concat(sent.chunks).toString(isBase64Encoded ? 'base64' : 'utf8');
            const event = toEvent({ method: sent.method, headers: headersOf(sent), body, isBase64Encoded });
            // Middleware that puts a parsed object in the place of the text, against the event's type.
            if (arrangement === 'parsed') Object.assign(event, { body: { event: 'message.received' } });
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
        // It hands over the last of several values, and that they were several is nowhere to be seen.
        ...(sender === 'ALB' && { 'signature twice': '2xx' }),
      },
    }),
  ),
);

function headersOf({ headers }: Sent): Record<string, readonly string[]> {
  const several: Record<string, readonly string[]> = {};
  for (const [name, value] of headers) several[name] = [...(several[name] ?? []), value];
  return several;
}
