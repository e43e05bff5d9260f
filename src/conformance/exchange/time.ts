const day = 24 * 60 * 60 * 1000;

/**
 * Whether a time can be one of this run. It is not earlier than a day before the run began, for clocks differ, and not later than
 * ten years after, for the clock of a deployment for tests may have been moved forward.
 */
export function isTimeOfRun(time: number, { startedAt }: { readonly startedAt: number }): boolean {
  return time >= startedAt - day && time <= startedAt + 3_653 * day;
}
