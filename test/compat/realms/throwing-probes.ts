import { probedPaths } from '../../foundation/probed-paths.js';

/** The file that replaces what the sources look for in a runtime. It is copied into the project. */
export const replacement = 'test/compat/realms/replace-probes.mjs';

/**
 * The environment variables by which each probed part of the runtime throws in a process of Node.js, for the package alone: either the property throws when it is read, or what it holds throws when it is used.
 */
export function throwingProbes(what: 'property' | 'function'): Readonly<Record<string, string>> {
  return {
    NODE_OPTIONS: '--import ./replace-probes.mjs',
    THROWING_PROBES: JSON.stringify({ what, paths: probedPaths() }),
  };
}
