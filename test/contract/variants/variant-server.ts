import { MessagingAutomation } from 'messaging-automation';
import type { ReferenceServerOptions, SpecGaps } from 'messaging-automation/server';
import { defaultServer } from '../defaults/default-server.js';

/** A reference server with switches set, and the SDK in front of it, which notes each drift. */
export function variantServer(specGaps: Partial<SpecGaps>, options: ReferenceServerOptions = {}) {
  const { server, ...hands } = defaultServer({ ...options, specGaps });
  const drifts: string[] = [];
  const messaging = new MessagingAutomation({
    apiKey: server.apiKey,
    baseUrl: 'http://localhost/api',
    fetch: (url, init) => server.fetch(new Request(url, init)),
    retries: 0,
    onDrift: ({ operation }) => drifts.push(operation),
  });
  return { server, messaging, drifts, ...hands };
}
