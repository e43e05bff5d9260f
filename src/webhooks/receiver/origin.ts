import { after } from '../../foundation/at-once.js';
import type { DedupeStore } from '../dedupe/dedupe-store.js';
import type { WebhookSecret } from '../verification/secret.js';
import type { UnwrapWebhookOptions } from '../verification/unwrap.js';
import { ReceiverDeadlineError, RefusedRequestError, tooLarge } from './errors.js';
import type { ReceivedRequest } from './exchange.js';
import { StoreSharedWithOlderWorkers } from './older-workers.js';
import type { ReceiverParts } from './parts.js';
import type { UnverifiedDelivery } from './unverified-bytes.js';
import { checkBeforeReading, type SignedBytes } from './verify-delivery.js';
import { readJob } from './webhook-job.js';

type Secrets = WebhookSecret | readonly WebhookSecret[];

/**
 * Where a delivery comes from, and what differs by that: a request of the service, which waits for a response, or a job of a queue, which
 * waits for the end of its work.
 */
export interface Origin<Request> {
  readonly received: ReceivedRequest<Request>;
  /** How long the sender waits for the response, in milliseconds. */
  readonly deadline: number;
  /** How long a delivery that is not free is claimed again, in milliseconds. */
  readonly claimTime: number;
  /** The most time that the handlers get, in milliseconds. */
  readonly handlerTime: number | undefined;
  /** The most deliveries that are claimed and handled at the same time. */
  readonly maxConcurrent: number;
  readonly verification: UnwrapWebhookOptions & { readonly workspaceId?: string | undefined };
  /** Whether the delivery is put into the user's queue. */
  readonly isHandedOver: boolean;
  readonly store: DedupeStore | undefined;
  /** Reads the bytes and the signature. */
  read(delivery: UnverifiedDelivery): SignedBytes | Promise<SignedBytes>;
  /** Bounds the wait for the secret. */
  boundSecret(asking: Promise<Secrets>): Promise<Secrets>;
  /** Gets the failure that ends the delivery, instead of the hooks. */
  readonly onFailure: ((error: unknown) => void) | undefined;
}

/** A request that the receiver got. */
export class RequestOrigin<Request> implements Origin<Request> {
  readonly received: ReceivedRequest<Request>;
  readonly deadline: number;
  readonly claimTime: number;
  readonly handlerTime: number;
  readonly maxConcurrent: number;
  readonly verification: Origin<Request>['verification'];
  readonly isHandedOver: boolean;
  readonly store: DedupeStore | undefined;
  readonly onFailure = undefined;
  readonly #parts: ReceiverParts<Request>;

  constructor(received: ReceivedRequest<Request>, parts: ReceiverParts<Request>) {
    const { settings } = parts;
    this.received = received;
    this.deadline = settings.deadline;
    // After the response for one lease more, by which the claim of a dead process ends.
    this.claimTime = settings.deadline + settings.lease;
    this.handlerTime = settings.handlerTimeout ?? defaultHandlerTime;
    this.maxConcurrent = settings.maxConcurrent;
    this.verification = settings;
    this.isHandedOver = settings.enqueue !== undefined;
    this.store = parts.store;
    this.#parts = parts;
  }

  read(delivery: UnverifiedDelivery): SignedBytes | Promise<SignedBytes> {
    const { maxBodyBytes } = this.#parts.settings;
    if (this.#parts.isDraining) {
      const message = 'The receiver accepts no more deliveries, because drain() was called.';
      throw new RefusedRequestError('draining', message);
    }
    const signature = checkBeforeReading(this.received, maxBodyBytes);
    const hold = (bytes: number) => this.#parts.unverified.hold(delivery, bytes);
    return after(this.received.readBody(maxBodyBytes, hold), (rawBody) => {
      if (rawBody.byteLength > maxBodyBytes) throw tooLarge(maxBodyBytes);
      return { rawBody, signature };
    });
  }

  /** The deadline of the response bounds it. */
  boundSecret(asking: Promise<Secrets>): Promise<Secrets> {
    return asking;
  }
}

/** A job that a worker of a queue passes to `process`. */
export class JobOrigin<Request> implements Origin<Request> {
  readonly received: ReceivedRequest<Request>;
  readonly deadline = Number.POSITIVE_INFINITY;
  readonly claimTime: number;
  readonly handlerTime: number | undefined;
  readonly maxConcurrent = Number.POSITIVE_INFINITY;
  readonly verification: Origin<Request>['verification'];
  readonly isHandedOver = false;
  readonly store: DedupeStore | undefined;
  /** The failures, for the queue. */
  readonly failures: unknown[] = [];
  readonly #parts: ReceiverParts<Request>;
  readonly #signed: SignedBytes;

  /** @throws ReceiverError if the value is not a job of a receiver. */
  constructor(job: unknown, request: Request, parts: ReceiverParts<Request>) {
    const { settings } = parts;
    this.#signed = readJob(job, settings.maxBodyBytes);
    this.received = { method: 'POST', headers: {}, readBody: () => this.#signed.rawBody, request };
    this.claimTime = settings.lease;
    this.handlerTime = settings.handlerTimeout;
    // The receiver has checked the age when the delivery came.
    this.verification = { ...settings, tolerance: false };
    this.store = parts.store && new StoreSharedWithOlderWorkers(parts.store);
    this.#parts = parts;
  }

  readonly onFailure = (error: unknown): void => {
    this.failures.push(error);
  };

  read(): SignedBytes {
    return this.#signed;
  }

  boundSecret(asking: Promise<Secrets>): Promise<Secrets> {
    const { settings, waits } = this.#parts;
    return waits.atMost(settings.deadline, asking, () => {
      throw new ReceiverDeadlineError('secret', settings.deadline);
    });
  }
}

/** In milliseconds: 15 minutes. */
export const defaultHandlerTime = 900_000;
