import type { EventRecord, SendRecord, WorkspaceSnapshot } from 'messaging-automation/server';
import type { Call } from '../calls.js';

export type Delivery = WorkspaceSnapshot['deliveries'][number];
export type Attempt = Delivery['attempts'][number];
export type Subscription = WorkspaceSnapshot['subscriptions'][number];

/** What the journal says of an inbound message. */
export interface Message {
  readonly messageId: string;
  readonly contactId: string;
  /** Milliseconds since the Unix epoch, by the workspace's clock. */
  readonly at: number;
}

/** What a workspace was made with, held at its end, and was told to do between: all that an audit needs. */
export interface Evidence {
  readonly name: string;
  readonly clock: 'frozen' | 'flowing';
  /** Whether faults held attempts up by the workspace's clock, so that retries may come late. */
  readonly delayed: boolean;
  /** What it held before the first call: another workspace's state, where it is a copy. */
  readonly before: WorkspaceSnapshot;
  /** What it holds now that nothing waits any more. */
  readonly after: WorkspaceSnapshot;
  readonly calls: readonly Call[];
  readonly messages: readonly Message[];
  /** The ids of the contacts in each segment that goes by an event. */
  readonly segmentMembers: Readonly<Record<string, readonly string[]>>;
}

/** What is left of a workspace that was closed with work under way: its journal. */
export interface ClosedEvidence {
  readonly name: string;
  readonly calls: readonly Call[];
  readonly messages: readonly Message[];
  /** As they stood after their last attempt. */
  readonly deliveries: readonly Delivery[];
  readonly sends: readonly SendRecord[];
  readonly events: readonly EventRecord[];
  /** How many attempts the journal told of as it was closed, and how many at the end of the round. */
  readonly attemptsAtClose: number;
  readonly attemptsAtEnd: number;
}

/** A request that a receiver wrote down before it did anything else. */
export interface Arrival {
  readonly path: string;
  readonly signature: string;
  /** SHA-256 of the body, in hex. */
  readonly digest: string;
  /** Whether the receiver went on to answer with a 2xx, unless it was killed before. */
  readonly acknowledged: boolean;
}
