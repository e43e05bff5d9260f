import type { TemplateRecord } from '../model/records.js';

/** The templates of a workspace. */
export interface TemplateStore {
  /** Returns all templates in the order of their addition. */
  list(): Promise<readonly TemplateRecord[]>;
  find(templateId: string): Promise<TemplateRecord | undefined>;
  /** Adds the template at the end, or replaces the one with its id. */
  put(template: TemplateRecord): Promise<void>;
  /** Deletes the template. False if it does not exist. */
  delete(templateId: string): Promise<boolean>;
}
