import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer } from 'node:http';
import { chromium } from 'playwright-core';
import { findChromium } from './chromium.js';
import type { Availability } from './debian.js';
import { type InstalledFrameworks, installFrameworks } from './frameworks.js';
import { buildPackage, type InstalledPackage, installPackedPackage } from './package.js';
import { findEmbeddedPostgres, findPostgres, type InstalledPostgres } from './postgres-programs.js';
import { startPostgres } from './postgres-server.js';
import { findRedis, startRedis } from './redis-server.js';

/** What exists once in a run. The first test that asks for one starts it, and all others use the same. */
export interface SharedThings {
  /** Debian's PostgreSQL. Where it cannot be had, the embedded one, and the run says what that does not show. */
  readonly postgres: Availability<{ readonly url: string }>;
  readonly embeddedPostgres: Availability<{ readonly url: string }>;
  readonly redis: Availability<{ readonly url: string }>;
  /** The address at which Playwright connects to the browser. */
  readonly chromium: Availability<{ readonly address: string }>;
  /** The frameworks of `test/compat` are installed. */
  readonly frameworks: InstalledFrameworks;
  /** The build in `dist/` is that of these sources. */
  readonly build: { readonly folder: string };
  /** The same, with the types. */
  readonly typedBuild: { readonly folder: string };
  /** The packed package, with types, in a project that has nothing else. */
  readonly installedPackage: InstalledPackage;
  /** The same, whose types may be missing: it takes less to build. */
  readonly untypedPackage: InstalledPackage;
}

type End = () => Promise<unknown>;
type Starters = {
  readonly [Name in keyof SharedThings]: (atEnd: (end: End) => void) => Promise<SharedThings[Name]>;
};

const starters: Starters = {
  postgres: async (atEnd) => startOne(await findPostgres(), atEnd),
  embeddedPostgres: async (atEnd) => startOne(findEmbeddedPostgres(), atEnd),
  async redis(atEnd) {
    const found = await findRedis();
    if ('missing' in found) return found;
    const server = await startRedis();
    atEnd(server.stop);
    return { url: server.url };
  },
  async chromium(atEnd) {
    const found = await findChromium();
    if ('missing' in found) return found;
    const server = await chromium.launchServer({
      executablePath: found.program,
      // Letters without colored edges make smaller pictures. The sandbox refuses to work for root.
      args: ['--disable-lcd-text', ...(process.getuid?.() === 0 ? ['--no-sandbox'] : [])],
    });
    atEnd(() => server.close());
    return { address: server.wsEndpoint() };
  },
  frameworks: installFrameworks,
  build: () => buildPackage('code'),
  typedBuild: () => buildPackage('code and types'),
  async installedPackage(atEnd) {
    await buildPackage('code and types');
    return install(atEnd);
  },
  async untypedPackage(atEnd) {
    await buildPackage('code');
    return install(atEnd);
  },
};

async function startOne(
  found: Availability<InstalledPostgres>,
  atEnd: (end: End) => void,
): Promise<SharedThings['postgres']> {
  if ('missing' in found) return found;
  const server = await startPostgres(found);
  atEnd(server.stop);
  return { url: server.url };
}

async function install(atEnd: (end: End) => void): Promise<InstalledPackage> {
  const installed = await installPackedPackage();
  atEnd(installed.remove);
  return installed;
}

/** Serves the shared things to the processes of the tests, which ask by `test/run/shared.ts`. */
export async function serveSharedThings(): Promise<{ readonly address: string; readonly end: End }> {
  const path = `/${randomUUID()}/`;
  const started = new Map<string, Promise<object>>();
  const ends: End[] = [];
  const thing = (name: string): Promise<object> => {
    const starter = Object.entries(starters).find(([known]) => known === name)?.[1];
    if (starter === undefined) throw new Error(`There is no shared thing named "${name}".`);
    const known = started.get(name) ?? starter((end) => void ends.push(end));
    started.set(name, known);
    return known;
  };
  const server = createServer(async (request, response) => {
    try {
      const { url = '' } = request;
      if (!url.startsWith(path)) throw new Error('Only the tests of this run may ask.');
      response.end(JSON.stringify(await thing(url.slice(path.length))));
    } catch (error) {
      response.writeHead(500).end(error instanceof Error ? error.stack : String(error));
    }
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  const port = typeof address === 'object' ? address?.port : undefined;
  return {
    address: `http://127.0.0.1:${port}${path}`,
    async end() {
      server.close();
      server.closeAllConnections();
      await Promise.allSettled(started.values());
      await Promise.all(ends.map((end) => end()));
    },
  };
}
