import { createHash } from 'node:crypto';
import type { DisruptionKind } from '../chaos/disruptions.js';
import { changesBytes, signatureOf } from './course.js';
import type { Attempt, Delivery } from './evidence.js';

/** A request that the receiver read to its end. Times are the machine's, in milliseconds since the Unix epoch. */
export interface Post {
  readonly at: number;
  /** When the response was out, or the connection over. Undefined before that. */
  readonly until: number | undefined;
  readonly path: string;
  readonly signature: string;
  /** SHA-256 of the body, in hex. */
  readonly digest: string;
  /** The replica that sent it, counted from 0. */
  readonly replica: number;
  /** Whether a 2xx went out whole. */
  readonly acknowledged: boolean;
  /** Whether a kept connection broke before a byte of the response. The sender repeats such a POST at once, and counts one attempt. */
  readonly cut: boolean;
}

/** A disruption as it happened. Times are the machine's. */
export interface Incident {
  readonly kind: DisruptionKind;
  /** Undefined for all replicas. */
  readonly replica: number | undefined;
  readonly from: number;
  readonly until: number;
}

/** A delivery, and the secret that signs its bytes. */
export interface Sent {
  readonly delivery: Delivery;
  readonly secret: string;
}

export interface PostAccount {
  readonly problems: readonly string[];
  /** POSTs that an attempt on record accounts for. */
  readonly recorded: number;
  /** POSTs that no attempt accounts for, by the disruption in which they were lost. */
  readonly interrupted: ReadonlyMap<DisruptionKind, number>;
  /** POSTs that broke with a kept connection, so that the attempt on record is the repeated POST. */
  readonly repeated: number;
}

/** How long a replica may take from a response to a record of it, on a busy machine. In milliseconds. */
const untilRecorded = 2_500;
/** How long a replica continues with what it held when its disruption ended. In milliseconds. */
const afterwards = 2_500;
/** How far a recorded time may be off. In milliseconds. */
const slack = 1_500;
/** After this an attempt is given up. In milliseconds. */
const timeout = 5_000;

/**
 * Accounts for every POST that the receiver saw: by an attempt on record, by a fault, or by a process that died, was paused
 * or lost the database during the POST.
 *
 * @param incidents - Undefined if nothing disrupts the service. Then faults may strike, and the receiver may go down.
 */
export function accountForPosts(
  sent: readonly Sent[],
  posts: readonly Post[],
  incidents?: readonly Incident[],
): PostAccount {
  const problems: string[] = [];
  const interrupted = new Map<DisruptionKind, number>();
  let recorded = 0;
  let repeated = 0;
  // Two changes of a consent at one time have the same bytes.
  const sentByBytes = groupBy(sent, bytesOf);
  const postsByBytes = groupBy(posts, ({ path, digest, signature }) => `${path} ${digest} ${signature}`);
  const unknown = [...postsByBytes].flatMap(([bytes, seen]) => (sentByBytes.has(bytes) ? [] : seen));
  // Of deliveries that a restore has undone.
  const restores = (incidents ?? []).filter(({ kind }) => kind === 'restore backup');
  const [undone, strange] = parted(unknown, (post) => incidentOf(post, restores) !== undefined);
  if (undone.length > 0) interrupted.set('restore backup', undone.length);
  problems.push(...problemsWithStrange(strange, sent));
  for (const [bytes, alike] of sentByBytes) {
    const seen = (postsByBytes.get(bytes) ?? []).map((post) => ({
      post,
      incident: incidentOf(post, incidents ?? []),
    }));
    const ids = [...new Set(alike.map(({ delivery }) => delivery.id))].join(', ');
    const attempts = alike.flatMap(({ delivery }) => delivery.attempts);
    const disrupted = seen.filter(({ incident }) => incident !== undefined);
    const { left, open } = assign(seen, attempts.flatMap(expectedPosts));
    recorded += seen.length - left.length;
    for (const { post, incident } of left) {
      if (incident !== undefined) interrupted.set(incident.kind, (interrupted.get(incident.kind) ?? 0) + 1);
      else if (post.cut) repeated += 1;
      else
        problems.push(
          `a POST of the delivery ${ids} by replica ${post.replica + 1} at ${timeOf(post.at)} is on no record, and nothing disrupted that replica: invented`,
        );
    }
    for (const { attempt, required } of open) {
      if (required) {
        problems.push(
          `attempt ${attempt.number} of ${ids} got a response, and its receiver has seen none: lost`,
        );
      }
    }
    const acknowledged = seen.filter(({ post }) => post.acknowledged);
    const claimed = attempts.filter((attempt) => attempt.error === undefined && hasResponse(attempt)).length;
    if (claimed > acknowledged.length + disrupted.length) {
      problems.push(
        `${claimed} attempts of ${ids} count as acknowledged, and its receiver acknowledged ${acknowledged.length}`,
      );
    }
    const [one] = acknowledged;
    if (incidents === undefined || one === undefined) continue;
    if (alike.some(({ delivery }) => delivery.status !== 'failed')) continue;
    if (acknowledged.some(({ incident }) => incident === undefined))
      problems.push(`the delivery ${ids} failed, and its receiver acknowledged it at ${timeOf(one.post.at)}`);
  }
  return { problems, recorded, interrupted, repeated };
}

