import type { TemplateRecord } from '../model/records.js';
import type { EffectsOf } from './effects.js';

/** The templates of a workspace. */
export interface TemplateStore {
  /** In the order in which the workspace was given them. */
  list(): Promise<readonly TemplateRecord[]>;
  find(templateId: string): Promise<TemplateRecord | undefined>;
  /** Adds the template at the end, or puts it in the place of the one with its id. */
  put(template: TemplateRecord): Promise<void>;
  /** False where there is no such template. */
  delete(templateId: string): Promise<boolean>;
}

export const templateEffects: EffectsOf<TemplateStore> = {
  list: 'reads',
  find: 'reads',
  put: 'writes',
  delete: 'writes',
};
