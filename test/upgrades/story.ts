import type { Finding, Row } from './table.js';
import type { Upgrade } from './versions.js';

/** What a story has to work with. */
export interface StoryGround {
  readonly upgrade: Upgrade;
  /** A folder of its own. */
  readonly folder: string;
  /** An empty database of its own, in PostgreSQL. */
  readonly databaseUrl: string;
  readonly redisUrl: string;
  /** Takes what to do at the end. */
  readonly atEnd: (ending: () => Promise<unknown>) => void;
  readonly note: (kind: string, way: Row['way'], findings: readonly Finding[]) => void;
}

/** Lets an earlier version leave its data with work in flight, lets this version go on, and notes what became of it. */
export type Story = (ground: StoryGround) => Promise<void>;
