/**
 * Runs the checks of each part, one after the other, and gives what became of each. A world is what a check
 * may use: the package's entries, the far side, and what is known of the runtime.
 */
export async function* runChecks(parts, world) {
  for (const [part, checks] of Object.entries(parts)) {
    for (const [check, run] of Object.entries(checks)) {
      try {
        await run(world);
        yield { part, check };
      } catch (error) {
        yield { part, check, failure: `${error?.stack ?? error}` };
      }
    }
  }
}
