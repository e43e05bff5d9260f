import type { TemplateRecord } from '../../model/records.js';
import type { TemplateStore } from '../template-store.js';

/** One workspace's templates in memory. */
export class MemoryTemplates implements TemplateStore {
  readonly #byId: Map<string, TemplateRecord>;

  constructor(templates: readonly TemplateRecord[]) {
    this.#byId = new Map(templates.map((template) => [template.id, template]));
  }

  async list(): Promise<readonly TemplateRecord[]> {
    return this.all();
  }

  async find(templateId: string): Promise<TemplateRecord | undefined> {
    return this.#byId.get(templateId);
  }

  async put(template: TemplateRecord): Promise<void> {
    this.#byId.set(template.id, template);
  }

  async delete(templateId: string): Promise<boolean> {
    return this.#byId.delete(templateId);
  }

  all(): readonly TemplateRecord[] {
    return [...this.#byId.values()];
  }
}
