import type { ChangeEntry, RequestEntry } from '../model/journal-entry.js';
import { type Duration, inLargestUnit } from '../time/duration.js';
import { type Act, firstOf, type Redelivery } from './acts.js';
import { inputsOf, isOfSdk, partsOf, type RequestInJournal } from './calls.js';
import { parsed, textIn } from './code.js';
import type { NumberedEntry } from './inspection.js';
import { exampleWebhook } from './receivers.js';
import { firstAttemptsIn, isUnknown, phoneOf, type Story, type Surroundings } from './story.js';
import { faultsOfDeliveries } from './world.js';

/** What a program does next. */
export type ScriptStep =
  | { readonly kind: 'advance'; readonly by: Duration }
  | { readonly kind: 'settle' }
  | { readonly kind: 'note'; readonly text: string }
  | FindStep
  | CallStep
  | RawStep;

/** Finds the id that something has in the program. */
export interface FindStep {
  readonly kind: 'find';
  /** The id in the journal, which later steps name. */
  readonly id: string;
  /** The name of the variable. */
  readonly name: string;
  readonly place: IdPlace;
}

/** Where to find an id. */
export type IdPlace =
  | { readonly of: 'contact'; readonly phone: string }
  | { readonly of: 'subscription'; readonly url: string }
  | { readonly of: 'delivery'; readonly event: string; readonly url: string; readonly index: number }
  | { readonly of: 'event'; readonly index: number };

/** Calls a method of the server. */
export interface CallStep {
  readonly kind: 'call';
  /** The number of the act. */
  readonly number: number;
  /** The method, such as `client.contacts.get`. */
  readonly method: string;
  readonly given: readonly unknown[];
  /** The variables that replace ids in what is given, by id. */
  readonly names: ReadonlyMap<string, string>;
  readonly outcome: CallOutcome;
  /** The variable that gets the result, and the id that it replaces later. */
  readonly result?: { readonly id: string; readonly name: string };
  /** The phone of the contact that writes, for the method `says`. */
  readonly phone?: string;
}

/** Sends a request that the client would reject. */
export interface RawStep {
  readonly kind: 'raw';
  readonly number: number;
  readonly parts: RequestInJournal;
  readonly status: number;
}

export type CallOutcome =
  | { readonly kind: 'success' }
  | { readonly kind: 'null' }
  | { readonly kind: 'error'; readonly fields: Readonly<Record<string, unknown>> }
  | { readonly kind: 'any' };

const success: CallOutcome = { kind: 'success' };

/** The time of a program's server moves by whole seconds. In milliseconds. */
const tick = 1_000;

/** How long a program waits for a response that never comes. In milliseconds. */
const patience = 500;

/** Whether the server does this after it has responded. */
function isInBackground({ type }: NumberedEntry): boolean {
  return type !== 'request' && type !== 'message' && type !== 'event' && type !== 'change';
}

/**
 * Returns the steps that carry out the acts at their times, each after what followed from the last.
 *
 * @param leftOut - Why an act is missing, by its number.
 */
export function stepsOf(
  story: Story,
  surroundings: Surroundings,
  leftOut: ReadonlyMap<number, string> = new Map(),
): readonly ScriptStep[] {
  const writer = new StepWriter(story, surroundings);
  const missing = [...leftOut].map(([number, text]) => ({ number, text }));
  let isFirst = true;
  for (const act of story.acts) {
    while ((missing[0]?.number ?? act.number) < act.number) writer.note(missing.shift()?.text ?? '');
    if (act.number >= 1 && isFirst) writer.injectFaults();
    isFirst &&= act.number < 1;
    writer.passTime(act);
    writer.write(act);
  }
  for (const { text } of missing) writer.note(text);
  writer.last();
  return writer.steps;
}

