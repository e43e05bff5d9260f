import type { EventProperties } from '../../contract/event.js';
import { allOf } from '../model/page.js';
import type {
  ContactRecord,
  EventRecord,
  JourneyCondition,
  JourneyRunRecord,
  JourneyStepRecord,
  VariableSource,
} from '../model/records.js';
import { ServiceError, StoreUnavailableError } from '../model/service-error.js';
import { orRelease } from '../store/store.js';
import type { WorkspaceContext } from './context.js';
import { meets, propertyOf, type SegmentRules } from './segments.js';
import { sendFailed, type TransactionalRules } from './transactional.js';

/**
 * The rules of journeys. The service's document only says that events can start journeys. Here, each event starts a run of
 * each journey with its name, and a run executes its steps in order, in the workspace's time.
 */
export class JourneyRules {
  readonly #context: WorkspaceContext;
  readonly #segments: SegmentRules;
  readonly #transactional: TransactionalRules;

  constructor(context: WorkspaceContext, segments: SegmentRules, transactional: TransactionalRules) {
    this.#context = context;
    this.#segments = segments;
    this.#transactional = transactional;
  }

  /** Creates the runs that an event starts: one per journey. */
  async startedBy(event: EventRecord): Promise<readonly JourneyRunRecord[]> {
    const { environment, store } = this.#context;
    const startedAt = environment.clock.now();
    const journeys = await store.journeys.listStartedBy(event.event);
    return journeys.map((journey) => ({
      id: environment.newId('journey_run'),
      journeyId: journey.id,
      contactId: event.contactId,
      eventId: event.id,
      eventProperties: event.properties,
      startedAt,
      status: 'waiting',
      position: 0,
      dueAt: startedAt,
    }));
  }

  /** Starts each run at once. */
  begin(runs: readonly JourneyRunRecord[]): void {
    for (const run of runs) {
      this.#context.record({ type: 'journey', at: run.startedAt, run });
      this.#schedule(run);
    }
  }

  /** Resumes each unfinished run after a restore. */
  async resume(): Promise<void> {
    const { journeys } = this.#context.store;
    for (const run of await allOf((range) => journeys.pageOfRuns(range))) this.#schedule(run);
  }

  #schedule({ id, status, dueAt }: JourneyRunRecord): void {
    if (status !== 'waiting') return;
    if (dueAt > this.#now()) this.#context.startAt(dueAt, () => this.startStep(id));
    else this.startStep(id);
  }

  /** Starts the next step of a run, if it is due. Returns at once. */
  startStep(runId: string): void {
    this.#context.work.start(() => this.#takeStep(runId));
  }

  /**
   * Executes one step, and continues with the next. If the contact is deleted, its run no longer exists and cannot be
   * claimed or saved.
   */
  async #takeStep(runId: string): Promise<void> {
    const { journeys } = this.#context.store;
    const claimed = await journeys.claimRun(runId, this.#now());
    if (claimed === undefined) return;
    const run = await orRelease(
      async () => {
        const taken = await this.#take(claimed.run);
        return taken && (await journeys.saveRun(claimed.claim, taken)) ? taken : undefined;
      },
      () => journeys.releaseRun(claimed.claim),
    );
    if (run === undefined) return;
    this.#context.record({ type: 'journey', at: this.#now(), run });
    this.#schedule(run);
  }

  /** Executes a run's next step and returns the changed run. Undefined if its contact was deleted. */
  async #take(run: JourneyRunRecord): Promise<JourneyRunRecord | undefined> {
    const { store } = this.#context;
    const contact = await store.contacts.findById(run.contactId);
    if (contact === undefined) return undefined;
    const steps = (await store.journeys.find(run.journeyId))?.steps ?? [];
    const step = steps[run.position];
    const next = run.position + 1;
    switch (step?.kind) {
      case 'wait':
        return this.#moved(run, steps, next, step.duration);
      case 'branch':
        return this.#moved(run, steps, (await this.#holds(step.on, contact)) ? next : step.otherwise);
      case 'send': {
        const error = await this.#send(step, contact, run);
        return error === undefined
          ? this.#moved(run, steps, next)
          : { ...run, status: 'failed', dueAt: this.#now(), error };
      }
      default:
        return this.#moved(run, steps, run.position);
    }
  }

  #moved(run: JourneyRunRecord, steps: readonly JourneyStepRecord[], to: number, wait = 0): JourneyRunRecord {
    const position = landing(steps, to);
    const isOver = position >= steps.length && wait === 0;
    return { ...run, position, dueAt: this.#now() + wait, status: isOver ? 'finished' : 'waiting' };
  }

  async #holds(condition: JourneyCondition, contact: ContactRecord): Promise<boolean> {
    if ('segment' in condition) return this.#segments.include(condition.segment, contact);
    return meets(contact, condition);
  }

  /** Sends as the API does. Returns the reason if the send is rejected. */
  async #send(
    { templateId, variables }: Extract<JourneyStepRecord, { readonly kind: 'send' }>,
    contact: ContactRecord,
    { id: journeyRunId, position, eventProperties }: JourneyRunRecord,
  ): Promise<string | undefined> {
    try {
      const values = variablesFrom(variables, { contact, eventProperties });
      const step = { journeyRunId, position };
      await this.#transactional.sendTo(contact, { templateId, variables: values }, { step });
      return undefined;
    } catch (error) {
      // An unreachable store rejects no send: the step is taken again.
      if (!(error instanceof ServiceError) || error instanceof StoreUnavailableError) throw error;
      return error.message;
    }
  }

  #now(): number {
    return this.#context.environment.clock.now();
  }
}

/** Returns the position of the next step that is not a jump. */
function landing(steps: readonly JourneyStepRecord[], position: number): number {
  let at = position;
  for (let step = steps[at]; step?.kind === 'jump'; step = steps[at]) at = step.to;
  return at;
}

/** The sources of a template's placeholder values. */
interface VariableOrigins {
  readonly contact: ContactRecord;
  readonly eventProperties: EventProperties;
}

/** Returns the values of a template's placeholders, or throws 422 `send_failed`, which names each missing one. */
function variablesFrom(
  sources: Readonly<Record<string, VariableSource>>,
  origins: VariableOrigins,
): Readonly<Record<string, string>> {
  const values = Object.entries(sources).map(
    ([number, source]) => [number, textOf(source, origins), source] as const,
  );
  const missing = values.flatMap(([number, text, source]) =>
    typeof source === 'string' || text !== '' ? [] : [lack(number, source)],
  );
  if (missing.length > 0) throw sendFailed(`The template cannot be filled: ${missing.join('; ')}.`);
  return Object.fromEntries(values.map(([number, text]) => [number, text]));
}

function textOf(source: VariableSource, { contact, eventProperties }: VariableOrigins): string {
  if (typeof source === 'string') return source;
  if ('contact' in source) return asText(propertyOf(contact, source.contact));
  return Object.hasOwn(eventProperties, source.event) ? asText(eventProperties[source.event]) : '';
}

/** Empty for a value that has no text form. */
function asText(value: unknown): string {
  if (typeof value === 'number' || typeof value === 'boolean') return String(value);
  if (Array.isArray(value) && value.every((item) => typeof item === 'string')) return value.join(', ');
  return typeof value === 'string' ? value : '';
}

function lack(number: string, source: Exclude<VariableSource, string>): string {
  const [owner, property] = 'contact' in source ? ['contact', source.contact] : ['event', source.event];
  return `for placeholder ${number}, the ${owner} has no property ${JSON.stringify(property)} that has a text form`;
}
