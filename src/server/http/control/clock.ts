import * as z from 'zod/mini';
import type { Clock } from '../../../foundation/clock.js';
import { type Answer, jsonAnswer } from '../../answers/answer.js';
import { duration, instant } from '../../seed/fields.js';
import type { Application } from '../application.js';
import { readJson } from '../validation.js';
import { orInvalid } from './or-invalid.js';

const advanceSchema = z.strictObject({ by: duration });
const setSchema = z.strictObject({ to: instant });

/** The workspace's time, and the moving of it. */
export function serveClock(application: Application): void {
  application.handle('GET', '/control/clock', async (_, { clock }) => timeOf(clock));
  application.handle('POST', '/control/clock/advance', async ({ request }, { clock }) => {
    const { by } = await readJson(request, advanceSchema, application.bodyLimit);
    await orInvalid(() => clock.advance(by));
    return timeOf(clock);
  });
  application.handle('POST', '/control/clock/set', async ({ request }, { clock }) => {
    const { to } = await readJson(request, setSchema, application.bodyLimit);
    await orInvalid(() => clock.set(to));
    return timeOf(clock);
  });
  application.handle('POST', '/control/clock/run-to-idle', async (_, { clock }) => {
    await clock.runToIdle();
    return timeOf(clock);
  });
  application.handle('POST', '/control/settled', async (_, workspace) => {
    await workspace.settled();
    return timeOf(workspace.clock);
  });
}

/** The time as the records have it, and as people read it. */
function timeOf(clock: Clock): Answer {
  const now = clock.now();
  return jsonAnswer(200, { now, time: new Date(now).toISOString() });
}
