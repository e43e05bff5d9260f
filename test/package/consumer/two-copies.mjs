// One process that holds the package twice, as an ES module and as CommonJS.
import { createRequire } from 'node:module';
import * as esm from 'messaging-automation';
import { createReferenceServer } from 'messaging-automation/server';

const cjs = createRequire(import.meta.url)('messaging-automation');

const server = createReferenceServer();
const { baseUrl } = await server.listen({ port: 0 });
const errorFrom = ({ MessagingAutomation }) =>
  new MessagingAutomation({ apiKey: server.apiKey, baseUrl }).contacts
    .get('contact_nobody')
    .catch((error) => error);
const errors = { esm: await errorFrom(esm), cjs: await errorFrom(cjs) };
await server.close();

const report = {
  separate: esm.NotFoundError !== cjs.NotFoundError,
  esmErrorIsCjs: [cjs.NotFoundError, cjs.MessagingAutomationError].map((type) => errors.esm instanceof type),
  cjsErrorIsEsm: [esm.NotFoundError, esm.MessagingAutomationError].map((type) => errors.cjs instanceof type),
  notAnother: errors.cjs instanceof esm.QuotaExceededError,
};
process.stdout.write(JSON.stringify(report));
