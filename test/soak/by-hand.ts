import type { ByHand } from './plan.js';
import type { Station } from './station.js';

/** Does to a workspace what only its holder can do. */
export async function actByHand(
  station: Station,
  action: Exclude<ByHand, { readonly kind: 'copy' }>,
): Promise<void> {
  const { workspace, site } = station;
  const { clock, faults, deliveries } = workspace;
  switch (action.kind) {
    case 'message':
      return receive(station, action.phone, action.body);
    case 'burst': {
      const messages = Array.from({ length: action.messages }, () =>
        receive(station, action.phone, 'Hello?'),
      );
      return void (await Promise.all(messages));
    }
    case 'redeliver': {
      const all = await deliveries.find();
      const original = all[action.which % all.length];
      if (original === undefined) return;
      const from = site.next();
      const again = await deliveries.redeliver(original.id).catch(() => undefined);
      const deed = {
        kind: 'redeliver',
        originalId: original.id,
        ...(again && { deliveryId: again.id }),
      } as const;
      return station.note(deed, from, again === undefined ? 'rejected' : 'success');
    }
    case 'advance':
      return clock.advance(`${action.seconds}s`);
    case 'set clock':
      return setAhead(station, action.seconds);
    case 'run to idle':
      return clock.runToIdle();
    case 'rotate key':
      return rotateKey(station);
    case 'take faults back':
      return faults.clear();
    case 'add fault':
      return void faults.add(action.rule);
    case 'close':
      return station.closeEarly();
  }
}

/** Another caller may move the clock beyond that first. */
async function setAhead({ workspace: { clock } }: Station, seconds: number): Promise<void> {
  try {
    await clock.set(clock.now() + seconds * 1_000);
  } catch (error) {
    if (!(error instanceof RangeError)) throw error;
  }
}

/** Has a contact write, and notes what the message caused. */
async function receive(station: Station, phone: string, body: string): Promise<void> {
  const { workspace, site } = station;
  const from = site.next();
  const { messageId, contactId, consent } = await workspace.simulate.inboundMessage({ phone, body });
  station.contactIds.set(phone, contactId);
  station.note({ kind: 'message', phone, messageId, ...(consent && { consent }) }, from, 'success');
}

/** The old key opens nothing any more, be it that a caller still uses it. */
function rotateKey(station: Station): Promise<void> {
  return station.inTurn(async () => {
    const { client, workspace, apiKey } = station;
    station.takeKey(await workspace.keys.rotate(apiKey));
    const found = await client.templates.list().catch(() => undefined);
    if (found !== undefined) throw new Error('A key that was rotated still opens the workspace.');
  });
}
