import { clearTimeout, setTimeout } from 'node:timers';
import type { Clock, ConformanceOptions } from 'messaging-automation/conformance';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  rejectedPhones,
  type SpecGaps,
} from 'messaging-automation/server';
import { within } from '../../waiting.js';

const templates = [
  { id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' },
  { id: 'summer_sale', body: 'Everything must go.', status: 'rejected' },
] as const;

const wait = 5_000;
const timeout = 9_000;

/**
 * Nobody waits in a test: a wait for deliveries is over when the server has made all it has to make, and any other wait moves
 * the server's time. Only the deadline of a request is real, so that no request waits for ever.
 *
 * @param fail - Ends the run with the error of a wait that does not end.
 */
function clockOf(
  server: ReferenceServer,
  late: (() => Promise<unknown>)[],
  fail: (error: unknown) => void,
): Clock {
  return {
    now: () => server.clock.now(),
    setTimer(callback, delay) {
      if (delay === timeout) {
        const timer = setTimeout(callback, timeout);
        return () => clearTimeout(timer);
      }
      let isCancelled = false;
      const end = async () => {
        if (delay === wait) await within('the server to make all deliveries that are due', server.settled());
        else await within(`the server's clock to advance by ${delay} ms`, server.clock.advance(delay));
        if (isCancelled) return;
        for (const work of late.splice(0)) await work();
        if (!isCancelled) callback();
      };
      end().catch(fail);
      return () => {
        isCancelled = true;
      };
    },
  };
}

export const sendPhone = '+15551234567';

/** A reference server on a socket, and the options that let everything about it be asked. */
export type Deployment = Awaited<ReturnType<typeof deploy>>;

export async function deploy(specGaps: Partial<SpecGaps> = {}, more: ReferenceServerOptions = {}) {
  const server = createReferenceServer({ templates, specGaps, clock: 'frozen', ...more });
  const late: (() => Promise<unknown>)[] = [];
  const failure = new AbortController();
  const { baseUrl } = await server.listen({ port: 0 });
  const [rejectedPhone] = Object.keys(rejectedPhones);
  const [other, exhausted] = [
    server.workspace({ specGaps }),
    server.workspace({ templates, quota: 0, specGaps }),
  ];
  await within('the server to begin', server.settled());
  const options: ConformanceOptions = {
    baseUrl,
    apiKey: server.apiKey,
    otherApiKey: other.apiKey,
    exhaustedApiKey: exhausted.apiKey,
    send: {
      phone: sendPhone,
      templateId: 'order_update',
      variables: { '1': 'Ada', '2': 'A-1001' },
      unapprovedTemplateId: 'summer_sale',
      rejectedPhone,
    },
    deliveries: {
      provoke: async (message) => {
        await server.simulate.inboundMessage(message);
      },
      wait,
      retryWait: 120_000,
      // It takes the server three real timeouts. The proxy gives up at once.
      lateResponse: false,
    },
    timeout,
    clock: clockOf(server, late, (error) => failure.abort(error)),
    signal: failure.signal,
  };
  return {
    server,
    /** Does this at the end of a wait that nothing ends earlier. */
    atEndOfWait: (work: () => Promise<unknown>) => late.push(work),
    options,
    [Symbol.asyncDispose]: () => within('the server to close', server.close()),
  };
}