/** Writes the steps of one act after the other. */
class StepWriter {
  readonly steps: ScriptStep[] = [];
  readonly #story: Story;
  readonly #surroundings: Surroundings;
  readonly #isAlone: boolean;
  /** The variables that have ids, by the id in the journal. */
  readonly #names = new Map<string, string>();
  #named = 0;
  /** The time of the program's server. */
  #now: number;
  /** The number and the deliveries of the last restore. */
  #restored: { readonly number: number; readonly deliveries: readonly unknown[] } = {
    number: 0,
    deliveries: [],
  };

  constructor(story: Story, surroundings: Surroundings) {
    this.#story = story;
    this.#surroundings = surroundings;
    this.#isAlone = story.acts.length === 1;
    this.#now = story.acts[0]?.at ?? 0;
  }

  note(text: string): void {
    this.steps.push({ kind: 'note', text });
  }

  /** Adds the faults of the deliveries to the subscriptions that exist at the start, if there are two. */
  injectFaults(): void {
    const { urls, createdBy } = this.#story.receivers;
    for (const id of urls.keys()) if (!createdBy.has(id)) this.#injectFaultsOf(id);
  }

  /** Waits until the time of an act, or for what followed from the last act. */
  passTime(act: Act): void {
    const isRestore = act.type === 'change' && act.operation === 'restore';
    const advanced = !isRestore && this.#advanceTo(act.at);
    if (!advanced && act !== this.#story.acts[0]) this.#settle();
  }

  write(act: Act): void {
    switch (act.type) {
      case 'message': {
        const { number, phone, body } = act;
        this.#call({ number, method: 'says', given: [body], phone });
        return;
      }
      case 'redelivery':
        this.#redeliver(act);
        return;
      case 'request':
        this.#request(act);
        break;
      case 'change':
        this.#change(act);
    }
    for (const [id, number] of this.#story.receivers.createdBy)
      if (number === act.number) this.#injectFaultsOf(id);
  }

  /** Waits for everything that follows from the last act. */
  last(): void {
    const later = this.#story.entries.filter(({ type }) => type !== 'request' && type !== 'change').at(-1);
    if (!this.#advanceTo(later?.at ?? 0)) this.#settle();
  }

  #advanceTo(time: number): boolean {
    if (time - this.#now < tick) return false;
    const by = Math.ceil((time - this.#now) / tick) * tick;
    this.#now += by;
    this.steps.push({ kind: 'advance', by: inLargestUnit(by) });
    return true;
  }

  #settle(): void {
    const last = this.steps.at(-1)?.kind;
    if (last === 'settle' || last === 'advance' || !this.#story.entries.some(isInBackground)) return;
    this.steps.push({ kind: 'settle' });
  }

  #call({
    names = new Map(),
    outcome = success,
    ...step
  }: Partial<CallStep> & Pick<CallStep, 'number' | 'method' | 'given'>): void {
    this.steps.push({ ...step, kind: 'call', names, outcome });
  }

  /** Returns the variable with the id of something, and finds the id if no step has. */
  #find(id: string, name: string, place: IdPlace): ReadonlyMap<string, string> {
    const known = this.#names.get(id);
    if (known !== undefined) return new Map([[id, known]]);
    const variable = this.#newName(id, name);
    this.steps.push({ kind: 'find', id, name: variable, place });
    return new Map([[id, variable]]);
  }

  #newName(id: string, name: string): string {
    this.#named += 1;
    const variable = `${name}${this.#named === 1 ? '' : this.#named}`;
    this.#names.set(id, variable);
    return variable;
  }

  #findSubscription(id: string): ReadonlyMap<string, string> {
    const url = this.#story.receivers.urls.get(id) ?? exampleWebhook.url;
    return this.#find(id, 'webhookId', { of: 'subscription', url });
  }

  #injectFaultsOf(subscriptionId: string): void {
    if (this.#story.receivers.urls.size < 2) return;
    for (const { subscriptionId: id, rule } of faultsOfDeliveries(this.#story)) {
      if (id !== subscriptionId) continue;
      const names = this.#findSubscription(id);
      this.#call({ number: 0, method: 'faults.add', given: [{ ...rule, subscriptionId }], names });
    }
  }

  #redeliver({ number, deliveryId, event, subscriptionId }: Redelivery & { readonly number: number }): void {
    const isOfStream = (delivery: unknown) =>
      textIn(delivery, 'event') === event && textIn(delivery, 'subscriptionId') === subscriptionId;
    const restored = this.#restored.deliveries.filter(isOfStream);
    const since = firstAttemptsIn(this.#story.entries).filter(
      ({ delivery, number: at }) => at > this.#restored.number && isOfStream(delivery),
    );
    const all = [...restored, ...since.map(({ delivery }) => delivery)];
    const index = all.findIndex((delivery) => textIn(delivery, 'id') === deliveryId);
    const url = this.#story.receivers.urls.get(subscriptionId) ?? '';
    const names = this.#find(deliveryId, 'deliveryId', { of: 'delivery', event, url, index });
    this.#call({ number, method: 'deliveries.redeliver', given: [deliveryId], names });
  }

  #request(act: RequestEntry & { readonly number: number }): void {
    const { number, status, faults = [] } = act;
    const parts = this.#withOwnUrl(partsOf(act), number);
    if (status !== undefined && status >= 400 && faults.length === 0 && !isOfSdk(parts)) {
      this.steps.push({ kind: 'raw', number, parts, status });
      return;
    }
    const holds = faults.some(({ kind }) => kind === 'stall' || kind === 'latency');
    // An id that nothing had stays as it is.
    const names = isUnknown(act) ? new Map<string, string>() : this.#nameOfId(parts);
    const given = [...inputsOf(parts), ...(holds ? [{ timeout: patience }] : [])];
    const outcome = outcomeOf(act, holds);
    this.#call({ number, method: `client.${parts.operation}`, given, names, outcome });
  }

  /** Gives a subscription that a request creates its URL in the program. */
  #withOwnUrl(parts: RequestInJournal, number: number): RequestInJournal {
    const { urls, createdBy } = this.#story.receivers;
    const [id] = [...createdBy].find(([, by]) => by === number) ?? [];
    const url = id && urls.get(id);
    if (url === undefined) return parts;
    return { ...parts, body: JSON.stringify({ ...Object(parsed(parts.body ?? '')), url }) };
  }

  /** Returns the variable for the id that a request names, where the id is another in the program. */
  #nameOfId({ operation, inPath, body = '' }: RequestInJournal): ReadonlyMap<string, string> {
    const id = inPath.id ?? textIn(parsed(body), 'contactId');
    if (id === undefined) return new Map();
    if (operation.startsWith('webhooks.')) return this.#findSubscription(id);
    const phone = phoneOf(id, this.#surroundings);
    return phone === undefined ? new Map() : this.#find(id, 'contactId', { of: 'contact', phone });
  }

  #change(act: ChangeEntry & { readonly number: number }): void {
    const { number, operation, arguments: given } = act;
    if (given === undefined) {
      this.note(`Left out, because the journal does not keep arguments of this size: ${operation}`);
      return;
    }
    switch (operation) {
      case 'keys.issue':
      case 'keys.rotate':
      case 'keys.revoke':
        this.#changeKey(act, given);
        return;
      case 'managedWebhooks.create':
      case 'listeners.create': {
        const { url, events } = firstOf(act);
        const own = this.#story.receivers.urls.get(act.created ?? '') ?? url;
        this.#call({ number, method: 'managedWebhooks.create', given: [{ url: own, events }] });
        return;
      }
      case 'subscriptions.remove':
      case 'listeners.remove': {
        const names = this.#findSubscription(String(given[0]));
        this.#call({ number, method: 'subscriptions.remove', given, names });
        return;
      }
      case 'restore':
        this.#restore(act);
        return;
      default:
        if (this.#isAlone || !comesByItself(operation)) this.#call({ number, method: operation, given });
    }
  }

  /** Changes keys besides that of the program's own client, which goes on with its key. */
  #changeKey(
    { number, operation, created }: ChangeEntry & { readonly number: number },
    given: readonly unknown[],
  ): void {
    const key = textIn(given, '0');
    if (key !== undefined && !this.#names.has(key)) {
      const result = { id: key, name: this.#newName(key, 'key') };
      this.#call({ number: 0, method: 'keys.issue', given: [], result });
    }
    const names = new Map([...this.#names].filter(([id]) => id === key));
    const isNamedLater = this.#story.acts.some(
      (act) => act.type === 'change' && act.operation.startsWith('keys.') && act.arguments?.[0] === created,
    );
    const result =
      created !== undefined && isNamedLater
        ? { id: created, name: this.#newName(created, 'key') }
        : undefined;
    this.#call({ number, method: operation, given, names, ...(result && { result }) });
  }

  /** Restores a snapshot. What it brings has the ids of the snapshot. */
  #restore(act: ChangeEntry & { readonly number: number }): void {
    const { urls } = this.#story.receivers;
    const snapshot = firstOf(act);
    const withUrls = (field: string, idOf: (each: unknown) => string) =>
      [snapshot[field]]
        .flat()
        .map((each) => ({ ...Object(each), url: urls.get(idOf(each)) ?? textIn(each, 'url') }));
    const subscriptions = withUrls('subscriptions', (each) => textIn(each, 'id') ?? '');
    const deliveries = withUrls('deliveries', (each) => textIn(each, 'subscriptionId') ?? '');
    this.#call({
      number: act.number,
      method: 'restore',
      given: [{ ...snapshot, subscriptions, deliveries }],
    });
    this.#names.clear();
    this.#restored = { number: act.number, deliveries };
    this.#now = Date.parse(String(snapshot.takenAt));
  }
}

/** Whether a program needs no call for a change: its steps move the clock, its seed has the faults, and it has the responses of receivers. */
export function comesByItself(operation: ChangeEntry['operation']): boolean {
  return /^(clock|faults|receiver)\./.test(operation);
}

function outcomeOf({ operation, status, faults = [] }: RequestEntry, holds: boolean): CallOutcome {
  if (holds) return { kind: 'error', fields: { name: 'TimeoutError' } };
  if (status === undefined) return { kind: 'error', fields: { name: 'ConnectionError' } };
  if (status === 404 && operation === 'contacts.find') return { kind: 'null' };
  if (status >= 400) return { kind: 'error', fields: { status } };
  // Whether the client can use a changed body depends on the change.
  return faults.length > 0 ? { kind: 'any' } : success;
}
