/** Whether a server can be had here, and if not, why. */
export type Availability<Found> = Found | { readonly missing: string };

/** Says in the run's output that tests were left out, and gives the name to leave them out under. */
export function warnOfMissing(server: string, why: string): string {
  const message = `NOT RUN: the dedupe store's tests against ${server}, because ${why}.`;
  process.emitWarning(message);
  return message;
}
