import type { WorkspaceSnapshot } from 'messaging-automation/server';
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
  /** Whether something may have held attempts up, so that retries may come late. */
  readonly delayed: boolean;
  /** What it held before the first call: contacts and definitions alone. */
  readonly before: WorkspaceSnapshot;
  /** What it holds now that nothing waits any more. */
  readonly after: WorkspaceSnapshot;
  readonly calls: readonly Call[];
  readonly messages: readonly Message[];
  /** The ids of the contacts in each segment that goes by an event. */
  readonly segmentMembers: Readonly<Record<string, readonly string[]>>;
}
