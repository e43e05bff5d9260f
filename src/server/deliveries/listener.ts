import { signatureHeader } from '../../contract/delivery.js';
import type { Clock } from '../../foundation/clock.js';
import type { ListenerAnswer, ListenerAttempt, ListenerOutcome } from '../model/listener.js';
import type { DeliveryRecord } from '../model/records.js';
import { ListenerConnection } from './listener-connection.js';
import { type Attempt, type AttemptResult, headOf, resultOf, timed } from './sender.js';

/** How many ended attempts a listener's late or repeated answers are compared with. */
const attemptsRemembered = 1_000;

/** How long a listener can be without a connection. In milliseconds. */
const grace = 60_000;

const notConnected =
  'no listener is connected: start `messaging-automation listen` again, which receives for this subscription';

export interface ListenerOptions {
  /** The machine's clock. */
  readonly machine: Clock;
  /** The timeout of an attempt, in milliseconds. */
  readonly timeout: number;
  readonly newAttemptId: () => string;
  /** Is told when the listener was without a connection for too long. */
  readonly onLost: () => void;
}

/** An attempt whose answer the server waits for. */
interface UnderWay {
  readonly attempt: () => ListenerAttempt;
  /** Whether a connection was there to read of it. */
  wasOffered: boolean;
  readonly settle: (result: AttemptResult) => void;
}

/**
 * A program that makes the attempts of one subscription's deliveries where it runs, and reports the answers. It may lose its
 * connection: attempts wait for the next one within their timeout. The dispatcher's lanes limit how many are under way.
 */
export class Listener {
  readonly #options: ListenerOptions;
  readonly #underWay = new Map<string, UnderWay>();
  readonly #ended = new Map<string, ListenerOutcome>();
  #connection: ListenerConnection | undefined;
  #cancelGrace = () => {};
  #isOver = false;

  constructor(options: ListenerOptions) {
    this.#options = options;
    this.#startGrace();
  }

  /**
   * Begins a connection, which takes the place of an earlier one, and offers it all attempts that are under way.
   *
   * @param idleAfter When a silent connection is told of an `idle`, in milliseconds.
   * @param onEnd Is told when the connection has ended.
   */
  connect(idleAfter: number, onEnd: () => void): ListenerConnection {
    this.#connection?.end();
    const connection = new ListenerConnection(this.#options.machine, idleAfter, () => {
      onEnd();
      if (this.#connection !== connection) return;
      this.#connection = undefined;
      this.#startGrace();
    });
    this.#cancelGrace();
    this.#connection = connection;
    for (const [id, underWay] of this.#underWay) offer(connection, id, underWay);
    return connection;
  }

  /** Has the listener make an attempt. */
  attempt(
    { id, subscriptionId, event, attempts }: DeliveryRecord,
    { body, signature }: Attempt,
  ): Promise<AttemptResult> {
    const { machine, timeout, newAttemptId } = this.#options;
    const attemptId = newAttemptId();
    const beganAt = machine.now();
    return new Promise((resolve) => {
      const cancelTimer = machine.setTimer(() => this.#giveUp(attemptId), timeout);
      const underWay: UnderWay = {
        attempt: () => ({
          attemptId,
          listenerId: subscriptionId,
          deliveryId: id,
          number: attempts.length + 1,
          event,
          headers: { 'Content-Type': 'application/json', [signatureHeader]: signature },
          body,
          timeout: Math.max(0, beganAt + timeout - machine.now()),
        }),
        wasOffered: false,
        settle: (result) => {
          cancelTimer();
          resolve(timed(result, beganAt, machine.now()));
        },
      };
      this.#underWay.set(attemptId, underWay);
      if (this.#connection !== undefined) offer(this.#connection, attemptId, underWay);
    });
  }

  /** Takes the answer to an attempt. The first one counts. Undefined if the listener never had the attempt. */
  answer(attemptId: string, answer: ListenerAnswer): ListenerOutcome | undefined {
    const underWay = this.#underWay.get(attemptId);
    if (underWay === undefined) return this.#ended.get(attemptId);
    this.#settle(attemptId, underWay, 'recorded', resultIn(answer));
    this.#connection?.forget(attemptId);
    return 'recorded';
  }

  /** Ends every attempt that is under way and the connection, which is told of the removal. */
  remove(): void {
    this.#connection?.finish();
    this.end('the listener was removed');
  }

  /** Ends the connection and every attempt that is under way. */
  end(error: string): void {
    this.stop();
    for (const [attemptId, underWay] of this.#underWay) {
      this.#settle(attemptId, underWay, 'too_late', { error });
    }
  }

  /** Ends the connection. Answers to attempts that are under way still count. */
  stop(): void {
    this.#isOver = true;
    this.#cancelGrace();
    this.#connection?.end();
  }

  #giveUp(attemptId: string): void {
    const underWay = this.#underWay.get(attemptId);
    if (underWay === undefined) return;
    const error = this.#whyNone(underWay);
    this.#settle(attemptId, underWay, 'too_late', { error });
    this.#connection?.takeBack(attemptId, error);
  }

  #whyNone({ wasOffered }: UnderWay): string {
    if (!wasOffered) return notConnected;
    const none = `no complete answer within ${this.#options.timeout / 1000} s`;
    return this.#connection === undefined
      ? `${none}: the connection to \`messaging-automation listen\` is lost`
      : none;
  }

  #settle(attemptId: string, { settle }: UnderWay, outcome: ListenerOutcome, result: AttemptResult): void {
    this.#underWay.delete(attemptId);
    this.#ended.set(attemptId, outcome);
    if (this.#ended.size > attemptsRemembered) {
      const [oldest] = this.#ended.keys();
      if (oldest !== undefined) this.#ended.delete(oldest);
    }
    settle(result);
  }

  #startGrace(): void {
    if (this.#isOver) return;
    this.#cancelGrace = this.#options.machine.setTimer(this.#options.onLost, grace);
  }
}

function offer(connection: ListenerConnection, attemptId: string, underWay: UnderWay): void {
  underWay.wasOffered = true;
  connection.offer(attemptId, underWay.attempt);
}

function resultIn(answer: ListenerAnswer): AttemptResult {
  if ('error' in answer) return { error: answer.error };
  return resultOf(headOf(answer.status, answer.date), answer.answer ?? '');
}
