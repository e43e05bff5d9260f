import { ServiceError } from '../../../model/service-error.js';
import type { LiveWorkspace } from '../../../workspace/live-workspace.js';
import { controlOperations } from '../control-operations.js';
import { orInvalid } from '../or-invalid.js';
import type { Serve } from '../serving.js';
import type { ClockAnswer } from '../shapes.js';

const { simulate, clock, faults, workspace } = controlOperations;

/** Serves simulated messages, the clock and the faults of a workspace. */
export function serveTimeAndFaults(serve: Serve): void {
  serve(simulate.inboundMessage, ({ services }, { body }) => services.inboundMessages.receive(body));

  serve(clock.now, (live) => timeOf(live));
  serve(clock.advance, async (live, { body }) => {
    await orInvalid(() => live.clock.advance(body.by));
    return timeOf(live);
  });
  serve(clock.set, async (live, { body }) => {
    await orInvalid(() => live.clock.set(body.to));
    return timeOf(live);
  });
  serve(clock.runToIdle, async (live) => {
    await live.clock.runToIdle();
    return timeOf(live);
  });
  for (const move of ['advanceToNext', 'freeze', 'flow'] as const) {
    serve(clock[move], async (live) => {
      await live.clock[move]();
      return timeOf(live);
    });
  }
  serve(workspace.settled, async (live) => {
    await live.life.settled();
    return timeOf(live);
  });

  serve(faults.list, (live) => ({ data: live.faults.list() }));
  serve(faults.add, async (live, { body }) => {
    const { id } = await orInvalid(async () => {
      const added = live.faults.add(body);
      await live.sharing.changed();
      return added;
    });
    const state = live.faults.list().find((rule) => rule.id === id);
    if (state === undefined)
      throw new ServiceError('not_found', 'Another request has removed this rule already.');
    return state;
  });
  serve(faults.clear, async (live) => {
    live.faults.clear();
    await live.sharing.changed();
    return undefined;
  });
  serve(faults.remove, async (live, { path }) => {
    const isRemoved = live.faults.remove(path.id);
    await live.sharing.changed();
    if (isRemoved) return undefined;
    throw new ServiceError('not_found', `No rule has this id. GET ${faults.list.path} lists them.`);
  });
}

/** The time in milliseconds and as ISO 8601, and what the clock does. */
function timeOf({ clock: workspaceClock }: LiveWorkspace): ClockAnswer {
  const { isFrozen, next } = workspaceClock;
  const now = workspaceClock.now();
  return {
    now,
    time: new Date(now).toISOString(),
    flow: isFrozen ? 'frozen' : 'flowing',
    ...(next !== undefined && { next }),
  };
}
