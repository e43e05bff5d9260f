import type { CallPromise, MessagingAutomation, RequestOptions } from 'messaging-automation';
import type { Operation } from '../../src/contract/operation.js';
import type { operations } from '../../src/contract/operations.js';
import type { HandWrittenState } from '../contract/environments/hand-written-state.js';

/** What the calls name: of a workspace that holds it, or made up. */
export interface Sample {
  readonly phone: string;
  readonly contactId: string;
  readonly subscriptionId: string;
  readonly templateId: string;
  readonly receiverUrl: string;
}

/** Names that no service knows. */
export const madeUp: Sample = {
  phone: '+15551234567',
  contactId: 'c1',
  subscriptionId: 'w1',
  templateId: 'order_update',
  receiverUrl: 'https://receiver.example.test/hooks',
};

/** A request to the service that is written by hand, whose key has opened a workspace. */
export interface AskedByHand {
  readonly state: HandWrittenState;
  readonly request: Request;
  /** The `:id` of the path. */
  readonly id: string;
}

/** What the tests know of an operation: read from the service's document alone, in plain literals. */
export interface OperationCase<Result = unknown> {
  /** Method and path, as the document has them. */
  readonly endpoint: `${'GET' | 'POST' | 'PUT' | 'DELETE'} /v1/${string}`;
  /** The statuses of a success; 200 where the document shows none. */
  readonly statuses: readonly number[];
  /** Whether two of these requests do no more than one. */
  readonly repeatable: boolean;
  /** Makes the call with all that it may carry. */
  readonly call: (
    messaging: MessagingAutomation,
    sample: Sample,
    options?: RequestOptions,
  ) => CallPromise<Result | null>;
  /** What the call is to send: the path with its query, and the body. */
  readonly sends: (sample: Sample) => { readonly path: string; readonly body?: object };
  /** The body of a success. Where the document does not show it, what the client gives in its place. */
  readonly response: unknown;
  /** The endpoint by hand. Where the document shows nothing, it chooses otherwise than the reference server does. */
  readonly byHand: (asked: AskedByHand) => Response | Promise<Response>;
}

type Operations = typeof operations;
type ResultOf<Entry> = Entry extends Operation<infer _Request, infer Result, infer _Outcome> ? Result : never;

/** A case for each operation of a resource: one that is missing does not compile. */
export type CasesOf<Resource extends keyof Operations> = {
  readonly [Verb in keyof Operations[Resource]]: OperationCase<ResultOf<Operations[Resource][Verb]>>;
};

/** A refusal by hand. §7 shows statuses and three codes, not the body; here the code stands at its top. */
export function refuse(status: number, code?: string): Response {
  return code === undefined ? new Response(null, { status }) : Response.json({ code }, { status });
}

/** §4: 204, which has no body. */
export const nothing = (): Response => new Response(null, { status: 204 });
