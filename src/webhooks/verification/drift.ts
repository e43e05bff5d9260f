import type { WebhookEvent } from '../../contract/delivery.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { createWarnings } from '../../foundation/warnings.js';
import { isKnownType } from './delivery-shape.js';

/**
 * How an authentic delivery differs from the shape that the document shows.
 */
export interface WebhookDrift {
  /** The delivery as it arrived, its type no longer vouched for. */
  readonly event: WebhookEvent;
  /** The fields that differ, each with what it should have been. Holds no values. */
  readonly problems: readonly FieldProblem[];
}

const warnOnce = /* @__PURE__ */ createWarnings('MessagingAutomationDrift');

/** What becomes of drift when no `onDrift` is given: a warning, once per event type. */
export function warnOfDrift({ event, problems }: WebhookDrift): void {
  // A name that is not known here is not repeated: it comes from outside, and there may be any number of them.
  const type = isKnownType(event.event) ? event.event : 'unknown type';
  warnOnce(
    type,
    `A delivery of ${type} differs from the shape that the document shows: ${listProblems(problems, 'the body')}. ` +
      'It was given all the same; pass onDrift to handle this, or validation: "off" to ignore it.',
  );
}
