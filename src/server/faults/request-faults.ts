import { errorStatuses } from '../../contract/error.js';
import type { AnyOperation } from '../../contract/operation.js';
import { validate } from '../../contract/schema.js';
import type { Clock } from '../../foundation/clock.js';
import {
  type Answer,
  type BrokenConnection,
  errorAnswerOf,
  jsonAnswer,
  type Reply,
} from '../answers/answer.js';
import type { RequestFault, RequestFaultMoment } from '../model/fault.js';
import { invalidRequest } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import type { WorkspaceContext } from '../service/context.js';
import { type Duration, toMilliseconds } from '../time/duration.js';
import type { HeldRequests, Work } from '../time/work.js';
import { firstHalf } from './broken-body.js';
import { driftedBody } from './drifted-body.js';
import { requestFaultSchema } from './fault-schemas.js';
import { type Injection, isNoLatency, type NoLatency, type WorkspaceFaults } from './workspace-faults.js';

/**
 * The name of a request header that injects a fault into that request. Its value is a `RequestFault` in JSON. The server
 * responds with 400 to an invalid value. A client that retries the request sends the header again.
 *
 * @example
 * ```ts
 * import { MessagingAutomation } from 'messaging-automation';
 * import { faultHeader, type RequestFault } from 'messaging-automation/server';
 *
 * const messaging = new MessagingAutomation();
 * const fault: RequestFault = { kind: 'reset', when: 'after_commit' };
 * await messaging.contacts
 *   .upsert({ phone: '+15551234567' }, { retries: 0, headers: { [faultHeader]: JSON.stringify(fault) } })
 *   .catch((error) => console.log(error.outcome)); // unknown
 * ```
 */
export const faultHeader = 'X-Reference-Server-Fault';

/** A request into which faults can be injected. */
export interface FaultyRequest {
  readonly operation: AnyOperation;
  readonly requestId: string;
  /** The value of the fault header. */
  readonly asked: string | undefined;
}

/** The dependencies of faults that wait. */
interface Tools {
  readonly work: Work;
  readonly clock: Clock;
  readonly heldRequests: HeldRequests;
  readonly gaps: SpecGaps;
}

const broken: BrokenConnection = { status: 'reset' };

type FaultOf<Kind extends RequestFault['kind']> = Extract<RequestFault, { readonly kind: Kind }>;

/** Injects faults into the requests to one workspace. */
export class RequestFaults {
  readonly #rules: WorkspaceFaults;
  readonly #context: WorkspaceContext;
  readonly #heldRequests: HeldRequests;

  constructor(rules: WorkspaceFaults, context: WorkspaceContext, heldRequests: HeldRequests) {
    this.#rules = rules;
    this.#context = context;
    this.#heldRequests = heldRequests;
  }

