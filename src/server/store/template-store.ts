import type { TemplateRecord } from '../model/records.js';

/** The templates of a workspace. */
export interface TemplateStore {
  /** In the order in which the workspace was given them. */
  list(): Promise<readonly TemplateRecord[]>;
  find(templateId: string): Promise<TemplateRecord | undefined>;
  /** Adds the template, or replaces the one with its id. */
  put(template: TemplateRecord): Promise<void>;
  /** False where there is none. */
  delete(templateId: string): Promise<boolean>;
}
