const day = 24 * 60 * 60 * 1000;

/**
 * Whether a time can be one of this run: at the earliest a day before the run began, because clocks differ, and at the latest ten
 * years after, because a test may have moved the deployment's clock forward.
 */
export function isTimeOfRun(time: number, { startedAt }: { readonly startedAt: number }): boolean {
  return time >= startedAt - day && time <= startedAt + 3_653 * day;
}
