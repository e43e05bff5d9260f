import { expect } from 'vitest';
import { statements } from '../../../src/contract/statements.js';
import { contractCase, phone } from '../contract-case.js';
import { approvedTemplate } from '../environment.js';

/** §4 GET /v1/templates. */
export const templateCases = [
  contractCase(statements.listedTemplatesAreSent, async ({ messaging }) => {
    await messaging.contacts.upsert({ phone });
    const template = (await messaging.templates.list()).find(({ id }) => id === approvedTemplate);
    const variables = { '1': 'Ada', '2': 'A-1001' };
    const result = await messaging.transactional.send({ phone, templateId: template?.id ?? '', variables });
    expect(result).toMatchObject({ success: true });
  }),
];
