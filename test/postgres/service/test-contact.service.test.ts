import { describe, expect, test } from 'vitest';
import { within } from '../../waiting.js';
import { missingPostgres, usePostgres } from '../support/database.js';
import { startFrozen } from '../support/replicas-of-a-service.js';

const phone = '+15551234567';

describe.skipIf(missingPostgres)('a contact of a service of two replicas', () => {
  const postgres = usePostgres();

  test('writes, receives, and receives nothing through either', async () => {
    const { one, two } = await startFrozen(postgres(), {
      contacts: [{ phone }],
      templates: [{ id: 'tips', body: 'Ten tips.' }],
      journeys: [{ id: 'onboarding', event: 'signed_up', steps: [{ wait: '1d' }, { send: 'tips' }] }],
    });
    const [here, there] = [one.contact(phone), two.contact(phone)];
    await here.says('STOP');
    expect(await there.consent()).toBe('opted_out');
    await two.client.events.track({ event: 'signed_up', phone, properties: { plan: 'basic' } });
    expect(await here.did('signed_up')).toMatchObject({ properties: { plan: 'basic' } });

    const start = one.clock.now();
    await there.receivesNothing({ within: '23h' });
    await here.receivesNothing();
    expect(one.clock.now() - start).toBe(23 * 3_600_000);
    const tips = here.receives('tips', { timeout: '10s' });
    await two.clock.advance('1h');
    expect(await within('the tips', tips)).toMatchObject({ text: 'Ten tips.' });
    await expect(there.receivesNothing()).rejects.toThrow('"tips" at 2026-01-02T09:00:00.000Z');
    const before = one.clock.now();
    const other = two.contact('+442071838750');
    await Promise.all([here.receivesNothing({ within: '1d' }), other.receivesNothing({ within: '1d' })]);
    await one.client.templates.list();
    expect(one.clock.now() - before).toBe(86_400_000);
    expect(await there.chat()).toMatchObject([{ text: 'STOP' }, { text: 'Ten tips.' }]);
    await expect(here.receives('tips', { timeout: '1ms' })).rejects.toThrow('an earlier receives() took it');
  });
});
