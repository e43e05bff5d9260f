import { askControl, failureOf, insistOn } from '../control.js';
import type { Tenant } from '../tenant.js';

/** The parts of a workspace's settings, by the path under which a replica says them. */
const parts = ['clock', 'faults', 'spec-gaps', 'receiver'];
/** In milliseconds. */
const timeout = 30_000;

/**
 * Asks each replica for the settings of the workspaces, and returns where one says something else than the last.
 *
 * @param origins - The last one is a replica that knows only what the database has.
 */
export async function problemsWithSettings(
  tenants: readonly Tenant[],
  origins: readonly string[],
): Promise<readonly string[]> {
  const problems: string[] = [];
  const [fresh = '', ...others] = origins.toReversed();
  for (const tenant of tenants) {
    const truth = await settingsOf(tenant, fresh);
    for (const origin of others) {
      const said = await settingsOf(tenant, origin);
      const different = parts.filter((_, index) => said[index] !== truth[index]);
      problems.push(
        ...different.map(
          (part) => `${tenant.name}: after the restore, ${origin} has another ${part} than a fresh replica`,
        ),
      );
    }
  }
  return problems;
}

/** What a replica says of each part, without what passes by itself: the time of a clock that flows, and the work that waits. */
async function settingsOf({ apiKey, clock }: Tenant, origin: string): Promise<readonly string[]> {
  const said: string[] = [];
  for (const part of parts) {
    const value = await asked(origin, apiKey, part);
    const { now, next: _waiting, ...rest } = Object(value);
    // How far it is ahead of the machine, in minutes.
    const time = clock === 'frozen' ? now : Math.round((now - Date.now()) / 60_000);
    said.push(JSON.stringify(part === 'clock' ? { ...rest, time } : value));
  }
  return said;
}

/** Asks until the replica reaches its database again. */
async function asked(origin: string, apiKey: string, part: string): Promise<object> {
  let value: object | undefined;
  await insistOn(`${origin}/control/${part}`, async () => {
    value = await askControl<object>(origin, apiKey, 'GET', part, { timeout }).catch((error: unknown) => {
      if (failureOf(error).status === 503) return undefined;
      throw error;
    });
    return value !== undefined;
  });
  return value ?? {};
}
