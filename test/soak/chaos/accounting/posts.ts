import { createHash } from 'node:crypto';
import { verifyWebhook } from 'messaging-automation/webhooks';
import type { Attempt, Delivery } from '../../accounting/evidence.js';
import { groupBy } from '../../accounting/trace.js';
import type { DisruptionKind } from '../disruptions.js';

/** A request that the receiver read to its end. Times are the machine's, in milliseconds since the Unix epoch. */
export interface Post {
  readonly at: number;
  /** When the answer was out, or the connection over. Undefined while neither is. */
  readonly until: number | undefined;
  readonly path: string;
  readonly signature: string;
  /** SHA-256 of the body, in hex. */
  readonly digest: string;
  /** The replica that sent it, counted from 0. */
  readonly replica: number;
  /** Whether a 2xx went out whole. */
  readonly acknowledged: boolean;
}

/** A disruption as it happened. Times are the machine's. */
export interface Incident {
  readonly kind: DisruptionKind;
  /** Undefined where it was all of them. */
  readonly replica: number | undefined;
  readonly from: number;
  readonly until: number;
}

/** A delivery, and the secret by which its bytes are signed. */
export interface SignedDelivery {
  readonly delivery: Delivery;
  readonly secret: string;
}

export interface PostAccount {
  readonly problems: readonly string[];
  readonly posts: number;
  /** POSTs that an attempt on record accounts for. */
  readonly recorded: number;
  /** POSTs that no attempt accounts for, by the disruption in which they were lost. */
  readonly interrupted: ReadonlyMap<DisruptionKind, number>;
  /** Deliveries whose receiver saw more than three POSTs. */
  readonly moreThanThree: number;
  /** Deliveries that failed by the records though a disrupted replica's last POST was acknowledged. */
  readonly acknowledgedInVain: number;
}

/** How long a replica may take from an answer to a record of it, on a machine that is busy. In milliseconds. */
const untilRecorded = 2_500;
/** How long a replica goes on with what it held in its hands when its disruption ended. In milliseconds. */
const afterwards = 2_500;
/** How far what is written down of a time may be off. In milliseconds. */
const slack = 1_500;
/** After this an attempt is given up. In milliseconds. */
const timeout = 5_000;

/**
 * Accounts for every POST that the receiver saw: by an attempt on record, or by a process that died, stood still or lost
 * the database in the middle of one.
 */
export function accountForPosts(
  deliveries: readonly SignedDelivery[],
  posts: readonly Post[],
  incidents: readonly Incident[],
): PostAccount {
  const problems: string[] = [];
  const interrupted = new Map<DisruptionKind, number>();
  let recorded = 0;
  let moreThanThree = 0;
  let acknowledgedInVain = 0;
  const postsByBytes = groupBy(posts, ({ path, digest }) => `${path} ${digest}`);
  // A redelivery is of the same bytes.
  const deliveriesByBytes = groupBy(deliveries, ({ delivery }) => bytesOf(delivery));
  for (const [bytes, seen] of postsByBytes) {
    const alike = deliveriesByBytes.get(bytes);
    if (alike === undefined) {
      problems.push(`${seen.length} POSTs to ${pathOf(bytes)} are of no delivery: invented`);
    }
  }
  for (const [bytes, alike] of deliveriesByBytes) {
    const seen = postsByBytes.get(bytes) ?? [];
    const ids = alike.map(({ delivery }) => delivery.id).join(', ');
    for (const { signature } of seen) {
      if (!alike.some(({ delivery, secret }) => verifyWebhook(delivery.body, signature, secret))) {
        problems.push(`a POST of the delivery ${ids} has a signature that does not verify`);
      }
    }
    if (seen.length > 3 * alike.length) moreThanThree += 1;
    const { taken, missing, left } = assign(
      alike.flatMap(({ delivery }) => delivery.attempts),
      seen.map((post) => ({ post, incident: incidentOf(post, incidents) })),
    );
    recorded += taken.length;
    for (const { attempt, seen: one } of taken) {
      if (attempt.error === undefined && !one.post.acknowledged && one.incident === undefined) {
        problems.push(`attempt ${attempt.number} of ${ids} counts as acknowledged, and nobody did`);
      }
    }
    for (const { number } of missing) {
      problems.push(`attempt ${number} of ${ids} was answered, and its receiver has seen none: invented`);
    }
    for (const { post, incident } of left) {
      if (incident === undefined) {
        problems.push(
          `a POST of the delivery ${ids} by replica ${post.replica + 1} at ${timeOf(post.at)} is on no record, and nothing disrupted that replica`,
        );
      } else {
        interrupted.set(incident.kind, (interrupted.get(incident.kind) ?? 0) + 1);
      }
    }
    const acknowledgement = seen.find(({ acknowledged }) => acknowledged);
    if (acknowledgement !== undefined && alike.every(({ delivery }) => delivery.status === 'failed')) {
      if (seen.some((post) => post.acknowledged && incidentOf(post, incidents) === undefined)) {
        problems.push(
          `the delivery ${ids} failed, and its receiver acknowledged it at ${timeOf(acknowledgement.at)}`,
        );
      } else {
        acknowledgedInVain += 1;
      }
    }
  }
  return { problems, posts: posts.length, recorded, interrupted, moreThanThree, acknowledgedInVain };
}

