import { tableInTurn } from './in-turn.js';
import { table } from './promises.js';

/** The page of the guides that shows all of it. */
export function promisesGuide(): string {
  return `# What a receiver promises

This page shows how often a handler runs when something fails, with each dedupe store. The tests make each of these things happen, with
a real Redis, PostgreSQL and key-value service, and compare this page with the result.

- **The responses** are those to the first attempt, and to the retries that it takes. \`none\`: the process died, or the connection broke.
- **A duplicate** is another attempt, at another process, while the thing happens: its response, and how often the handler runs then in
  all. In memory and in the row about draining, it comes to the same process.
- **A shared store** is Redis by node-redis 4, 5, 6 or ioredis, PostgreSQL by pg, or a key-value service. What a client does when it loses
  its connection makes no difference. Redis is one that writes each change to its disk (\`appendonly yes\`, \`appendfsync always\`).

${table}

The times are those of the options: \`deadline\` is 4.5 seconds and \`lease\` 30 seconds by default. The service does not document how long
it waits before a retry, so nothing depends on it: an attempt that cannot claim the event before its deadline gets 503, and tries
again for one lease. The event is lost only if no attempt reaches a
process that stays alive for that time, if the store is gone for longer, or if the handler fails each time. Use \`drain\` on SIGTERM, so that a deployment kills no handler.

## In turn

With \`inOrder: 'contact'\`, a delivery that has claimed its event waits until no older one of its contact waits or runs, in any process
that shares the store. These are two messages of one contact, which come to two processes; in memory, to one. \`late\`: \`context.isLate\` says
that a newer delivery of the contact was handled before.

${tableInTurn}

What comes after a newer one was handled cannot be put in order any more: the service tries three times, and has no list of events. The
order is that of the timestamps among those that are here. A message that fails makes no other wait for its retry.

Next: [Handle each delivery once](guides/handle-each-delivery-once.md), [Receive webhooks](guides/receive-webhooks.md).
`;
}
