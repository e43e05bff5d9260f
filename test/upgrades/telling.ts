import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findPostgres } from '../run/postgres-programs.js';
import { type PostgresServer, startPostgres } from '../run/postgres-server.js';
import { findRedis, type RedisServer, startRedis } from '../run/redis-server.js';
import type { EarlierVersion } from './earlier-package.js';
import type { Story, StoryGround } from './story.js';
import type { Row } from './table.js';
import { upgradeFrom } from './versions.js';

/** A story, and the version that it begins with. */
export interface StoryToTell {
  readonly name: string;
  readonly from: EarlierVersion;
  readonly story: Story;
}

/** What the stories share. */
interface Servers {
  readonly postgres: PostgresServer;
  readonly redis: RedisServer;
}

type AtEnd = StoryGround['atEnd'];

/** Tells the stories all at once: most of their time they wait. */
export async function tellStories(
  stories: readonly StoryToTell[],
  say: (progress: string) => void,
): Promise<readonly Row[]> {
  const endings: (() => Promise<unknown>)[] = [];
  const atEnd: AtEnd = (ending) => void endings.unshift(ending);
  try {
    const [postgres, redis] = await Promise.all([ownPostgres(), ownRedis()]);
    atEnd(() => Promise.all([postgres.stop(), redis.stop()]));
    const told = stories.map(async (each, place) => {
      const rows = await tell(each, place, { postgres, redis }, atEnd);
      say(`${each.name} from ${each.from}: told`);
      return rows;
    });
    return (await Promise.all(told)).flat();
  } finally {
    for (const ending of endings) await ending();
  }
}

/** Tells a story. One that breaks off has a row that says why. */
async function tell(
  { name, from, story }: StoryToTell,
  place: number,
  { postgres, redis }: Servers,
  atEnd: AtEnd,
): Promise<readonly Row[]> {
  const rows: Row[] = [];
  const note: StoryGround['note'] = (kind, way, findings) =>
    void rows.push(...findings.map((finding) => ({ from, kind, way, ...finding })));
  const folder = await mkdtemp(join(tmpdir(), 'upgrade-'));
  atEnd(() => rm(folder, { recursive: true, maxRetries: 10 }));
  try {
    const databaseUrl = await newDatabase(postgres, `story_${place}`);
    const redisUrl = `${redis.url}/${place}`;
    await story({ upgrade: await upgradeFrom(from), folder, databaseUrl, redisUrl, atEnd, note });
  } catch (error) {
    note(name, 'stopped', [{ before: 'the story', now: String(error), expected: 'is told to its end' }]);
  }
  return rows;
}

async function newDatabase({ pool, url }: PostgresServer, name: string): Promise<string> {
  await pool.query(`create database ${name}`);
  return new URL(`/${name}`, url).href;
}

async function ownPostgres(): Promise<PostgresServer> {
  const found = await findPostgres();
  if ('missing' in found) throw new Error(`There is no PostgreSQL: ${found.missing}.`);
  return startPostgres(found, { settings: { jit: 'off' } }); // with it, the statements of 0.1.0 take seconds of a processor each
}

async function ownRedis(): Promise<RedisServer> {
  const found = await findRedis();
  if ('missing' in found) throw new Error(`There is no Redis: ${found.missing}.`);
  return startRedis(false, { databases: '64' }); // one for each story
}
