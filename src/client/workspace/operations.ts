import type { UpdateContactInput, UpsertContactInput } from '../../contract/contact.js';
import type { TrackResult } from '../../contract/event.js';
import type { Operation } from '../../contract/operation.js';
import { operations } from '../../contract/operations.js';
import type { SendResult } from '../../contract/transactional.js';
import type { InferContact, InferProperties, InferSendInput, InferTrackInput } from './infer.js';
import type { Workspace } from './workspace.js';

/** The operations that a workspace types more precisely. */
interface OperationsOf<W extends Workspace> {
  readonly contacts: {
    readonly upsert: Operation<{ body: UpsertContactInput<InferProperties<W>> }, InferContact<W>>;
    readonly find: Operation<{ query: { phone: string } }, InferContact<W>>;
    readonly get: Operation<{ path: { id: string } }, InferContact<W>>;
    readonly update: Operation<
      { path: { id: string }; body: UpdateContactInput<InferProperties<W>> },
      InferContact<W> | undefined
    >;
  };
  readonly transactional: {
    readonly send: Operation<{ body: InferSendInput<W> }, SendResult>;
  };
  readonly events: {
    readonly track: Operation<{ body: InferTrackInput<W> }, TrackResult>;
  };
}

/**
 * The contract's table with the types of a workspace. The entries are the same: the workspace's rules convert a given body
 * into one of the table, and check the contact of a response with its schemas. The compiler cannot infer this for unknown
 * schemas, hence the one cast.
 */
export function operationsOf<W extends Workspace>(): OperationsOf<W> {
  const table: unknown = operations;
  return table as OperationsOf<W>;
}
