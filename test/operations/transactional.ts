import { type CasesOf, refuse } from './operation-case.js';

const variables = { '1': 'Ada', '2': 'A-1001' };

/** §4, /v1/transactional. */
export const transactionalCases: CasesOf<'transactional'> = {
  send: {
    endpoint: 'POST /v1/transactional',
    statuses: [200],
    repeatable: false,
    call: ({ transactional }, { phone, templateId }, options) =>
      transactional.send({ phone, templateId, variables }, options),
    sends: ({ phone, templateId }) => ({
      path: '/v1/transactional',
      body: { phone, templateId, variables },
    }),
    response: { success: true },
    async byHand({ state, request }) {
      const given: { phone: string; templateId: string; variables?: Record<string, string> } =
        await request.json();
      if (!state.contactWithPhone(given.phone)) return refuse(404, 'not_found');
      if (state.conversationsLeft === 0) return refuse(402, 'quota_exceeded');
      const template = state.templates.find(({ id }) => id === given.templateId);
      const filled = template?.placeholders.every((key) => typeof given.variables?.[key] === 'string');
      const providerIssue = given.phone === '+15005550102';
      if (providerIssue || !template?.approved || !filled) return refuse(422, 'send_failed');
      state.conversationsLeft -= 1;
      return Response.json({ success: true }, { status: 200 });
    },
  },
};
