import type { JourneySeed } from '../../server/seed/journey-seed.js';
import type { DeliverySnapshot, EntryJson, EntryJsonOf } from '../surface/entry.js';
import { inWords } from './contract-words.js';
import { countOf } from './counted.js';
import { type Chain, chainsOf } from './deliveries.js';
import { describeStatus } from './describe-delivery.js';
import { describeEntry, type EntryDescription, hostAndPath } from './describe-entry.js';
import { stepInWords } from './journey-path.js';
import { shortTimeNear } from './times.js';

/** What the page knows besides the entries of a story. */
export interface StorySetting {
  readonly journeys: readonly JourneySeed[] | undefined;
  /** The time of the workspace. */
  now(): number;
  /** A delivery as it is now. */
  asItIs(delivery: DeliverySnapshot): DeliverySnapshot;
  isDeleted(contactId: string): boolean;
}

/** An entry of a story, as its step. */
export interface StoryStep extends EntryDescription {
  readonly entry: EntryJson;
  /** What the story says of it as long as it is the newest such step. */
  readonly newest?: string;
}

/** A story in a row: how it began, its newest step, and how it ended or what it waits for. */
export interface StoryDescription extends EntryDescription {
  /** The newest step that the title does not say. */
  readonly newest: string | undefined;
  /** The request that began it, if the title does not say it. */
  readonly request: string | undefined;
  readonly steps: readonly StoryStep[];
  /** The entry that the story is about. */
  readonly subject: EntryJson;
  /** The entry that a click on the row opens: what failed, or else the newest. */
  readonly opens: EntryJson;
}

/** How a story ended, or what it waits for. `from`: the entry that decides it. */
interface State extends Pick<EntryDescription, 'detail' | 'outcome' | 'tone'> {
  readonly newest?: string | undefined;
  readonly from?: EntryJson | undefined;
}

/** Describes a story. */
export function describeStory(
  story: readonly [EntryJson, ...EntryJson[]],
  around: StorySetting,
): StoryDescription {
  const [first] = story;
  const steps = stepsOf(story, around.journeys);
  const subject = story.find(({ type }) => type === 'event' || type === 'message') ?? first;
  const told = steps.findLast(({ newest }) => newest !== undefined);
  const state = stateOfRuns(story, told, around) ?? stateOfDeliveries(story, around) ?? stateOfSteps(steps);
  return {
    title: describeEntry(subject).title,
    newest: story.length === 1 ? undefined : (state.newest ?? told?.newest),
    request: first === subject || first.type !== 'request' ? undefined : describeEntry(first).title,
    detail: state.detail,
    outcome: state.outcome,
    tone: state.tone,
    steps,
    subject,
    opens: state.from ?? told?.entry ?? steps.at(-1)?.entry ?? first,
  };
}

/** The entries of a story in words. A step of a journey that an entry before it tells is left out. */
function stepsOf(story: readonly EntryJson[], journeys: StorySetting['journeys']): readonly StoryStep[] {
  const runs = new Map<string, EntryJsonOf<'journey'>['run']>();
  const steps = story.flatMap((entry): readonly StoryStep[] => {
    const description = describeEntry(entry);
    if (entry.type === 'send')
      return [{ ...description, entry, outcome: 'sent', newest: `${description.title} sent` }];
    if (entry.type === 'message' && entry.consent !== undefined)
      return [{ ...description, entry, newest: inWords(entry.consent) }];
    if (entry.type !== 'journey') return [{ ...description, entry }];
    const { run } = entry;
    const before = runs.get(run.id);
    runs.set(run.id, run);
    const journey = journeys?.find(({ id }) => id === run.journeyId);
    const words = stepInWords(before, run, journey);
    if (words === undefined) return [];
    const newest = words.leftOut?.length ? `${words.leftOut.join(', ')} not sent` : undefined;
    const detail = [newest ?? '', description.detail].filter((each) => each !== '').join(' · ');
    return [{ ...description, entry, title: words.did, detail, ...(newest !== undefined && { newest }) }];
  });
  return steps.length > 0 ? steps : story.slice(-1).map((entry) => ({ ...describeEntry(entry), entry }));
}

