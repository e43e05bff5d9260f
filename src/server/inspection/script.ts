import type { WorkspaceSeed } from '../seed/workspace-seed.js';
import { problemWithUrl } from '../service/address-policy.js';
import { type Expectation, expectationsOf } from './expectations.js';
import { describeEntry, type NumberedEntry } from './inspection.js';
import { type ScriptStep, stepsOf } from './steps.js';
import { type Surroundings, storyOf, withInventedPhones } from './story.js';
import { responsesIn, worldOf } from './world.js';

/** A program as data, which `program.ts` writes as text and `rehearsal.ts` runs. */
export interface Script {
  readonly title: string;
  /** The workspace before the first step. */
  readonly world: WorkspaceSeed;
  readonly hasReceivers: boolean;
  /** Whether a receiver is not on this machine. */
  readonly isElsewhere: boolean;
  /** What each receiver responds, by URL and in turn: a status, or the error of the connection. */
  readonly responses: ReadonlyMap<string, readonly (number | string)[]>;
  readonly steps: readonly ScriptStep[];
  readonly expectations: readonly Expectation[];
}

/** What a script leaves out. */
export interface LeftOut {
  /** Why an act is left out, by its number. */
  readonly acts: ReadonlyMap<number, string>;
  /** The names of expectations. */
  readonly expectations: ReadonlySet<string>;
}

/** Writes a script that repeats entries in a workspace of its own, and expects that they happen. */
export function scriptOf(
  repeated: readonly NumberedEntry[],
  known: Surroundings,
  leftOut: LeftOut = { acts: new Map(), expectations: new Set() },
): Script {
  const surroundings = withInventedPhones(known);
  const story = storyOf(repeated, surroundings, new Set(leftOut.acts.keys()));
  const world = worldOf(story, surroundings);
  const urls = [...story.receivers.urls.values(), ...(world.managedWebhooks ?? []).map(({ url }) => url)];
  const [entry] = repeated;
  return {
    title:
      entry === undefined || repeated.length > 1 ? 'what was recorded happens again' : describeEntry(entry),
    world,
    hasReceivers: urls.length > 0,
    isElsewhere: urls.some((url) => problemWithUrl(url, 'loopback') !== undefined),
    responses: responsesIn(story),
    steps: stepsOf(story, surroundings, leftOut.acts),
    expectations: expectationsOf(repeated, story).map((each) => ({
      ...each,
      isLeftOut: leftOut.expectations.has(each.name),
    })),
  };
}