interface SeenPost {
  readonly post: Post;
  /** What disrupted its replica meanwhile. */
  readonly incident: Incident | undefined;
}

/** Lays each POST to an attempt on record, as far as there are any: to each attempt the one that came nearest to its start. */
function assign(attempts: readonly Attempt[], seen: readonly SeenPost[]) {
  const left = [...seen];
  const missing: Attempt[] = [];
  const taken: { readonly attempt: Attempt; seen: SeenPost }[] = [];
  const distance = ({ at }: Post, { machineTime = 0 }: Attempt) => Math.abs(at - machineTime);
  for (const attempt of attempts) {
    const [nearest] = left
      .filter(({ post }) => fits(post, attempt))
      .sort((one, other) => distance(one.post, attempt) - distance(other.post, attempt));
    if (nearest !== undefined) {
      left.splice(left.indexOf(nearest), 1);
      taken.push({ attempt, seen: nearest });
    } else if (attempt.status !== undefined) {
      missing.push(attempt);
    }
  }
  // Of two that fit one attempt, the one that was disrupted is on no record.
  for (const [index, each] of left.entries()) {
    if (each.incident !== undefined) continue;
    const other = taken.find(
      ({ attempt, seen: one }) => one.incident !== undefined && fits(each.post, attempt),
    );
    if (other === undefined) continue;
    left[index] = other.seen;
    other.seen = each;
  }
  return { taken, missing, left };
}

/** Whether an attempt on record can be the one that made a POST. */
function fits({ at }: Post, { machineTime, duration = timeout }: Attempt): boolean {
  return machineTime !== undefined && at >= machineTime - slack && at <= machineTime + duration + slack;
}

/** The disruption that a POST was under way in, of the replica that sent it. */
function incidentOf({ at, until, replica }: Post, incidents: readonly Incident[]): Incident | undefined {
  const over = (until ?? at + timeout) + untilRecorded;
  return incidents.find(
    (incident) =>
      (incident.replica === undefined || incident.replica === replica) &&
      incident.from <= over &&
      incident.until + afterwards >= at,
  );
}

function bytesOf({ url, body }: Delivery): string {
  return `${new URL(url).pathname} ${createHash('sha256').update(body).digest('hex')}`;
}

function pathOf(bytes: string): string {
  return bytes.split(' ')[0] ?? '';
}

function timeOf(at: number): string {
  return new Date(at).toISOString().slice(11, 23);
}
