import { StoreBusyError } from '../../server/model/service-error.js';
import { idTaken } from '../../server/store/store.js';
import { Failure } from '../database/batch.js';
import { failsForEach, isDuplicate } from '../database/lost-connection.js';

/** After so many rounds, the inputs that are left fail. */
const mostRounds = 100;

/** An input that waits for its output, and its index. */
export interface Pending<Input> {
  readonly input: Input;
  readonly index: number;
}

/** Outputs by the indexes of their inputs. */
export type Answers<Output> = ReadonlyMap<number, Output | Failure>;

/**
 * Processes inputs in rounds, with optimistic concurrency: a round reads, and writes only what has not changed since. Inputs
 * with a conflict go into the next round.
 */
export async function inRounds<Input, Output>(
  inputs: readonly Input[],
  round: (pending: readonly Pending<Input>[]) => Promise<Answers<Output>>,
): Promise<readonly (Output | Failure)[]> {
  const answers = new Map<number, Output | Failure>();
  let pending = inputs.map((input, index) => ({ input, index }));
  for (let rounds = 0; pending.length > 0 && rounds < mostRounds; rounds += 1) {
    for (const [index, answer] of await isolated(pending, round)) answers.set(index, answer);
    pending = pending.filter(({ index }) => !answers.has(index));
  }
  for (const { index } of pending) answers.set(index, new Failure(forestalled()));
  return [...answers].sort(([a], [b]) => a - b).map(([, answer]) => answer);
}

function forestalled(): StoreBusyError {
  const error = new StoreBusyError();
  error.cause = new Error(`Others changed the same contact or subscriptions ${mostRounds} times meanwhile.`);
  return error;
}

/** Inputs that change the same record, which is written once for all of them. */
export type Group<Input> = readonly [first: Pending<Input>, ...others: Pending<Input>[]];

/** Groups inputs by the record that they change. */
export function grouped<Input>(
  pending: readonly Pending<Input>[],
  keyOf: (input: Input) => readonly string[],
): readonly Group<Input>[] {
  const groups = new Map<string, [Pending<Input>, ...Pending<Input>[]]>();
  for (const each of pending) {
    const key = JSON.stringify(keyOf(each.input));
    const group = groups.get(key);
    if (group === undefined) groups.set(key, [each]);
    else group.push(each);
  }
  return [...groups.values()];
}

/** Runs each input alone if a round fails, because one bad input makes the whole round fail. */
async function isolated<Input, Output>(
  pending: readonly Pending<Input>[],
  round: (pending: readonly Pending<Input>[]) => Promise<Answers<Output>>,
): Promise<Answers<Output>> {
  try {
    return await round(pending);
  } catch (error) {
    if (pending.length === 1 || failsForEach(error)) {
      const failure = new Failure(isDuplicate(error, 'contacts_pkey') ? idTaken() : error);
      return new Map(pending.map(({ index }) => [index, failure]));
    }
    const answers = new Map<number, Output | Failure>();
    for (const each of pending) {
      for (const [index, answer] of await isolated([each], round)) answers.set(index, answer);
    }
    return answers;
  }
}