  /**
   * Handles a request, and injects its faults.
   *
   * @param perform - Runs the rule of the service, and turns its errors into responses.
   * @throws ServiceError if the value of the header is invalid.
   */
  async around(
    { operation, requestId, asked }: FaultyRequest,
    perform: () => Promise<Answer>,
  ): Promise<Reply> {
    if (asked === undefined && !this.#rules.concernRequests) return perform();
    const injections = await this.#rules.forRequest(operation, readFaultHeader(asked));
    const faults = injections.map(({ fault }) => fault);
    const { record, work, environment, gaps } = this.#context;
    const at = environment.clock.now();
    for (const fault of faults) record({ type: 'fault', at, fault, operation: operation.name, requestId });
    const tools: Tools = { work, clock: environment.clock, heldRequests: this.#heldRequests, gaps };
    const reply = await answerWithAll(injections, perform, tools);
    return faults.length === 0 ? reply : { ...reply, faults };
  }
}

/** Parses the fault of a request's header. */
function readFaultHeader(value: string | undefined): RequestFault | undefined {
  if (value === undefined) return undefined;
  const validation = validate(requestFaultSchema, parse(value));
  if (validation.valid) return validation.value;
  throw invalidRequest(
    validation.problems.map(({ field, message }) => ({
      field: field === '' ? faultHeader : `${faultHeader}: ${field}`,
      message,
    })),
  );
}

function answerWithAll(
  injections: readonly Injection<RequestFault>[],
  perform: () => Promise<Answer>,
  tools: Tools,
): Promise<Reply> {
  const waits = injections.map(({ fault }) => fault).filter((fault) => fault.kind === 'latency');
  const other = injections.find(isNoLatency);
  const answer = () => (other === undefined ? perform() : answerWithOne(other, perform, tools));
  if (waits.length === 0) return answer();
  return answerOrBreakOff(tools, async () => {
    await pauseFor(lengthOf(waits, 'before_commit'), tools);
    const reply = await answer();
    await pauseFor(lengthOf(waits, 'after_commit'), tools);
    return reply;
  });
}

async function answerWithOne(
  { fault, random }: Injection<NoLatency<RequestFault>>,
  perform: () => Promise<Answer>,
  tools: Tools,
): Promise<Reply> {
  switch (fault.kind) {
    case 'rate_limit':
      return rateLimited(fault, tools);
    case 'status':
      if (fault.when === 'after_commit') await perform();
      return statusAnswer(fault, tools);
    case 'reset':
      if (fault.when === 'after_commit') await perform();
      return broken;
    case 'stall':
      return { ...(await perform()), stalledBy: tools.heldRequests };
    case 'malformed_json':
      return changed(await perform(), firstHalf);
    case 'drift':
      return changed(await perform(), (body) => driftedBody(body, fault, random));
  }
}

function statusAnswer(
  { status, code, body, headers, retryAfter }: FaultOf<'status'>,
  { gaps }: Tools,
): Answer {
  const all = { ...(retryAfter !== undefined && { 'Retry-After': inSeconds(retryAfter) }), ...headers };
  // A body would make such a response invalid.
  if (status === 304) return { status, headers: all };
  if (typeof body === 'string')
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...all }, body };
  if (body !== undefined) return jsonAnswer(status, body, all);
  const error = { code: code ?? codeOf(status), message: 'A fault rule or header injected this error.' };
  return errorAnswerOf(status, error, gaps, all);
}

function rateLimited({ retryAfter = '1s' }: FaultOf<'rate_limit'>, tools: Tools): Answer {
  return statusAnswer({ kind: 'status', status: errorStatuses.rate_limited, retryAfter }, tools);
}

function changed(answer: Answer, change: (body: string) => string | undefined): Answer {
  const body = answer.body === undefined ? undefined : change(answer.body);
  return body === undefined ? answer : { ...answer, body };
}

/** Runs the wait as work of the workspace, so that a move of the clock waits for it. Aborts it when the workspace closes. */
function answerOrBreakOff({ work, heldRequests }: Tools, answer: () => Promise<Reply>): Promise<Reply> {
  return new Promise((resolve, reject) => {
    const forget = heldRequests.add(() => resolve(broken));
    work.start(() => answer().then(resolve, reject).finally(forget));
  });
}

async function pauseFor(length: number, { work, clock }: Tools): Promise<void> {
  if (length > 0) await work.pause(clock, length);
}

function lengthOf(waits: readonly FaultOf<'latency'>[], moment: RequestFaultMoment): number {
  return waits
    .filter(({ when = 'before_commit' }) => when === moment)
    .reduce((total, { duration }) => total + toMilliseconds(duration), 0);
}

function inSeconds(duration: Duration): string {
  return String(Math.ceil(toMilliseconds(duration) / 1000));
}

function codeOf(status: number): string {
  return Object.entries(errorStatuses).find(([, known]) => known === status)?.[0] ?? 'injected_fault';
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    throw invalidRequest([{ field: faultHeader, message: 'must be JSON, such as {"kind":"stall"}' }]);
  }
}