/** POSTs of other bytes than a delivery's, or with another signature: faults send some. */
function problemsWithStrange(strange: readonly Post[], sent: readonly Sent[]): readonly string[] {
  const altered = groupBy(
    sent.flatMap(({ delivery }) =>
      delivery.attempts
        .filter(({ faults = [] }) => faults.some(({ kind }) => changesBytes.includes(kind)))
        .map(() => delivery),
    ),
    ({ url }) => new URL(url).pathname,
  );
  return [...groupBy(strange, ({ path }) => path)].flatMap(([path, { length }]) => {
    const most = altered.get(path)?.length ?? 0;
    if (length <= most) return [];
    return [
      `${length} POSTs to ${path} are of no delivery with its signature, and faults altered ${most}: invented`,
    ];
  });
}

interface SeenPost {
  readonly post: Post;
  /** What disrupted its replica meanwhile. */
  readonly incident: Incident | undefined;
}

/** A POST that an attempt on record accounts for. */
interface ExpectedPost {
  readonly attempt: Attempt;
  /** Whether its receiver has certainly seen it. */
  readonly required: boolean;
}

function hasResponse({ status, faults = [] }: Attempt): boolean {
  return (
    status !== undefined && faults.every(({ kind }) => ['latency', 'reorder', 'duplicate'].includes(kind))
  );
}

/** The POSTs of an attempt, with the delivery's bytes and their signature. */
function expectedPosts(attempt: Attempt): readonly ExpectedPost[] {
  const { faults = [] } = attempt;
  const fault = faults.find(({ kind }) => kind !== 'latency' && kind !== 'reorder');
  const possible = { attempt, required: false };
  switch (fault?.kind) {
    case undefined:
      return [{ attempt, required: hasResponse(attempt) }];
    case 'duplicate':
      return [{ attempt, required: hasResponse(attempt) }, possible];
    case 'status':
    case 'reset':
    case 'stall':
      return fault.when === 'after_receipt' ? [possible] : [];
    default:
      // A drift that finds nothing to change changes nothing.
      return [possible];
  }
}

/**
 * Assigns as many POSTs as possible to attempts on record, first to those with a response. Two attempts at nearly one time
 * may fit the same POSTs, so an attempt gives its POST to another one if it can have another itself. Of two POSTs that fit one
 * attempt, the one that was disrupted or cut is on no record.
 */
function assign(seen: readonly SeenPost[], expected: readonly ExpectedPost[]) {
  const holders = new Map<SeenPost, ExpectedPost>();
  const place = (each: ExpectedPost, among: readonly SeenPost[], tried = new Set<SeenPost>()): boolean =>
    among.some((candidate) => {
      if (tried.has(candidate) || !fits(candidate.post, each.attempt)) return false;
      tried.add(candidate);
      const holder = holders.get(candidate);
      if (holder !== undefined && !place(holder, among, tried)) return false;
      holders.set(candidate, each);
      return true;
    });
  const undisrupted = seen.filter(({ post, incident }) => incident === undefined && !post.cut);
  const inOrder = [...expected].sort((one, other) => Number(other.required) - Number(one.required));
  const unplaced = inOrder.filter((each) => !place(each, undisrupted));
  const open = unplaced.filter((each) => !place(each, seen));
  return { left: seen.filter((one) => !holders.has(one)), open };
}

/** Whether an attempt on record can be the one that made a POST. */
function fits({ at }: Post, { machineTime, duration = timeout }: Attempt): boolean {
  return machineTime === undefined || (at >= machineTime - slack && at <= machineTime + duration + slack);
}

/** The disruption of the replica that sent a POST, during the POST. */
function incidentOf({ at, until, replica }: Post, incidents: readonly Incident[]): Incident | undefined {
  const over = (until ?? at + timeout) + untilRecorded;
  return incidents.find(
    (incident) =>
      (incident.replica === undefined || incident.replica === replica) &&
      incident.from <= over &&
      incident.until + afterwards >= at,
  );
}

function bytesOf({ delivery: { url, body }, secret }: Sent): string {
  const digest = createHash('sha256').update(body).digest('hex');
  return `${new URL(url).pathname} ${digest} ${signatureOf(body, secret)}`;
}

/** The items of which something holds, and the others. */
function parted<Item>(items: readonly Item[], holds: (item: Item) => boolean): [Item[], Item[]] {
  return [items.filter(holds), items.filter((item) => !holds(item))];
}

/** The items of each key. */
function groupBy<Item>(items: readonly Item[], keyOf: (item: Item) => string): Map<string, Item[]> {
  const groups = new Map<string, Item[]>();
  for (const item of items) {
    const group = groups.get(keyOf(item));
    if (group === undefined) groups.set(keyOf(item), [item]);
    else group.push(item);
  }
  return groups;
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
