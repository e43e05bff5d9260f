import type { Clock, ConformanceOptions } from 'messaging-automation/conformance';
import {
  createReferenceServer,
  type ReferenceServer,
  type ReferenceServerOptions,
  rejectedPhones,
  type SpecGaps,
} from 'messaging-automation/server';

/** A reference server on a socket, and the options that let everything about it be asked. */
export interface Deployment extends AsyncDisposable {
  readonly server: ReferenceServer;
  /** Does this at the end of a wait that nothing ends earlier. */
  readonly atEndOfWait: (work: () => Promise<unknown>) => void;
  readonly options: ConformanceOptions;
}

const templates = [
  { id: 'order_update', body: 'Hello {{1}}, your order {{2}} is on its way.' },
  { id: 'summer_sale', body: 'Everything must go.', status: 'rejected' },
] as const;

const wait = 5_000;
const timeout = 9_000;

/**
 * Nobody waits in a test: a wait for deliveries is over when the server has made all it has to make, any other wait moves
 * the server's time, and no request runs into its deadline.
 */
function clockOf(server: ReferenceServer, late: (() => Promise<unknown>)[]): Clock {
  return {
    now: () => server.clock.now(),
    setTimer(callback, delay) {
      let isCancelled = false;
      const fire = async () => {
        if (isCancelled) return;
        for (const work of late.splice(0)) await work();
        if (!isCancelled) callback();
      };
      if (delay === wait) void server.settled().then(fire);
      else if (delay !== timeout) void server.clock.advance(delay).then(fire);
      return () => {
        isCancelled = true;
      };
    },
  };
}

export const sendPhone = '+15551234567';

export async function deploy(
  specGaps: Partial<SpecGaps> = {},
  more: ReferenceServerOptions = {},
): Promise<Deployment> {
  const server = createReferenceServer({ templates, specGaps, clock: 'frozen', ...more });
  const late: (() => Promise<unknown>)[] = [];
  const { baseUrl } = await server.listen({ port: 0 });
  const [rejectedPhone] = Object.keys(rejectedPhones);
  const [other, exhausted] = [
    server.workspace({ specGaps }),
    server.workspace({ templates, quota: 0, specGaps }),
  ];
  await server.settled();
  return {
    server,
    atEndOfWait: (work) => late.push(work),
    options: {
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
      },
      timeout,
      clock: clockOf(server, late),
    },
    [Symbol.asyncDispose]: () => server.close(),
  };
}
