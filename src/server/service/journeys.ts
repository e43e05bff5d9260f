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
import { meets, propertyOf, type Segments } from './segments.js';
import { sendFailed, type Transactional } from './transactional.js';

/**
 * The rules of journeys. The service's document only says that events can start journeys. Here, each event starts a run of
 * each journey with its name, and a run executes its steps in order, in the workspace's time.
 */
export function createJourneys(
  { environment, record, startAt, store, work }: WorkspaceContext,
  segments: Segments,
  transactional: Transactional,
) {
  /** Creates the runs that an event starts: one per journey. */
  async function startedBy(event: EventRecord): Promise<readonly JourneyRunRecord[]> {
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
  function begin(runs: readonly JourneyRunRecord[]): void {
    for (const run of runs) {
      record({ type: 'journey', at: run.startedAt, run });
      schedule(run);
    }
  }

  /** Resumes each unfinished run after a restore. */
  async function resume(): Promise<void> {
    for (const run of await allOf((range) => store.journeys.pageOfRuns(range))) schedule(run);
  }

  function schedule({ id, status, dueAt }: JourneyRunRecord): void {
    if (status !== 'waiting') return;
    if (dueAt > environment.clock.now()) startAt(dueAt, () => startStep(id));
    else startStep(id);
  }

  /** Starts the next step of a run, if it is due. Returns at once. */
  function startStep(runId: string): void {
    work.start(() => takeStep(runId));
  }

  /**
   * Executes one step, and continues with the next. If the contact is deleted, its run no longer exists and cannot be
   * claimed or saved.
   */
  async function takeStep(runId: string): Promise<void> {
    const claimed = await store.journeys.claimRun(runId, environment.clock.now());
    if (claimed === undefined) return;
    const run = await orRelease(
      async () => {
        const taken = await take(claimed.run);
        return taken && (await store.journeys.saveRun(claimed.claim, taken)) ? taken : undefined;
      },
      () => store.journeys.releaseRun(claimed.claim),
    );
    if (run === undefined) return;
    record({ type: 'journey', at: environment.clock.now(), run });
    schedule(run);
  }

  /** Executes a run's next step and returns the changed run. Undefined if its contact was deleted. */
  async function take(run: JourneyRunRecord): Promise<JourneyRunRecord | undefined> {
    const contact = await store.contacts.findById(run.contactId);
    if (contact === undefined) return undefined;
    const steps = (await store.journeys.find(run.journeyId))?.steps ?? [];
    const step = steps[run.position];
    const next = run.position + 1;
    switch (step?.kind) {
      case 'wait':
        return moved(run, steps, next, step.duration);
      case 'branch':
        return moved(run, steps, (await holds(step.on, contact)) ? next : step.otherwise);
      case 'send': {
        const error = await send(step, contact, run);
        return error === undefined
          ? moved(run, steps, next)
          : { ...run, status: 'failed', dueAt: now(), error };
      }
      default:
        return moved(run, steps, run.position);
    }
  }

  function moved(
    run: JourneyRunRecord,
    steps: readonly JourneyStepRecord[],
    to: number,
    wait = 0,
  ): JourneyRunRecord {
    const position = landing(steps, to);
    const isOver = position >= steps.length && wait === 0;
    return { ...run, position, dueAt: now() + wait, status: isOver ? 'finished' : 'waiting' };
  }

  async function holds(condition: JourneyCondition, contact: ContactRecord): Promise<boolean> {
    if ('segment' in condition) return segments.include(condition.segment, contact);
    return meets(contact, condition);
  }

  /** Sends as the API does. Returns the reason if the send is rejected. */
  async function send(
    { templateId, variables }: Extract<JourneyStepRecord, { readonly kind: 'send' }>,
    contact: ContactRecord,
    { id: journeyRunId, position, eventProperties }: JourneyRunRecord,
  ): Promise<string | undefined> {
    try {
      const values = variablesFrom(variables, { contact, eventProperties });
      const step = { journeyRunId, position };
      await transactional.sendTo(contact, { templateId, variables: values }, { step });
      return undefined;
    } catch (error) {
      // An unreachable store rejects no send: the step is taken again.
      if (!(error instanceof ServiceError) || error instanceof StoreUnavailableError) throw error;
      return error.message;
    }
  }

  function now(): number {
    return environment.clock.now();
  }

  return { startedBy, begin, resume, startStep };
}

export type Journeys = ReturnType<typeof createJourneys>;

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
