import type { WebhookEvent } from '../../contract/delivery.js';
import { type FieldProblem, listProblems } from '../../foundation/field-problem.js';
import { createWarnings } from '../../foundation/warnings.js';
import { isKnownType } from './delivery-shape.js';

/**
 * The differences between an authentic delivery and the shape in the service's document.
 */
export interface WebhookDrift {
  /** The delivery as it arrived. Its values may not have their declared types. */
  readonly event: WebhookEvent;
  /** The fields that differ, each with what it must be. They contain no values. */
  readonly problems: readonly FieldProblem[];
}

const warnOnce = /* @__PURE__ */ createWarnings('MessagingAutomationDrift');

/** The default `onDrift`: warns once per event type. */
export function warnOfDrift({ event, problems }: WebhookDrift): void {
  // Do not quote an unknown name, because it comes from outside, and there may be any number of them.
  const type = isKnownType(event.event) ? event.event : 'unknown type';
  warnOnce(
    type,
    `A delivery of ${type} differs from the shape that the document shows: ${listProblems(problems, 'the body')}. ` +
      'It was passed on nevertheless. Pass onDrift to handle this, or validation: "off" to ignore it.',
  );
}
