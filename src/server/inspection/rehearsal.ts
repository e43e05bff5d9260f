import type { Expectation } from './expectations.js';
import type { NumberedEntry } from './inspection.js';
import { isPartOf } from './matching.js';
import { type Script, scriptOf } from './script.js';
import type { CallOutcome, CallStep, FindStep, IdPlace, RawStep, ScriptStep } from './steps.js';
import type { Surroundings } from './story.js';

/** Creates a server in this process, which a rehearsal closes. Its deliveries go to `fetch`, and never to a network. */
export type OpenStage = (
  script: Script,
  fetch: (url: unknown) => Promise<Response>,
) => object & AsyncDisposable;

/** What is different when a script runs: the act that fails, or the names of the expectations that do not hold. */
type Difference =
  | { readonly number: number; readonly reason: string }
  | { readonly expectations: readonly string[] };

/** The most runs of a script. Each leaves out what failed in the one before. */
const mostRuns = 20;

/**
 * Returns the script of a recording that passes: runs it in a fresh workspace, and leaves out what fails there.
 *
 * @param isOver - Whether nobody waits for it any more.
 * @returns Undefined if it still fails after so many runs.
 */
export async function rehearsedScript(
  recorded: readonly NumberedEntry[],
  surroundings: Surroundings,
  openStage: OpenStage,
  isOver: () => boolean,
): Promise<Script | undefined> {
  const acts = new Map<number, string>();
  const expectations = new Set<string>();
  for (let run = 0; run < mostRuns && !isOver(); run += 1) {
    const script = scriptOf(recorded, surroundings, { acts, expectations });
    const difference = await differenceOf(script, openStage, isOver);
    if (difference === undefined) return script;
    if ('number' in difference) acts.set(difference.number, difference.reason);
    else for (const name of difference.expectations) expectations.add(name);
  }
  return undefined;
}

/** Runs a script in a server of its own. Returns undefined if all is as it expects. */
async function differenceOf(
  script: Script,
  openStage: OpenStage,
  isOver: () => boolean,
): Promise<Difference | undefined> {
  const responses = new Map([...script.responses].map(([url, ofUrl]) => [url, [...ofUrl]]));
  const server = openStage(script, async (url) => {
    const response = responses.get(String(url))?.shift() ?? 200;
    if (typeof response === 'string') throw new Error(response);
    return new Response(null, { status: response });
  });
  const rehearsal = new Rehearsal(server);
  try {
    return (
      (await differenceOfSteps(script, rehearsal, isOver)) ?? (await differenceOfEntries(script, rehearsal))
    );
  } finally {
    await server[Symbol.asyncDispose]();
  }
}

async function differenceOfSteps(
  { steps }: Script,
  rehearsal: Rehearsal,
  isOver: () => boolean,
): Promise<Difference | undefined> {
  for (const step of steps) {
    if (isOver()) return undefined;
    const reason = await rehearsal.take(step);
    if (reason !== undefined && 'number' in step) {
      return { number: step.number, reason: `Left out, because ${reason}: ${nameOf(step)}` };
    }
  }
  return undefined;
}

async function differenceOfEntries(
  { expectations }: Script,
  rehearsal: Rehearsal,
): Promise<Difference | undefined> {
  const different: string[] = [];
  for (const expectation of expectations) {
    if (!expectation.isLeftOut && !(await rehearsal.holds(expectation))) different.push(expectation.name);
  }
  return different.length === 0 ? undefined : { expectations: different };
}

function nameOf(step: CallStep | RawStep): string {
  return step.kind === 'call' ? step.method : step.parts.operation;
}

/** One run of a script, whose steps are calls of a server. */
class Rehearsal {
  readonly #server: object;
  /** The values of the variables, by the id in the journal. */
  readonly #values = new Map<string, unknown>();

  constructor(server: object) {
    this.#server = server;
  }

