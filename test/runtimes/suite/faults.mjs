// `.` against a service that fails: how many requests arrive, and what the error knows.
import { equal, ok, rejects } from './assertions.mjs';
import { faultyService, phone } from './far-side.mjs';

const send = ({ transactional }, options) =>
  transactional.send({ phone, templateId: 'order_update', variables: { 1: 'whsec_canary' } }, options);
const upsert = ({ contacts }, options) => contacts.upsert({ phone }, options);

/** Each fault that may have been seen by the service: a send is not repeated, an upsert is. */
const mayHaveBeenSeen = (fault, errorName) => [
  `${fault}: one request for a send, three for an upsert`,
  async (world) => {
    const sending = faultyService(world, fault);
    const facts = { outcome: 'unknown', retryable: false, attempts: 1 };
    await rejects(send(sending.client()), world.sdk[errorName], facts);
    equal(await sending.requests(), 1, 'requests of the send');

    const upserting = faultyService(world, fault);
    await rejects(upsert(upserting.client()), world.sdk[errorName], { outcome: 'unknown', attempts: 3 });
    equal(await upserting.requests(), 3, 'requests of the upsert');
  },
];

/** Deadlines are the machine's own time here: that timers work is a thing to know of a runtime. */
const stalled = (fault) => [
  `${fault}: the deadline ends it`,
  async (world) => {
    const service = faultyService(world, fault);
    const facts = { outcome: 'unknown', attempts: 1, retryable: false };
    await rejects(send(service.client({ timeout: 100 })), world.sdk.TimeoutError, facts);
    // A machine under load may be too late to send it at all.
    ok((await service.requests()) <= 1, 'one request at most');
  },
];

export const faults = {
  ...Object.fromEntries([
    mayHaveBeenSeen('reset', 'ConnectionError'),
    mayHaveBeenSeen('drop-mid-body', 'ConnectionError'),
    mayHaveBeenSeen('status-500', 'ServerError'),
    mayHaveBeenSeen('status-502', 'ServerError'),
    stalled('stall'),
    stalled('stall-mid-body'),
  ]),

  async 'reset on a connection that was used before: one request for a send'(world) {
    const service = faultyService(world, 'good-then-reset');
    const messaging = service.client();
    await send(messaging);
    await send(messaging);
    await rejects(send(messaging), world.sdk.ConnectionError, { outcome: 'unknown', attempts: 1 });
    equal(await service.requests(), 3);
  },

  async 'nobody listens: nothing was sent'({ sdk, farSide, clientOptions, runtime }) {
    const messaging = new sdk.MessagingAutomation({
      apiKey: 'canary_key_Zq7',
      baseUrl: farSide.desertedUrl,
      backoff: { initial: 0, max: 0 },
      ...clientOptions,
    });
    // A runtime that does not tell a refused connection from a lost one leaves it unknown, which is safe.
    const facts = runtime.tellsRefusal
      ? { outcome: 'not_sent', attempts: 3, retryable: true }
      : { outcome: 'unknown', attempts: 1, retryable: false };
    await rejects(send(messaging), sdk.ConnectionError, facts);
  },

  async 'turned away with 429, then done: sent again'(world) {
    const service = faultyService(world, 'too-many-then-good');
    const { data, attempts } = await send(service.client()).withResponse();
    equal([data, attempts, await service.requests()], [{ success: true }, 2, 2]);
  },

  async 'retries: 0 is one request'(world) {
    const service = faultyService(world, 'too-many');
    await rejects(send(service.client({ retries: 0 })), world.sdk.RateLimitError, {
      attempts: 1,
      retryAfter: 0,
    });
    await rejects(send(service.client(), { retries: 0 }), world.sdk.RateLimitError, { attempts: 1 });
    equal(await service.requests(), 2);
  },

  async 'a DELETE whose response was lost, and whose repetition finds nothing, is done'(world) {
    const service = faultyService(world, 'reset-then-missing');
    const deleted = service.client().contacts.delete('c1').withResponse();
    // Deno repeats what has no body by itself, and shows only the response to the repetition.
    if (world.runtime.repeatsWithoutBody) await deleted.catch((error) => equal(error.name, 'NotFoundError'));
    else equal((await deleted).attempts, 2);
    equal(await service.requests(), 2);
  },

  async 'aborting rejects with the reason'(world) {
    const service = faultyService(world, 'stall');
    const controller = new AbortController();
    const reason = { changed: 'my mind' };
    const rejected = send(service.client(), { signal: controller.signal }).catch((thrown) => thrown);
    await service.received(1);
    controller.abort(reason);
    ok((await rejected) === reason, 'the reason that was given');
  },

  async 'a response of another shape resolves, and onDrift is told'(world) {
    const drifts = [];
    const service = faultyService(world, 'drift');
    const messaging = service.client({ onDrift: (drift) => drifts.push(drift.operation) });
    await send(messaging);
    equal(drifts, ['transactional.send']);
    const strict = service.client({ validation: 'strict' });
    await rejects(send(strict), world.sdk.UnusableResponseError, { status: 200, outcome: 'unknown' });
  },

  async 'a drift that nobody handles is a warning at most'(world) {
    equal(await send(faultyService(world, 'drift').client()), { success: 'perhaps' });
  },

  async 'neither client nor errors show the key, a secret or a phone'(world) {
    const shown = [];
    const show = (value) => shown.push(JSON.stringify(value), String(value), world.runtime.inspect(value));
    const messaging = faultyService(world, 'reset').client({ retries: 0 });
    show(messaging);
    show(Object.values(messaging));
    for (const fault of ['reset', 'drop-mid-body', 'status-500', 'too-many', 'echo']) {
      const error = await send(faultyService(world, fault).client({ retries: 0 })).catch((thrown) => thrown);
      ok(error instanceof world.sdk.RequestError, `a RequestError after ${fault}, not ${error}`);
      show(error);
      show(error.cause);
      shown.push(error.stack, error.message);
    }
    const text = shown.join('\n');
    for (const canary of ['canary_key_Zq7', 'whsec_canary', phone.slice(1)])
      ok(!text.includes(canary), `no ${canary} in what is shown, got ${text}`);
  },
};
