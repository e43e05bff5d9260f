import type { Clock } from '../../../../foundation/clock.js';
import { ServiceError } from '../../../model/service-error.js';
import { controlOperations } from '../control-operations.js';
import { orInvalid } from '../or-invalid.js';
import type { Serve } from '../serving.js';

const { simulate, clock, faults, workspace } = controlOperations;

/** Serves simulated messages, the clock and the faults of a workspace. */
export function serveTimeAndFaults(serve: Serve): void {
  serve(simulate.inboundMessage, ({ services }, { body }) => services.inboundMessages.receive(body));

  serve(clock.now, (live) => timeOf(live.clock));
  serve(clock.advance, async (live, { body }) => {
    await orInvalid(() => live.clock.advance(body.by));
    return timeOf(live.clock);
  });
  serve(clock.set, async (live, { body }) => {
    await orInvalid(() => live.clock.set(body.to));
    return timeOf(live.clock);
  });
  serve(clock.runToIdle, async (live) => {
    await live.clock.runToIdle();
    return timeOf(live.clock);
  });
  serve(workspace.settled, async (live) => {
    await live.settled();
    return timeOf(live.clock);
  });

  serve(faults.list, (live) => ({ data: live.faults.list() }));
  serve(faults.add, async (live, { body }) => {
    await orInvalid(() => live.faults.add(body));
    const added = live.faults.list().at(-1);
    if (added === undefined) throw new Error('The list of fault rules lacks the rule that was just added.');
    return added;
  });
  serve(faults.clear, (live) => {
    live.faults.clear();
    return undefined;
  });
  serve(faults.remove, (live, { path }) => {
    if (live.faults.remove(path.id)) return undefined;
    throw new ServiceError('not_found', `No rule has this id. GET ${faults.list.path} lists them.`);
  });
}

/** The time in milliseconds and as ISO 8601. */
function timeOf(workspaceClock: Clock): { readonly now: number; readonly time: string } {
  const now = workspaceClock.now();
  return { now, time: new Date(now).toISOString() };
}
