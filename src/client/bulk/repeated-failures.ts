import type { RequestError } from '../errors/request-error.js';
import { subjectOf } from './item-failure.js';
import type { BulkStop } from './outcome.js';

/** What a failure means for the run. */
export interface Verdict {
  /** The items that were rejected because of their own content. */
  readonly rejected: Iterable<number>;
  /** The reason to stop, if one cause failed enough consecutive items. */
  readonly stop: BulkStop['reason'] | undefined;
  /** How many consecutive items failed for a cause outside the items. */
  readonly outside: number;
}

/**
 * Distinguishes items that are rejected because of their own content from a cause that fails item after item.
 *
 * An item whose rejection may have a wider cause is held, and stays open. A success releases it: a successful send of the
 * same template if the template may be the cause, any successful item otherwise.
 */
export class RepeatedFailures {
  readonly #stopAfter: number;
  readonly #templates = new Map<string | undefined, { sent: boolean; readonly held: Set<number> }>();
  readonly #held = new Map<string, Set<number>>();
  #proven: boolean;
  #outside = 0;

  /**
   * @param stopAfter How many consecutive failures stop the run.
   * @param proven Whether an item of the job has been carried out before.
   */
  constructor(stopAfter: number, proven: boolean) {
    this.#stopAfter = stopAfter;
    this.#proven = proven;
  }

  /** Records a success. Returns the held items that were therefore rejected because of their own content. */
  succeeded(template: string | undefined): Iterable<number> {
    this.#outside = 0;
    this.#proven = true;
    const { held } = this.#ofTemplate(template);
    this.#templates.set(template, { sent: true, held: new Set<number>() });
    return [...held, ...this.#release()];
  }

  failed(index: number, error: RequestError, template: string | undefined): Verdict {
    switch (subjectOf(error)) {
      case 'outside':
        this.#outside += 1;
        return this.#verdict('service_unavailable', this.#outside);
      case 'template': {
        this.#outside = 0;
        const { held } = this.#ofTemplate(template);
        held.add(index);
        return this.#verdict('template_rejected', held.size);
      }
      case 'item': {
        if (error.attempts > 0) this.#outside = 0;
        if (this.#proven) return { rejected: [index], stop: undefined, outside: 0 };
        const held = this.#heldFor(`${error.name} ${error.code}`);
        held.add(index);
        return this.#verdict('all_rejected', held.size);
      }
    }
  }

  /** Records the end of the input. Returns the held items that no wider cause explains. */
  ended(): Iterable<number> {
    const ofTemplates = [...this.#templates.values()].flatMap(({ sent, held }) => (sent ? [...held] : []));
    return [...ofTemplates, ...this.#release()];
  }

  #verdict(reason: BulkStop['reason'], inARow: number): Verdict {
    const stop = inARow >= this.#stopAfter ? reason : undefined;
    return { rejected: [], stop, outside: this.#outside };
  }

  #ofTemplate(template: string | undefined) {
    const known = this.#templates.get(template) ?? { sent: false, held: new Set<number>() };
    this.#templates.set(template, known);
    return known;
  }

  #heldFor(cause: string): Set<number> {
    const known = this.#held.get(cause) ?? new Set<number>();
    this.#held.set(cause, known);
    return known;
  }

  #release(): readonly number[] {
    const released = [...this.#held.values()].flatMap((held) => [...held]);
    this.#held.clear();
    return released;
  }
}
