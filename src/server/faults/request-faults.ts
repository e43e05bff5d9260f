import { errorStatuses } from '../../contract/error.js';
import type { AnyOperation } from '../../contract/operation.js';
import { validate } from '../../contract/schema.js';
import type { RequestFault, RequestFaultMoment } from '../model/fault.js';
import { invalidRequest } from '../model/service-error.js';
import type { SpecGaps } from '../model/spec-gaps.js';
import {
  type BrokenConnection,
  errorResponseOf,
  type HttpResponse,
  jsonResponse,
  type Reply,
} from '../responses/response.js';
import type { WorkspaceContext } from '../service/context.js';
import { toMilliseconds } from '../time/duration.js';
import type { HeldRequests } from '../time/work.js';
import { firstHalf } from './broken-body.js';
import { driftedBody } from './drifted-body.js';
import { requestFaultSchema } from './fault-schemas.js';
import { type Injection, type WorkspaceFaults, withoutLatencies } from './workspace-faults.js';

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

const broken: BrokenConnection = { status: 'reset' };

type FaultOf<Kind extends RequestFault['kind']> = Extract<RequestFault, { readonly kind: Kind }>;

/** Injects faults into the requests to one workspace. */
export class RequestFaults {
  readonly #context: WorkspaceContext;
  readonly #rules: WorkspaceFaults;
  readonly #heldRequests: HeldRequests;

  constructor(context: WorkspaceContext, rules: WorkspaceFaults, heldRequests: HeldRequests) {
    this.#context = context;
    this.#rules = rules;
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
    perform: () => Promise<HttpResponse>,
  ): Promise<Reply> {
    const { environment, record } = this.#context;
    if (asked === undefined && !this.#rules.concernRequests) return perform();
    const injections = await this.#rules.forRequest(operation, readFaultHeader(asked));
    const faults = injections.map(({ fault }) => fault);
    const at = environment.clock.now();
    for (const fault of faults) record({ type: 'fault', at, fault, operation: operation.name, requestId });
    const other = withoutLatencies(injections);
    const respond = () => (other === undefined ? perform() : this.#respondWith(other, perform));
    const waits = faults.filter((fault) => fault.kind === 'latency');
    const reply = await (waits.length === 0 ? respond() : this.#respondLate(waits, respond));
    return faults.length === 0 ? reply : { ...reply, faults };
  }

  /**
   * Responds with latencies. Runs the waits as work of the workspace, so that a move of the clock waits for them. Aborts them when the
   * workspace closes.
   */
  #respondLate(waits: readonly FaultOf<'latency'>[], respond: () => Promise<Reply>): Promise<Reply> {
    return new Promise((resolve, reject) => {
      const forget = this.#heldRequests.add(() => resolve(broken));
      const late = async () => {
        await this.#pause(waits, 'before_commit');
        const reply = await respond();
        await this.#pause(waits, 'after_commit');
        return reply;
      };
      this.#context.work.start(() => late().then(resolve, reject).finally(forget));
    });
  }

  async #pause(waits: readonly FaultOf<'latency'>[], moment: RequestFaultMoment): Promise<void> {
    const length = waits
      .filter(({ when = 'before_commit' }) => when === moment)
      .reduce((total, { duration }) => total + toMilliseconds(duration), 0);
    const { environment, work } = this.#context;
    if (length > 0) await work.pause(environment.clock, length);
  }

  async #respondWith(
    { fault, drawn }: Injection<RequestFault>,
    perform: () => Promise<HttpResponse>,
  ): Promise<Reply> {
    const { gaps } = this.#context;
    if ('when' in fault && fault.when === 'after_commit') await perform();
    switch (fault.kind) {
      case 'latency':
        return perform();
      case 'rate_limit': {
        const { retryAfter = '1s' } = fault;
        return statusResponse({ kind: 'status', status: errorStatuses.rate_limited, retryAfter }, gaps());
      }
      case 'status':
        return statusResponse(fault, gaps());
      case 'reset':
        return broken;
      case 'stall':
        return { ...(await perform()), stalledBy: this.#heldRequests };
      case 'malformed_json':
        return changed(await perform(), firstHalf);
      case 'drift':
        return changed(await perform(), (body) => driftedBody(body, fault, drawn));
    }
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

function statusResponse(
  { status, code, body, headers, retryAfter }: FaultOf<'status'>,
  gaps: SpecGaps,
): HttpResponse {
  const all = {
    ...(retryAfter !== undefined && { 'Retry-After': String(Math.ceil(toMilliseconds(retryAfter) / 1000)) }),
    ...headers,
  };
  // A body would make such a response invalid.
  if (status === 304) return { status, headers: all };
  if (typeof body === 'string')
    return { status, headers: { 'Content-Type': 'text/plain; charset=utf-8', ...all }, body };
  if (body !== undefined) return jsonResponse(status, body, all);
  const error = { code: code ?? codeOf(status), message: 'A fault rule or header injected this error.' };
  return errorResponseOf(status, error, gaps, all);
}

function changed(response: HttpResponse, change: (body: string) => string | undefined): HttpResponse {
  const body = response.body === undefined ? undefined : change(response.body);
  return body === undefined ? response : { ...response, body };
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
