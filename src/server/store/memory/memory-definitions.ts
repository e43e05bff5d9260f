import type { JourneyRecord, SegmentRecord, TemplateRecord, WorkspaceRecord } from '../../model/records.js';

/** What a workspace is given and never changes, in memory: templates, segments and journeys. */
export class MemoryDefinitions {
  readonly #templates: ReadonlyMap<string, TemplateRecord>;
  readonly #segments: ReadonlyMap<string, SegmentRecord>;
  readonly #journeys: ReadonlyMap<string, JourneyRecord>;
  readonly #journeysByEvent = new Map<string, JourneyRecord[]>();

  constructor({ templates, segments, journeys }: WorkspaceRecord) {
    this.#templates = byId(templates);
    this.#segments = byId(segments);
    this.#journeys = byId(journeys);
    for (const journey of journeys) {
      const ofEvent = this.#journeysByEvent.get(journey.event);
      if (ofEvent === undefined) this.#journeysByEvent.set(journey.event, [journey]);
      else ofEvent.push(journey);
    }
  }

  template(templateId: string): TemplateRecord | undefined {
    return this.#templates.get(templateId);
  }

  segment(segmentId: string): SegmentRecord | undefined {
    return this.#segments.get(segmentId);
  }

  journey(journeyId: string): JourneyRecord | undefined {
    return this.#journeys.get(journeyId);
  }

  journeysStartedBy(event: string): readonly JourneyRecord[] {
    return this.#journeysByEvent.get(event) ?? [];
  }
}

function byId<T extends { readonly id: string }>(records: readonly T[]): ReadonlyMap<string, T> {
  return new Map(records.map((record) => [record.id, record]));
}
