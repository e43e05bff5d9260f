import type { JourneyRecord, SegmentRecord, TemplateRecord, WorkspaceRecord } from '../../model/records.js';

/** What a workspace does by itself, in memory: templates, segments and journeys, in the order in which they came. */
export class MemoryDefinitions {
  readonly templates: Map<string, TemplateRecord>;
  readonly segments: Map<string, SegmentRecord>;
  readonly journeys: Map<string, JourneyRecord>;

  constructor({
    templates,
    segments,
    journeys,
  }: Pick<WorkspaceRecord, 'templates' | 'segments' | 'journeys'>) {
    this.templates = byId(templates);
    this.segments = byId(segments);
    this.journeys = byId(journeys);
  }

  journeysStartedBy(event: string): readonly JourneyRecord[] {
    return [...this.journeys.values()].filter((journey) => journey.event === event);
  }

  list(): Pick<WorkspaceRecord, 'templates' | 'segments' | 'journeys'> {
    return {
      templates: [...this.templates.values()],
      segments: [...this.segments.values()],
      journeys: [...this.journeys.values()],
    };
  }
}

function byId<T extends { readonly id: string }>(records: readonly T[]): Map<string, T> {
  return new Map(records.map((record) => [record.id, record]));
}
