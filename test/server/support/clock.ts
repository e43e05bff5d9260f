import type { Clock } from '../../../src/foundation/clock.js';
import { type ClockFlow, positionAt, SteerableClock } from '../../../src/server/time/clock.js';

/**
 * A clock of its own, at the time of a machine. It follows its position, as that of a workspace does.
 *
 * @param settled - Resolves when all started work has ended.
 */
export function clockOf(machine: Clock, flow: ClockFlow, settled = async () => {}): SteerableClock {
  let now = positionAt(machine.now(), flow, machine);
  const nothing = async () => undefined;
  const work = { beginMove: nothing, endMove: nothing, next: nothing, startDue: nothing, settled };
  const clock = new SteerableClock(
    machine,
    {
      get now() {
        return now;
      },
      read: () => undefined,
      async change(decide) {
        const [next, result] = decide(now);
        now = next;
        clock.follow();
        return result;
      },
    },
    work,
  );
  return clock;
}