  /** Takes a step. Returns what is different in words, if it is not as the script expects. */
  async take(step: ScriptStep): Promise<string | undefined> {
    switch (step.kind) {
      case 'advance':
        await this.#call('clock.advance', [step.by]);
        return undefined;
      case 'settle':
        await this.#call('settled', []);
        return undefined;
      case 'note':
        return undefined;
      case 'find':
        await this.#find(step);
        return undefined;
      case 'raw': {
        const { status } = Object(await this.#send(step));
        return status === step.status ? undefined : `a fresh workspace responds with ${status}`;
      }
      case 'call':
        return this.#try(step);
    }
  }

  /** Whether the journal has what a script expects. */
  async holds({ type, where, find, entries, isAll }: Expectation): Promise<boolean> {
    if (find !== undefined && where !== undefined) await this.#find(find);
    const all = await this.#call('journal.find', [type]);
    const wanted = where && this.#withValues(where, new Set(find === undefined ? [] : [find.id]));
    const found = listIn(all).filter((entry) => wanted === undefined || isPartOf(wanted, entry));
    return isPartOf(entries, isAll ? found : found.slice(0, entries.length));
  }

  async #try({ method, given, names, outcome, result, phone }: CallStep): Promise<string | undefined> {
    const owner = phone === undefined ? this.#server : await this.#call('contact', [phone]);
    const values = given.map((each) => this.#withValues(each, new Set(names.keys())));
    try {
      const returned = await this.#call(method, values, owner);
      if (result !== undefined) this.#values.set(result.id, returned);
      return differenceOfResult(outcome, returned);
    } catch (error) {
      return differenceOfError(outcome, error);
    }
  }

  async #send({ parts: { method, path, body } }: RawStep): Promise<unknown> {
    const apiKey: unknown = Reflect.get(this.#server, 'apiKey');
    const headers = { Authorization: `Bearer ${String(apiKey)}`, 'Content-Type': 'application/json' };
    const init = { method, headers, ...(body !== undefined && { body }) };
    return this.#call('fetch', [new Request(`http://reference-server.test${path}`, init)]);
  }

  async #find({ id, place }: FindStep): Promise<void> {
    this.#values.set(id, (await this.#idAt(place)) ?? '');
  }

  async #idAt(place: IdPlace): Promise<unknown> {
    switch (place.of) {
      case 'contact':
        return Object(await this.#call('contacts.read', [place.phone])).id;
      case 'subscription': {
        const subscriptions = listIn(await this.#call('subscriptions.list', []));
        return Object(subscriptions.find((each) => isPartOf({ url: place.url }, each))).id;
      }
      case 'delivery': {
        const { event, url, index } = place;
        const deliveries = listIn(await this.#call('journal.deliveries', []));
        return Object(deliveries.filter((each) => isPartOf({ event, url }, each))[index]).id;
      }
      case 'event': {
        const events = listIn(await this.#call('journal.find', ['event']));
        return Object(Object(events[place.index]).event).id;
      }
    }
  }

  /** Calls a method, such as `client.contacts.get`. */
  async #call(method: string, given: readonly unknown[], of: unknown = this.#server): Promise<unknown> {
    const names = method.split('.');
    const last = names.pop() ?? '';
    const owner: unknown = names.reduce((each: unknown, name) => Reflect.get(Object(each), name), of);
    const called: unknown = Reflect.get(Object(owner), last);
    if (typeof called !== 'function') throw new TypeError(`The server has no method ${method}.`);
    return Reflect.apply(called, owner, given);
  }

  /** Replaces ids of the journal by those of the run, however deep. */
  #withValues(value: unknown, ids: ReadonlySet<string>): unknown {
    if (typeof value === 'string') return ids.has(value) ? this.#values.get(value) : value;
    if (Array.isArray(value)) return value.map((each) => this.#withValues(each, ids));
    if (typeof value !== 'object' || value === null) return value;
    return Object.fromEntries(
      Object.entries(value).map(([name, each]) => [name, this.#withValues(each, ids)]),
    );
  }
}

function listIn(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

function differenceOfResult({ kind }: CallOutcome, returned: unknown): string | undefined {
  if (kind === 'error') return 'a fresh workspace accepts it';
  return kind === 'null' && returned !== null ? 'a fresh workspace finds one' : undefined;
}

function differenceOfError(outcome: CallOutcome, error: unknown): string | undefined {
  if (outcome.kind === 'any') return undefined;
  if (outcome.kind === 'error' && isPartOf(outcome.fields, error)) return undefined;
  const { status, name } = Object(error);
  return typeof status === 'number'
    ? `a fresh workspace responds with ${status}`
    : `it fails in a fresh workspace with ${String(name)}`;
}