/** The state of the journey runs of a story: the worst, or what they wait for. Undefined if it has none. */
function stateOfRuns(
  story: readonly EntryJson[],
  told: StoryStep | undefined,
  around: StorySetting,
): State | undefined {
  const latest = new Map(
    story.flatMap((entry) => (entry.type === 'journey' ? [[entry.run.id, entry] as const] : [])),
  );
  const all = [...latest.values()];
  const [first] = all;
  if (first === undefined) return undefined;
  const { journeyId, contactId } = first.run;
  const failed = all.find(({ run }) => run.status === 'failed');
  if (failed !== undefined) {
    const { error = '', journeyId } = failed.run;
    return { outcome: 'failed', tone: 'bad', detail: error, newest: `${journeyId} failed`, from: failed };
  }
  const { title: step = '', detail: text = '' } = told ?? {};
  const detail = told?.entry.type === 'send' ? text : step;
  const newest = told?.newest ?? journeyId;
  const waiting = all.filter(({ run }) => run.status === 'waiting');
  if (waiting.length === 0) return { outcome: 'finished', tone: 'ok', detail, newest };
  if (around.isDeleted(contactId)) return { outcome: 'contact deleted', tone: 'plain', detail, newest };
  const dueAt = Math.min(...waiting.map(({ run }) => run.dueAt));
  const at = Math.max(...waiting.map((entry) => entry.at));
  return { outcome: `until ${shortTimeNear(dueAt, at)}`, tone: 'wait', detail, newest };
}

/** The state of the deliveries of a story. Undefined if it has none. */
function stateOfDeliveries(story: readonly EntryJson[], around: StorySetting): State | undefined {
  const attempts = story.filter((entry) => entry.type === 'attempt');
  const latest = new Map(attempts.map(({ delivery }) => [delivery.id, around.asItIs(delivery)]));
  const chains = chainsOf(latest.values());
  const ends = chains.flatMap((chain) => chain.slice(-1));
  const [end] = ends;
  if (end === undefined) return undefined;
  const isOf = (status: DeliverySnapshot['status']) => ends.filter((each) => each.status === status);
  const [failed] = isOf('failed');
  const [pending] = isOf('pending');
  const decisive = failed ?? pending ?? isOf('cancelled')[0] ?? end;
  const { text, tone } = describeStatus(decisive, pending === undefined ? 0 : around.now());
  const isOne = ends.length === 1;
  return {
    outcome: isOne ? text : `${isOf('delivered').length} of ${ends.length} delivered`,
    tone,
    detail: [...new Set(chains.map((chain) => chainInWords(chain, isOne)))].join(' · '),
    from: failed && attempts.findLast(({ delivery }) => delivery.id === failed.id),
  };
}

/** Where a delivery went, and what happened on its way: `to localhost:3000, failed, retried 12:40, delivered`. */
function chainInWords(chain: Chain, isOne: boolean): string {
  const attempts = chain.flatMap((delivery) => delivery.attempts);
  const [first] = chain;
  const [last, end] = [attempts.at(-1), chain.at(-1)];
  if (first === undefined || last === undefined || end === undefined) return '';
  const failed = attempts.filter(({ error }) => error !== undefined).length;
  const again = end.attempts.length > 1 ? 'retried' : 'sent again';
  const words = [
    `to ${hostAndPath(first.url)}`,
    failed === 1 && 'failed',
    failed > 1 && `failed ${countOf(failed, 'time')}`,
    last.error,
    attempts.length > 1 &&
      last.error === undefined &&
      `${again} ${shortTimeNear(last.startedAt, first.createdAt)}`,
    (attempts.length > 1 || !isOne) && end.status !== 'pending' && end.status !== 'failed' && end.status,
  ];
  return words.filter((each) => each !== false && each !== undefined).join(', ');
}

/** The state of a story without runs and deliveries: what failed in it, or else its newest step. */
function stateOfSteps(steps: readonly StoryStep[]): State {
  const others = steps.filter(({ entry }) => entry.type !== 'fault');
  const bad = others.findLast(({ tone }) => tone === 'bad');
  const { entry, outcome = '', tone = 'plain', detail = '' } = bad ?? others.at(-1) ?? steps.at(-1) ?? {};
  return { outcome, tone, detail, from: entry };
}
