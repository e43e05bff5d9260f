import type { ByHand } from './plan.js';
import type { Station } from './station.js';

/** Does to a workspace what only its holder can do. */
export async function actByHand(
  station: Station,
  action: Exclude<ByHand, { readonly kind: 'copy' }>,
): Promise<void> {
  const { workspace, site } = station;
  const { clock, faults, keys, simulate, deliveries } = workspace;
  switch (action.kind) {
    case 'message': {
      const { phone, body } = action;
      const from = site.next();
      const { messageId, contactId, consent } = await simulate.inboundMessage({ phone, body });
      station.contactIds.set(phone, contactId);
      return station.note(
        { kind: 'message', phone, messageId, ...(consent && { consent }) },
        from,
        'success',
      );
    }
    case 'redeliver': {
      const all = deliveries.find();
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
      return station.takeKey(await keys.rotate(station.apiKey));
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
