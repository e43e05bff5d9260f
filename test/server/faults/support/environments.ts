import { MessagingAutomation } from 'messaging-automation';
import { mswHandlers } from 'messaging-automation/msw';
import type { ReferenceServer } from 'messaging-automation/server';
import { setupServer } from 'msw/node';
import { onTestFinished } from 'vitest';
import { ManualClock } from '../../support/manual-clock.js';

type ClientOptions = NonNullable<ConstructorParameters<typeof MessagingAutomation>[0]>;

/** How a client reaches a server: its base URL, and the `fetch` if it is not the global one. */
type Environment = (server: ReferenceServer) => Promise<Pick<ClientOptions, 'baseUrl' | 'fetch'>>;

const overSocket: Environment = async (server) => ({ baseUrl: (await server.listen({ port: 0 })).baseUrl });

/** The three ways to reach a reference server. */
export const environments: Readonly<Record<string, Environment>> = {
  'over a socket': overSocket,
  async 'by its fetch'(server) {
    return { baseUrl: 'http://localhost/api', fetch: (url, init) => server.fetch(new Request(url, init)) };
  },
  async 'through MSW'(server) {
    const baseUrl = 'https://api.example.test/api';
    const network = setupServer(...mswHandlers(server, { baseUrl }));
    network.listen({ onUnhandledRequest: 'error' });
    onTestFinished(() => network.close());
    return { baseUrl };
  },
};

/** A client whose waits are over at once, and whose deadline passes when the test says so. */
export async function callerOf(
  server: ReferenceServer,
  environment: Environment = overSocket,
  options: ClientOptions = {},
) {
  const clock = new ManualClock();
  const drifts: string[] = [];
  const waits: number[] = [];
  const timeout = 30_000;
  const messaging = new MessagingAutomation({
    apiKey: server.apiKey,
    timeout,
    onDrift: ({ operation }) => drifts.push(operation),
    random: () => 0,
    clock: {
      now: () => clock.now(),
      setTimer(callback, delay) {
        if (delay >= timeout) return clock.setTimer(callback, delay);
        waits.push(delay);
        queueMicrotask(callback);
        return () => {};
      },
    },
    ...(await environment(server)),
    ...options,
  });
  return {
    messaging,
    /** The operations whose responses had another shape than expected. */
    drifts,
    /** Its waits between attempts, in milliseconds. */
    waits,
    passTheDeadline: () => clock.pass(timeout),
  };
}
